"""Logs that are tables: CSV, JSON lines or Parquet with a column for the query, mostly also for time and user."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sdcdb.errors import DataError, choices
from sdcdb.logs.clock import parse_time
from sdcdb.logs.csv_lines import records
from sdcdb.logs.postgres import object_on
from sdcdb.logs.record import LoggedQuery, Place, Rows
from sdcdb.logs.source import Source

USUAL: Mapping[str, tuple[str, ...]] = {
    "query": ("query", "sql", "statement", "sql_text", "query_text", "statement_text", "stmt", "querytext", "argument"),
    "time": ("time", "timestamp", "ts", "start_time", "starttime", "event_time", "log_time", "datetime", "executed_at",
             "created_at", "started_at", "date"),
    "user": ("user", "user_name", "username", "usename", "login", "account", "principal", "role", "user_host", "who"),
    "answer": ("answer", "answers", "result", "results", "output", "rows"),
    "error": ("error", "error_message", "errormessage", "exception"),
}  # fmt: skip
"""The usual names of each column, the likeliest first; used when the user names none."""
NOTHING = ("", "0", "none", "null", "ok", "success", "false")


@dataclass(frozen=True)
class Columns:
    """Which column of a table contains what. Only the query is required."""

    query: str
    time: str | None = None
    user: str | None = None
    answer: str | None = None
    error: str | None = None


def columns_of(names: Iterable[str], given: Mapping[str, str], file: str) -> Columns:
    """Choose the columns: as given, or else by their usual names.

    >>> columns_of(["ts", "username", "sql"], {}, "log.csv")
    Columns(query='sql', time='ts', user='username', answer=None, error=None)
    """
    there = list(names)
    folded = {name.strip().casefold(): name for name in there}
    for what in given:
        if what not in USUAL:
            raise DataError(f"a log has no {what!r}; {choices(what, USUAL)}")
    for what, name in given.items():
        if name.casefold() not in folded:
            raise DataError(f"{file} has no column {name!r} for the {what}; {choices(name, there)}")
    found = {what: folded[name.casefold()] for what, name in given.items()}
    for what, usual in USUAL.items():
        guess = next((folded[each] for each in usual if each in folded), None)
        if what not in found and guess is not None:
            found[what] = guess
    if "query" not in found:
        raise DataError(
            f"{file}: none of the columns {', '.join(there)} looks like the query: name it with --columns query=NAME"
        )
    return Columns(**found)


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
        except ValueError:
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


def _query(row: Mapping[str, Any], columns: Columns, source: Source, line: int, after: Place) -> LoggedQuery | None:
    sql = row.get(columns.query)
    if not isinstance(sql, str) or not sql.strip():
        source.report(line, f"the column {columns.query!r} is empty", "no query")
        return None
    time = parse_time(row.get(columns.time)) if columns.time else None
    if columns.time and time is None and row.get(columns.time) not in (None, ""):
        source.report(line, f"{str(row.get(columns.time))[:40]!r} is not a time", "not a time")
    user = row.get(columns.user) if columns.user else None
    error = str(row.get(columns.error) or "").strip() if columns.error else ""
    return LoggedQuery(
        line, time, None if user in (None, "") else str(user), sql.strip(),
        answers_of(row.get(columns.answer)) if columns.answer else None,
        source.name, error=None if error.casefold() in NOTHING else error, after=after,
    )  # fmt: skip


def read_csv(source: Source, given: Mapping[str, str], delimiter: str = ",") -> Iterator[LoggedQuery]:
    """Yield the statements of a CSV file with a header."""
    header = next(records(source, source.lines(Place()), delimiter), None)
    if header is None:
        return
    names = [name.strip() for name in header.fields]
    columns = columns_of(names, given, source.name)
    for record in records(source, source.lines(max(source.start, header.after)), delimiter):
        if len(record.fields) != len(names):
            source.report(record.line, f"{len(record.fields)} fields where the header has {len(names)}", "wrong length")
            continue
        query = _query(dict(zip(names, record.fields, strict=True)), columns, source, record.line, record.after)
        if query:
            yield query


def read_json(source: Source, given: Mapping[str, str]) -> Iterator[LoggedQuery]:
    """Yield the statements of a file with one JSON object per line."""
    last: tuple[tuple[str, ...], Columns] | None = None
    for line in source.lines():
        row = object_on(line, source)
        if row is None:
            continue
        names = tuple(row)
        if last is None or last[0] != names:
            there = {what: name for what, name in given.items() if what == "query" or name in row}
            try:
                last = names, columns_of(names, there, source.name)
            except DataError as problem:
                source.report(line.number, str(problem), "no query")
                continue
        query = _query(row, last[1], source, line.number, line.after)
        if query:
            yield query


def read_parquet(source: Source, given: Mapping[str, str]) -> Iterator[LoggedQuery]:
    """Yield the statements of a Parquet file, a batch of rows in memory at a time. Rows count as lines."""
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        file = ParquetFile(source.path)
    except (ArrowException, OSError) as problem:
        source.report(1, f"not a valid Parquet file ({str(problem).splitlines()[0]})")
        return
    columns = columns_of(file.schema_arrow.names, given, source.name)
    names = [name for name in vars(columns).values() if name]
    number = 0
    with file:
        for batch in file.iter_batches(batch_size=10_000, columns=names):
            for row in batch.to_pylist() if number + batch.num_rows > source.start.offset else [None] * batch.num_rows:
                number += 1
                if row is None or number <= source.start.offset:
                    continue
                query = _query(row, columns, source, number, Place(number, number))
                if query:
                    yield query
