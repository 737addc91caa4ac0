"""DuckDB's own query log: `CALL enable_logging('QueryLog', storage = 'file', ...)`, or `duckdb_logs` exported.

On disk it is a file of entries and a file of contexts; an export joins both. It records connections, not users, and
does not log parameter values.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sdcdb.logs.binding import bound
from sdcdb.logs.clock import parse_time
from sdcdb.logs.csv_lines import as_header, records
from sdcdb.logs.json_objects import objects
from sdcdb.logs.record import LoggedQuery, Place
from sdcdb.logs.source import Source
from sdcdb.logs.tally import Fate

NAMES = {"context_id", "timestamp", "type", "log_level", "message"}
CONTEXTS = "duckdb_log_contexts.csv"


def _query(row: Mapping[str, Any], source: Source, line: int, after: Place, lines: int) -> LoggedQuery | None:
    if row.get("type") != "QueryLog":
        source.tally.add(Fate.OTHER, lines)
        return None
    sql, unbound = bound(str(row.get("message") or "").strip(), ())
    if not sql:
        source.report(line, "an entry without a message", "no message")
        source.tally.add(Fate.PROBLEM, lines)
        return None
    source.tally.add(Fate.STATEMENT, lines)
    connection = row.get("connection_id")
    user = f"connection {connection}" if connection not in (None, "") else None
    return LoggedQuery(
        line, parse_time(row.get("timestamp")), user, sql, None, source.name, unbound=unbound, after=after
    )


def read_duckdb_csv(source: Source) -> Iterator[LoggedQuery]:
    """Yield the statements of a file of entries, or of an export as CSV."""
    header = next(records(Source(source.path), source.first_lines()), None)
    if header is None:
        for _ in records(source, source.lines()):
            pass
        return
    contexts = _Contexts(source.path.parent / CONTEXTS) if "connection_id" not in header.fields else None
    if source.start < header.after:
        source.tally.lines += header.after.lines
        source.tally.add(Fate.OTHER, header.after.lines)
    for record in records(source, source.lines(max(source.start, header.after)), check=as_header(header.fields)):
        row = dict(zip(header.fields, record.fields, strict=True))
        query = _query(row, source, record.line, record.after, record.lines)
        if query and contexts:
            connection = contexts.connection(row["context_id"])
            query = replace(query, user=f"connection {connection}" if connection else None)
        if query:
            yield query


def read_duckdb_json(source: Source) -> Iterator[LoggedQuery]:
    """Yield the statements of an export as JSON."""
    for each in objects(source):
        query = _query(each.content, source, each.line, each.after, each.lines)
        if query:
            yield query


class _Contexts:
    """The connections of the contexts, read in step with the entries: both are numbered in ascending order."""

    def __init__(self, path: Path) -> None:
        self._rows = self._read(path) if path.exists() else iter(())
        self._here: tuple[int, str] = (-1, "")

    @staticmethod
    def _read(path: Path) -> Iterator[tuple[int, str]]:
        source = Source(path)
        header = next(records(source, source.lines()), None)
        if header is None or not {"context_id", "connection_id"} <= set(header.fields):
            return
        first, second = header.fields.index("context_id"), header.fields.index("connection_id")
        for record in records(source, source.lines(header.after)):
            if len(record.fields) == len(header.fields) and record.fields[first].isdigit():
                yield int(record.fields[first]), record.fields[second]

    def connection(self, context: str) -> str | None:
        """Return the connection of a context, if its file has it."""
        if not context.isdigit():
            return None
        while self._here[0] < int(context):
            following = next(self._rows, None)
            if following is None:
                return None
            self._here = following
        return self._here[1] if self._here[0] == int(context) else None
