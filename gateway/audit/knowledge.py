"""What is known about one confidential column, and whether one more answer is safe."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import DataError
from sdcdb.gateway.audit.atoms import classes
from sdcdb.gateway.audit.bounds import bounds
from sdcdb.gateway.audit.finding import Finding
from sdcdb.gateway.audit.limits import Limits
from sdcdb.gateway.audit.question import Question
from sdcdb.gateway.audit.score import Score

Floats = NDArray[np.float64]
Answers = Mapping[str, float | int | Fraction]

_PRIME = (1 << 31) - 1


class Knowledge:
    """All answers so far about one column (first, slow version: sums only, MIN and MAX are refused)."""

    def __init__(
        self,
        counts: NDArray[np.int64],
        low: float,
        high: float,
        step: float | None,
        limits: Limits,
        secret: bytes | None = None,
    ) -> None:
        self._counts = np.asarray(counts, dtype=np.int64)
        if self._counts.ndim != 1 or (self._counts < 0).any():
            raise DataError("counts are one number of records, zero or more, per cell")
        self._low, self._high, self._step, self._limits = float(low), float(high), step, limits
        self._rows: list[NDArray[np.bool_]] = []
        self._answers: list[float] = []
        self._secret = secret

    @property
    def rank(self) -> int:
        """The number of independent sums answered."""
        return len(self._rows)

    @property
    def atoms(self) -> int:
        """The number of atoms."""
        return int(classes(np.array(self._rows)).max()) + 1 if self._rows else 1

    def consider(self, questions: Sequence[Question]) -> list[Finding]:
        """Decide a statement's questions in order, each as if the allowed ones before it were answered."""
        rows, before = list(self._rows), self.status()
        answers, findings = list(self._answers), []
        for question in questions:
            finding = self._decide(rows, answers, question, before)
            findings.append(finding)
            if finding.allowed and not finding.implied:
                answers.append(self._typical(rows, answers, question))
                rows.append(question.cells)
        return findings

    def learn(self, questions: Sequence[Question], answers: Sequence[Answers]) -> list[bool]:
        """Take in the true answers of allowed questions; tell which were new."""
        new = []
        for question, answer in zip(questions, answers, strict=True):
            implied = _rank([*self._rows, question.cells]) == len(self._rows)
            if not implied:
                self._rows.append(question.cells)
                self._answers.append(float(answer["sum"]))
            new.append(not implied)
        return new

    def tails(self, questions: Sequence[Question], answers: Sequence[Answers]) -> list[bool]:
        """Tell, per question, whether its true answer would breach a limit after all."""
        found, rows, known = [], list(self._rows), list(self._answers)
        for question, answer in zip(questions, answers, strict=True):
            rows.append(question.cells)
            known.append(float(answer["sum"]))
            found.append(self._width(rows, known) < self._limits.min_interval)
        return found

    @classmethod
    def restore(
        cls,
        counts: NDArray[np.int64],
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
        return self._score(self._width(self._rows, self._answers))

    def intervals(self) -> tuple[Floats, Floats]:
        """Return the exact bounds of a record of each cell."""
        rows = np.array(self._rows).reshape(len(self._rows), len(self._counts))
        return bounds(rows, self._answers, self._low, self._high, self._step, weights=self._counts)

    def _decide(self, rows: list[NDArray[np.bool_]], answers: list[float], q: Question, before: Score) -> Finding:
        if q.kinds != {"sum"}:
            return Finding(False, "interval", before, None, False)
        if _rank([*rows, q.cells]) == len(rows):
            return Finding(True, None, before, before, True)
        sets = np.array([*rows, q.cells])
        label = classes(sets[:, self._counts > 0])
        size = np.bincount(label, weights=self._counts[self._counts > 0])
        for a in np.flatnonzero(size < self._limits.min_set):
            atom = np.zeros(len(self._counts), bool)
            atom[np.flatnonzero(self._counts > 0)[label == a]] = True
            if _rank([*rows, q.cells, atom]) == len(rows) + 1:
                return Finding(False, "exact", before, None, False)
        members = float(self._counts[q.cells].sum())
        spread = 4.75 * (self._high - self._low) * np.sqrt(members / 12)
        centre = self._typical(rows, answers, q)
        widths = []
        for answer in (centre - spread / 4, centre + spread / 4):
            inside = min(max(answer, self._low * members + 1e-9), self._high * members - 1e-9)
            try:
                widths.append(self._width([*rows, q.cells], [*answers, inside]))
            except DataError:
                widths.append(0.0)
        if min(widths) < self._limits.min_interval:
            return Finding(False, "interval", before, None, False)
        return Finding(True, None, before, self._score(min(widths)), False)

    def _typical(self, rows: list[NDArray[np.bool_]], answers: list[float], q: Question) -> float:
        n = self._counts.astype(float)
        x = np.full(len(n), (self._low + self._high) / 2)
        if rows:
            b = np.array(rows, dtype=float)
            x += np.linalg.lstsq(b * np.sqrt(n), np.array(answers) - b @ (n * x), rcond=None)[0] / np.sqrt(
                np.maximum(n, 1)
            )
        return float((n * x)[q.cells].sum())

    def _width(self, rows: list[NDArray[np.bool_]], answers: list[float]) -> float:
        if not self._counts.any():
            return self._high - self._low
        sets = np.array(rows).reshape(len(rows), len(self._counts))
        lower, upper = bounds(sets, answers, self._low, self._high, None, weights=self._counts)
        return float((upper - lower)[self._counts > 0].min())

    def _score(self, width: float) -> Score:
        step = self._step or (self._high - self._low) / 1000 or 1.0
        return Score(width, float(np.log2(max(1.0, np.floor(width / step)))), 0.0, "interval")


def _rank(rows: list[NDArray[np.bool_]]) -> int:
    """Return the rank of 0/1 rows modulo a prime."""
    a, rank = np.array(rows, dtype=np.int64), 0
    for column in range(a.shape[1]):
        found = np.flatnonzero(a[rank:, column])
        if len(found) == 0:
            continue
        a[[rank, rank + found[0]]] = a[[rank + found[0], rank]]
        a[rank] = a[rank] * pow(int(a[rank, column]), -1, _PRIME) % _PRIME
        others = np.flatnonzero(a[:, column])
        others = others[others != rank]
        a[others] = (a[others] - a[others, column][:, None] * a[rank]) % _PRIME
        rank += 1
        if rank == len(a):
            break
    return rank
