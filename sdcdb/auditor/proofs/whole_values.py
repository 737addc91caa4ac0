"""Whether records keep their room in whole numbers, where the intervals of real numbers are wide enough."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from sdcdb.auditor.evidence import Evidence, Ints
from sdcdb.auditor.proofs.interval import Caps, Intervals
from sdcdb.auditor.proofs.whole_numbers import Explored, Extremes, System, explore
from sdcdb.gateway.inference.intervals.atoms import classes

Flags = NDArray[np.bool_]
SOLVED = 2_000  # cells, up to which a first solution is looked for where the data are not one
NODES = 500
LARGEST = 2**52  # of a total in steps: exact in floating point


@dataclass(frozen=True)
class Room:
    """What a record must keep: an interval of this width, and so many values in it."""

    width: float
    values: int


def in_whole_numbers(evidence: Evidence, found: Intervals, room: Room, wanted: Sequence[int] | Ints) -> Intervals:
    """Narrow the intervals of cells that whole numbers alone expose, and name those that they may expose.

    `wanted` are the cells whose intervals are wide enough. Real intervals are exact where one sum or one extreme was
    answered, and where a column has no grid there are no whole numbers.
    """
    sums = evidence.of_kind("sum")
    grid = effective_grid(evidence)
    inside = np.zeros(len(evidence.counts), bool)
    inside[list(wanted)] = True
    inside &= (evidence.counts > 0) & (np.asarray(evidence.matrix.sum(axis=0)).ravel() > 0)
    if grid is None or len(evidence) < 2 or not inside.any():
        return found
    inside &= ~_judged_by_extremes_only(evidence)
    system = _system(evidence, sums, grid)
    if system is None:
        return replace(found, unsettled=frozenset(np.flatnonzero(inside).tolist()))
    explored = explore(system, _settled(evidence, system, grid, room), inside)
    left = np.flatnonzero(inside & ~_settled(evidence, system, grid, room)(explored)).tolist()
    return _with(found, evidence, explored, left, grid)


def effective_grid(evidence: Evidence) -> Fraction | None:
    """Return the coarsest grid on which every value lies, as the data show it; None if values have no grid.

    The declared step may be finer than what people's values keep to: salaries are multiples of a hundred, or of 2,400.
    """
    snap = evidence.domain.snap
    if evidence.truth is None or (evidence.counts > 1).any():
        return snap
    held = evidence.truth[evidence.counts == 1] - float(evidence.domain.low)
    unit = snap if snap is not None else next((Fraction(1, n) for n in (1, 100) if _whole(held * n)), None)
    if unit is None or not _whole(held / float(unit)):
        return snap
    return unit * max(1, gcd(*np.rint(held / float(unit)).astype(np.int64).tolist()))


def _whole(numbers: NDArray[np.float64]) -> bool:
    return bool(np.abs(numbers).max(initial=0) < LARGEST and (np.abs(numbers - np.rint(numbers)) < 1e-6).all())


def _judged_by_extremes_only(evidence: Evidence) -> Flags:
    """Flag cells of several records in the set of a MIN or MAX: which of them has it is not known here."""
    flags = np.zeros(len(evidence.counts), bool)
    for at in evidence.of_kind("min", "max"):
        flags |= evidence.sets([at])[0]
    return flags & (evidence.counts > 1)


def _system(evidence: Evidence, sums: list[int], grid: Fraction) -> System | None:
    """Return the values in steps above the least one; None if no solution is known to start from."""
    caps, low = Caps(evidence), evidence.domain.low
    counts = evidence.counts
    least = np.ceil((caps.low - float(low)) / float(grid) - 1e-6).astype(np.int64) * counts
    most = np.floor((caps.high - float(low)) / float(grid) + 1e-6).astype(np.int64) * counts
    if evidence.truth is not None:
        steps = (evidence.truth - counts * float(low)) / float(grid)
        start = np.rint(steps).astype(np.int64) if _whole(steps) else None
    else:
        start = _some_solution(evidence, sums, grid, least, most)
    if start is None or (start < least).any() or (start > most).any():
        return None
    labels = classes(evidence.sets(sums))
    held = _judged_by_extremes_only(evidence)
    least, most = np.where(held, start, least), np.where(held, start, most)
    first = np.unique(labels, return_index=True)[1]
    return System(start, least, most, labels, evidence.sets(sums)[:, first], _extremes(evidence, grid, start))


def _extremes(evidence: Evidence, grid: Fraction, start: Ints) -> Extremes | None:
    """Return the extremes that a cell of one record has; others are kept by the records that do not move."""
    sets, values = [], []
    for at in evidence.of_kind("min", "max"):
        value = round((evidence.answers[at] - evidence.domain.low) / grid)
        inside = evidence.sets([at])[0] & (evidence.counts == 1)
        if (start[inside] == value).any():
            sets.append(inside)
            values.append(value)
    return Extremes(np.array(sets), np.array(values, dtype=np.int64)) if sets else None


def _some_solution(evidence: Evidence, sums: list[int], grid: Fraction, least: Ints, most: Ints) -> Ints | None:
    """Find whole numbers that fit recorded answers which the data at hand do not give."""
    if len(evidence.counts) > SOLVED or len(sums) < len(evidence):
        return None
    rows = evidence.matrix[sums]
    answers = [evidence.answers[at] / grid for at in sums]
    if any(each.denominator != 1 for each in answers):
        return None
    base = np.asarray(rows @ evidence.counts, dtype=np.float64).ravel() * float(evidence.domain.low / grid)
    goal = np.array([float(each) for each in answers]) - base
    n = len(evidence.counts)
    fits = LinearConstraint(rows.astype(np.float64), goal, goal)
    found = milp(
        np.zeros(n), integrality=np.ones(n), bounds=Bounds(least, most), constraints=fits, options={"node_limit": NODES}
    )
    if found.x is None:
        return None
    start = np.rint(found.x).astype(np.int64)
    return start if np.array_equal(np.asarray(rows @ start).ravel(), np.rint(goal).astype(np.int64)) else None


def _settled(evidence: Evidence, system: System, grid: Fraction, room: Room) -> Callable[[Explored], Flags]:
    """Return the test whether a record of each cell was seen at values as far apart, and as many, as it must keep."""
    counts = np.maximum(evidence.counts, 1)
    each_high = system.high // counts

    def settled(explored: Explored) -> Flags:
        others = (counts - 1) * each_high
        lower, upper = np.maximum(0, explored.least - others), np.minimum(each_high, explored.most)
        at_start = np.minimum(each_high, system.start) - np.maximum(0, system.start - others) + 1
        values = np.where(evidence.counts > 1, np.maximum(at_start, explored.run), explored.run)
        return np.asarray(
            explored.free | ((upper - lower) * float(grid) >= room.width * (1 - 1e-12)) & (values >= room.values)
        )

    return settled


def _with(found: Intervals, evidence: Evidence, explored: Explored, left: list[int], grid: Fraction) -> Intervals:
    """Put in what is proved on the column's own grid; the rest, and what takes a coarser one for granted, is open."""
    lower, upper, exact, ends = found.lower.copy(), found.upper.copy(), found.exact.copy(), dict(found.ends)
    proved = [
        cell for cell in left if explored.proved[cell] and grid == evidence.domain.snap and evidence.counts[cell] == 1
    ]
    for cell in proved:
        bottom, top = (evidence.domain.low + int(each[cell]) * grid for each in (explored.least, explored.most))
        ends[cell] = (bottom, top)
        lower[cell], upper[cell], exact[cell] = float(bottom), float(top), True
    return Intervals(lower, upper, exact, ends, found.beyond, frozenset(proved), frozenset(left) - frozenset(proved))
