"""What people at a door are shown: tables with the use of each column, and the ledger through a filter."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sdcdb.gateway.knowledge_left import Known
from sdcdb.gateway.ledger.read import records
from sdcdb.gateway.ledger.rows import Row, row
from sdcdb.gateway.ledger.tally import Tally
from sdcdb.gateway.pools import fold
from sdcdb.gateway.relations import Kind, Relation, Relations, Restricted
from sdcdb.gateway.tables.halt import Halt


@dataclass(frozen=True)
class ColumnShown:
    """A column: its type, its role, and how it may be used, in words."""

    name: str
    type: str
    role: str
    use: str


@dataclass(frozen=True)
class TableShown:
    """A table or view that may be named, and its columns. Identifiers are not among them."""

    name: str
    kind: Kind
    use: str
    columns: tuple[ColumnShown, ...]


@dataclass(frozen=True)
class Status:
    """What is known, what was asked, and which tables wait for their owner."""

    known: tuple[Known, ...]
    questions: tuple[Tally, ...]
    halted: tuple[Halt, ...]


@dataclass(frozen=True)
class LedgerFilter:
    """Which records to show: the last `last` that match; 0 for all."""

    user: str | None = None
    kind: str | None = None
    denied: bool = False
    text: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    last: int = 100

    def matches(self, found: Row) -> bool:
        """Tell whether a record is wanted."""
        return (
            (self.user is None or (found.user is not None and fold(found.user) == fold(self.user)))
            and (self.kind is None or found.kind == self.kind)
            and (found.refused or not self.denied)
            and (self.text is None or self.text.casefold() in (found.sql or found.reason or "").casefold())
            and (self.since is None or found.time >= self.since)
            and (self.until is None or found.time < self.until)
        )


_USES = {
    "restricted": "aggregates are answered exactly, or denied",
    "public": "may be read freely",
    "protected": "may be read freely: sensitive values are perturbed",
}


def show_tables(relations: Relations) -> list[TableShown]:
    """Describe everything that may be named."""
    return [TableShown(each.name, each.kind, _USES[each.kind], tuple(_columns(each))) for each in relations.all]


def _columns(relation: Relation) -> Iterator[ColumnShown]:
    for name, kind in relation.columns.items():
        if not isinstance(relation, Restricted):
            yield ColumnShown(name, kind, relation.kind, _USES[relation.kind])
        elif name in relation.confidential:
            spec = relation.confidential[name]
            allowed = ", ".join(each.upper() for each in relation.limits.aggregates)
            use = f"only inside {allowed}; values lie between {spec.low:,.10g} and {spec.high:,.10g}"
            yield ColumnShown(name, kind, "confidential", use)
        elif name in relation.categories:
            use = f"COUNT(*) by its values, and shares; public: {relation.categories[name].public}"
            yield ColumnShown(name, kind, "confidential", use)
        elif name in relation.published:
            use = f"in conditions and groups: its counts are public; public: {relation.published[name].public}"
            yield ColumnShown(name, kind, "confidential", use)
        else:
            yield ColumnShown(name, kind, "quasi", "in conditions and groups")


def show_ledger(ledger: Path, wanted: LedgerFilter) -> list[Row]:
    """Return the records that match, oldest first."""
    kept: deque[Row] = deque(maxlen=wanted.last or None)
    for record in records(ledger) if ledger.exists() else ():
        if wanted.matches(found := row(record)):
            kept.append(found)
    return list(kept)
