"""The one rule for every output: a new file appears whole or not at all, and never in the place of something else."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from sdcdb.connection.connect import MAGIC, connect, explained
from sdcdb.errors import DatabaseError

FORCE = "choose another name, remove it first, or overwrite it with --force"
_KEPT = (".key", ".ledger.jsonl", ".ledger.jsonl.anchor")  # without them, what was answered would count as unknown


def refuse_target(file: Path, *, replace: bool = False, advice: str = FORCE) -> None:
    """Refuse to write where that would harm: into a device, through a link, over an existing file unless `replace`.

    A database in use, a ledger and a key are never replaced.
    """
    if file.is_symlink():
        raise DatabaseError(f"{file} is a symbolic link to {file.readlink()}: give the name of a file of its own")
    if file.exists() and not file.is_file():
        raise DatabaseError(f"{file} is not a regular file: choose another name")
    if file.exists() and not replace:
        raise DatabaseError(f"{file} already exists: {advice}")
    if file.exists() and _is_kept(file):
        raise DatabaseError(f"{file} is a database in use, a ledger or a key, which is never replaced: choose another")
    if not file.parent.is_dir():
        raise DatabaseError(f"no folder {file.parent}: create it first")


def _is_kept(file: Path) -> bool:
    if file.name.endswith(_KEPT):
        return True
    with suppress(OSError), file.open("rb") as stream:
        beside = file.name.removesuffix(".duckdb")
        used = any(file.with_name(beside + ending).exists() for ending in (".policy.yaml", *_KEPT))
        return used and stream.read(12)[8:12] == MAGIC
    return False


@contextmanager
def written_whole(file: Path, *, replace: bool = False, private: bool = False, advice: str = FORCE) -> Iterator[Path]:
    """Yield a path to write to, which becomes `file` at the end; when anything fails, nothing is left behind.

    `replace` allows an existing file: it stays as it is until the new one is complete. `private` lets nobody but its
    owner read the file, ever.
    """
    refuse_target(file, replace=replace, advice=advice)
    part = file.with_name(f".{file.name}.part")
    try:
        part.unlink(missing_ok=True)
        if private:
            os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        yield part
        _put(part, file, replace=replace, advice=advice)
    except OSError as problem:
        raise DatabaseError(f"cannot write {file}: {problem.strerror or problem}") from None
    except (duckdb.IOException, duckdb.FatalException) as problem:  # DuckDB writes it, and the disk may be full
        raise DatabaseError(f"cannot write {file}: is there room on the disk? (DuckDB says: {problem})") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
            part.with_name(part.name + ".wal").unlink(missing_ok=True)


def _put(part: Path, file: Path, *, replace: bool, advice: str) -> None:
    """Give the file its name. What came into its place meanwhile is not replaced, either."""
    if replace:
        refuse_target(file, replace=True)
        part.replace(file)
        return
    try:
        os.link(part, file)
    except FileExistsError:
        raise DatabaseError(f"{file} already exists: {advice}") from None
    except OSError:  # a file system without hard links
        refuse_target(file, advice=advice)
        part.replace(file)


@contextmanager
def new_database(file: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection to a new database file."""
    with written_whole(file, advice="choose another name or remove it first") as part:
        con = connect(part, create=True)
        try:
            with explained(file):
                yield con
        finally:
            con.close()
