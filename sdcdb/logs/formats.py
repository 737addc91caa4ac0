"""Detect the format of a log from its content, and read any number of logs as one stream."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from sdcdb.errors import DataError, choices
from sdcdb.logs.clock import Clock
from sdcdb.logs.columns import USUAL
from sdcdb.logs.duckdb_log import NAMES as DUCKDB
from sdcdb.logs.duckdb_log import read_duckdb_csv, read_duckdb_json
from sdcdb.logs.ledger_log import NAMES as LEDGER
from sdcdb.logs.ledger_log import read_ledger
from sdcdb.logs.mysql_general import GENERAL_LINE, read_mysql_general
from sdcdb.logs.mysql_slow import SLOW_LINE, read_mysql_slow
from sdcdb.logs.postgres import COLUMNS, read_postgres
from sdcdb.logs.record import LoggedQuery, LogProblem, Place
from sdcdb.logs.script import read_script
from sdcdb.logs.source import BOMS, Source
from sdcdb.logs.splitter import ends_inside, said
from sdcdb.logs.table import read_csv, read_json, read_parquet
from sdcdb.logs.tally import Tally
from sdcdb.logs.text_prefix import TEXT_LINE

FORMATS = {
    "ledger": "the ledger of sdcdb",
    "sql": "statements in a script",
    "csv": "a CSV file with a header and a column for the query",
    "jsonl": "JSON objects, one per line or in a list, with a field for the query",
    "parquet": "a Parquet file with a column for the query",
    "csvlog": "PostgreSQL's csvlog, with or without pgAudit and auto_explain",
    "jsonlog": "PostgreSQL's jsonlog, with or without pgAudit and auto_explain",
    "textlog": "PostgreSQL's plain text log, with or without pgAudit and auto_explain",
    "mysql-general": "the general log of MySQL or MariaDB",
    "mysql-slow": "the slow log of MySQL or MariaDB",
    "duckdb": "DuckDB's query log",
    "duckdb-json": "DuckDB's query log, exported as JSON lines",
}
LOOKED_AT = 200  # lines; the first few of a log may be broken
_SQL = re.compile(
    r"\s*\(*\s*(SELECT|WITH|FROM|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|SET|BEGIN|START|COMMIT|ROLLBACK|EXPLAIN|DESCRIBE|"
    r"SHOW|PRAGMA|CALL|COPY|ATTACH|USE|VALUES|PREPARE|EXECUTE|GRANT|REVOKE|MERGE|PIVOT|SUMMARIZE|TABLE)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Options:
    """How to read: a format and a dialect that override detection, the names of a table's columns, and PostgreSQL's
    `log_line_prefix`. With `growing`, an unfinished last line is left for the next reading; with `patient`, also what
    may continue or of which it is not yet known whether it failed."""

    format: str | None = None
    dialect: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    prefix: str | None = None
    growing: bool = False
    patient: bool = False

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in FORMATS:
            raise DataError(f"{self.format!r} is not a log format; {choices(self.format, FORMATS)}")


Progress = Callable[[int, int], None]


def read(
    paths: Sequence[Path],
    options: Options | None = None,
    resume: Mapping[str, Place] | None = None,
    tallies: dict[str, Tally] | None = None,
) -> Iterator[LoggedQuery | LogProblem]:
    """Yield the statements of the logs in the order given, and their problems where they occur.

    `resume` maps a file's name to the `after` of the last statement that was taken from it. `tallies` receives the
    account of each file's lines.
    """
    options, clock = options or Options(), Clock()
    for path in paths:
        source = Source(path, (resume or {}).get(str(path)), growing=options.growing, patient=options.patient)
        if tallies is not None:
            tallies[source.name] = source.tally
        for query in _reader(source, options):
            clock.seen(query.time, query.line, source)
            whole = _whole(query, source)
            while source.problems:
                yield source.problems.popleft()
            yield whole
        if source.tally.missing:
            source.report(1, f"{source.tally.missing} lines of the file are not accounted for: please report this")
        yield from source.problems


def _whole(query: LoggedQuery, source: Source) -> LoggedQuery:
    """Report a statement that ends inside a quoted text or a comment: it is not all that was asked."""
    if query.cut or (query.error is not None and not query.ran) or not _open(query.sql, query.dialect):
        return query
    source.report(query.line, "the statement ends inside a quoted text or a comment", "open quote")
    return replace(query, cut=True)


@lru_cache(10_000)
def _open(sql: str, dialect: str) -> bool:
    return bool(ends_inside(sql, dialect))


def _reader(source: Source, options: Options) -> Iterator[LoggedQuery]:
    form, dialect = options.format or detect(source), options.dialect
    if form == "csv":
        return read_csv(source, options.columns, _delimiter(next(iter(_lines(source.head())), "")), dialect)
    if form == "jsonl":
        return read_json(source, options.columns, dialect)
    if form == "parquet":
        return read_parquet(source, options.columns, dialect)
    if form == "sql":
        return read_script(source, dialect or "duckdb")
    readers = {
        "ledger": read_ledger, "duckdb": read_duckdb_csv, "duckdb-json": read_duckdb_json,
        "mysql-general": read_mysql_general, "mysql-slow": read_mysql_slow,
    }  # fmt: skip
    found = readers[form](source) if form in readers else read_postgres(source, form, options.prefix)
    return (replace(query, dialect=dialect) for query in found) if dialect else found


def detect(source: Source) -> str:
    """Detect the format of a log: the one that most of its first lines have."""
    head = source.head()
    if head[:4] == b"PAR1":
        return "parquet"
    if head[8:12] == b"DUCK":
        raise DataError(
            f"{source.name} is a DuckDB database, not a log. If one of its tables is a log, export it with: "
            "COPY (FROM the_table) TO 'log.parquet'"
        )
    lines = _lines(head)
    if not lines:
        return "sql"  # an empty log has no statements in any format
    by_header = _by_header(lines[0])
    if by_header:
        return by_header
    votes: dict[str, int] = {}
    for line in lines[:LOOKED_AT]:
        if found := _by_line(line):
            votes[found] = votes.get(found, 0) + 1
    if votes:
        return max(votes, key=lambda form: votes[form])
    if any(_SQL.match(line) for line in lines[:LOOKED_AT]) or (not said("\n".join(lines)) and ";" not in lines[0]):
        return "sql"
    listed = "; ".join(f"{name}: {words}" for name, words in FORMATS.items())
    raise DataError(
        f"{source.name} is in no format that sdcdb recognises. If it is one of these, name it with --format. {listed}"
    )


def _lines(head: bytes) -> list[str]:
    encoding = next((encoding for mark, encoding in BOMS.items() if head.startswith(mark)), "utf-8")
    text = head.decode(encoding, errors="replace").lstrip("\ufeff")
    return [line for line in text.splitlines() if line.strip()]


def _delimiter(header: str) -> str:
    return max(",;\t|", key=header.count)


def _by_header(line: str) -> str | None:
    """Recognise a CSV file by the names in its first line."""
    try:
        names = {name.strip().casefold() for name in next(csv.reader(io.StringIO(line), delimiter=_delimiter(line)))}
    except (csv.Error, StopIteration):
        return None
    if names >= DUCKDB:
        return "duckdb"
    usual = {name for each in USUAL.values() for name in each}
    words = all(re.fullmatch(r"[\w .-]{1,63}", name) for name in names)
    return "csv" if words and not _SQL.match(line) and (len(names) > 1 or names & usual) else None


def _by_line(line: str) -> str | None:
    """Recognise a format by one line; None when the line could be anything."""
    if line.lstrip().startswith(("{", "[")):
        return _by_keys(line)
    if GENERAL_LINE.match(line):
        return "mysql-general"
    if SLOW_LINE.match(line):
        return "mysql-slow"
    if re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [^,]{1,6},", line):
        try:
            fields = next(csv.reader(io.StringIO(line)))
        except (csv.Error, StopIteration):
            return None
        return "csvlog" if len(fields) in COLUMNS or re.match(r"\w+", fields[11] if len(fields) > 11 else "") else None
    return "textlog" if TEXT_LINE.match(line) and not _SQL.match(line) else None


def _by_keys(line: str) -> str | None:
    try:
        found = json.loads(line.strip().rstrip(","))
    except (ValueError, RecursionError):
        return "jsonl" if line.strip() in ("[", "{", "[{") else None
    first = found[0] if isinstance(found, list) and found else found
    if not isinstance(first, dict):
        return None
    keys = first.keys()
    if keys >= LEDGER:
        return "ledger"
    if keys >= DUCKDB:
        return "duckdb-json"
    return "jsonlog" if {"timestamp", "error_severity", "message"} <= keys or "backend_type" in keys else "jsonl"
