"""Lattice reduction against whole-number sums: one short vector of the right lattice holds everybody's value."""

from dataclasses import dataclass

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.question import Question

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]
SUM = frozenset({"sum"})


def reconstructed(rows: Ints, answers: Ints, centre: Ints, spread: int) -> Ints | None:
    """Return a whole-number solution near `centre`, by LLL on the embedding of the nearest-vector problem."""
    keep = _independent(rows)
    rows, answers = rows[keep], answers[keep]
    k, n = rows.shape
    heavy = 1 << 40
    table = np.zeros((n + 1, n + 1 + k), dtype=object)
    for i in range(n):
        table[i, i] = 1
        table[i, n + 1 :] = [heavy * int(v) for v in rows[:, i]]
    table[n, :n] = [-int(c) for c in centre]
    table[n, n] = max(1, spread)
    table[n, n + 1 :] = [-heavy * int(a) for a in answers]
    reduced = np.array(fmpz_mat(table.tolist()).lll().tolist(), dtype=object)
    for row in reduced:
        if abs(int(row[n])) == max(1, spread) and not any(int(v) for v in row[n + 1 :]):
            sign = 1 if int(row[n]) > 0 else -1
            return np.array([sign * int(v) for v in row[:n]], dtype=np.int64) + centre
    return None


def _independent(rows: Ints) -> list[int]:
    kept: list[int] = []
    rank = 0
    for i in range(len(rows)):
        found = int(np.linalg.matrix_rank(rows[[*kept, i]].astype(float)))
        if found > rank:
            kept.append(i)
            rank = found
    return kept


@dataclass
class Victims:
    """Cells of people with whole-number values, behind an audit."""

    values: list[Ints]
    knowledge: Knowledge

    @classmethod
    def of(cls, counts: Ints, top: int, kind: str, rng: np.random.Generator, limits: Limits) -> "Victims":
        """Draw values from 0 to `top`: uniform, skewed, or in heaps."""
        people = int(counts.sum())
        if kind == "uniform":
            drawn = rng.integers(0, top + 1, people)
        elif kind == "skewed":
            drawn = np.minimum(top, (rng.lognormal(0, 0.8, people) * 0.15 * top).astype(np.int64))
        else:
            drawn = rng.integers(0, 101, people) * (top // 100)
        parts = np.split(drawn, np.cumsum(counts)[:-1])
        return cls(parts, Knowledge(counts, 0, top, 1, limits, rng.bytes(16)))

    @property
    def totals(self) -> Ints:
        return np.array([part.sum() for part in self.values], dtype=np.int64)

    def ask(self, flags: Flags) -> int | None:
        question = [Question(flags, SUM)]
        if not self.knowledge.consider(question)[0].allowed:
            return None
        answer = int(self.totals[flags].sum())
        self.knowledge.learn(question, [{"sum": answer}])
        return answer


def exactly_known(victims: Victims, sets: list[Flags], target: Flags, known: Flags, top: int) -> tuple[int, int]:
    """Attack the target cells with all answered sums; return how many single people come out right, and of how many.

    `known` cells are known beforehand. Sums must lie in the target, or differ from each other by what does.
    """
    totals, counts = victims.totals, np.array([len(part) for part in victims.values])
    unknown = np.flatnonzero(target & ~known)
    rows, answers = [], []
    for cells in sets:
        rows.append(cells[unknown].astype(np.int64))
        answers.append(int(totals[cells & target].sum() - totals[cells & target & known].sum()))
    if not rows:
        return 0, len(unknown)
    mean = int(np.mean([a / max(1, counts[unknown][r > 0].sum()) for r, a in zip(rows, answers, strict=True)]))
    centre = mean * counts[unknown]
    found = reconstructed(np.array(rows), np.array(answers, dtype=np.int64), centre, top // 4)
    single = counts[unknown] == 1
    if found is None:
        return 0, int(single.sum())
    return int((found == totals[unknown])[single].sum()), int(single.sum())
