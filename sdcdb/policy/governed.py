"""A database together with the policy that governs it: what views, the gateway and the auditor work on."""

from pathlib import Path
from types import TracebackType
from typing import Self

import duckdb

from sdcdb.connection.connect import connect
from sdcdb.errors import SdcdbError
from sdcdb.policy.load import load_policy
from sdcdb.policy.models import Policy


class Governed:
    """An open DuckDB database and its policy, if it has one. `path` is None for a database in memory."""

    def __init__(self, path: Path | None, con: duckdb.DuckDBPyConnection, policy: Policy | None) -> None:
        self.path = path
        self._con = con
        self.policy = policy

    @property
    def con(self) -> duckdb.DuckDBPyConnection:
        """The connection."""
        return self._con

    def required_policy(self) -> Policy:
        """Return the policy, or say how to get one."""
        if self.policy is None:
            raise SdcdbError("there is no policy: `sdcdb init DB` writes one to start from")
        return self.policy

    def close(self) -> None:
        """Close the connection. Closing twice is harmless."""
        self._con.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path or ':memory:')!r}, policy={'yes' if self.policy else 'no'})"


def policy_path(database: str | Path) -> Path:
    """Return where the policy of a database is looked for: `staff.policy.yaml` beside `staff.duckdb`."""
    return Path(database).parent / f"{Path(database).stem}.policy.yaml"


def open_governed(
    path: str | Path, policy: str | Path | Policy | None = None, *, read_only: bool = False, create: bool = False
) -> Governed:
    """Open a DuckDB file, or `:memory:`, with its policy: the one given, or the file beside the database."""
    if str(path) == ":memory:":
        return Governed(None, duckdb.connect(), _policy(policy, None))
    file = Path(path)
    con = connect(file, read_only=read_only, create=create)
    try:
        return Governed(file, con, _policy(policy, file))
    except BaseException:
        con.close()
        raise


def _policy(policy: str | Path | Policy | None, database: Path | None) -> Policy | None:
    if isinstance(policy, Policy):
        return policy
    if policy is not None:
        return load_policy(Path(policy))
    if database is not None and policy_path(database).exists():
        return load_policy(policy_path(database))
    return None
