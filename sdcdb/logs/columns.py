"""Which column of a table contains what: as given, as a known export has it, or by its usual name."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sdcdb.errors import DataError, choices
from sdcdb.logs.exports import Export, export_of, normal

USUAL: Mapping[str, tuple[str, ...]] = {
    "query": ("query", "sql", "statement", "sql_text", "query_text", "statement_text", "stmt", "querytext", "argument"),
    "time": ("time", "timestamp", "ts", "start_time", "starttime", "event_time", "log_time", "datetime", "executed_at",
             "created_at", "started_at", "creation_time", "date"),
    "user": ("user", "user_name", "username", "usename", "user_email", "login", "account", "principal", "executed_by",
             "server_principal_name", "role", "user_host", "who"),
    "answer": ("answer", "answers", "result", "results", "output", "rows"),
    "error": ("error", "error_message", "errormessage", "exception"),
    "status": ("status", "execution_status", "succeeded", "success"),
    "parameters": ("parameters", "params", "bindings"),
    "cut": ("truncated", "query_truncated"),
}  # fmt: skip
"""The usual names of each column, the likeliest first; used when the user names none."""


@dataclass(frozen=True)
class Columns:
    """Which columns of a table may contain what, the likeliest first. Only the query is required."""

    names: Mapping[str, tuple[str, ...]]
    export: Export | None = None

    def of(self, what: str, row: Mapping[str, Any]) -> Any:
        """Return the first value of a row that is not empty."""
        return next((row[name] for name in self.names.get(what, ()) if row.get(name) not in (None, "")), None)


def columns_of(names: Iterable[str], given: Mapping[str, str], file: str) -> Columns:
    """Choose the columns: as given, or else as a known export has them, or else by their usual names.

    >>> columns_of(["ts", "username", "sql"], {}, "log.csv").names
    {'query': ('sql',), 'time': ('ts',), 'user': ('username',)}
    """
    there = list(names)
    folded = {normal(name): name for name in reversed(there)}
    for what in given:
        if what not in USUAL:
            raise DataError(f"a log has no {what!r}; {choices(what, USUAL)}")
    for what, name in given.items():
        if normal(name) not in folded:
            raise DataError(f"{file} has no column {name!r} for the {what}; {choices(name, there)}")
    export = export_of(there)
    found: dict[str, tuple[str, ...]] = {}
    for what, usual in USUAL.items():
        if what in given:
            found[what] = (folded[normal(given[what])],)
            continue
        candidates = export.columns.get(what, ()) if export else usual
        present = tuple(folded[each] for each in candidates if each in folded)
        if present:
            found[what] = present if export else present[:1]
    if "query" not in found and (export is None or not export.optional):
        raise DataError(
            f"{file}: none of the columns {', '.join(there)} looks like the query: name it with --map query=NAME"
        )
    return Columns(found, export)
