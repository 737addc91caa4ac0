"""The account of a whole log: every statement counted, every different answer kept once with who received it."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from sdcdb.auditor.evidence import Evidence
from sdcdb.auditor.reading.fact import Account, Fact, Outcome
from sdcdb.auditor.reading.from_ledger import answered
from sdcdb.auditor.reading.log_account import account
from sdcdb.auditor.reading.snapshot import Snapshot
from sdcdb.logs.record import LoggedQuery, LogProblem, Place
from sdcdb.logs.script import statements

REMEMBERED = 50_000  # statements whose accounts are cached, so that repeated queries cost nothing
LISTED = 10_000  # statements and problems listed one by one; all are counted
REPLAYED = 100_000  # different statements kept for replay under another policy
NOBODY = "(unknown)"
WITHHELD = ("deny", "unsupported", "denied")


@dataclass(frozen=True)
class Occurrence:
    """A statement and its place in the log. `number` counts the statements of all logs, from 1."""

    number: int
    source: str
    line: int
    time: datetime | None
    user: str
    sql: str

    @property
    def place(self) -> str:
        """Its place, in the form that editors can jump to."""
        return f"{self.source}:{self.line}"


@dataclass
class Item:
    """One answer, and the statement by which each user first received it."""

    fact: Fact
    users: dict[str, Occurrence]
    times: int = 1

    @property
    def first(self) -> Occurrence:
        """The first statement that gave it."""
        return min(self.users.values(), key=lambda each: each.number)

    def first_by(self, users: Collection[str] | None) -> Occurrence:
        """Return the first statement by which one of these users received it."""
        told = [each for user, each in self.users.items() if users is None or user in users]
        return min(told or self.users.values(), key=lambda each: each.number)


@dataclass
class Listed:
    """A statement that is a finding by itself, with how often and by whom it was asked."""

    first: Occurrence
    reason: str
    users: dict[str, Occurrence]
    times: int = 1
    columns: tuple[tuple[str, str], ...] = ()
    cells: dict[str, NDArray[np.intp]] = field(default_factory=dict)


@dataclass
class History:
    """What the logs contain, gathered statement by statement."""

    snapshot: Snapshot
    number: int = 0
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    items: dict[tuple[object, ...], Item] = field(default_factory=dict)
    direct: dict[str, Listed] = field(default_factory=dict)
    unsafe: dict[str, Listed] = field(default_factory=dict)
    problems: list[LogProblem] = field(default_factory=list)
    problem_count: int = 0
    users: Counter[str] = field(default_factory=Counter)
    asked: dict[tuple[str, str], Occurrence] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    times: tuple[datetime | None, datetime | None] = (None, None)
    _accounts: OrderedDict[object, list[Account]] = field(default_factory=OrderedDict)

    def gather(self, log: Iterable[LoggedQuery | LogProblem], tick: Callable[[], None] | None = None) -> None:
        """Add a log."""
        for each in log:
            if isinstance(each, LogProblem):
                self.problem_count += 1
                if len(self.problems) < LISTED:
                    self.problems.append(each)
            else:
                self.add(each)
                if tick:
                    tick()

    def add(self, query: LoggedQuery) -> None:
        """Add one logged query."""
        self.number += 1
        here = Occurrence(self.number, query.source, query.line, query.time, query.user or NOBODY, query.sql)
        self.users[here.user] += 1
        self.places[query.source] = query.after
        if query.time is not None:
            first, last = self.times
            self.times = (min(first or query.time, query.time), max(last or query.time, query.time))
        if query.error is not None:
            self.outcomes[Outcome.IGNORED, "failed: it got no answer"] += 1
            return
        if query.verdict in WITHHELD:
            self.outcomes[Outcome.IGNORED, "denied by the gateway"] += 1
            return
        for found in self._accounts_of(query):
            self._count(found, here)

    def _accounts_of(self, query: LoggedQuery) -> list[Account]:
        if query.facts is not None and (told := answered(query.facts, self.snapshot)) is not None:
            return [told]
        key = (query.sql, query.dialect, query.unbound, query.answers)
        if key in self._accounts:
            self._accounts.move_to_end(key)
            return self._accounts[key]
        found = [self._account(text, query) for text in statements(query.sql) or [query.sql]]
        self._accounts[key] = found
        if len(self._accounts) > REMEMBERED:
            self._accounts.popitem(last=False)
        return found

    def _account(self, text: str, query: LoggedQuery) -> Account:
        found = account(text, query.dialect, self.snapshot, query.answers)
        if query.unbound and found.outcome is not Outcome.IGNORED:
            return Account(Outcome.UNSAFE, "has parameters whose values are not in the log")
        return found

    def _count(self, found: Account, here: Occurrence) -> None:
        reason = found.reason if found.outcome is Outcome.IGNORED else ""
        self.outcomes[found.outcome, reason] += 1
        if found.outcome is not Outcome.IGNORED and len(self.asked) < REPLAYED:
            self.asked.setdefault((here.user, here.sql), here)
        for fact in found.facts:
            self._keep(fact, here)
        if found.outcome in (Outcome.DIRECT, Outcome.UNSAFE):
            kept = self.direct if found.outcome is Outcome.DIRECT else self.unsafe
            if here.sql in kept:
                kept[here.sql].times += 1
                kept[here.sql].users.setdefault(here.user, here)
            elif len(kept) < LISTED:
                kept[here.sql] = Listed(here, found.reason, {here.user: here}, 1, found.shown, dict(found.selected))

    def _keep(self, fact: Fact, here: Occurrence) -> None:
        key = (fact.table, fact.column, fact.kind, fact.packed.tobytes(), fact.answer)
        item = self.items.get(key)
        if item is None:
            self.items[key] = Item(fact, {here.user: here})
        else:
            item.times += 1
            item.users.setdefault(here.user, here)

    def columns(self) -> list[tuple[str, str]]:
        """Return the confidential columns that answers are about."""
        return list(dict.fromkeys((item.fact.table, item.fact.column) for item in self.items.values()))

    def of(self, table: str, column: str, users: frozenset[str] | None = None) -> list[Item]:
        """Return the answers about a column in the order in which these users (or anybody) first received them."""
        found = [
            (item.first_by(users).number, item)
            for item in self.items.values()
            if (item.fact.table, item.fact.column) == (table, column) and (users is None or users & item.users.keys())
        ]
        return [item for _, item in sorted(found, key=lambda pair: pair[0])]

    def evidence(self, items: list[Item]) -> Evidence:
        """Return answers about one column as evidence; positions are those of the list."""
        fact = items[0].fact
        audited = self.snapshot.tables[fact.table]
        return Evidence(
            audited.counts(fact.column),
            audited.domain(fact.column),
            np.array([item.fact.packed for item in items]),
            tuple(item.fact.kind for item in items),
            tuple(item.fact.answer for item in items),
            tuple(item.first.number for item in items),
        )

    def understood(self) -> Iterator[Occurrence]:
        """Yield the statements on restricted tables in order, each once per user."""
        yield from sorted(self.asked.values(), key=lambda each: each.number)
