"""A table's audit as one pool of users sees it, with what they know from other pools."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.finding import Finding
from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.score import Score
from sdcdb.gateway.ledger.entry import AnsweredFact, CountedSet
from sdcdb.gateway.ledger.packing import pack, pack_weights
from sdcdb.gateway.tables.asked import Asked, Row
from sdcdb.gateway.tables.cells import Cells, Indices
from sdcdb.gateway.tables.counted_values import AskedCount, count_of
from sdcdb.gateway.tables.joint_audit import JointAudit
from sdcdb.gateway.tables.table_history import TableHistory, number_of


@dataclass(frozen=True)
class PoolHistory:
    """A table's audit for one pool of users; `joints` are those of columns that are linked with columns of it."""

    table: TableHistory
    pool: str
    joints: tuple[JointAudit, ...] = ()
    user: str | None = None
    """Who asks: one user's questions may take a share of the margin only."""

    @property
    def known_as(self) -> str:
        """The name of all pools that know the same as this one."""
        return self.table.known_as(self.pool)

    @property
    def cells(self) -> Cells:
        """The table's cells."""
        return self.table.cells

    def asked(self, row: Row, column: str, cells: Indices, kinds: frozenset[str]) -> Asked:
        """Put a query set into the audit's terms."""
        asked = self.table.asked(row, column, cells, kinds)
        return replace(asked, question=replace(asked.question, user=self.user))

    def knowledge(self, column: str) -> Knowledge:
        """Return what the pool knows of a column that is audited."""
        return self.table.knowledge(column, self.known_as)

    def consider(self, column: str, asked: Sequence[Asked]) -> list[Finding]:
        """Decide questions of one statement together, without looking at their answers."""
        found = self.knowledge(column).consider([each.question for each in asked])
        for n, each in enumerate(asked):
            if found[n].allowed and self.table.extreme_of_changed(each, self.known_as):
                found[n] = replace(found[n], allowed=False, rule="exact", after=None)
        people = self.table.people(column, self.known_as)
        if people is not None:
            told = [n for n, each in enumerate(asked) if found[n].allowed and "sum" in each.question.kinds]
            rules = people.consider([self.table.of_people(asked[n]) for n in told])
            for n, rule in zip(told, rules, strict=True):
                if rule is not None:
                    found[n] = replace(found[n], allowed=False, rule=rule, after=None)
        return [self._in_units(each, finding) for each, finding in zip(asked, found, strict=True)]

    def _in_units(self, asked: Asked, finding: Finding) -> Finding:
        linear = self.table.table.base(asked.column)
        after = None if finding.after is None else linear.score(finding.after)
        return replace(finding, before=linear.score(finding.before), after=after)

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
        found = {kind: number_of(str(totals.total(kind, asked.cells))) for kind in asked.kinds}
        return self.table.table.base(asked.column).answers(found, totals.count(asked.cells))

    def shows(self, sets: Sequence[tuple[Indices, NDArray[np.int64] | None]], *, people: bool = False) -> list[bool]:
        """Tell which sets of a statement may be shown in size, or summed up with weights, beside all that were."""
        audit = self.table.counts(self.known_as, people=people)
        return audit.consider([self._counted_row(cells, weights, people=people) for cells, weights in sets])

    def _counted_row(
        self, cells: Indices, weights: NDArray[np.int64] | None, *, people: bool
    ) -> NDArray[np.bool_] | NDArray[np.int64]:
        if weights is None:
            return self.table.counted_flags(self.table.flags(cells), people=people)
        found = np.zeros(self.cells.size, dtype=np.int64)
        found[cells] = weights
        return found

    def counted(self, sets: Sequence[tuple[Indices, NDArray[np.int64] | None, bool]]) -> list[CountedSet]:
        """Take in sets that are shown in size, by records or by people; return those that did not follow."""
        found = []
        for cells, weights, people in sets:
            audit = self.table.counts(self.known_as, people=people)
            if audit.learn(self._counted_row(cells, weights, people=people)):
                name, pool = self.table.table.name, self.pool
                packed, kept = pack(self.table.flags(cells)), "" if weights is None else pack_weights(weights)
                found.append(CountedSet(table=name, cells=packed, weights=kept, people=people, pool=pool))
        return found

    def consider_counts(self, column: str, asked: Sequence[AskedCount]) -> list[bool]:
        """Decide counts by one category together, without looking at their answers."""
        if self.table.cannot_count(column):
            return [False] * len(asked)
        fine = self.table.beliefs(column, self.known_as).consider([self.table.counting(each) for each in asked])
        people = self.table.beliefs_of_people(column, self.known_as)
        if people is None:
            return fine
        also = people.consider([self.table.counting(each, people=True) for each in asked])
        return [one and other for one, other in zip(fine, also, strict=True)]

    def beliefs_rank(self, column: str) -> int:
        """Return how many sets were answered of a category."""
        return self.table.beliefs(column, self.known_as).rank

    def learn_counts(self, column: str, asked: Sequence[AskedCount]) -> None:
        """Take in the true counts by one category."""
        answers = [count_of(self.cells, each) for each in asked]
        self.table.beliefs(column, self.known_as).learn([self.table.counting(each) for each in asked], answers)
        people = None if self.table.cannot_count(column) else self.table.beliefs_of_people(column, self.known_as)
        if people is not None:
            people.learn([self.table.counting(each, people=True) for each in asked], answers, fit=False)

    def counted_fact(self, asked: AskedCount) -> AnsweredFact:
        """Return what the ledger keeps of a count by a category; whether it was surprising is for the owner."""
        beliefs, counting = self.table.beliefs(asked.column, self.known_as), self.table.counting(asked)
        surprise = beliefs.surprising(counting, count_of(self.cells, asked))
        return self.table.counted_fact(asked, self.pool, implied=False, surprise=surprise)

    def status(self) -> dict[str, Score]:
        """Return how much is known of every column."""
        table = self.table.table
        return {column: self.score(column) for column in (*table.confidential, *table.categories)}

    def score(self, column: str) -> Score:
        """Return how much is known of a column."""
        if column in self.table.table.categories:
            return self.table.beliefs(column, self.known_as).score()
        linear = self.table.table.base(column)
        return linear.score(self.knowledge(linear.base).status())
