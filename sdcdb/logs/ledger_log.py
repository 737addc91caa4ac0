"""sdcdb's own ledger as a query log: what was asked through the gateway, with its verdict."""

from collections.abc import Iterator, Mapping
from typing import Any

from sdcdb.gateway.ledger.record import own_hash
from sdcdb.logs.clock import parse_time
from sdcdb.logs.postgres import object_on
from sdcdb.logs.record import LoggedQuery
from sdcdb.logs.source import Source

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
        if own_hash(f"{line.text}\n".encode()) != record["hash"]:
            source.report(line.number, "the record was changed: its content does not fit its hash", "changed record")
        elif before is not None and record["prev"] != before:
            source.report(line.number, "does not follow the record before it: lines were removed, added or swapped")
        before = record["hash"]
        sql, user = record.get("sql"), record.get("user")
        if not isinstance(sql, str):
            continue  # a refresh, a version, a note of the gateway's own
        yield LoggedQuery(
            line.number, parse_time(record["time"]), None if user is None else str(user), sql,
            None, source.name, verdict=str(record["verdict"]) if "verdict" in record else None, facts=_facts(record),
            after=line.after,
        )  # fmt: skip


def _facts(record: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...] | None:
    """Return what was answered; None where the record does not tell."""
    facts = record.get("facts")
    return tuple(each for each in facts if isinstance(each, dict)) if isinstance(facts, list) else None
