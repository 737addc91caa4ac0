"""The interval that all answers leave for each record: sums by linear programmes, extremes by caps and witnesses.

The programmes are the gateway's own (`sdcdb.gateway.inference.intervals.programme`), over atoms. MIN and MAX cap every
record of their set; and somebody in the set has the extreme value. If only one record can, it is that record's value.
This is repeated until nothing changes.

Most records are in no danger, and showing that needs no programme for each of them: every vertex at which a programme
ends is a possible assignment of all values, so the values that a record takes at these vertices are inside its
interval. A few programmes in random directions show for most records that their interval is wide enough.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from sdcdb.auditor.evidence import Evidence, Ints, Sets
from sdcdb.errors import DataError
from sdcdb.gateway.inference.intervals.atoms import classes
from sdcdb.gateway.inference.intervals.programme import Programme

Floats = NDArray[np.float64]
ROUNDING = 1e-7  # of the domain's width: the most that the solver's tolerance may be off
ROUNDS = 20
FEW = 10  # people who may have an extreme: with more, it reveals little


@dataclass(frozen=True, eq=False)
class Intervals:
    """The interval of a value of each cell. Where `exact` is not set, the true interval is at least as wide as this."""

    lower: Floats
    upper: Floats
    exact: NDArray[np.bool_]

    @property
    def widths(self) -> Floats:
        """How wide they are."""
        return self.upper - self.lower


class Contradiction(DataError):  # noqa: N818 - what the answers are
    """No values fit all answers: the table changed in between, or the answers are about another table."""


def intervals(evidence: Evidence, wanted: Sequence[int] | Ints | None = None, enough: float | None = None) -> Intervals:
    """Return the interval of every cell, or of the cells wanted.

    With `enough`, a cell whose interval is at least that wide may get only a part of it of that width.
    """
    caps = Caps(evidence)
    sums = evidence.of_kind("sum")
    asked = np.arange(len(evidence.counts)) if wanted is None else np.asarray(wanted, dtype=np.intp)
    extremes = len(sums) < len(evidence)
    if enough is not None:
        enough += 2 * float(evidence.domain.step or 0)  # what rounding to the grid removes
    everybody = np.arange(len(evidence.counts))
    for _ in range(ROUNDS):
        # A witness is found among all cells of its set, so their intervals are needed while extremes are at work.
        found = _programmes(evidence, sums, caps, everybody if extremes else asked, enough)
        if not extremes:
            break
        found = _doubtful_solved(evidence, sums, caps, found)
        if not caps.narrow(found):
            break
    return _on_grid(found, evidence)


def _doubtful_solved(evidence: Evidence, sums: list[int], caps: "Caps", found: Intervals) -> Intervals:
    """Solve exactly for the few records that may be the only one to have an extreme."""
    outer = caps.outer(found)
    slack = ROUNDING * float(evidence.domain.width)
    few: set[int] = set()
    for at in evidence.of_kind("min", "max"):
        able = candidates(evidence, at, outer, slack)
        if evidence.counts[able].sum() <= FEW:
            few |= {int(cell) for cell in able if not found.exact[cell]}
    if not few:
        return found
    cells = np.array(sorted(few))
    solved = _programmes(evidence, sums, caps, cells, None)
    lower, upper, exact = found.lower.copy(), found.upper.copy(), found.exact.copy()
    lower[cells], upper[cells], exact[cells] = solved.lower[cells], solved.upper[cells], True
    return Intervals(lower, upper, exact)


class _Vertices(Programme):
    """The polytope of all totals that agree with the answers, and the spread of the vertices seen so far."""

    def __init__(self, rows: Sets, answers: Floats, low: Floats, high: Floats) -> None:
        super().__init__(rows, answers, low, high)
        self.lowest, self.highest = np.full(len(low), np.inf), np.full(len(low), -np.inf)

    def _run(self) -> float | None:
        found = super()._run()
        if found is not None:
            seen = np.asarray(self._solver.getSolution().col_value, dtype=np.float64)
            self.lowest, self.highest = np.minimum(self.lowest, seen), np.maximum(self.highest, seen)
        return found

    def wander(self, columns: NDArray[np.intp], rng: np.random.Generator) -> None:
        """Go to the vertices farthest in a random direction and in its opposite."""
        direction = np.zeros(len(self._low))
        direction[columns] = rng.standard_normal(len(columns))
        self.least(direction)
        self.least(-direction)


class Caps:
    """The range of each cell's values as MIN and MAX answers cap it, narrowed as witnesses are found."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.low = np.full(len(evidence.counts), float(evidence.domain.low))
        self.high = np.full(len(evidence.counts), float(evidence.domain.high))
        for at in evidence.of_kind("min"):
            chosen = evidence.sets([at])[0]
            self.low[chosen] = np.maximum(self.low[chosen], float(evidence.answers[at]))
        for at in evidence.of_kind("max"):
            chosen = evidence.sets([at])[0]
            self.high[chosen] = np.minimum(self.high[chosen], float(evidence.answers[at]))
        if (self.low > self.high + ROUNDING * float(evidence.domain.width)).any():
            raise Contradiction("a minimum is above a maximum: the answers are not about the same table")

    def outer(self, found: Intervals) -> Intervals:
        """Return intervals that contain every possible value: the caps, where only a part of the interval is known."""
        lower, upper = np.where(found.exact, found.lower, self.low), np.where(found.exact, found.upper, self.high)
        return Intervals(lower, upper, found.exact)

    def narrow(self, found: Intervals) -> bool:
        """Give each extreme its witness where only one record can have it; return whether anything changed."""
        slack = ROUNDING * float(self.evidence.domain.width)
        witnessed, outer = False, self.outer(found)
        for at in self.evidence.of_kind("min", "max"):
            cell = witness(self.evidence, at, outer, slack)
            if cell is None:
                continue
            value = float(self.evidence.answers[at])
            if self.low[cell] < value - slack or self.high[cell] > value + slack:
                self.low[cell] = self.high[cell] = value
                witnessed = True
        return witnessed


