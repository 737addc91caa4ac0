"""The interval that all answers leave for each record: sums by linear programmes, extremes by caps and witnesses.

The programmes are the gateway's own (`sdcdb.gateway.inference.intervals.programme`), over atoms. MIN and MAX cap every
record of their set; and somebody in the set has the extreme value. If only one record can, it is that record's value.
This is repeated until nothing changes.

Most records are in no danger, and showing that needs no programme for each of them: every vertex at which a programme
ends is a possible assignment of all values, so the values that a record takes at these vertices are inside its
interval. A few programmes in random directions show for most records that their interval is wide enough.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor, log10

import numpy as np
from numpy.typing import NDArray

from sdcdb.auditor.evidence import Evidence, Ints, Sets
from sdcdb.auditor.proofs.peeling import Peeled, peel
from sdcdb.auditor.proofs.polytope import Atoms, Infeasible, reach
from sdcdb.auditor.proofs.projection import Projection, Room, settle
from sdcdb.errors import DataError
from sdcdb.gateway.inference.intervals.atoms import classes

Floats = NDArray[np.float64]
ROUNDING = 1e-7  # of the domain's width: the most that the solver's tolerance may be off
SLACK = 0.1  # of a step, at most
PROJECTED = 256  # records up to which a projection is tried for each
FEW = 10  # records that are solved for together; if so few may have an extreme, all of them are


@dataclass(frozen=True, eq=False)
class Intervals:
    """The interval of a value of each cell. Where `exact` is not set, the true interval is at least as wide as this."""

    lower: Floats
    upper: Floats
    exact: NDArray[np.bool_]
    ends: dict[int, tuple[Fraction, Fraction]] = field(default_factory=dict)
    """The ends of some cells in fractions, before they are rounded to the grid."""
    beyond: frozenset[int] = frozenset()
    """Cells whose bounds were not computed: their programmes exceed the budget, or the solver gave no answer."""
    whole: frozenset[int] = frozenset()
    """Cells whose interval is that of the whole numbers that fit, proved by integer programmes: narrower than real."""
    unsettled: frozenset[int] = frozenset()
    """Cells for which no other whole numbers were found that fit all answers: they may be known."""

    @property
    def open(self) -> NDArray[np.bool_]:
        """Flags of the cells beyond the budget."""
        flags = np.zeros(len(self.lower), bool)
        flags[list(self.beyond)] = True
        return flags

    @property
    def widths(self) -> Floats:
        """How wide they are."""
        return self.upper - self.lower


class Contradiction(DataError):  # noqa: N818 - what the answers are
    """No values fit all answers: the table changed in between, or the answers are about another table."""


def intervals(
    evidence: Evidence,
    wanted: Sequence[int] | Ints | None = None,
    enough: float | None = None,
    budget: int | None = None,
) -> Intervals:
    """Return the interval of every cell, or of the cells wanted.

    With `enough`, a cell whose interval is at least that wide may get only a part of it of that width. A programme
    costs its sums times their entries; with `budget`, what exceeds it is not computed but named in `beyond`.
    """
    caps = Caps(evidence)
    sums = evidence.of_kind("sum")
    asked = np.arange(len(evidence.counts)) if wanted is None else np.asarray(wanted, dtype=np.intp)
    extremes = len(sums) < len(evidence)
    if enough is not None:
        enough += 2 * float(evidence.domain.step or 0)  # what rounding to the grid removes
    everybody = np.arange(len(evidence.counts))
    while True:  # every round but the last gives a record its value
        # A witness is found among all cells of its set, so their intervals are needed while extremes are at work.
        found = _programmes(evidence, sums, caps, everybody if extremes else asked, enough, budget)
        if not extremes:
            break
        found = _doubtful_solved(evidence, sums, caps, found)
        if not caps.narrow(found):
            break
    return _on_grid(found, evidence)


def _doubtful_solved(evidence: Evidence, sums: list[int], caps: "Caps", found: Intervals) -> Intervals:
    """Solve exactly for records until every extreme has two that surely can have it, or all that may are solved."""
    slack = ROUNDING * float(evidence.domain.width)
    for at in evidence.of_kind("min", "max"):
        while cells := _doubtful(evidence, at, found, caps, slack):
            chosen = np.array(sorted(cells), dtype=np.intp)
            solved = _programmes(evidence, sums, caps, chosen, None)
            lower, upper, exact = found.lower.copy(), found.upper.copy(), found.exact.copy()
            lower[chosen], upper[chosen], exact[chosen] = solved.lower[chosen], solved.upper[chosen], True
            found = Intervals(lower, upper, exact, {**found.ends, **solved.ends}, found.beyond - set(cells))
    return found


def _doubtful(evidence: Evidence, at: int, found: Intervals, caps: "Caps", slack: float) -> list[int]:
    """Return some cells to solve for, of which it is open whether they can have an extreme, if that matters.

    An interval that was found is a part of the true one: a record that has the value in it surely can have it. With two
    of them nobody is the only one. What is beyond the budget stays so, unless few may have the extreme.
    """
    able = candidates(evidence, at, caps.outer(found), slack)
    sure = set(candidates(evidence, at, found, slack).tolist()) - found.beyond
    few = int(evidence.counts[able].sum()) <= FEW
    if not few and sum(int(evidence.counts[cell]) for cell in sure) > 1:
        return []
    value = float(evidence.answers[at])
    end = found.lower if evidence.kinds[at] == "min" else found.upper
    cells = [int(cell) for cell in able if not found.exact[cell] and (few or int(cell) not in sure | found.beyond)]
    return sorted(cells, key=lambda cell: abs(float(end[cell]) - value))[:FEW]


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
        self._exact = {
            float(evidence.domain.low): evidence.domain.low,
            float(evidence.domain.high): evidence.domain.high,
        }
        self._exact |= {float(evidence.answers[at]): evidence.answers[at] for at in evidence.of_kind("min", "max")}
        if (self.low > self.high + ROUNDING * float(evidence.domain.width)).any():
            raise Contradiction("a minimum is above a maximum: the answers are not about the same table")

    def ends(self, cell: int) -> tuple[Fraction, Fraction]:
        """Return the caps of a cell exactly: each is an end of the domain or an answer."""
        return self._exact[float(self.low[cell])], self._exact[float(self.high[cell])]

    def outer(self, found: Intervals) -> Intervals:
        """Return intervals that contain every possible value: the caps, where only a part of the interval is known."""
        lower, upper = np.where(found.exact, found.lower, self.low), np.where(found.exact, found.upper, self.high)
        return Intervals(lower, upper, found.exact, found.ends, found.beyond)

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
    evidence: Evidence,
    sums: list[int],
    caps: Caps,
    wanted: NDArray[np.intp],
    enough: float | None,
    budget: int | None = None,
) -> Intervals:
    """Settle what follows by subtraction, then find the totals of atoms: cells in the same sums with the same caps."""
    lower, upper = caps.low.copy(), caps.high.copy()
    exact = np.ones(len(lower), bool)
    ends: dict[int, tuple[Fraction, Fraction]] = {}
    if not sums or not (evidence.counts > 0).any():
        return Intervals(lower, upper, exact, ends)
    wanted = _settled(evidence, sums, caps, wanted, enough, Intervals(lower, upper, exact, ends))
    if not len(wanted) and evidence.truth is not None:
        return Intervals(lower, upper, exact, ends)
    peeled = peel(evidence.counts, evidence.matrix[sums], [evidence.answers[at] for at in sums])
    fixed = np.flatnonzero(peeled.fixed & (evidence.counts > 0))
    lower[fixed] = upper[fixed] = peeled.values[fixed].astype(np.float64) / peeled.unit
    slack = ROUNDING * float(evidence.domain.width)
    if peeled.odd > slack or (lower[fixed] < caps.low[fixed] - slack).any() or (upper > caps.high + slack).any():
        raise Contradiction(
            "no values fit all sums: the table changed between the answers, or they are about another table"
        )
    ends |= {cell: (peeled.value(cell), peeled.value(cell)) for cell in np.intersect1d(fixed, wanted).tolist()}
    beyond: frozenset[int] = frozenset()
    if len(peeled.cells):
        found = Intervals(lower, upper, exact, ends)
        beyond = _reached(evidence, peeled, caps, wanted, enough, budget, found)
    return Intervals(lower, upper, exact, ends, beyond)


def _settled(
    evidence: Evidence, sums: list[int], caps: Caps, wanted: NDArray[np.intp], enough: float | None, found: Intervals
) -> NDArray[np.intp]:
    """Put in the intervals of a few cells that a projection settles; return those that it does not."""
    if evidence.truth is None or not 0 < len(wanted) <= PROJECTED or evidence.gram is None:
        return wanted
    held = evidence.counts > 0
    cells = wanted[(evidence.counts[wanted] == 1) & evidence.sets(sums)[:, wanted].any(axis=0)]
    truth = evidence.truth
    room = Room(
        np.where(held, np.maximum(truth - evidence.counts * caps.low, 0.0), 0.0),
        np.where(held, np.maximum(evidence.counts * caps.high - truth, 0.0), 0.0),
    )
    matrix = evidence.matrix if len(sums) == len(evidence) else evidence.matrix[sums]
    gram = evidence.gram if len(sums) == len(evidence) else evidence.gram[np.ix_(sums, sums)]
    settled = settle(Projection(matrix, gram), [evidence.answers[at] for at in sums], cells, room, enough)
    for cell, value in settled.determined.items():
        found.lower[cell] = found.upper[cell] = float(value)
        found.ends[cell] = (value, value)
    for cell, (down, up) in settled.free.items():
        found.lower[cell], found.upper[cell], found.exact[cell] = truth[cell] - down, truth[cell] + up, False
    return wanted[~np.isin(wanted, [*settled.determined, *settled.free])]


def _reached(
    evidence: Evidence,
    peeled: Peeled,
    caps: Caps,
    wanted: NDArray[np.intp],
    enough: float | None,
    budget: int | None,
    found: Intervals,
) -> frozenset[int]:
    """Put in the intervals of the cells that subtraction alone does not settle; return those beyond the budget."""
    cells, rows = peeled.cells, peeled.rows
    atom = _atoms(rows, caps.low[cells], caps.high[cells])
    number = int(atom.max()) + 1
    size = np.bincount(atom, weights=evidence.counts[cells], minlength=number).astype(np.int64)
    first = np.zeros(number, dtype=np.intp)
    first[atom[::-1]] = np.arange(len(atom))[::-1]
    low, high = caps.low[cells[first]], caps.high[cells[first]]
    exact_ends = [caps.ends(int(cell)) for cell in cells[first]]
    truth: Floats | None = None
    if evidence.truth is not None:
        truth = np.bincount(atom, weights=evidence.truth[cells], minlength=number).astype(np.float64)
    asked = np.zeros(number, bool)
    asked[atom[np.isin(cells, wanted)]] = True
    step = evidence.domain.snap
    fine = step is not None and ROUNDING * float(evidence.domain.width / step) > SLACK
    atoms = Atoms(size, low, high, exact_ends, truth)
    try:
        totals = reach(rows[:, first], peeled.rest, atoms, np.flatnonzero(asked), enough, fractions=fine, budget=budget)
    except Infeasible:
        raise Contradiction(
            "no values fit all sums: the table changed between the answers, or they are about another table"
        ) from None
    begin = np.maximum(low, totals.least - (size - 1) * high)
    end = np.maximum(begin, np.minimum(high, totals.most - (size - 1) * low))
    chosen = asked[atom]
    found.lower[cells[chosen]], found.upper[cells[chosen]] = begin[atom[chosen]], end[atom[chosen]]
    found.exact[cells[chosen]] = ~(totals.seen | totals.beyond)[atom[chosen]]
    proved: dict[int, tuple[Fraction, Fraction]] = {}
    for a, (least, most) in totals.exact.items():
        bottom, top = exact_ends[a]
        others = int(size[a]) - 1
        proved[a] = max(bottom, least - others * top), min(top, most - others * bottom)
    for cell, a in zip(cells[chosen].tolist(), atom[chosen].tolist(), strict=True):
        if a in proved:
            found.ends[cell] = proved[a]
    return frozenset(cells[chosen & totals.beyond[atom]].tolist())


def _atoms(rows: Sets, low: Floats, high: Floats) -> Ints:
    """Number the classes of cells that are in the same sums with the same caps."""
    ends = np.unique(np.stack([low, high], axis=1), axis=0, return_inverse=True)[1].ravel()
    merged = np.stack([classes(rows), ends], axis=1)
    return np.asarray(np.unique(merged, axis=0, return_inverse=True)[1].ravel(), dtype=np.int64)


def _on_grid(found: Intervals, evidence: Evidence) -> Intervals:
    """Round inwards to the grid of the domain or of the column's type, where there is one.

    Ends that are known in fractions are rounded exactly; others allow for the solver's tolerance.
    """
    step = evidence.domain.snap
    if step is None:
        return found
    start = evidence.domain.low if evidence.domain.step is not None else Fraction(0)
    slack = min(SLACK, max(1e-6, ROUNDING * float(evidence.domain.width / step)))
    up = np.ceil((found.lower - float(start)) / float(step) - slack)
    down = np.maximum(up, np.floor((found.upper - float(start)) / float(step) + slack))
    lower, upper = float(start) + float(step) * up, float(start) + float(step) * down
    for cell, (low, high) in found.ends.items():
        if low == high:
            lower[cell] = upper[cell] = float(low)
            continue
        first, last = ceil((low - start) / step), floor((high - start) / step)
        first, last = (first, last) if first <= last else (last, last)
        lower[cell], upper[cell] = float(start + step * first), float(start + step * last)
    if step < 1:  # written as decimals, not as sums of binary fractions
        digits = max(0, -floor(log10(float(step))) + 2)
        lower, upper = np.round(lower, digits), np.round(upper, digits)
    return Intervals(lower, upper, found.exact, found.ends, found.beyond)
