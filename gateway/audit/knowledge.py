"""What is known about one confidential column, and whether one more answer is safe."""

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sdcdb.errors import DataError
from sdcdb.gateway.audit.alternates import witnesses_safe
from sdcdb.gateway.audit.bounds import atom_bounds, on_grid
from sdcdb.gateway.audit.exact import determines
from sdcdb.gateway.audit.extremes import learn_extreme, try_extreme
from sdcdb.gateway.audit.finding import Finding
from sdcdb.gateway.audit.ground import Ground, Mark
from sdcdb.gateway.audit.holders import stay_hidden
from sdcdb.gateway.audit.likely import implied_extreme, released_extreme
from sdcdb.gateway.audit.limits import Limits
from sdcdb.gateway.audit.nullspace import NullSpace
from sdcdb.gateway.audit.question import Question
from sdcdb.gateway.audit.restoring import restore_sums
from sdcdb.gateway.audit.scale import Scale
from sdcdb.gateway.audit.score import Score
from sdcdb.gateway.audit.sums import learn_sum, try_sum

Floats = NDArray[np.float64]
Cells = NDArray[np.bool_]
Answers = Mapping[str, float | int | Fraction]
Range = tuple[float, float]


class Knowledge:
    """All answers about one column so far. Not thread-safe: the caller holds one lock per table.

    A statement goes through `consider`, which never sees an answer; the caller then computes the answers of the allowed
    questions, asks `tails` whether one of them is a rare case that must be denied after all, and calls `learn`.
    """

    def __init__(
        self,
        counts: ArrayLike,
        low: float,
        high: float,
        step: float | None,
        limits: Limits,
        secret: bytes | None = None,
    ) -> None:
        records = np.asarray(counts, dtype=np.int64)
        if records.ndim != 1 or (records < 0).any():
            raise DataError("counts are one number of records, zero or more, per cell")
        self._scale, self._limits = Scale(float(low), float(high), step, limits), limits
        self._cells, self._live = len(records), np.flatnonzero(records)  # a cell without records is in no set
        self._counts = records[self._live]
        seed = hashlib.blake2b(secret if secret is not None else os.urandom(32), digest_size=32).digest()
        self._exact = NullSpace(len(self._live), np.random.default_rng(int.from_bytes(seed, "little")))
        self._ground = Ground(self._counts, max(self._scale.interval_need, self._scale.cae_need))
        self._sums: list[tuple[NDArray[np.uint8], float]] = []
        self._score: Score | None = None
        self._covered: dict[bytes, Range] = {}
        self._denied: set[bytes] = set()
        self._released: NullSpace | None = None  # the sums that were answered, once one was learnt and denied

    @property
    def rank(self) -> int:
        """The number of independent sums answered."""
        return self._exact.rank

    @property
    def atoms(self) -> int:
        """The number of atoms: classes of cells that lie in the same answered sets."""
        return self._ground.columns.atoms

    # ---- deciding

    def consider(self, questions: Sequence[Question]) -> list[Finding]:
        """Decide a statement's questions in order, each as if the allowed ones before it were answered too.

        Never looks at an answer to them: what is decided follows from the questions and the past alone. The state is
        the same afterwards.
        """
        before, mark, exact = self.status(), self._ground.mark(), self._exact
        sets: list[Cells] = []
        self._covered = {}
        findings = []
        try:
            for number, question in enumerate(questions):
                cells, undo = self._lively(question), self._ground.mark()
                finding, covered = self._decide(question.kinds, cells, exact, sets, before)
                findings.append(finding)
                if not finding.allowed:
                    self._ground.rewind(undo)
                    continue
                if "sum" in question.kinds and not finding.implied and number + 1 < len(questions):
                    exact = self._exact.fork() if exact is self._exact else exact
                    exact.add(cells)
                sets.append(cells)
                if covered is not None and len(questions) == 1:
                    self._covered[_key(question)] = covered
        finally:
            self._ground.rewind(mark)
        return findings

    def _decide(  # noqa: PLR0911, PLR0912 - one way out for each rule, in their order
        self, kinds: frozenset[str], cells: Cells, exact: NullSpace, sets: list[Cells], before: Score
    ) -> tuple[Finding, Range | None]:
        def refused(rule: str) -> tuple[Finding, None]:
            return Finding(allowed=False, rule=rule, before=before, after=None, implied=False), None

        ground, scale, limits = self._ground, self._scale, self._limits
        if scale.too_coarse:
            return refused("interval")
        vectors = exact.vectors_with(cells) if "sum" in kinds else None
        extremes = [kind for kind in sorted(kinds - {"sum"}) if not implied_extreme(ground, cells, kind)]
        new = {*extremes, *(() if vectors is None else ("sum",))}
        if not self._given(kinds - new, cells):
            return refused("interval")  # it follows from an answer that was denied
        if not new:
            return Finding(allowed=True, rule=None, before=before, after=before, implied=True), None
        if not self._apart(cells, sets):
            return refused("overlap")
        if not all(stay_hidden(ground.extremes, cells, kind, self._counts, limits.min_set) for kind in extremes):
            return refused("exact")
        ground.split(cells)
        if vectors is not None:
            labels, atoms = ground.columns.labels, ground.columns.atoms
            sizes = np.bincount(labels, weights=self._counts, minlength=atoms).astype(np.int64)
            if determines(exact.vectors(), vectors, exact.primes, labels, sizes, limits.min_set):
                return refused("exact")
        if ground.blind:
            return refused("interval")
        width, covered = 1.0, None
        tries = [] if vectors is None else [try_sum(ground, cells, limits.delta)]
        for kind in extremes:
            if all(tried.widths is not None for tried in tries):
                tries.append(try_extreme(ground, cells, kind, limits.delta, limits.min_set))
        for tried in tries:
            if tried.widths is None:
                return refused("interval" if scale.interval_need >= scale.cae_need else "cae")
            width = min(width, float(tried.widths.min(initial=1.0)))
        if kinds == {"sum"}:
            covered = (tries[0].low, tries[0].high)
        return Finding(allowed=True, rule=None, before=before, after=scale.score(width), implied=False), covered

    def _given(self, kinds: frozenset[str], cells: Cells) -> bool:
        """Tell whether what is implied follows from answers that were given, not from those learnt and denied."""
        if "sum" in kinds and self._released is not None and not self._released.implied(cells):
            return False
        return all(released_extreme(self._ground, cells, kind) for kind in kinds - {"sum"})

    def _apart(self, cells: Cells, sets: list[Cells]) -> bool:
        most = self._limits.max_overlap
        if most is None:
            return True
        earlier = [np.unpackbits(packed, count=len(cells)).astype(bool) for packed, _ in self._sums]
        earlier += [each.cells for each in self._ground.extremes]
        return all(self._counts[cells & other].sum() <= most for other in earlier + sets if (cells != other).any())

    # ---- learning

    def learn(
        self, questions: Sequence[Question], answers: Sequence[Answers], denied: Sequence[bool] | None = None
    ) -> list[bool]:
        """Take in the true answers of questions; return for each whether it told something new.

        `denied` says which were denied after all, by default those that the last `tails` said so of. Their answers
        count as known, but nothing that follows from them alone is given away.
        """
        given = [self._in_units(q, a) for q, a in zip(questions, answers, strict=True)]
        kept_back = denied if denied is not None else [_key(question) in self._denied for question in questions]
        self._score, new = None, []
        for question, answer, secret in zip(questions, given, kept_back, strict=True):
            cells, fresh = self._lively(question), False
            if "sum" in question.kinds and self._exact.implied(cells):
                if self._released is not None and not secret:
                    self._released.add(cells)
            elif "sum" in question.kinds:
                fresh = True
                if secret and self._released is None:
                    self._released = self._exact.copy()
                elif self._released is not None and not secret:
                    self._released.add(cells)
                self._exact.add(cells)
                self._sums.append((np.packbits(cells), answer["sum"]))
                learn_sum(self._ground, cells, answer["sum"])
            for kind in sorted(question.kinds - {"sum"}):
                fresh |= learn_extreme(self._ground, cells, kind, answer[kind], denied=secret)
            new.append(fresh)
        self._denied = set()
        return new

    def tails(self, questions: Sequence[Question], answers: Sequence[Answers]) -> list[bool]:
        """Tell, per question, whether its true answer must be denied although the question was allowed.

        That is so when the answer lies outside of what `consider` covered and a limit would really be breached. It is
        rare by construction. The caller denies, and calls `learn` all the same: the denial tells as much.
        """
        given = [self._in_units(q, a) for q, a in zip(questions, answers, strict=True)]
        self._denied = set()
        covered = self._covered.get(_key(questions[0])) if len(questions) == 1 else None
        if covered is not None and covered[0] <= given[0]["sum"] <= covered[1]:
            return [False]
        found, mark, exact = [], self._ground.mark(), self._exact.fork()
        try:
            for question, answer in zip(questions, given, strict=True):
                cells, undo = self._lively(question), self._ground.mark()
                fresh = "sum" in question.kinds and exact.add(cells)
                if fresh:
                    learn_sum(self._ground, cells, answer["sum"])
                for kind in sorted(question.kinds - {"sum"}):
                    fresh |= learn_extreme(self._ground, cells, kind, answer[kind])
                tail = fresh and not self._stands(undo)
                if tail:
                    self._ground.rewind(undo)
                    self._denied.add(_key(question))
                found.append(tail)
        finally:
            self._ground.rewind(mark)
        return found

    def _stands(self, before: Mark) -> bool:
        """Tell whether everybody still has the room they need, apart from those who had not before."""
        verdict = self._ground.safe()
        if verdict is None or len(self._ground.frozen) > len(before.frozen):
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
        denied: Iterable[bool] | None = None,
    ) -> "Knowledge":
        """Return the state after a history of answers that each told something new, faster than `learn` one by one.

        A question for more than a sum tells something new if any part of it does. `denied` says which answers were
        learnt and not given, one flag per row. Verdicts are those of the history taken in one by one, but for rounding.
        """
        state = cls(counts, low, high, step, limits, secret)
        history = list(rows)
        flags = [False] * len(history) if denied is None else list(denied)
        first = next((i for i, flag in enumerate(flags) if flag), len(history))
        plain = [i for i in range(first) if history[i][0].kinds == {"sum"}]
        state._take_in([history[i] for i in plain])
        for i in sorted(set(range(len(history))) - set(plain)):
            state.learn([history[i][0]], [history[i][1]], [flags[i]])
        return state

    def _take_in(self, sums: list[tuple[Question, Answers]]) -> None:
        known = [(self._lively(question), self._in_units(question, answer)["sum"]) for question, answer in sums]
        self._exact.restore([cells for cells, _ in known])
        self._sums = [(np.packbits(cells), answer) for cells, answer in known]
        restore_sums(self._ground, known)

    # ---- looking

    def status(self) -> Score:
        """Return how close the best-known record is to the limits, as certified."""
        if self._score is None:
            self._score = self._scale.score(min(self._ground.least_width(), 1.0))
        return self._score

    def intervals(self) -> tuple[Floats, Floats]:
        """Return the bounds that sums and the caps of MIN and MAX leave for a record of each cell.

        Slow: two linear programmes per atom. Answers that fit no values of the domain leave the caps alone.
        """
        ground, scale = self._ground, self._scale
        c = ground.columns
        _, first, atom = np.unique(c.labels, return_index=True, return_inverse=True)
        size = np.bincount(atom, weights=self._counts, minlength=len(first)).astype(np.float64)
        packed = np.array([row for row, _ in self._sums], dtype=np.uint8).reshape(len(self._sums), -1)
        sets = np.unpackbits(packed, axis=1, count=len(self._live))[:, first].astype(bool)
        totals = np.array([answer for _, answer in self._sums])
        found = atom_bounds(sets, totals, size, c.low[first], c.high[first]) if len(first) else None
        least, most = (c.low, c.high) if found is None else (found[0][atom], found[1][atom])
        lower, upper = np.full(self._cells, scale.low), np.full(self._cells, scale.high)
        lower[self._live], upper[self._live] = scale.low + scale.wide * least, scale.low + scale.wide * most
        return (lower, upper) if scale.step is None else on_grid(lower, upper, scale.low, scale.high, scale.step)

    def _lively(self, question: Question) -> Cells:
        if len(question.cells) != self._cells:
            raise DataError(f"the question is about {len(question.cells)} cells, the table has {self._cells}")
        return np.ascontiguousarray(question.cells[self._live])

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
