"""What an attacker asks, what they know after it, and a small table to try it on."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.intervals.record_bounds import bounds
from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.question import Question

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

SUM = frozenset({"sum"})


def rank(rows: NDArray[np.generic]) -> int:
    """Exact rank of 0/1 rows by elimination with fractions."""
    left = [[Fraction(int(v)) for v in row] for row in rows]
    found = 0
    for column in range(len(left[0]) if left else 0):
        pivot = next((i for i in range(found, len(left)) if left[i][column]), None)
        if pivot is None:
            continue
        left[found], left[pivot] = left[pivot], left[found]
        for i in range(found + 1, len(left)):
            if left[i][column]:
                factor = left[i][column] / left[found][column]
                left[i] = [a - factor * b for a, b in zip(left[i], left[found], strict=True)]
        found += 1
    return found


def small_group_determined(rows: Flags, counts: NDArray[np.int64], min_set: int) -> bool:
    """Try every group of fewer than `min_set` records that is a union of cells, of at most three atoms."""
    if len(rows) == 0:
        return False
    base = rank(rows)
    labels = [tuple(column) for column in rows.T]
    atoms = [np.array([label == each for label in labels]) for each in dict.fromkeys(labels)]
    for size in (1, 2, 3):
        for group in combinations(atoms, size):
            members = np.any(group, axis=0)
            if 0 < counts[members].sum() < min_set and rank(np.vstack([rows, members])) == base:
                return True
    return False


def families(rng: np.random.Generator, n: int) -> Iterator[Flags]:
    """Ask in the ways of the literature, mixed: ranges, windows, differences, trackers, halves."""
    order = rng.permutation(n)
    for number in range(10**6):
        flags = np.zeros(n, bool)
        kind = rng.integers(0, 5)
        if kind == 0:  # a range
            a, b = np.sort(rng.integers(0, n + 1, 2))
            flags[order[a:b]] = True
        elif kind == 1:  # a sliding window
            start = number % n
            flags[order[start : start + n // 2]] = True
        elif kind == 2:  # a set and the same without one person
            flags[rng.permutation(n)[: rng.integers(n // 3, n)]] = True
        elif kind == 3:  # a general tracker: everybody, or half, with and without a victim
            flags[order[: n // 2]] = True
            flags[rng.integers(0, n)] ^= True
        else:  # Dinur and Nissim: random halves
            flags = rng.random(n) < 0.5
        if flags.any():
            yield flags


@dataclass
class Table:
    """A confidential column, its gateway's knowledge, and what an attacker was told."""

    values: list[Floats]  # per cell
    knowledge: Knowledge
    limits: Limits
    answered: list[tuple[Flags, float]] = field(default_factory=list)
    verdicts: list[str] = field(default_factory=list)
    surprises: int = 0

    @classmethod
    def of(cls, values: list[Floats], limits: Limits, step: float | None = None, top: float = 1.0) -> "Table":
        counts = np.array([len(v) for v in values])
        return cls(values, Knowledge(counts, 0.0, top, step, limits, b"secret"), limits)

    @property
    def counts(self) -> NDArray[np.int64]:
        return np.array([len(v) for v in self.values])

    def answer(self, flags: Flags, kinds: frozenset[str]) -> dict[str, float]:
        found = np.concatenate([v for v, f in zip(self.values, flags, strict=True) if f] or [np.zeros(0)])
        if len(found) == 0:
            return dict.fromkeys(kinds, 0.0)
        every = {"sum": float(found.sum()), "min": float(found.min()), "max": float(found.max())}
        return {kind: every[kind] for kind in kinds}

    def ask(self, flags: Flags, kinds: frozenset[str] = SUM) -> dict[str, float] | None:
        """Ask as the gateway does: consider, answer, learn."""
        question = Question(flags, kinds)
        finding = self.knowledge.consider([question])[0]
        self.verdicts.append("implied" if finding.implied else finding.rule or "allowed")
        if not finding.allowed:
            return None
        truth = self.answer(flags, kinds)
        self.surprises += self.knowledge.surprises([question], [truth])[0]
        self.knowledge.learn([question], [truth])
        if "sum" in kinds:
            self.answered.append((flags, truth["sum"]))
        return truth

    def widths(self) -> Floats:
        """What the answers leave for one record of each cell."""
        sets = np.array([flags for flags, _ in self.answered]).reshape(len(self.answered), len(self.values))
        top = self.knowledge._scale.high
        lower, upper = bounds(sets, [a for _, a in self.answered], 0.0, top, weights=self.counts)
        return (upper - lower)[self.counts > 0]
