"""The ledger as a flat table, for people and for other programs."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sdcdb.gateway.ledger.record import Record

REFUSED = ("deny", "unsupported")


@dataclass(frozen=True)
class Row:
    """One record in flat columns. A column that a kind of record does not have is None."""

    n: int
    time: datetime
    kind: str
    user: str | None
    verdict: str | None
    rule: str | None
    reason: str | None
    tables: str | None
    columns: str | None
    version: str | None
    sql: str | None
    facts: str | None
    hash: str

    @property
    def refused(self) -> bool:
        """Whether the question got no answer at all."""
        return self.verdict in REFUSED


def row(record: Record) -> Row:
    """Flatten a record. The ledger does not prescribe what an entry holds: anything may be absent, or of any type."""
    entry = record.entry
    facts = entry.get("facts")
    listed = [fact for fact in facts if isinstance(fact, dict)] if isinstance(facts, list) else []
    tables = entry.get("tables", entry.get("table"))
    return Row(
        n=record.number,
        time=record.time,
        kind=record.kind,
        user=_text(entry.get("user")),
        verdict=_text(entry.get("verdict")),
        rule=_text(entry.get("rule")),
        reason=_text(entry.get("reason")) or _deed(record.kind, entry),
        tables=_names(tables if isinstance(tables, list) else [tables]) or _names(f.get("table") for f in listed),
        columns=_text(entry.get("column")) or _names(f.get("column") for f in listed),
        version=_text(entry.get("version")),
        sql=_text(entry.get("sql")),
        facts=_text(facts),
        hash=record.hash,
    )


def _deed(kind: str, entry: Mapping[str, Any]) -> str | None:
    """Say what an owner did, or at which door somebody came in or did not."""
    if kind == "act":
        return f"{_text(entry.get('act'))}: {_text(entry.get('about'))}"
    if kind == "login":
        outcome = "admitted" if entry.get("admitted") else "refused"
        return f"{outcome} at {_text(entry.get('door'))} from {_text(entry.get('address'))}"
    return None


def _text(value: Any) -> str | None:
    """Return text as it is, anything else as JSON. Half of a surrogate pair, which no file can hold, is escaped."""
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _names(values: Iterable[Any]) -> str | None:
    """List names once each, in the order of their first use."""
    found = dict.fromkeys(text for value in values if (text := _text(value)))
    return ", ".join(found) or None
