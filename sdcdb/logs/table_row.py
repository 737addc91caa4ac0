"""One row of a table of statements: who asked what and when, with what success, and whether all of it is there."""

import json
import re
from collections.abc import Mapping
from typing import Any

from sdcdb.logs.binding import bound
from sdcdb.logs.clock import parse_time
from sdcdb.logs.columns import Columns
from sdcdb.logs.exports import FAILED, STOPPED, normal
from sdcdb.logs.record import LoggedQuery, Place, Rows
from sdcdb.logs.source import Source
from sdcdb.logs.tally import Fate
from sdcdb.logs.tsql_call import put_together

REMEMBERED = 10_000  # rows that are recognised when they come again
SHORT = 4_000  # characters of such a row
NOTHING = ("", "0", "none", "null", "ok", "success", "false")
LIMITS = frozenset({1023, 1024, 2047, 2048, 4000, 4095, 4096, 8000, 32_768, 65_535, 65_536})
"""Lengths at which systems cut statements: one of just this length may have lost its end."""


def answers_of(value: Any) -> Rows | None:
    """Read a recorded answer: a number, one row as a list, or rows as a list of lists or of objects; text is JSON.

    >>> answers_of("[[\\"F\\", 31000.5], [\\"M\\", 29000]]"), answers_of("42"), answers_of("")
    ((('F', 31000.5), ('M', 29000)), ((42,),), None)
    """
    if value is None or value == "":
        return None
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return ((value,),)
    if isinstance(value, dict):
        value = value["rows"] if isinstance(value.get("rows"), list) else [value]
    if not isinstance(value, list):
        return ((value,),)
    if not any(isinstance(row, list | dict) for row in value):
        return (tuple(value),) if value else ()
    return tuple(
        tuple(row.values()) if isinstance(row, dict) else tuple(row) for row in value if isinstance(row, list | dict)
    )


class Reader:
    """Turns rows into statements, and accounts for each row's lines."""

    def __init__(self, source: Source, columns: Columns, dialect: str | None) -> None:
        self._source, self._columns = source, columns
        export = columns.export
        self._dialect = dialect or (export.dialect if export else "duckdb")
        self._stamp = next(iter(columns.names.get("time", ())), None)
        self._known: dict[tuple[str, ...], LoggedQuery] = {}

    def repeated(self, names: list[str], fields: list[str], line: int, after: Place, lines: int) -> LoggedQuery | None:
        """Return the statement of a row of texts; a row that differs from an earlier one in its time only costs little.

        Rows about which something was reported are read anew each time.
        """
        at = names.index(self._stamp) if self._stamp in names else len(names)
        key = (*fields[:at], *fields[at + 1 :])
        known, time = self._known.get(key), parse_time(fields[at]) if at < len(fields) else None
        if known is not None and (time is not None or at == len(fields)):
            self._source.tally.add(Fate.STATEMENT, lines)
            return LoggedQuery(
                line, time, known.user, known.sql, known.answers, known.source, known.dialect, known.error,
                known.unbound, known.ran, after=after,
            )  # fmt: skip
        query = self.query(dict(zip(names, fields, strict=True)), line, after, lines)
        if query is not None and not query.cut and (time is not None or at == len(fields)):
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            if sum(map(len, key)) < SHORT:
                self._known[key] = query
        return query

    def query(self, row: Mapping[str, Any], line: int, after: Place, lines: int) -> LoggedQuery | None:
        """Return the statement of a row; None, and the reason is reported, if it has none."""
        columns, source, export = self._columns, self._source, self._columns.export
        if export and export.kinds:
            kind = normal(str(_named(row, export.kinds[0]) or ""))
            if kind and kind not in export.kinds[1]:
                source.tally.add(Fate.OTHER, lines)
                return None
        sql = columns.of("query", row)
        if not isinstance(sql, str) or not sql.strip():
            missing = export is None or not export.optional
            if missing:
                source.report(line, f"the column {columns.names['query'][0]!r} is empty", "no query")
            source.tally.add(Fate.PROBLEM if missing else Fate.OTHER, lines)
            return None
        source.tally.add(Fate.STATEMENT, lines)
        stamp = columns.of("time", row)
        time = parse_time(stamp)
        if stamp is not None and time is None:
            source.report(line, f"{str(stamp)[:40]!r} is not a time", "not a time")
        user = columns.of("user", row)
        text, unbound = self._bound(sql.strip(), columns.of("parameters", row))
        error, ran = self._error(row)
        return LoggedQuery(
            line, time, None if user is None else str(user), text, answers_of(columns.of("answer", row)),
            source.name, self._dialect, error=error, ran=ran, unbound=unbound,
            cut=self._cut(sql, columns.of("cut", row), line), after=after,
        )  # fmt: skip

    def _bound(self, sql: str, given: Any) -> tuple[str, bool]:
        if self._dialect == "tsql":
            return put_together(sql)
        values = answers_of(given)
        listed = [None if each is None else str(each) for each in values[0]] if values else []
        text, unbound = bound(sql, listed)
        named = self._dialect == "bigquery" and re.search(r"(?<![@\w])@\w+", re.sub(r"'[^']*'|\"[^\"]*\"", "", text))
        return text, unbound or bool(named)

    def _error(self, row: Mapping[str, Any]) -> tuple[str | None, bool]:
        error, status = self._columns.of("error", row), self._columns.of("status", row)
        if isinstance(error, dict):
            error = error.get("message") or json.dumps(error)
        text = "" if error is None else str(error).strip()
        word = "" if status is None else normal(str(status).casefold())
        if text.casefold() in NOTHING:
            text = str(status) if word in FAILED else ""
        return (text or None), word in STOPPED

    def _cut(self, sql: str, flag: Any, line: int) -> bool:
        export = self._columns.export
        longest = export.longest if export else None
        lengths = {len(sql), len(sql.encode("utf-8", "replace"))}
        cut = str(flag).casefold() in ("true", "1", "yes") if flag is not None else False
        cut = cut or (longest is not None and max(lengths) >= longest) or bool(lengths & LIMITS)
        cut = cut or sql.rstrip().endswith(("...", "\u2026", "[truncated]", "<truncated>"))
        if cut:
            self._source.report(line, "the statement seems to be cut short: its end is not in the log", "cut short")
        return cut


def _named(row: Mapping[str, Any], name: str) -> Any:
    return next((value for key, value in row.items() if normal(key) == name), None)
