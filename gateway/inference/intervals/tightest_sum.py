"""The combinations of a new set with earlier ones whose sum has the shortest tails.

The answer is r(X) plus something known, for every r = q - M'y, M being the answered sets. The shortest tail upwards has
the r that makes K(t), the sum over records of k(t r_i), least, at the t of the tail; k is the logarithm of the moment
generating function of one record's deviation. K is convex in y: a few steps of Newton's method find it. It depends on
the sets and on what is public, not on answers, so that it is chosen before anything is known of the sum.

Least squares would weigh both sides alike. Of skewed values a tail is long on one side only, and a combination that
covers the new set from above by earlier ones leaves little upwards.
"""

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.geometry import Geometry, Rest
from sdcdb.gateway.inference.algebra.lapack import solve_positive
from sdcdb.gateway.inference.draws import Draws

Floats = NDArray[np.float64]

MOST_ROWS = 150
MOST_WORK = 400_000  # rows times cells
ROUNDS = 2  # of finding t, then r
STEPS = 5  # of Newton's method
RIDGE = 1e-9


def tightest(geometry: Geometry, draws: Draws, rest: Rest, delta: float) -> list[Floats]:
    """Return the combination with the shortest tail downwards and the one upwards; none for a large history."""
    k, cells = geometry.rows.number, len(geometry.number)
    if not 0 < k <= MOST_ROWS or k * cells > MOST_WORK:
        return []
    rows = geometry.rows.dense() * (geometry.number > 0)
    return [_leaning(rows, geometry.number, draws, rest.values, sign, delta) for sign in (-1.0, 1.0)]


def _leaning(rows: Floats, number: Floats, draws: Draws, start: Floats, sign: float, delta: float) -> Floats:
    found = start
    for _ in range(ROUNDS):
        t = sign * draws.tail_at(sign * found, number, delta)
        for _ in range(STEPS):
            value, slope, bend = draws.cumulants(t * found, number)
            weighted = rows * bend
            curve = t * t * (weighted @ rows.T)
            curve[np.diag_indices_from(curve)] *= 1 + RIDGE
            curve[np.diag_indices_from(curve)] += 1e-300
            try:
                step = solve_positive(curve, t * (rows @ slope))
            except np.linalg.LinAlgError:
                return found
            move = rows.T @ step
            for share in (1.0, 0.5, 0.25, 0.0):
                tried = found - share * move
                if share == 0.0 or draws.cumulants(t * tried, number)[0] < value:
                    break
            done = float(np.abs(tried - found).max()) < 1e-3
            found = tried
            if done:
                break
    return found