def candidates(evidence: Evidence, at: int, found: Intervals, slack: float) -> Ints:
    """Return the cells one of whose records may have the least or greatest value that was answered."""
    inside = evidence.sets([at])[0] & (evidence.counts > 0)
    value = float(evidence.answers[at])
    able = found.lower <= value + slack if evidence.kinds[at] == "min" else found.upper >= value - slack
    return np.flatnonzero(inside & able)


def witness(evidence: Evidence, at: int, found: Intervals, slack: float) -> int | None:
    """Return the only record that can have an extreme value, as its cell; None when several can."""
    able = candidates(evidence, at, found, slack)
    if len(able) == 0:
        raise Contradiction(f"nobody in the set can have its {evidence.kinds[at]}: the answers contradict each other")
    return int(able[0]) if len(able) == 1 and evidence.counts[able[0]] == 1 else None


def _programmes(
    evidence: Evidence, sums: list[int], caps: Caps, wanted: NDArray[np.intp], enough: float | None
) -> Intervals:
    """Solve two programmes per atom. Cells of an atom lie in the same sums and have the same caps."""
    low, wide = float(evidence.domain.low), float(evidence.domain.width)
    held = evidence.counts > 0
    lower, upper = caps.low.copy(), caps.high.copy()
    exact = np.ones(len(lower), bool)
    if not sums or not held.any():
        return Intervals(lower, upper, exact)
    rows = evidence.sets(sums)
    atom = _atoms(rows, caps)
    number = int(atom.max()) + 1
    size = np.bincount(atom, weights=evidence.counts, minlength=number)
    first = np.zeros(number, dtype=np.intp)
    first[atom[::-1]] = np.arange(len(atom))[::-1]
    least, most = (caps.low[first] - low) / wide, (caps.high[first] - low) / wide
    base, unit = evidence.domain.low, evidence.domain.width
    above = [evidence.answers[at] - base * int(evidence.counts[row].sum()) for at, row in zip(sums, rows, strict=True)]
    totals = np.array([float(each / unit) for each in above])
    programme = _Vertices(rows[:, first], totals, size * least, size * most)
    if not programme.feasible():
        raise Contradiction(
            "no values fit all sums: the table changed between the answers, or they are about another table"
        )
    todo = np.unique(atom[wanted])
    todo = todo[(size[todo] > 0) & rows[:, first[todo]].any(axis=0)]
    begin, end = least.copy(), most.copy()
    cleared, done = np.zeros(number, bool), np.zeros(number, bool)

    def seen() -> tuple[Floats, Floats]:
        """Return the part of a record's interval that the vertices show."""
        inner = np.maximum(least, programme.lowest - (size - 1) * most)
        return inner, np.maximum(inner, np.minimum(most, programme.highest - (size - 1) * least))

    def clear() -> None:
        """Note the atoms whose interval is seen to be wide enough."""
        if enough is not None:
            inner = seen()
            wide_enough = (inner[1] - inner[0])[todo] * wide >= enough * (1 + ROUNDING)
            cleared[todo] |= wide_enough & ~done[todo]

    if enough is not None:
        rng, before = np.random.default_rng(len(sums)), -1
        while not cleared[todo].all() and cleared.sum() > before:
            before = int(cleared.sum())
            programme.wander(todo[~cleared[todo]], rng)
            clear()
    for a in todo:
        if cleared[a]:
            continue
        reach = programme.reach(int(a))
        if reach is not None:
            begin[a] = max(least[a], reach[0] - (size[a] - 1) * most[a])
            end[a] = max(begin[a], min(most[a], reach[1] - (size[a] - 1) * least[a]))
        done[a] = True
        clear()
    inner = seen()
    begin[cleared], end[cleared] = inner[0][cleared], inner[1][cleared]
    asked = np.isin(atom, np.unique(atom[wanted]))
    lower[asked], upper[asked] = low + wide * begin[atom[asked]], low + wide * end[atom[asked]]
    return Intervals(lower, upper, ~cleared[atom])


def _atoms(rows: Sets, caps: Caps) -> Ints:
    """Number the classes of cells that are in the same sums with the same caps."""
    ends = np.unique(np.stack([caps.low, caps.high], axis=1), axis=0, return_inverse=True)[1].ravel()
    merged = np.stack([classes(rows), ends], axis=1)
    return np.asarray(np.unique(merged, axis=0, return_inverse=True)[1].ravel(), dtype=np.int64)


def _on_grid(found: Intervals, evidence: Evidence) -> Intervals:
    """Round inwards to the domain's grid, where it has one."""
    step, low = evidence.domain.step, evidence.domain.low
    if step is None:
        return found
    slack = max(1e-6, ROUNDING * float(evidence.domain.width / step))
    up = np.array([ceil((each - float(low)) / float(step) - slack) for each in found.lower])
    down = np.array([floor((each - float(low)) / float(step) + slack) for each in found.upper])
    down = np.maximum(up, down)
    return Intervals(float(low) + float(step) * up, float(low) + float(step) * down, found.exact)
