"""What is known about one confidential column, and whether one more answer is safe."""

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sdcdb.errors import DataError
from sdcdb.gateway.audit.exact import determines
from sdcdb.gateway.audit.finding import Finding
from sdcdb.gateway.audit.ground import Ground, Tried
from sdcdb.gateway.audit.limits import Limits
from sdcdb.gateway.audit.nullspace import NullSpace
from sdcdb.gateway.audit.question import Question
from sdcdb.gateway.audit.scale import Scale
from sdcdb.gateway.audit.score import Score

Floats = NDArray[np.float64]
Cells = NDArray[np.bool_]
Answers = Mapping[str, float | int | Fraction]


class Knowledge:
    """All answers about one column so far. Not thread-safe: the caller holds one lock per table."""

    def __init__(  # noqa: PLR0913, PLR0917 - the column as the policy describes it
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
        self._scale = Scale(float(low), float(high), step, limits)
        self._limits, self._cells = limits, len(records)
        self._live = np.flatnonzero(records)  # a cell without records is in no set
        self._counts = records[self._live]
        seed = hashlib.blake2b(secret if secret is not None else os.urandom(32), digest_size=32).digest()
        self._exact = NullSpace(len(self._live), np.random.default_rng(int.from_bytes(seed, "little")))
        self._ground = Ground(self._counts, max(self._scale.interval_need, self._scale.cae_need))
        self._sets: list[Cells] = []
        self._covered: dict[bytes, Tried] = {}

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
        before, mark = self.status(), self._ground.mark()
        sets, exact = list(self._sets), self._exact
        self._covered = {}
        findings = []
        try:
            for number, question in enumerate(questions):
                cells = self._lively(question)
                undo = self._ground.mark()
                finding, tried = self._decide(question, cells, exact, sets, before)
                if finding.allowed and not finding.implied:
                    sets.append(cells)
                    if number + 1 < len(questions):
                        exact = self._exact.fork() if exact is self._exact else exact
                        exact.add(cells)
                    self._covered[question.cells.tobytes()] = tried
                else:
                    self._ground.rewind(undo)
                findings.append(finding)
        finally:
            self._ground.rewind(mark)
        return findings

    def _decide(
        self, question: Question, cells: Cells, exact: NullSpace, sets: list[Cells], before: Score
    ) -> tuple[Finding, Tried]:
        nothing = Tried(0.0, 0.0, None)

        def refused(rule: str) -> tuple[Finding, Tried]:
            return Finding(allowed=False, rule=rule, before=before, after=None, implied=False), nothing

        if self._scale.too_coarse or question.kinds != {"sum"}:
            return refused("interval")
        vectors = exact.vectors_with(cells)
        if vectors is None:
            return Finding(allowed=True, rule=None, before=before, after=before, implied=True), nothing
        if not self._apart(cells, sets):
            return refused("overlap")
        self._ground.split(cells)
        columns = self._ground.columns
        labels = columns.labels[: len(self._counts)]
        sizes = np.bincount(labels, weights=self._counts, minlength=columns.atoms).astype(np.int64)
        if determines(exact.vectors(), vectors, exact.primes, labels, sizes, self._limits.min_set):
            return refused("exact")
        if self._ground.blind:
            return refused("interval")
        tried = self._ground.try_sum(cells, self._limits.delta)
        if tried.widths is None:
            return refused("interval" if self._scale.interval_need >= self._scale.cae_need else "cae")
        after = self._scale.score(min(float(tried.widths.min()), 1.0))
        return Finding(allowed=True, rule=None, before=before, after=after, implied=False), tried

    def _apart(self, cells: Cells, sets: list[Cells]) -> bool:
        most = self._limits.max_overlap
        if most is None:
            return True
        return all(self._counts[cells & other].sum() <= most for other in sets if (cells != other).any())

    # ---- learning

    def learn(self, questions: Sequence[Question], answers: Sequence[Answers]) -> list[bool]:
        """Take in the true answers of questions; return for each whether it told something new."""
        new = []
        for question, answer in zip(questions, answers, strict=True):
            cells = self._lively(question)
            fresh = self._exact.add(cells)
            if fresh:
                self._sets.append(cells)
                records = float(self._counts[cells].sum())
                self._ground.learn_sum(cells, self._scale.sum_to_unit(float(answer["sum"]), records))
            new.append(fresh)
        return new

    def tails(self, questions: Sequence[Question], answers: Sequence[Answers]) -> list[bool]:
        """Tell, per question, whether its true answer breaches a limit after all."""
        raise NotImplementedError

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
    ) -> "Knowledge":
        """Return the state after a history of independent answers."""
        state = cls(counts, low, high, step, limits, secret)
        for question, answer in rows:
            state.learn([question], [answer])
        return state

    def status(self) -> Score:
        """Return how close the best-known record is to the limits."""
        found = self._ground.widths()
        return self._scale.score(min(float(found.min(initial=np.inf)), 1.0))

    def _lively(self, question: Question) -> Cells:
        if len(question.cells) != self._cells:
            raise DataError(f"the question is about {len(question.cells)} cells, the table has {self._cells}")
        return np.ascontiguousarray(question.cells[self._live])
