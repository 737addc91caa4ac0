"""What sums alone settle or leave free about a few records: by projection on the query sets.

Take away from the indicator of a record its projection on the rows of the sums. If nothing is left, a combination of
sums isolates the record; its weights are read off as fractions and checked in whole numbers, so that rounding cannot
declare a record determined. If something is left, values can move along it without changing any sum: from the data,
which are one possible assignment, as far as the ranges allow. Neither needs a linear programme.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import cho_solve
from scipy.linalg.lapack import dpstrf

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
NOTHING = 1e-9
DENOMINATORS = (60, 5_000, 10**6)
LARGEST = 400
"""The most sums of a combination that is read off."""


@dataclass(frozen=True, eq=False)
class Room:
    """A possible assignment of all columns, and how far each may fall and rise."""

    down: Floats
    up: Floats


class Projection:
    """Sums as rows of zeros and ones, factored once."""

    def __init__(self, rows: sparse.csr_matrix, gram: Floats | None = None) -> None:
        self.rows = rows
        full = (rows @ rows.T).toarray().astype(np.float64) if gram is None else gram
        scale = max(float(full.diagonal().max(initial=0.0)), 1e-300)
        factor, pivots, rank, _ = dpstrf(full, tol=1e-10 * scale, lower=1)
        self.chosen: Indices = np.asarray(pivots[:rank] - 1, dtype=np.intp)
        self._factor = factor[:rank, :rank]
        self._basis = rows[self.chosen]

    def weights(self, columns: Indices) -> Floats:
        """Return, one column each, the weights of the chosen sums whose combination is nearest to an indicator."""
        wanted = self._basis[:, columns].toarray().astype(np.float64)
        return np.asarray(cho_solve((self._factor, True), wanted, check_finite=False))

    def ways(self, columns: Indices, weights: Floats) -> Floats:
        """Return, one column each, the direction that changes a column and no sum."""
        way = -np.asarray(self._basis.T @ weights)
        way[columns, np.arange(len(columns))] += 1
        return way

    def isolating(self, column: int, weights: Floats) -> dict[int, Fraction] | None:
        """Return exact weights, by row, whose combination is the column's indicator and nothing else; None if these are
        not near such."""
        used = np.flatnonzero(np.abs(weights) > 1e-7)
        if not 0 < len(used) <= LARGEST:
            return None
        part = self._basis[used]
        for denominator in DENOMINATORS:
            exact = [Fraction(float(weights[at])).limit_denominator(denominator) for at in used]
            common = lcm(*(each.denominator for each in exact))
            if common > 1 << 40:
                continue
            whole = np.array([int(each * common) for each in exact], dtype=np.int64)
            total = np.asarray(part.T @ whole).ravel()
            if total[column] == common and np.count_nonzero(total) == 1:
                return {int(self.chosen[at]): weight for at, weight in zip(used, exact, strict=True) if weight}
        return None


def reach_along(way: Floats, room: Room) -> tuple[Floats, Floats]:
    """Return how far one can go along each direction and back, within the room of every column."""
    size = np.maximum(np.abs(way), 1e-300)
    moves = size > 1e-12
    up, down = room.up[:, None], room.down[:, None]
    ahead = np.where(moves, np.where(way > 0, up, down) / size, np.inf).min(axis=0)
    back = np.where(moves, np.where(way > 0, down, up) / size, np.inf).min(axis=0)
    lost = ~(np.isfinite(ahead) & np.isfinite(back))
    ahead[lost] = back[lost] = 0.0
    return np.asarray(ahead), np.asarray(back)


@dataclass(frozen=True, eq=False)
class Settled:
    """Columns that are determined, with their totals, and columns that are free, with a part of what is possible."""

    determined: dict[int, Fraction]
    free: dict[int, tuple[float, float]]
    """How far the total may fall below the data's, and rise above it."""


def settle(
    projection: Projection, answers: Sequence[Fraction], columns: Indices, room: Room, enough: float | None
) -> Settled:
    """Settle what a projection can: a column is free if it can move by `enough` in all."""
    determined: dict[int, Fraction] = {}
    free: dict[int, tuple[float, float]] = {}
    if not len(columns):
        return Settled(determined, free)
    weights = projection.weights(columns)
    ways = projection.ways(columns, weights)
    left = ways[columns, np.arange(len(columns))]
    ahead, back = reach_along(ways, room)
    for n, column in enumerate(columns.tolist()):
        if left[n] < NOTHING:
            exact = projection.isolating(column, weights[:, n])
            if exact is not None:
                determined[column] = sum((weight * answers[at] for at, weight in exact.items()), Fraction(0))
            continue
        step = left[n] * (1 - 1e-6)
        if enough is not None and step * (ahead[n] + back[n]) >= enough:
            free[column] = (float(step * back[n]), float(step * ahead[n]))
    return Settled(determined, free)
