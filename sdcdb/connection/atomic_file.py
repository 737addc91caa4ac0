"""New files that appear whole or not at all."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from sdcdb.connection.connect import connect, explained
from sdcdb.errors import DatabaseError


def refuse_target(file: Path, *, replace: bool = False) -> None:
    """Refuse to write where that would harm: into a device, through a link, over an existing file unless `replace`."""
    if file.is_symlink():
        raise DatabaseError(f"{file} is a symbolic link to {file.readlink()}: give the name of a file of its own")
    if file.exists() and not file.is_file():
        raise DatabaseError(f"{file} is not a regular file: choose another name")
    if file.exists() and not replace:
        raise DatabaseError(
            f"{file} already exists: choose another name, remove it first, or overwrite it with --force"
        )


@contextmanager
def written_whole(file: Path, *, replace: bool = False) -> Iterator[Path]:
    """Yield a path to write to, which becomes `file` at the end; when anything fails, nothing is left behind.

    `replace` allows an existing file: it stays as it is until the new one is complete.
    """
    refuse_target(file, replace=replace)
    if not file.parent.is_dir():
        raise DatabaseError(f"no folder {file.parent}: create it first")
    part = file.with_name(f".{file.name}.part")
    try:
        part.unlink(missing_ok=True)
        yield part
        part.replace(file)
    except OSError as problem:
        raise DatabaseError(f"cannot write {file}: {problem.strerror or problem}") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
            part.with_name(part.name + ".wal").unlink(missing_ok=True)


@contextmanager
def new_database(file: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection to a new database file."""
    with written_whole(file) as part:
        con = connect(part, create=True)
        try:
            with explained(file):
                yield con
        finally:
            con.close()
