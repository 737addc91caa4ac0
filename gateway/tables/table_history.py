"""What has been answered about one table, by whom, and what it all tells: the ledger's entries as the audit's state."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import DataError
from sdcdb.gateway.inference.finding import Finding
from sdcdb.gateway.inference.intervals.equivocation import STEPS
from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.question import Question
from sdcdb.gateway.inference.score import Score
from sdcdb.gateway.inference.set_audit import SetAudit
from sdcdb.gateway.ledger.entry import Aggregate, AnsweredFact, VersionEntry
from sdcdb.gateway.ledger.packing import pack, unpack
from sdcdb.gateway.relations import Restricted
from sdcdb.gateway.tables.asked import Asked
from sdcdb.gateway.tables.cells import Cells, Indices
from sdcdb.gateway.tables.held_version import HeldVersion, names_over_versions
from sdcdb.gateway.tables.layouts import layout_of
from sdcdb.gateway.tables.past import Past
from sdcdb.gateway.tables.trail import Layout


class TableHistory:
    """The audit of one table: one `Knowledge` for every confidential column and pool of users, made when first asked.

    `for_pool` gives it as one pool of users sees it.
    """

    def __init__(self, table: Restricted, cells: Cells, version: str, past: Past) -> None:
        self.table = table
        self.cells = cells
        self.version = version
        self._past = past
        self._layouts: dict[str, Layout] = {}
        self._people: dict[str, Layout] = {}  # of columns in which values have changed
        self._knowledge: dict[tuple[str, str], Knowledge] = {}
        self._sets: dict[tuple[str, str], SetAudit] = {}
        held = [HeldVersion.of(entry) for entry in past.versions]
        self._named = {column: names_over_versions(column, held) for column in table.confidential}
        for column, names in self._named.items():
            self._layouts[column] = layout_of(past.versions, held, names, people=False)
            if any(name in entry.people for name, entry in zip(names, past.versions, strict=True)):
                self._people[column] = layout_of(past.versions, held, names, people=True)

    @property
    def newest(self) -> VersionEntry:
        """The newest version, as the ledger keeps it."""
        return self._past.versions[-1]

    def pools(self) -> list[str]:
        """Return the pools of users who know something, each by one name."""
        told = {self._past.links.name(fact.pool) for _, fact in self._past.facts}
        return sorted(told | {pool for _, pool in self._knowledge})

    def for_pool(self, pool: str) -> "PoolHistory":
        """Return the audit as one pool of users sees it, with what they know from other pools."""
        return PoolHistory(self, pool, self._past.links.name(pool))

    def knowledge(self, column: str, pool: str) -> Knowledge:
        """Return what a pool of users knows of a column, restored from the ledger when first asked for."""
        if (column, pool) not in self._knowledge:
            self._knowledge[column, pool] = self._restored(column, pool)
        return self._knowledge[column, pool]

    def people(self, column: str, pool: str) -> SetAudit | None:
        """Return the audit of people, whatever their values were; None where no value has changed."""
        layout, spec = self._people.get(column), self.table.confidential[column]
        if layout is None:
            return None
        if (column, pool) not in self._sets:
            steps = (spec.high - spec.low) / (spec.step or (spec.high - spec.low) / STEPS)
            found = SetAudit(layout.array(), steps, self.table.limits_of(spec), secrets.token_bytes(32))
            found.learn([flags for fact, flags in self._told(column, pool, layout) if "sum" in fact.kinds])
            self._sets[column, pool] = found
        return self._sets[column, pool]

    def of_people(self, asked: Asked) -> NDArray[np.bool_]:
        """Return a query set as a set of people."""
        return self._people[asked.column].spread(self._flags(asked.cells))

    def _told(self, column: str, pool: str, layout: Layout) -> Iterator[tuple[AnsweredFact, NDArray[np.bool_]]]:
        """Yield what a pool was told of a column, and the query sets as a layout has them."""
        names, sizes = self._named[column], [len(cells) for cells in layout.views]
        for version, fact in self._past.facts:
            if fact.column == names[version] and self._past.links.knows(pool, fact.pool) and not fact.implied:
                yield fact, layout.spread(unpack(fact.cells, sizes[version]), version)

    def _restored(self, column: str, pool: str) -> Knowledge:
        layout, spec = self._layouts[column], self.table.confidential[column]
        rows, told = [], set()  # what old ledgers call `tail` was learnt and not given: it counts as known as well
        for fact, flags in self._told(column, pool, layout):
            answers: dict[str, float] = {kind: _number(text) for kind, text in fact.answers.items()}
            rows.append((Question(flags, frozenset(fact.kinds)), answers))
            told.add(fact.pool)
        domain, limits = (spec.low, spec.high, spec.step), self.table.limits_of(spec)
        if len(told) <= 1:
            return Knowledge.restore(layout.array(), *domain, limits, secrets.token_bytes(32), rows)
        # Pools that were apart may each have been told the same: what is not new must not be counted twice.
        state = Knowledge(layout.array(), *domain, limits, secrets.token_bytes(32))
        for question, answer in rows:
            state.learn([question], [answer])
        return state

    def question(self, column_cells: Indices, kinds: frozenset[str], column: str) -> Question:
        """Put a query set into the audit's terms."""
        return Question(self._layouts[column].spread(self._flags(column_cells)), kinds)

    def _flags(self, cells: Indices) -> NDArray[np.bool_]:
        flags = np.zeros(self.cells.size, dtype=np.bool_)
        flags[cells] = True
        return flags

    def fact(self, asked: Asked, pool: str, finding: Finding, *, surprise: bool) -> AnsweredFact:
        """Return what the ledger keeps of an answer."""
        totals = self.cells.totals[asked.column]
        kinds: list[Aggregate] = [kind for kind in get_args(Aggregate) if kind in asked.question.kinds]
        return AnsweredFact(
            table=asked.table,
            column=asked.column,
            cells=pack(self._flags(asked.cells)),
            kinds=tuple(kinds),
            answers={kind: str(totals.total(kind, asked.cells)) for kind in kinds},
            implied=finding.implied,
            surprise=surprise,
            pool=pool,
        )


