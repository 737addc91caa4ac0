"""What has been answered about one table, by whom, and what it all tells: the ledger's entries as the audit's state."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from sdcdb.errors import DataError
from sdcdb.gateway.inference.finding import Finding
from sdcdb.gateway.inference.forecast import Forecast
from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.prior import Prior
from sdcdb.gateway.inference.question import Question
from sdcdb.gateway.inference.score import Score
from sdcdb.gateway.ledger.entry import Aggregate, AnsweredFact, VersionEntry
from sdcdb.gateway.ledger.packing import pack, unpack
from sdcdb.gateway.relations import Restricted
from sdcdb.gateway.tables.asked import Asked
from sdcdb.gateway.tables.cells import Cells, Indices
from sdcdb.gateway.tables.held_version import HeldVersion, names_over_versions
from sdcdb.gateway.tables.past import Past
from sdcdb.gateway.tables.versions import Layout

Foretold = Callable[[str], Forecast | None]
"""Gives the forecast for the cells that a protected view allows, by confidential column."""


class TableHistory:
    """The audit of one table: one `Knowledge` for every confidential column and pool of users, made when first asked.

    `for_pool` gives it as one pool of users sees it.
    """

    def __init__(
        self, table: Restricted, cells: Cells, version: str, past: Past, foretold: Foretold = lambda _column: None
    ) -> None:
        self.table = table
        self.cells = cells
        self.version = version
        self._past = past
        self._foretold = foretold
        self._layouts: dict[str, Layout] = {}
        self._knowledge: dict[tuple[str, str], Knowledge] = {}
        held = [HeldVersion.of(entry) for entry in past.versions]
        self._named = {column: names_over_versions(column, held) for column in table.confidential}
        for column, names in self._named.items():
            layout = Layout()
            for each, name in zip(held, names, strict=True):
                layout.add(each.cells(name))
            self._layouts[column] = layout

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

    def _restored(self, column: str, pool: str) -> Knowledge:
        layout, spec, names = self._layouts[column], self.table.confidential[column], self._named[column]
        sizes = [len(cells) for cells in layout.versions]
        rows, told = [], set()  # what old ledgers call `tail` was learnt and not given: it counts as known as well
        for version, fact in self._past.facts:
            if fact.column == names[version] and self._past.links.knows(pool, fact.pool) and not fact.implied:
                flags = layout.spread(unpack(fact.cells, sizes[version]), version)
                answers: dict[str, float] = {kind: _number(text) for kind, text in fact.answers.items()}
                rows.append((Question(flags, frozenset(fact.kinds)), answers))
                told.add(fact.pool)
        domain, limits = (spec.low, spec.high, spec.step), self.table.limits_of(spec)
        if len(told) <= 1:
            return Knowledge.restore(
                layout.array(), *domain, limits, secrets.token_bytes(32), rows, self._public(column)
            )
        # Pools that were apart may each have been told the same: what is not new must not be counted twice.
        state = Knowledge(layout.array(), *domain, limits, secrets.token_bytes(32), self._public(column))
        for question, answer in rows:
            state.learn([question], [answer])
        return state

    def _public(self, column: str) -> Prior | Forecast | None:
        """Return what is public of a column: by its protected view, cell by cell, or as declared for everybody."""
        forecast, layout = self._foretold(column), self._layouts[column]
        if forecast is None:
            return self.table.confidential[column].prior
        place = np.zeros(len(layout.array()), dtype=np.int64)  # for those who left or changed: as for everybody
        for cell, columns in enumerate(layout.versions[-1]):
            if len(columns) == 1:
                place[columns[0]] = forecast.place[cell]
        return Forecast(forecast.priors, place)

    def question(self, column_cells: Indices, kinds: frozenset[str], column: str) -> Question:
        """Put a query set into the audit's terms."""
        flags = np.zeros(self.cells.size, dtype=np.bool_)
        flags[column_cells] = True
        self._layouts[column].must_not_separate(flags)
        return Question(self._layouts[column].spread(flags), kinds)

    def fact(self, asked: Asked, pool: str, finding: Finding, *, surprise: bool) -> AnsweredFact:
        """Return what the ledger keeps of an answer."""
        flags = np.zeros(self.cells.size, dtype=np.bool_)
        flags[asked.cells] = True
        totals = self.cells.totals[asked.column]
        kinds: list[Aggregate] = [kind for kind in get_args(Aggregate) if kind in asked.question.kinds]
        return AnsweredFact(
            table=asked.table,
            column=asked.column,
            cells=pack(flags),
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

    def consider(self, column: str, questions: Sequence[Question]) -> list[Finding]:
        """Decide questions of one statement together, without looking at their answers."""
        return self.knowledge(column).consider(questions)

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
