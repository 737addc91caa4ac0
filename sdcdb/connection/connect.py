"""Connect to a DuckDB file, with errors that say what to do."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from sdcdb.errors import DatabaseError, DatabaseInUse, choices

# The DuckDB 1.5 command line must be able to open files that sdcdb creates.
STORAGE: dict[str, str | bool | int | float | list[str]] = {"storage_compatibility_version": "v1.5.0"}
MAGIC = b"DUCK"  # bytes 8 to 11 of every DuckDB file


def connect(file: Path, *, read_only: bool = False, create: bool = False) -> duckdb.DuckDBPyConnection:
    """Connect to a DuckDB file, with an error that says what to do when it is missing, locked or not a database."""
    if create and file.exists():
        raise DatabaseError(f"{file} already exists: choose another name or remove it first")
    if not create:
        must_be_a_database(file)
    with explained(file):
        return duckdb.connect(str(file), read_only=read_only, config=dict(STORAGE) if create else {})


def is_read_only(con: duckdb.DuckDBPyConnection) -> bool:
    """Return whether the database of a connection is read-only."""
    rows = con.execute("SELECT readonly FROM duckdb_databases() WHERE database_name = current_database()").fetchall()
    return any(read_only for (read_only,) in rows)


@contextmanager
def explained(file: Path) -> Iterator[None]:
    """Turn the engine's errors about the file itself into ours."""
    try:
        yield
    except duckdb.IOException as problem:
        first = str(problem).splitlines()[0]
        if "lock" in first.lower():
            raise DatabaseInUse(
                f"cannot open {file}: another process has it open: close that process, or work on a copy "
                f"(DuckDB says: {first})"
            ) from None
        if "read-only" in first.lower():
            advice = "the file or its folder is read-only: copy it to a place you can write to"
        else:
            advice = "check the path, its permissions and the free disk space"
        raise DatabaseError(f"cannot open {file}: {advice} (DuckDB says: {first})") from None
    except duckdb.Error as problem:
        raise DatabaseError(f"cannot open {file} (DuckDB says: {str(problem).splitlines()[0]})") from None


def must_be_a_database(file: Path) -> None:
    """Refuse what is no DuckDB file, and say what it is instead."""
    if not file.exists():
        beside = [other.name for other in file.parent.glob("*.duckdb")] if file.parent.is_dir() else []
        raise DatabaseError(f"no such file: {file}" + (f" ({choices(file.name, beside)})" if beside else ""))
    if file.is_dir():
        raise DatabaseError(f"{file} is a folder: name the .duckdb file in it")
    try:
        with file.open("rb") as stream:
            head = stream.read(12)
    except OSError as problem:
        raise DatabaseError(f"cannot read {file}: {problem.strerror}") from None
    if head[8:12] != MAGIC:
        raise DatabaseError(
            f"{file} is not a DuckDB database. To turn a CSV or Parquet file into one: "
            f"duckdb new.duckdb \"CREATE TABLE t AS FROM '{file.name}'\""
        )
