"""Opening a database file together with its policy."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import duckdb

from sdcdb.errors import DatabaseError, choices
from sdcdb.policy.load import load_policy
from sdcdb.policy.models import Policy
from sdcdb.udfs import register

if TYPE_CHECKING:
    from sdcdb.gateway.gateway import Gateway

# Files that sdcdb creates must open in the DuckDB 1.5 command line too.
STORAGE: dict[str, str | bool | int | float | list[str]] = {"storage_compatibility_version": "v1.5.0"}
MAGIC = b"DUCK"  # bytes 8 to 11 of every DuckDB file


class Database:
    """A DuckDB database, its policy if it has one, and a connection on which the `sdc_*` functions work."""

    def __init__(self, path: Path | None, con: duckdb.DuckDBPyConnection, policy: Policy | None) -> None:
        self.path = path
        self.con = con
        self.policy = policy

    def gateway(self, **options: Any) -> "Gateway":
        """Open the gateway that answers analysts' statements about this database. See `sdcdb.gateway.gateway`."""
        from sdcdb.gateway.gateway import Gateway

        return Gateway(self, **options)

    def close(self) -> None:
        """Close the connection. Closing twice is harmless."""
        self.con.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Database({str(self.path or ':memory:')!r}, policy={'yes' if self.policy else 'no'})"


def policy_path(database: str | Path) -> Path:
    """Return where the policy of a database is looked for: `staff.policy.yaml` beside `staff.duckdb`."""
    return Path(database).parent / f"{Path(database).stem}.policy.yaml"


def open(  # noqa: A001 - sdcdb.open(path) reads as it should
    path: str | Path, policy: str | Path | Policy | None = None, *, read_only: bool = False, create: bool = False
) -> Database:
    """Open a DuckDB file with its policy.

    `policy` is a policy file or a `Policy`. Left out, the file beside the database is used (see `policy_path`), if
    there is one. `create=True` makes a new file, readable by DuckDB 1.5 and 2.0. `:memory:` gives a database in memory.
    """
    if str(path) == ":memory:":
        return Database(None, register(duckdb.connect()), _policy(policy, None))
    file = Path(path)
    con = connect(file, read_only=read_only, create=create)
    try:
        return Database(file, register(con), _policy(policy, file))
    except BaseException:
        con.close()
        raise


def connect(file: Path, *, read_only: bool = False, create: bool = False) -> duckdb.DuckDBPyConnection:
    """Connect to a DuckDB file, with an error that says what to do when it is missing, locked or no database."""
    if create and file.exists():
        raise DatabaseError(f"{file} exists already: choose another name or remove it first")
    if not create:
        _must_be_a_database(file)
    with explained(file):
        return duckdb.connect(str(file), read_only=read_only, config=dict(STORAGE) if create else {})


@contextmanager
def explained(file: Path) -> Iterator[None]:
    """Turn the engine's errors about the file itself into ours."""
    try:
        yield
    except duckdb.IOException as problem:
        first = str(problem).splitlines()[0]
        if "lock" in first.lower():
            advice = "another process has it open: close that one, or work on a copy"
        elif "read-only" in first.lower():
            advice = "the file or its folder is read-only: copy it to a place you can write to"
        else:
            advice = "check that the path, its permissions and the free space are right"
        raise DatabaseError(f"cannot open {file}: {advice} (DuckDB says: {first})") from None
    except duckdb.Error as problem:
        raise DatabaseError(f"cannot open {file} (DuckDB says: {str(problem).splitlines()[0]})") from None


def _must_be_a_database(file: Path) -> None:
    if not file.exists():
        beside = [other.name for other in file.parent.glob("*.duckdb")] if file.parent.is_dir() else []
        raise DatabaseError(f"there is no file {file}" + (f" ({choices(file.name, beside)})" if beside else ""))
    if file.is_dir():
        raise DatabaseError(f"{file} is a folder: name the .duckdb file in it")
    try:
        with file.open("rb") as stream:
            head = stream.read(12)
    except OSError as problem:
        raise DatabaseError(f"cannot read {file}: {problem.strerror}") from None
    if head[8:12] != MAGIC:
        raise DatabaseError(
            f"{file} is not a DuckDB database. A CSV or Parquet file is turned into one by: "
            f"duckdb new.duckdb \"CREATE TABLE t AS FROM '{file.name}'\""
        )


def _policy(policy: str | Path | Policy | None, database: Path | None) -> Policy | None:
    if isinstance(policy, Policy):
        return policy
    if policy is not None:
        return load_policy(Path(policy))
    if database is not None and policy_path(database).exists():
        return load_policy(policy_path(database))
    return None
