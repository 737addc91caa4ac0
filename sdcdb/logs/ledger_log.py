"""The ledger of sdcdb as a query log: what was asked through the gateway, with its verdict."""

from collections.abc import Iterator

from sdcdb.errors import LedgerError
from sdcdb.gateway.ledger.entry import QuestionEntry, entry_of
from sdcdb.gateway.ledger.record import own_hash
from sdcdb.logs.clock import parse_time
from sdcdb.logs.json_objects import objects
from sdcdb.logs.record import LoggedQuery
from sdcdb.logs.source import Source
from sdcdb.logs.tally import Fate

CHAIN = {"n", "time", "prev", "hash"}
NAMES = {*CHAIN, "kind"}


def read_ledger(source: Source) -> Iterator[LoggedQuery]:
    """Yield the questions of a ledger, allowed or denied. A break in its chain is reported, and reading continues."""
    before: str | None = None
    for each in objects(source, spread=False, whole=True):
        record, text = each.content, each.text
        if missing := sorted(NAMES - record.keys()):
            source.report(each.line, f"not a ledger record: {', '.join(missing)} missing", "not a record")
            source.tally.add(Fate.PROBLEM, each.lines)
            continue
        if own_hash(f"{text}\n".encode()) != record["hash"]:
            source.report(each.line, "the record was changed: its content does not match its hash", "changed record")
        elif before is not None and record["prev"] != before:
            source.report(each.line, "does not follow the record before it: lines were removed, added or swapped")
        before = record["hash"]
        try:
            entry = entry_of({name: value for name, value in record.items() if name not in CHAIN}, record["n"])
        except LedgerError as problem:
            source.report(each.line, str(problem), "record not understood")
            source.tally.add(Fate.PROBLEM, each.lines)
            continue
        asked = isinstance(entry, QuestionEntry)
        source.tally.add(Fate.STATEMENT if asked else Fate.OTHER, each.lines)
        if isinstance(entry, QuestionEntry):  # the others are versions of tables and notes of the gateway
            yield LoggedQuery(
                each.line, parse_time(record["time"]), entry.user, entry.sql,
                None, source.name, verdict=entry.verdict, facts=entry.facts, after=each.after,
            )  # fmt: skip
