"""Logs that are tables: CSV, JSON or Parquet with a column for the query, mostly also for time and user."""

from collections.abc import Iterator, Mapping
from typing import Any

from sdcdb.errors import DataError
from sdcdb.logs.columns import columns_of
from sdcdb.logs.csv_lines import as_header, records
from sdcdb.logs.exports import normal
from sdcdb.logs.json_objects import objects
from sdcdb.logs.record import LoggedQuery, Place
from sdcdb.logs.source import Source
from sdcdb.logs.table_row import Reader
from sdcdb.logs.tally import Fate


def flat(row: Mapping[str, Any], before: str = "", depth: int = 0) -> dict[str, Any]:
    """Return nested objects as dotted names.

    >>> flat({"a": {"b": 1}, "c": [2]})
    {'a.b': 1, 'c': [2]}
    """
    found: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict) and value and depth < 10 and not ("rows" in value and depth == 0):
            found.update(flat(value, f"{before}{name}.", depth + 1))
        else:
            found[before + str(name)] = value
    return found


def read_csv(
    source: Source, given: Mapping[str, str], delimiter: str = ",", dialect: str | None = None
) -> Iterator[LoggedQuery]:
    """Yield the statements of a CSV file with a header."""
    header = next(records(Source(source.path), source.first_lines(), delimiter), None)
    if header is None:
        for _ in records(source, source.lines(Place()), delimiter):
            pass
        return
    names = [name.strip() for name in header.fields]
    columns = columns_of(names, given, source.name)
    for name in dict.fromkeys(name for each in columns.names.values() for name in each):
        if names.count(name) > 1:
            source.report(1, f"the header has {names.count(name)} columns {name!r}: only the last one was read")
    reader = Reader(source, columns, dialect)
    if source.start < header.after:
        source.tally.lines += header.after.lines
        source.tally.add(Fate.OTHER, header.after.lines)
    for record in records(source, source.lines(max(source.start, header.after)), delimiter, as_header(names)):
        query = reader.repeated(names, record.fields, record.line, record.after, record.lines)
        if query:
            yield query


def read_json(source: Source, given: Mapping[str, str], dialect: str | None = None) -> Iterator[LoggedQuery]:
    """Yield the statements of a file of JSON objects."""
    last: tuple[tuple[str, ...], Reader] | None = None
    for each in objects(source):
        row = flat(each.content)
        names = tuple(row)
        if last is None or last[0] != names:
            folded = {normal(name) for name in names}
            there = {what: name for what, name in given.items() if what == "query" or normal(name) in folded}
            try:
                last = names, Reader(source, columns_of(names, there, source.name), dialect)
            except DataError as problem:
                source.report(each.line, str(problem), "no query")
                source.tally.add(Fate.PROBLEM, each.lines)
                continue
        query = last[1].query(row, each.line, each.after, each.lines)
        if query:
            yield query


def read_parquet(source: Source, given: Mapping[str, str], dialect: str | None = None) -> Iterator[LoggedQuery]:
    """Yield the statements of a Parquet file, a batch of rows in memory at a time. Rows count as lines."""
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        file = ParquetFile(source.path)
    except (ArrowException, OSError) as problem:
        source.report(1, f"not a valid Parquet file ({str(problem).splitlines()[0]})")
        return
    columns = columns_of(file.schema_arrow.names, given, source.name)
    reader = Reader(source, columns, dialect)
    names = list(dict.fromkeys(name for each in columns.names.values() for name in each))
    if columns.export and columns.export.kinds:
        names += [name for name in file.schema_arrow.names if normal(name) == columns.export.kinds[0]]
    number = 0
    with file:
        for batch in file.iter_batches(batch_size=10_000, columns=names):
            for row in batch.to_pylist() if number + batch.num_rows > source.start.offset else [None] * batch.num_rows:
                number += 1
                if row is None or number <= source.start.offset:
                    continue
                source.tally.lines += 1
                query = reader.query(row, number, Place(number, number), 1)
                if query:
                    yield query
