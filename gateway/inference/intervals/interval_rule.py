"""Is every record's interval wide enough if a question is answered so? From the cheapest certificate to the dearest.

1. the certificate at the point moved along the question's own direction (`certificate`);
2. the same after moving the point away from the ends (`settle`);
3. the analytic centre and its own scale (`centre`), while the matrices are small;
4. two linear programmes for each atom that is still in doubt (`programme`), while they are few;
5. no.

Each gives a lower bound of the true widths, so whichever says yes is right. What is in doubt after all of them is
refused.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.blas_threads import threads_for
from sdcdb.gateway.inference.algebra.geometry import Geometry, Rest
from sdcdb.gateway.inference.algebra.kernels import dot3
from sdcdb.gateway.inference.intervals.centre import Polytope, centre, scaled_widths
from sdcdb.gateway.inference.intervals.certificate import widths
from sdcdb.gateway.inference.intervals.person_rule import PersonTest, Wanted
from sdcdb.gateway.inference.intervals.programme import Programme
from sdcdb.gateway.inference.state.cell_state import Columns
from sdcdb.gateway.inference.state.recentre import margins, settle

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDING = 1e-7  # of the domain: taken off every certified width
CENTRE_WORK = 6e7  # rows squared times atoms
PROGRAMME_SIZE = 400_000  # rows times atoms
PROGRAMMES = 40  # atoms in doubt at one point
ROUNDS = 12  # alternating projections


@dataclass(frozen=True)
class Case:
    """One hypothetical state: the rows and columns as they are, and perhaps one more set.

    `point` agrees with all answers, with that of the new set too.
    """

    geometry: Geometry
    columns: Columns
    rest: Rest | None
    point: Floats

    @cached_property
    def margin(self) -> Floats:
        """How far each record must be moved to stand on the column's grid."""
        return self.columns.margin(self.geometry.number)

    @property
    def ranges(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Low and high with a margin for the grid, and how far unknown answers may move the point down and up."""
        c, margin = self.columns, self.margin
        return c.low + margin, c.high - margin, np.sqrt(c.falls), np.sqrt(c.rises)

    @property
    def need(self) -> Floats:
        """The width that must be left in reals, so that whole numbers have the room and the values they need.

        A real solution at each end of a width w gives whole-number ones that differ by w - 2 margin; one at every
        2 margin + step of it gives different whole numbers.
        """
        c, margin = self.columns, self.margin
        values = c.fewest * (2 * margin / c.unit + 1) if c.unit > 0 else 0.0
        return np.where(c.need > 0, np.maximum(c.need + 2 * margin, values), 0.0)

    @cached_property
    def persons(self) -> PersonTest | None:
        """The test of people, where somebody has several records."""
        c = self.columns
        if c.people is None:
            return None
        return PersonTest(c.people, self.geometry, self.rest, c.labels, self.leverage())

    def for_everybody(self, found: Floats, point: Floats) -> Floats:
        """Lessen the widths of cells in which some part of a person's records has too little room, or just enough."""
        if self.persons is None:
            return found
        c = self.columns
        short = self.persons.short(point, self.ranges, Wanted(c.need, self.margin, c.fewest, c.unit))
        return np.minimum(found, self.need + ROUNDING - short)

    def leverage(self) -> Floats:
        """The leverages with the new set."""
        plain = self.columns.leverage
        if self.rest is not None:
            plain = plain + self.rest.values**2 / self.rest.length
        return np.minimum(1.0, plain + 1e-9)

    def within(self, move: Floats) -> Floats:
        """The part of a move that changes neither an answered sum nor the new one."""
        kept = self.geometry.within(move)
        if self.rest is None:
            return kept
        r = self.rest.values
        return kept - r * (dot3(self.geometry.number, r, move) / self.rest.length)


@dataclass(frozen=True)
class Room:
    """The narrowest interval, and the fewest values, that whole numbers leave to a record, as shares of the domain."""

    interval: float
    values: float

    def least(self, other: "Room") -> "Room":
        """Return the lesser of both numbers."""
        return Room(min(self.interval, other.interval), min(self.values, other.values))


WIDE = Room(1.0, 1.0)


def room_of(widths: Floats, margin: Floats, unit: float) -> Room:
    """Return what whole numbers have of certified real widths: w - 2 margin, and w / (2 margin + 1) values."""
    interval = float((widths - 2 * margin).min(initial=1.0))
    values = float((widths / (2 * margin / unit + 1)).min(initial=1.0)) if unit > 0 else interval
    return Room(max(0.0, interval), max(0.0, values))


@dataclass(frozen=True)
class Verdict:
    """Certified widths, all as wide as needed, and the point that showed it."""

    widths: Floats
    point: Floats
    margin: Floats
    unit: float

    @property
    def room(self) -> Room:
        """What whole numbers have left."""
        return room_of(self.widths, self.margin, self.unit)


def judge(case: Case) -> Verdict | None:
    """Return a verdict if every record keeps the width that it needs, None if that could not be shown."""
    number = case.geometry.number
    held = number == 0
    free = ~held
    low, high, falls, rises = ranges = case.ranges
    inner = low + falls, high - rises
    if not (inner[0][free] < inner[1][free]).all():
        return None
    leverage, need = case.leverage(), np.where(held, 0.0, case.need + ROUNDING)
    margin, unit = case.margin, case.columns.unit

    def certified(x: Floats) -> Verdict | None:
        found = widths(x, ranges, leverage, number, held)
        if (found >= need).all():
            found = case.for_everybody(found, x)
        return Verdict(found - ROUNDING, x, margin, unit) if (found >= need).all() else None

    verdict, start = certified(case.point), case.point
    for share in (1.0, 0.5):
        if verdict is not None:
            return verdict
        distance = margins(leverage, need, held, share, None if case.persons is None else case.persons.shares)
        if (distance > 0.45 * (inner[1] - inner[0]))[free].any():
            continue
        settled = settle(case.point, inner, distance, held, case.within, ROUNDS)
        if settled is not None:
            start, verdict = settled, certified(settled)
    if verdict is not None:
        return verdict
    with threads_for(0):
        return _closer(case, start, need)


def _closer(case: Case, start: Floats, need: Floats) -> Verdict | None:
    columns, atom, polytope = polytope_of(case)
    k, number = polytope.rows.shape
    if k * k * number > CENTRE_WORK:
        return None
    x = centre(polytope, means_of_atoms(start, case.geometry.number, atom, polytope.size))
    if x is None:
        return None
    found = scaled_widths(polytope, x, need[columns])
    doubtful = np.flatnonzero(found < need[columns])
    if len(doubtful):
        if len(doubtful) > PROGRAMMES or k * number > PROGRAMME_SIZE:
            return None
        programme = programme_of(polytope)
        for i in doubtful:
            found[i] = max(found[i], record_width(programme, polytope, int(i)))
            if found[i] < need[columns[i]]:
                return None
    held = case.geometry.number == 0
    everywhere = np.where(held, case.point, x[atom])
    left = case.for_everybody(np.where(held, np.inf, found[atom]), everywhere)
    if (left < np.where(held, 0.0, case.need)).any():
        return None
    return Verdict(left - ROUNDING, everywhere, case.margin, case.columns.unit)


def polytope_of(case: Case) -> tuple[Ints, Ints, Polytope]:
    """Return a cell of each atom that can move, the atom of each cell, and the polytope of those atoms."""
    number, labels = case.geometry.number, case.columns.labels
    free = np.flatnonzero(number)
    _, first, inverse = np.unique(labels[free], return_index=True, return_inverse=True)
    columns = free[first]
    atom = np.zeros(len(number), dtype=np.int64)
    atom[free] = inverse
    size = np.asarray(np.bincount(inverse, weights=number[free], minlength=len(columns)), dtype=np.float64)
    rows = case.geometry.rows.dense()[:, columns]
    if case.rest is not None:
        rows = np.concatenate([rows, case.rest.cells[None, columns].astype(np.float64)])
    rows = rows[rows.any(axis=1)]
    answers = rows @ (size * means_of_atoms(case.point, number, atom, size))
    low, high, falls, rises = (each[columns] for each in case.ranges)
    return columns, atom, Polytope(rows, answers, size, low + falls, high - rises, falls, rises)


def means_of_atoms(point: Floats, number: Floats, atom: Ints, size: Floats) -> Floats:
    """Return the mean of a point over the records of each atom: what is foretold may differ between its cells."""
    free = np.flatnonzero(number)
    return np.asarray(np.bincount(atom[free], weights=(number * point)[free], minlength=len(size)) / size)


def programme_of(polytope: Polytope) -> Programme:
    """Return the linear programmes over the totals of a polytope's atoms."""
    size = polytope.size
    return Programme(polytope.rows > 0, polytope.answers, size * polytope.low, size * polytope.high)


def record_width(programme: Programme, polytope: Polytope, i: int) -> float:
    """Return the exact width of the interval of one record of an atom; 0 if the solver does not settle it."""
    reach = programme.reach(i)
    if reach is None:
        return 0.0
    size, low, high = polytope.size[i], polytope.low[i], polytope.high[i]
    upper = min(high, reach[1] - (size - 1) * low)
    lower = max(low, reach[0] - (size - 1) * high)
    return float(upper - lower)
