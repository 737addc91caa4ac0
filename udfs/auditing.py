"""The audit of query logs from SQL: `FROM sdc_audit('log.csv')`, and what it found as tables that can be joined.

A Python function of DuckDB gives one value per row, so each of these returns a list of structs, which a table macro
unnests. It reads the database through its own connection, to the file that the statement runs on; a database in
memory has no file, and is audited by `sdcdb.udfs.audit`, which writes the same tables.
"""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
from duckdb.func import FunctionNullHandling, PythonUDFType

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.errors import DataError, SdcdbError

if TYPE_CHECKING:
    from sdcdb.auditor.audit import Audit

ARGUMENTS = ("log", "policy", "known", "together", "dialect", "path")


@dataclass(frozen=True)
class Result:
    """One table of an audit: its name, its columns, and the rows."""

    name: str
    header: str
    rows: Callable[["Audit"], list[dict[str, Any]]]

    @property
    def columns(self) -> list[tuple[str, str]]:
        """The names and types of the columns."""
        return [(name, kind) for name, _, kind in (each.partition(" ") for each in self.header.split(", "))]

    @property
    def type(self) -> str:
        """The SQL type of all rows as one value."""
        return f"STRUCT({', '.join(f'{quoted(identifier(name))} {kind}' for name, kind in self.columns)})[]"

    def listed(self, found: "Audit") -> list[dict[str, Any]]:
        """Return the rows with exactly these columns."""
        return [{name: _value(row[name], kind) for name, kind in self.columns} for row in self.rows(found)]


def _value(value: Any, kind: str) -> Any:
    """Return times as UTC without a zone: DuckDB's type with one needs another package in Python."""
    return datetime.fromisoformat(value).replace(tzinfo=None) if kind == "TIMESTAMP" and value else value


def _findings(found: "Audit") -> list[dict[str, Any]]:
    from sdcdb.auditor.document import finding_data

    rows = []
    for each in found.findings:
        data = finding_data(found, each)
        proof = data["certificate"] or {"words": None, "smallest": None, "queries": []}
        first = data["first"]
        rows.append(
            {
                **data, "value": None if data["possible"] else data["value"],
                "since_statement": first["number"], "since_time": first["time"], "since_file": first["file"],
                "since_line": first["line"], "queries": len(proof["queries"]), "smallest": proof["smallest"],
                "proof": proof["words"],
            }
        )  # fmt: skip
    return rows


def _certificates(found: "Audit") -> list[dict[str, Any]]:
    from sdcdb.auditor.document import certificate_data

    rows = []
    for each in found.findings:
        proof = certificate_data(found, each) or {"queries": []}
        for position, query in enumerate(proof["queries"], start=1):
            whose = {"table": each.table, "column": each.column, "record": each.record, "position": position}
            rows.append({**query, **whose, "statement": query["number"], "answer": float(query["answer"])})
    return rows


def _bounds(found: "Audit") -> list[dict[str, Any]]:
    from sdcdb.auditor.proofs.interval import intervals

    rows = []
    for column in found.columns:
        evidence = column.everybody.evidence
        exact = intervals(evidence)
        names = found.naming.records(column.table)
        rows += [
            {
                "table": column.table, "column": column.column, "record": names[cell],
                "records": int(evidence.counts[cell]), "lower": float(exact.lower[cell]),
                "upper": float(exact.upper[cell]), "width": float(exact.widths[cell]),
            }
            for cell in range(len(evidence.counts))
            if evidence.counts[cell] > 0
        ]  # fmt: skip
    return rows


def _statements(found: "Audit") -> list[dict[str, Any]]:
    from sdcdb.auditor.document import statement_data

    return [
        {**statement_data(found, each.first), "outcome": outcome, "reason": each.reason, "times": each.times,
         "statement": each.first.number, "users": sorted(each.users)}
        for outcome, kept in (("finding", found.history.direct), ("not understood", found.history.unsafe))
        for each in kept.values()
    ]  # fmt: skip


_PLACE = "file VARCHAR, line BIGINT, time TIMESTAMP, user VARCHAR, sql VARCHAR"
_RECORD = "table VARCHAR, column VARCHAR, record VARCHAR"
_ENDS = "lower DOUBLE, upper DOUBLE, width DOUBLE"
_DOUBT = "h0 DOUBLE, area DOUBLE, h0_given_known DOUBLE, area_given_known DOUBLE"
_SINCE = "since_statement BIGINT, since_time TIMESTAMP, since_file VARCHAR, since_line BIGINT"
_PROOF = "queries BIGINT, smallest BOOLEAN, proof VARCHAR"
_LEFT = "candidates DOUBLE[], possible VARCHAR[]"
_FOUND = f"level VARCHAR, value DOUBLE, {_ENDS}, {_LEFT}, {_DOUBT}, pool VARCHAR, users VARCHAR[]"
_STEP = "asks VARCHAR, records BIGINT, answer DOUBLE, weight VARCHAR, held_by VARCHAR[]"
RESULTS = (
    Result("sdc_audit", f"{_RECORD}, {_FOUND}, {_SINCE}, {_PROOF}", _findings),
    Result("sdc_audit_certificates", f"{_RECORD}, position BIGINT, statement BIGINT, {_PLACE}, {_STEP}", _certificates),
    Result("sdc_audit_bounds", f"{_RECORD}, records BIGINT, {_ENDS}", _bounds),
    Result(
        "sdc_audit_statements",
        f"outcome VARCHAR, reason VARCHAR, times BIGINT, users VARCHAR[], statement BIGINT, {_PLACE}",
        _statements,
    ),
)


