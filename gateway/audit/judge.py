"""Is every record's interval wide enough if a question is answered so? From the cheapest certificate to the dearest.

1. the certificate at the point moved along the question's own direction (`certificate`);
2. the same after moving the point away from the ends (`settle`);
3. the analytic centre and its own scale (`centre`), while the matrices are small;
4. two linear programmes for each atom that is still in doubt (`programme`), while they are few;
5. no.

Each gives a lower bound of the true widths, so whichever says yes is right. What is in doubt after all of them is refused.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.audit.centre import Polytope, centre, scaled_widths
from sdcdb.gateway.audit.certificate import widths
from sdcdb.gateway.audit.columns import Columns
from sdcdb.gateway.audit.geometry import Geometry, Rest
from sdcdb.gateway.audit.programme import Programme
from sdcdb.gateway.audit.settle import margins, settle

Floats = NDArray[np.float64]

ROUNDING = 1e-7  # of the domain: taken off every certified width
CENTRE_WORK = 6e7  # rows squared times atoms
PROGRAMME_SIZE = 400_000  # rows times atoms
PROGRAMMES = 40  # atoms in doubt at one point


@dataclass(frozen=True)
class Case:
    """A hypothetical answer: `rest` of the new set and how far the answer is from the expected one."""

    geometry: Geometry
    columns: Columns
    rest: Rest | None
    shift: float
    low: Floats
    high: Floats
    rounds: int

    def leverage(self) -> Floats:
        """The leverages with the new set."""
        plain = self.columns.leverage
        if self.rest is not None:
            plain = plain + self.rest.values**2 / self.rest.length
        return np.minimum(1.0, plain + 1e-9)

    def point(self) -> Floats:
        """The point with the hypothetical answer."""
        return self.columns.point if self.rest is None else self.columns.point + self.shift * self.rest.direction

    def within(self, move: Floats) -> Floats:
        """The part of a move that changes neither an answered sum nor the new one."""
        kept = self.geometry.within(move)
        if self.rest is None:
            return kept
        r = self.rest.values
        return kept - r * (float((self.columns.number * r) @ move) / self.rest.length)


def judge(case: Case) -> Floats | None:
    """Return certified widths that are all as wide as needed, or None."""
    c, leverage, point = case.columns, case.leverage(), case.point()
    free = ~c.held
    need = c.need + ROUNDING
    if not (case.low[free] < case.high[free]).all():
        return None

    def certified(x: Floats) -> Floats:
        return widths(x, case.low, case.high, leverage, c.number, c.held)

    found = certified(point)
    if (found >= need).all():
        return found - ROUNDING
    start = point
    for share in (1.0, 0.5):
        margin = margins(leverage, need, c.held, share)
        if (margin > 0.45 * (case.high - case.low)).any():
            continue
        settled = settle(point, (case.low, case.high), margin, c.held, case.within, case.rounds)
        if settled is not None:
            start, found = settled, certified(settled)
            if (found >= need).all():
                return found - ROUNDING
    return _closer(case, start, point, need)


def _closer(case: Case, start: Floats, point: Floats, need: Floats) -> Floats | None:
    c = case.columns
    columns, atom, polytope = _polytope(case, point)
    k, number = polytope.rows.shape
    if k * k * number > CENTRE_WORK:
        return None
    x = centre(polytope, start[columns])
    if x is None:
        return None
    found = scaled_widths(polytope, x, need[columns])
    doubtful = np.flatnonzero(found < need[columns])
    if len(doubtful):
        if len(doubtful) > PROGRAMMES or k * number > PROGRAMME_SIZE:
            return None
        size, low, high = polytope.size, polytope.low, polytope.high
        programme = Programme(polytope.rows > 0, polytope.answers, size * low, size * high)
        for i in doubtful:
            reach = programme.reach(int(i))
            if reach is None:
                return None
            upper = min(high[i], reach[1] - (size[i] - 1) * low[i])
            lower = max(low[i], reach[0] - (size[i] - 1) * high[i])
            found[i] = max(found[i], upper - lower)
            if found[i] < need[columns[i]]:
                return None
    out = np.where(c.held, np.inf, found[atom])
    return out - ROUNDING


def _polytope(case: Case, point: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64], Polytope]:
    """Return a column of each atom that can move, the atom of each column, and the polytope of those atoms."""
    c = case.columns
    free = np.flatnonzero(~c.held)
    _, first, inverse = np.unique(c.labels[free], return_index=True, return_inverse=True)
    columns = free[first]
    atom = np.zeros(len(c.number), dtype=np.int64)
    atom[free] = inverse
    size = np.bincount(inverse, weights=c.number[free])
    rows = case.geometry.rows.dense()[:, columns]
    if case.rest is not None:
        rows = np.concatenate([rows, case.rest.cells[None, columns].astype(np.float64)])
    rows = rows[rows.any(axis=1)]
    return columns, atom, Polytope(rows, rows @ (size * point[columns]), size, case.low[columns], case.high[columns])
