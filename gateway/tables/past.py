"""What the ledger holds, by the names that tables had: versions, answers, who asked, and under which policy."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from sdcdb.gateway.ledger.entry import AnsweredFact, Entry, PolicyEntry, QuestionEntry, VersionEntry
from sdcdb.gateway.pools import Links


@dataclass(frozen=True)
class Past:
    """What was answered about one table: its versions, the facts with version and user, and its pools."""

    versions: tuple[VersionEntry, ...] = ()
    facts: tuple[tuple[int, AnsweredFact, str], ...] = ()
    links: Links = field(default_factory=Links)

    @property
    def version(self) -> str | None:
        """The fingerprint of the newest version."""
        return self.versions[-1].version if self.versions else None

    def with_version(self, entry: VersionEntry) -> "Past":
        """Return the past with one more version; it is all there is where that is about other people."""
        if entry.as_new:
            return Past((entry,), (), self.links)
        return Past((*self.versions, entry), self.facts, self.links)


@dataclass
class _Table:
    versions: list[VersionEntry] = field(default_factory=list)
    facts: list[tuple[int, AnsweredFact, str]] = field(default_factory=list)
    links: Links = field(default_factory=Links)


class LedgerPast:
    """The whole ledger, read once."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.policy: PolicyEntry | None = None
        self._tables: dict[str, _Table] = {}
        for entry in entries:
            if isinstance(entry, VersionEntry):
                self._add_version(entry)
            elif isinstance(entry, QuestionEntry):
                for fact in entry.facts:
                    table = self._tables.setdefault(fact.table, _Table())
                    table.facts.append((len(table.versions) - 1, fact, entry.user))
                    table.links.asked(entry.user, fact.pool)
            elif isinstance(entry, PolicyEntry):
                self.policy = entry
                for name, policy in entry.tables.items():
                    if policy.pool == "team":
                        self._tables.setdefault(name, _Table()).links.pooled(entry.teams)

    def _add_version(self, entry: VersionEntry) -> None:
        table = self._tables.setdefault(entry.table, _Table())
        before = self._tables.get(entry.formerly) if entry.formerly is not None else None
        if before is not None:  # the same records under another name: what is known of them goes along
            table = self._tables[entry.table] = _Table([*before.versions], [*before.facts], before.links)
        if entry.as_new:  # other people, by the owner's word
            table.versions, table.facts = [], []
        table.versions.append(entry)

    def of(self, name: str) -> Past:
        """Return the past of the table that has this name."""
        table = self._tables.get(name, _Table())
        return Past(tuple(table.versions), tuple(table.facts), table.links)

    def known_versions(self) -> dict[str, VersionEntry]:
        """Return the newest version of every table that was ever asked about, by its name."""
        return {name: table.versions[-1] for name, table in self._tables.items() if table.versions}