def audit(
    con: duckdb.DuckDBPyConnection,
    log: str | Path | Sequence[str | Path],
    policy: str | Path,
    *,
    known: str = "",
    together: str = "all",
    dialect: str = "",
) -> None:
    """Audit logs against the database of a connection, and leave temporary tables `sdc_audit`, `sdc_audit_bounds`, ...

    The macros of the same names keep working: a call has parentheses.
    """
    logs = [log] if isinstance(log, str | Path) else list(log)
    found = _audited(con, [each for name in logs for each in _files(str(name))], policy, known, together, dialect)
    for result in RESULTS:
        rows = duckdb.Value(result.listed(found), duckdb.sqltype(result.type))
        query = f"SELECT unnest($1::{result.type}, recursive := true)"
        con.execute(f"CREATE OR REPLACE TEMP TABLE {result.name} AS {query}", [rows])


def _audited(
    con: duckdb.DuckDBPyConnection, logs: list[Path], policy: str | Path, known: str, together: str, dialect: str
) -> "Audit":
    from sdcdb.auditor.audit import Options
    from sdcdb.auditor.run import Request, run
    from sdcdb.logs.formats import Options as LogOptions
    from sdcdb.policy.load import load_policy

    if together not in ("all", "user", "team"):
        raise DataError(f"together must be all, user or team, not {together!r}")
    columns = tuple(name.strip() for name in known.split(",") if name.strip())
    options = Options(together, columns or None)  # type: ignore[arg-type]  # checked above
    return run(con, load_policy(Path(policy)), Request(logs, LogOptions(dialect=dialect or None), options))


def _files(pattern: str) -> list[Path]:
    found = [Path(name) for name in sorted(glob(pattern))]  # noqa: PTH207 - a pattern from anywhere
    return found or [Path(pattern)]


@lru_cache(maxsize=4)
def _of_files(logs: tuple[tuple[str, int, int], ...], database: tuple[str, int, int], rest: tuple[str, ...]) -> "Audit":
    """Audit once, until the files change."""
    policy, known, together, dialect = rest
    con = _connected(database[0])
    try:
        return _audited(con, [Path(name) for name, _, _ in logs], policy, known, together, dialect)
    finally:
        con.close()


def _connected(path: str) -> duckdb.DuckDBPyConnection:
    """Connect to a file that is already open in this process, read-only or not."""
    try:
        return duckdb.connect(path, read_only=True)
    except duckdb.ConnectionException:
        return duckdb.connect(path)


def _stamp(path: Path) -> tuple[str, int, int]:
    try:
        status = path.stat()
    except OSError as problem:
        raise SdcdbError(f"cannot read {path}: {problem.strerror}") from None
    return str(path), status.st_size, status.st_mtime_ns


def _function(result: Result) -> Callable[..., Any]:
    def function(log: str, policy: str, known: str, together: str, dialect: str, path: str) -> list[dict[str, Any]]:
        from sdcdb.policy.governed import policy_path

        if not path:
            raise DataError(f"{result.name} reads a database file; in memory, use sdcdb.udfs.audit(con, log, policy)")
        chosen = policy or str(policy_path(path))
        logs = tuple(_stamp(each) for each in _files(log))
        return result.listed(_of_files(logs, _stamp(Path(path)), (chosen, known, together, dialect)))

    return function


# Created once and kept: DuckDB refers to these objects as long as a database is open.
_FUNCTIONS = tuple((result, _function(result)) for result in RESULTS)


def create_audit(con: duckdb.DuckDBPyConnection, there: Container[str]) -> None:
    """Create the functions that are not there yet, and the macros of this connection."""
    with con.cursor() as cursor:
        for result, function in _FUNCTIONS:
            if f"_{result.name}" not in there:
                cursor.create_function(
                    f"_{result.name}",
                    function,
                    [duckdb.sqltype("VARCHAR")] * len(ARGUMENTS),
                    duckdb.sqltype(result.type),
                    type=PythonUDFType.NATIVE,
                    null_handling=FunctionNullHandling.SPECIAL,
                )
    path = "(SELECT coalesce(path, '') FROM duckdb_databases() WHERE database_name = current_database())"
    for result in RESULTS:
        parameters = "log, policy := '', known := '', together := 'all', dialect := ''"
        call = f"_{result.name}(log, policy, known, together, dialect, {path})"
        con.execute(
            f"CREATE OR REPLACE TEMP MACRO {result.name}({parameters}) AS TABLE "
            f"SELECT unnest({call}, recursive := true)"
        )


__all__ = ["RESULTS", "audit", "create_audit"]
