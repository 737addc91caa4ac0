"""The ledger of sdcdb as a query log: what was asked through the gateway, with its verdict."""

from collections.abc import Iterator

from sdcdb.errors import LedgerError
from sdcdb.gateway.ledger.entry import QuestionEntry, entry_of
from sdcdb.gateway.ledger.record import own_hash
from sdcdb.logs.clock import parse_time
from sdcdb.logs.postgres import object_on
from sdcdb.logs.record import LoggedQuery
from sdcdb.logs.source import Source

CHAIN = {"n", "time", "prev", "hash"}
NAMES = {*CHAIN, "kind"}


def read_ledger(source: Source) -> Iterator[LoggedQuery]:
    """Yield the questions of a ledger, allowed or denied. A break in its chain is reported, and reading continues."""
    before: str | None = None
    for line in source.lines():
        record = object_on(line, source)
        if record is None:
            continue
        if missing := sorted(NAMES - record.keys()):
            source.report(line.number, f"not a ledger record: {', '.join(missing)} missing", "not a record")
            continue
        if own_hash(f"{line.text}\n".encode()) != record["hash"]:
            source.report(line.number, "the record was changed: its content does not match its hash", "changed record")
        elif before is not None and record["prev"] != before:
            source.report(line.number, "does not follow the record before it: lines were removed, added or swapped")
        before = record["hash"]
        try:
            entry = entry_of({name: value for name, value in record.items() if name not in CHAIN}, record["n"])
        except LedgerError as problem:
            source.report(line.number, str(problem), "record not understood")
            continue
        if isinstance(entry, QuestionEntry):  # the others are versions of tables and notes of the gateway
            yield LoggedQuery(
                line.number, parse_time(record["time"]), entry.user, entry.sql,
                None, source.name, verdict=entry.verdict, facts=entry.facts, after=line.after,
            )  # fmt: skip
