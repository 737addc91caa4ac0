"""What is known about one confidential column, and whether one more answer is safe."""

import hashlib
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sdcdb.errors import DataError
from sdcdb.gateway.inference.algebra.growth import Growth
from sdcdb.gateway.inference.blocks import Blocks
from sdcdb.gateway.inference.exact.answered_sums import History
from sdcdb.gateway.inference.extremes.alternates import witnesses_safe
from sdcdb.gateway.inference.extremes.extremes import learn_extreme
from sdcdb.gateway.inference.finding import Finding
from sdcdb.gateway.inference.forecast import Forecast
from sdcdb.gateway.inference.intervals.record_bounds import atom_bounds, on_grid
from sdcdb.gateway.inference.lattice.lattice import DENSE, Lattice
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.people import People
from sdcdb.gateway.inference.prior import Prior
from sdcdb.gateway.inference.question import Question
from sdcdb.gateway.inference.score import Score
from sdcdb.gateway.inference.state.cell_state import Columns
from sdcdb.gateway.inference.state.feasible_state import Ground
from sdcdb.gateway.inference.state.restore import restore_sums
from sdcdb.gateway.inference.state.sums import learn_sum
from sdcdb.gateway.inference.statement_rules import Statement
from sdcdb.gateway.inference.units import Scale

Floats = NDArray[np.float64]
Cells = NDArray[np.bool_]
Answers = Mapping[str, float | int | Fraction]
Range = tuple[float, float]


