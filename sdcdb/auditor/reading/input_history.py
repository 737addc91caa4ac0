"""The account of a whole log: every statement counted, every different answer kept once with who received it."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from sdcdb.auditor.evidence import Evidence
from sdcdb.auditor.reading.fact import Account, Fact, Outcome, harmless, not_understood
from sdcdb.auditor.reading.failure import failed
from sdcdb.auditor.reading.from_ledger import answered
from sdcdb.auditor.reading.lexical_doubt import decoded, doubt
from sdcdb.auditor.reading.log_account import account
from sdcdb.auditor.reading.session import Session, Sessions, resumed
from sdcdb.auditor.reading.snapshot import Snapshot
from sdcdb.logs.record import Beginning, LoggedQuery, LogProblem, Place
from sdcdb.logs.splitter import statements

REMEMBERED = 50_000  # statements whose accounts are cached, so that repeated queries cost nothing
LISTED = 10_000  # statements and problems listed one by one; all are counted
REPLAYED = 100_000  # different statements kept for replay under another policy
REPEATED = 500  # problems that may be met again when reading resumes
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
    at: int = 0
    """Its number among all answers."""

    @property
    def first(self) -> Occurrence:
        """The first statement that gave it."""
        return min(self.users.values(), key=lambda each: each.number)

    def first_by(self, users: Collection[str] | None) -> Occurrence:
        """Return the first statement by which one of these users received it."""
        if len(self.users) == 1:
            return next(iter(self.users.values()))
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
    statements: int = 0
    """Statements counted: each has one outcome. A logged query may hold several."""
    unknown: Counter[str] = field(default_factory=Counter)
    """Relations and functions that the database does not know, with the number of statements that name them."""
    changes: dict[str, Occurrence] = field(default_factory=dict)
    """The first statement that changed each restricted table."""
    uncertain: dict[str, Occurrence] = field(default_factory=dict)
    """The first answer about each changed table that had to be computed from the data as they are now."""
    weighed: Counter[tuple[int, ...]] = field(default_factory=Counter)
    """How many statements gave each combination of answers, by their numbers."""
    sessions: Sessions = field(default_factory=Sessions)
    beginnings: dict[str, Beginning] = field(default_factory=dict)
    """How each file began when it was last read: a log that was rotated keeps its name."""
    cut: dict[str, Occurrence] = field(default_factory=dict)
    """Lists that are not complete, with the first statement that is not in them."""
    _accounts: OrderedDict[object, Account] = field(default_factory=OrderedDict)
    _kept: dict[int, tuple[Account, tuple[Item, ...]]] = field(default_factory=dict)

    def gather(self, log: Iterable[LoggedQuery | LogProblem], tick: Callable[[], None] | None = None) -> None:
        """Add a log."""
        for each in log:
            if isinstance(each, LogProblem):
                if each in self.problems[-REPEATED:]:
                    continue  # lines after the last statement are read again when reading resumes
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
        if query.verdict in WITHHELD:
            self._count(harmless("denied by the gateway"), here)
            return
        if query.facts is not None and (told := answered(query.facts, self.snapshot)) is not None:
            self._count(told, here)
            return
        session = self.sessions.of(query.source, here.user)
        for text in self._texts(query):
            found = self._account(text, query, session)
            if query.error is None:
                self.sessions.apply(found.effects, session)
            self.sessions.note(found, text, session)
            self._count(found, here)

    def _texts(self, query: LoggedQuery) -> list[str]:
        """Split what was sent at once into statements; where its quotes are in doubt, it stays one."""
        if ";" not in query.sql:
            return [query.sql]
        plain = decoded(query.sql)
        if plain is None or doubt(plain, query.dialect):
            return [query.sql]
        return statements(query.sql, query.dialect) or [query.sql]

    def _account(self, text: str, query: LoggedQuery, session: Session) -> Account:
        unbound = query.unbound
        later = resumed(text, session) if query.dialect != "tsql" else None
        if isinstance(later, Account):
            return later
        if later is not None:
            text, unbound = later
        context = self.sessions.context(session)
        key = (text, query.dialect, unbound, query.answers, query.error, query.cut, context)
        found = self._accounts.get(key)
        if found is not None:
            self._accounts.move_to_end(key)
            return found
        found = account(text, query.dialect, self.snapshot, query.answers, context)
        if query.error is not None:
            found = failed(text, query.error, found)
        elif query.cut:
            found = not_understood("only its beginning is in the log", found.effects)
        elif unbound and found.outcome is not Outcome.HARMLESS:
            found = not_understood("has parameters whose values are not in the log", found.effects)
        self._accounts[key] = found
        if len(self._accounts) > REMEMBERED:
            self._accounts.popitem(last=False)
        return found

    def _count(self, found: Account, here: Occurrence) -> None:
        self.statements += 1
        reason = found.reason if found.outcome in (Outcome.HARMLESS, Outcome.NOT_UNDERSTOOD) else ""
        self.outcomes[found.outcome, reason] += 1
        for name in found.unknown:
            self.unknown[name] += 1
        for table in found.effects.changes:
            self.changes.setdefault(table, here)
        if found.outcome is not Outcome.HARMLESS and (here.user, here.sql) not in self.asked:
            if len(self.asked) < REPLAYED:
                self.asked[here.user, here.sql] = here
            else:
                self._cut(here, f"more than {REPLAYED:,} different statements: a replay leaves out those from here on")
        for item in self._items_of(found):
            item.times += 1
            if here.user not in item.users:
                item.users[here.user] = here
            if item.fact.computed and item.fact.table in self.changes:
                self.uncertain.setdefault(item.fact.table, here)
        if found.facts and found.outcome is Outcome.ANSWERED:
            self.weighed[tuple(item.at for item in self._items_of(found))] += 1
        if found.outcome in (Outcome.FINDING, Outcome.NOT_UNDERSTOOD):
            self._list(found, here)

    def _list(self, found: Account, here: Occurrence) -> None:
        read = found.outcome is Outcome.FINDING
        kept = self.direct if read else self.unsafe
        if here.sql in kept:
            kept[here.sql].times += 1
            kept[here.sql].users.setdefault(here.user, here)
        elif len(kept) < LISTED:
            kept[here.sql] = Listed(here, found.reason, {here.user: here}, 1, found.shown, dict(found.selected))
        else:
            what = "that read confidential data" if read else "that were not understood"
            self._cut(here, f"more than {LISTED:,} different statements {what}: from here on they are only counted")

    def leave_out(self, here: Occurrence, what: str) -> None:
        """Say that something, from a statement on, is not audited."""
        self._cut(here, what)

    def _cut(self, here: Occurrence, what: str) -> None:
        """Say, once, from where on a list is not complete: that is a problem, as what is not listed was not audited."""
        if what in self.cut:
            return
        self.cut[what] = here
        if all(each.what != what for each in self.problems):  # a resumed audit has said it
            self.problem_count += 1
            self.problems.insert(0, LogProblem(here.source, here.line, what))  # never itself cut

    def _items_of(self, found: Account) -> tuple[Item, ...]:
        """Return the items of an account's answers, found once for each account that is remembered."""
        if not found.facts:
            return ()
        known = self._kept.get(id(found))
        if known is not None:
            return known[1]
        items = tuple(self._item(fact) for fact in {fact.key: fact for fact in found.facts}.values())
        if len(self._kept) > REMEMBERED:
            self._kept.clear()
        self._kept[id(found)] = (found, items)
        return items

    def _item(self, fact: Fact) -> Item:
        item = self.items.get(fact.key)
        if item is None:
            item = self.items[fact.key] = Item(fact, {}, 0, len(self.items))
        return item

    def columns(self) -> list[tuple[str, str]]:
        """Return the confidential columns that answers are about."""
        return list(dict.fromkeys(each[:2] for each in self._about() if each[2]))

    def category_columns(self) -> list[tuple[str, str]]:
        """Return the confidential columns without a numeric domain that answers are about."""
        return list(dict.fromkeys(each[:2] for each in self._about() if not each[2]))

    def _about(self) -> Iterator[tuple[str, str, bool]]:
        for item in self.items.values():
            yield item.fact.table, item.fact.column, item.fact.values is None

    def of_categories(self, table: str, column: str, users: frozenset[str] | None = None) -> list[Item]:
        """Return the answers about a column of categories, as `of` does."""
        return self.of(table, column, users)

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
            audited.truth(fact.column) if all(item.fact.computed for item in items) else None,
        )

    def understood(self) -> Iterator[Occurrence]:
        """Yield the statements on restricted tables in order, each once per user."""
        yield from sorted(self.asked.values(), key=lambda each: each.number)