@dataclass(frozen=True)
class PoolHistory:
    """A table's audit for one pool of users."""

    table: TableHistory
    pool: str
    known_as: str
    """The name of all pools that know the same as this one."""

    @property
    def cells(self) -> Cells:
        """The table's cells."""
        return self.table.cells

    def question(self, cells: Indices, kinds: frozenset[str], column: str) -> Question:
        """Put a query set into the audit's terms."""
        return self.table.question(cells, kinds, column)

    def knowledge(self, column: str) -> Knowledge:
        """Return what the pool knows of a column."""
        return self.table.knowledge(column, self.known_as)

    def consider(self, column: str, asked: Sequence[Asked]) -> list[Finding]:
        """Decide questions of one statement together, without looking at their answers."""
        found = self.knowledge(column).consider([each.question for each in asked])
        people = self.table.people(column, self.known_as)
        if people is None:
            return found
        told = [n for n, each in enumerate(asked) if found[n].allowed and "sum" in each.question.kinds]
        rules = people.consider([self.table.of_people(asked[n]) for n in told])
        for n, rule in zip(told, rules, strict=True):
            if rule is not None:
                found[n] = replace(found[n], allowed=False, rule=rule, after=None)
        return found

    def learn(self, column: str, asked: Sequence[Asked]) -> None:
        """Take in the true answers."""
        self.knowledge(column).learn([each.question for each in asked], [self.answers(each) for each in asked])
        people = self.table.people(column, self.known_as)
        if people is not None:
            people.learn([self.table.of_people(each) for each in asked if "sum" in each.question.kinds])

    def surprises(self, column: str, asked: Sequence[Asked]) -> list[bool]:
        """Tell which answers leave somebody less room than the limits say."""
        return self.knowledge(column).surprises([a.question for a in asked], [self.answers(a) for a in asked])

    def fact(self, asked: Asked, finding: Finding, *, surprise: bool) -> AnsweredFact:
        """Return what the ledger keeps of an answer."""
        return self.table.fact(asked, self.pool, finding, surprise=surprise)

    def answers(self, asked: Asked) -> dict[str, float]:
        """Return the true answers, for the audit."""
        totals = self.table.cells.totals[asked.column]
        return {kind: _number(str(totals.total(kind, asked.cells))) for kind in asked.question.kinds}

    def status(self) -> dict[str, Score]:
        """Return how much is known of every column."""
        return {column: self.knowledge(column).status() for column in self.table.table.confidential}


def _number(text: str) -> float:
    """Read an answer as the audit takes it: whole numbers exactly."""
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            raise DataError("an answer in the ledger is not a number") from None