class Knowledge:
    """All answers about one column so far. Not thread-safe: the caller holds one lock per table.

    A statement goes through `consider`, which never sees an answer; the caller then computes the answers of the allowed
    questions, gives them, whatever they are, and calls `learn`. `surprises` tells which of them were not expected.
    """

    def __init__(  # noqa: PLR0913 - what is public, and the limits
        self,
        counts: ArrayLike,
        low: float,
        high: float,
        step: float | None,
        limits: Limits,
        secret: bytes | None = None,
        prior: Prior | Forecast | None = None,
        *,
        people: People | None = None,
        fine: bool = False,
    ) -> None:
        """Begin before the first answer; `fine` is for taking every cell by itself from the start."""
        records = np.asarray(counts, dtype=np.int64)
        if records.ndim != 1 or (records < 0).any():
            raise DataError("counts are one number of records, zero or more, per cell")
        self._scale = Scale(float(low), float(high), step, limits)
        self._cells, self._live = len(records), np.flatnonzero(records)  # a cell without records is in no set
        live = records[self._live]
        self._blocks = Blocks.whole(live, self._several(people, live), self._foretold(prior))
        if fine and (found := self._blocks.apart()) is not None:
            self._blocks = found[0]
        seed = hashlib.blake2b(secret if secret is not None else os.urandom(32), digest_size=32).digest()
        self._history = History(self._blocks.number, np.random.default_rng(int.from_bytes(seed, "little")))
        self._rng = np.random.default_rng([int.from_bytes(seed, "little"), 1])
        self._many = len(self._live) > DENSE
        lattice = Lattice.fresh(self._counts, 1 / self._scale.unit, self._rng, many=self._many)
        known, scale = self._blocks.forecast, self._scale
        columns = Columns.fresh(
            self._need, lattice, scale.unit, scale.cae_need, self._means(known), self._blocks.people
        )
        self._ground = Ground(replace(columns, whole=step is not None), known)
        self._score: Score | None = None
        self._apart: tuple[Cells, ...] = ()  # the sets that were told apart last
        self._covered: dict[bytes, Mapping[str, Range]] = {}

    def grow(self, growth: Growth, prior: Prior | Forecast | None = None, people: People | None = None) -> bool:
        """Go on in the table's next version. False, and nothing changed, if its state is to be found from the answers.

        For sums alone. Each is as well-founded as before: newcomers are in none of them.
        """
        here = growth.within(self._live)
        if here is None or not self._ground.plain or (len(here.counts) > DENSE and not self._many):
            return False
        self._cells, self._live = len(growth.counts), np.flatnonzero(growth.counts)
        self._go_on(*self._blocks.follow(here, self._several(people, here.counts), self._foretold(prior)), same=False)
        return True

    def _go_on(self, blocks: Blocks, growth: Growth, *, same: bool) -> None:
        """Take in more blocks; `same` says that all people are as they were."""
        self._blocks, known, self._apart = blocks, blocks.forecast, ()
        lattice = self._ground.columns.lattice.grown(growth, self._rng)
        self._history.grow(growth, blocks.people, same=same)
        columns = self._ground.columns.grown(growth, lattice, self._means(known), self._need, blocks.people)
        self._ground.grow(growth, columns, known)
        self._score = None

    def _tell_apart(self, questions: Iterable[Question]) -> None:
        """Make blocks of which no question cuts one. A MIN or MAX is about records that it does not name: of cells."""
        asked = list(questions)
        extremes = any(question.kinds != {"sum"} for question in asked)
        if self._apart and not extremes and all(any(each.cells is one for one in self._apart) for each in asked):
            return  # they were told apart when they were considered
        sets = [self._of_cells(question) for question in asked]
        found = self._blocks.apart() if extremes else self._blocks.cut(sets)
        if found is not None:
            self._go_on(*found, same=True)
        self._apart = () if extremes else tuple(question.cells for question in asked)

    def most_blocks(self, questions: Sequence[Question]) -> int:
        """Return how many blocks there may be when questions were considered: groups cut each block at most once."""
        apart = any(question.kinds != {"sum"} for question in questions)
        return len(self._live) if apart else min(len(self._live), self._blocks.number * (len(questions) + 1))

    @property
    def _counts(self) -> NDArray[np.int64]:
        return self._blocks.records

    @property
    def _need(self) -> float:
        """The share of the domain that everybody's interval must fill."""
        return max(self._scale.interval_need, self._scale.cae_need)

    def _means(self, known: Forecast | None) -> float | Floats:
        """Return where the records of each block are expected before the first answer."""
        return 0.5 if known is None else np.clip(known.means, 0.02 * min(self._need, 1.0), 0.98)

    def _several(self, people: People | None, counts: NDArray[np.int64]) -> People | None:
        """Return the people of the cells that have records, if somebody has several."""
        if people is None:
            return None
        mine = people.within(self._live)
        if not np.array_equal(np.asarray(mine.matrix.sum(axis=0)).ravel(), counts):
            raise DataError("the people do not have as many records in each cell as there are")
        return mine if mine.several else None

    def _foretold(self, prior: Prior | Forecast | None) -> Forecast | None:
        """Return what is public of the values, for the cells that have records."""
        if prior is None or not self._scale.wide:
            return None
        every = Forecast.same(prior, self._cells) if isinstance(prior, Prior) else prior
        if len(every.place) != self._cells:
            raise DataError(f"the forecast is about {len(every.place)} cells, the table has {self._cells}")
        return every.of(self._live).in_units(self._scale.low, self._scale.wide)

    @property
    def rank(self) -> int:
        """The number of independent sums answered."""
        return self._history.exact.rank

    @property
    def atoms(self) -> int:
        """The number of atoms: classes of cells that lie in the same answered sets."""
        return self._ground.columns.atoms

    def consider(self, questions: Sequence[Question]) -> list[Finding]:
        """Decide a statement's questions, each as if the allowed ones before it were answered too.

        Never looks at an answer to them: what is decided follows from the questions and the past alone. The state is
        the same afterwards.
        """
        self._tell_apart(questions)
        sets = [self._lively(question) for question in questions]
        before, mark = self.status(), self._ground.mark()
        asker = questions[0].user if questions else None
        statement = Statement(self._history, self._ground, self._counts, self._scale, asker)
        self._covered = {}
        findings: dict[int, Finding] = {}
        order = self._order(questions, sets)
        try:
            for number in order:
                question = questions[number]
                decision = statement.decide(sets[number], question.kinds, before, last=number == order[-1])
                findings[number] = decision.finding
                if decision.covered:
                    self._covered[_key(question)] = decision.covered
        finally:
            self._ground.rewind(mark)
        return [findings[number] for number in range(len(questions))]

    def _order(self, questions: Sequence[Question], sets: Sequence[Cells]) -> list[int]:
        """Return the order in which questions are decided: with a MIN or MAX among them, small sets first.

        So the extreme of a union follows from those of its parts, and the verdict is the same whatever carries them.
        """
        if all(question.kinds == {"sum"} for question in questions):
            return list(range(len(questions)))
        sizes = [int(self._counts[cells].sum()) for cells in sets]
        return sorted(range(len(questions)), key=lambda n: (sizes[n], sets[n].tobytes(), sorted(questions[n].kinds)))

    def learn(self, questions: Sequence[Question], answers: Sequence[Answers]) -> list[bool]:
        """Take in the true answers of questions; return for each whether it told something new."""
        self._tell_apart(questions)
        given = [self._in_units(q, a) for q, a in zip(questions, answers, strict=True)]
        new = []
        for question, answer in zip(questions, given, strict=True):
            cells, fresh = self._lively(question), False
            if "sum" in question.kinds and self._history.add(cells, answer["sum"]):
                fresh = True
                cells = self._learn_sum(question, answer["sum"])
            for kind in sorted(question.kinds - {"sum"}):
                fresh |= learn_extreme(self._ground, cells, kind, answer[kind])
            new.append(fresh)
        self._score = None
        return new

    def _learn_sum(self, question: Question, answer: float) -> Cells:
        """Take in the answer to a sum; return its set. Where somebody cannot move any more, that is a matter of cells.

        So it is taken in again, cell by cell.
        """
        mark = self._ground.mark()
        for _ in range(2):
            cells = self._lively(question)
            self._on_grid(cells, question.user)
            learn_sum(self._ground, cells, answer)
            found = None if self._ground.plain else self._blocks.apart()
            if found is None:
                break
            self._ground.rewind(mark)
            self._go_on(*found, same=True)
        return cells

    def _on_grid(self, cells: Cells, user: str | None) -> None:
        columns = self._ground.columns
        self._ground.columns = replace(columns, lattice=columns.lattice.with_set(cells, user))

    def covered(self, question: Question) -> Mapping[str, Range]:
        """Return, for a question of the last `consider`, the plausible answers by kind, in shares of the domain."""
        return self._covered.get(_key(question), {})

    def surprises(self, questions: Sequence[Question], answers: Sequence[Answers]) -> list[bool]:
        """Tell, per question of the last `consider`, whether its answer leaves somebody less room than the limits say.

        That happens when the answer lies outside of what was thought plausible, which shows that the column is not
        what is publicly known of it. Nothing depends on it but what the owner is told: the answer is given like any
        other. The state is the same afterwards.
        """
        self._tell_apart(questions)
        given = [self._in_units(q, a) for q, a in zip(questions, answers, strict=True)]
        if len(questions) == 1 and questions[0].kinds == {"sum"}:
            low, high = self.covered(questions[0]).get("sum", (math.inf, -math.inf))
            if low <= given[0]["sum"] <= high:
                return [False]
        found, mark = [], self._ground.mark()
        exact = self._history.exact.fork() if len(questions) > 1 else None  # a fork costs more than all the rest
        try:
            for question, answer in zip(questions, given, strict=True):
                cells, before = self._lively(question), len(self._ground.frozen)
                fresh = "sum" in question.kinds
                if fresh:
                    fresh = exact.add(cells) if exact is not None else not self._history.exact.implied(cells)
                if fresh:
                    self._on_grid(cells, question.user)
                    learn_sum(self._ground, cells, answer["sum"])
                for kind in sorted(question.kinds - {"sum"}):
                    fresh |= learn_extreme(self._ground, cells, kind, answer[kind])
                found.append(fresh and not self._stands(before))
        finally:
            self._ground.rewind(mark)
        return found

    def _stands(self, frozen: int) -> bool:
        """Tell whether everybody still has the room they need, apart from those who had not before."""
        verdict = self._ground.safe()
        if verdict is None or len(self._ground.frozen) > frozen:
            return False
        return witnesses_safe(self._ground, verdict.point)

    @classmethod
    def restore(  # noqa: PLR0913, PLR0917 - as the constructor, and the history
        cls,
        counts: ArrayLike,
        low: float,
        high: float,
        step: float | None,
        limits: Limits,
        secret: bytes | None,
        rows: Iterable[tuple[Question, Answers]],
        prior: Prior | Forecast | None = None,
        *,
        people: People | None = None,
    ) -> "Knowledge":
        """Return the state after a history of answers that each told something new, much faster than by `learn`.

        A question for more than a sum tells something new if any part of it does. Verdicts are those of the history
        taken in one by one, but for rounding.
        """
        history = list(rows)
        sums = [row for row in history if row[0].kinds == {"sum"}]
        for fine in (False, True):
            state = cls(counts, low, high, step, limits, secret, prior, people=people, fine=fine)
            state._tell_apart(question for question, _ in sums)
            state._take_in(sums)
            if state._ground.plain:
                break
        for question, answer in history:
            if question.kinds != {"sum"}:
                state.learn([question], [answer])
        if state._ground.blind:  # an order that loses sight of the values: take the one in which they were learnt
            state = cls(counts, low, high, step, limits, secret, prior, people=people, fine=True)
            for question, answer in history:
                state.learn([question], [answer])
        return state

    def _take_in(self, sums: list[tuple[Question, Answers]]) -> None:
        known = [(self._lively(question), self._in_units(question, answer)["sum"]) for question, answer in sums]
        self._history.restore(known)
        for (cells, _), (question, _) in zip(known, sums, strict=True):
            self._on_grid(cells, question.user)
        restore_sums(self._ground, known)

    # ---- looking

    def status(self) -> Score:
        """Return how close the best-known record is to the limits, as certified."""
        if self._score is None:
            self._score = self._scale.score(self._ground.least_room())
        return self._score

    def intervals(self) -> tuple[Floats, Floats]:
        """Return the bounds that sums and the caps of MIN and MAX leave for a record of each cell.

        Slow: two linear programmes per atom. Answers that fit no values of the domain leave the caps alone.
        """
        ground, scale = self._ground, self._scale
        c = ground.columns
        _, first, atom = np.unique(c.labels, return_index=True, return_inverse=True)
        size = np.asarray(np.bincount(atom, weights=self._counts, minlength=len(first)), dtype=np.float64)
        sets, totals = self._history.sets()[:, first], self._history.answers()
        found = atom_bounds(sets, totals, size, c.low[first], c.high[first]) if len(first) else None
        least, most = (c.low, c.high) if found is None else (found[0][atom], found[1][atom])
        least, most = (each[self._blocks.partition.labels] for each in (least, most))
        lower, upper = np.full(self._cells, scale.low), np.full(self._cells, scale.high)
        lower[self._live], upper[self._live] = scale.low + scale.wide * least, scale.low + scale.wide * most
        return (lower, upper) if scale.step is None else on_grid(lower, upper, scale.low, scale.high, scale.step)

    def _of_cells(self, question: Question) -> Cells:
        if len(question.cells) != self._cells:
            raise DataError(f"the question is about {len(question.cells)} cells, the table has {self._cells}")
        return question.cells if len(self._live) == self._cells else question.cells[self._live]

    def _lively(self, question: Question) -> Cells:
        """Return a question's set, of which the blocks are told apart."""
        return self._blocks.flags(self._of_cells(question))

    def _in_units(self, question: Question, answer: Answers) -> dict[str, float]:
        cells = self._lively(question)
        found = {}
        for kind in question.kinds:
            if kind not in answer:
                raise DataError(f"the answer to a question for {', '.join(sorted(question.kinds))} lacks {kind}")
            records = float(self._counts[cells].sum())
            value = float(answer[kind]) if records else 0.0
            if not self._scale.wide:
                found[kind] = 0.0
            elif kind == "sum":
                found[kind] = self._scale.sum_to_unit(value, records)
            else:
                found[kind] = min(1.0, max(0.0, self._scale.value_to_unit(value)))
        return found


def _key(question: Question) -> bytes:
    return question.cells.tobytes() + " ".join(sorted(question.kinds)).encode()
