"""sdcdb's own ledger as a query log: what was asked through the gateway, with its verdict."""

from collections.abc import Iterator

from sdcdb.logs.clock import parse_time
from sdcdb.logs.postgres import object_on
from sdcdb.logs.record import LoggedQuery
from sdcdb.logs.source import Source
from sdcdb.logs.table import answers_of

NAMES = {"n", "time", "kind", "prev", "hash"}


def read_ledger(source: Source) -> Iterator[LoggedQuery]:
    """Yield the questions of a ledger, allowed or denied. A break in its chain is reported, and read across."""
    before: str | None = None
    for line in source.lines():
        record = object_on(line, source)
        if record is None:
            continue
        if missing := sorted(NAMES - record.keys()):
            source.report(line.number, f"no record of a ledger: it lacks {', '.join(missing)}", "not a record")
            continue
        if before is not None and record["prev"] != before:
            source.report(line.number, "does not follow the record before it: lines were removed, added or changed")
        before = record["hash"]
        sql, user = record.get("sql"), record.get("user")
        if not isinstance(sql, str):
            continue  # a refresh, a version, a note of the gateway's own
        yield LoggedQuery(
            line.number, parse_time(record["time"]), None if user is None else str(user), sql,
            answers_of(record.get("answers")), source.name, verdict=_verdict(record.get("verdict")), after=line.after,
        )  # fmt: skip


def _verdict(given: object) -> str | None:
    if isinstance(given, dict):
        given = given.get("verdict") or given.get("kind") or given.get("name")
    return None if given is None else str(given).lower()
