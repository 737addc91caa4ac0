"""Where the answer to a sum plausibly lies, when the distribution of the values is public.

The answer is sum c_i X_i plus what is known, for several c: the set itself; the rest r that earlier sets do not
explain; the set minus an answered one that contains it, whose sum is known; and the combinations with the shortest
tails (`tightest_sum`). They are chosen before anything is known of the answer. Each of k gives a range that holds but
for a share delta / k on each side, so the answer lies in all of them but for a share delta. Sets that contain it bound
a sum by how little the others can have: without them one rich person anywhere would make every large answer plausible.
"""

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.geometry import Rest
from sdcdb.gateway.inference.algebra.kernels import dot3
from sdcdb.gateway.inference.forecast import Forecast
from sdcdb.gateway.inference.intervals.tightest_sum import tightest
from sdcdb.gateway.inference.state.feasible_state import Ground

Floats = NDArray[np.float64]

CONTAINING = 3  # answered sets that contain the new one: the smallest


def plausible_spreads(ground: Ground, forecast: Forecast, rest: Rest, delta: float) -> tuple[float, float]:
    """Return how far below and above its expected value the answer plausibly lies."""
    number, point = ground.geometry.number, ground.columns.point
    draws = forecast.draws
    flags = rest.cells.astype(np.float64)
    below, above = np.inf, np.inf
    tried = [rest.values, flags, *(flags - each for each in _containing(ground, flags))]
    tried += tightest(ground.geometry, draws, rest, delta)
    delta /= len(tried)
    for weights in tried:
        shift = dot3(number, weights, draws.means - point)  # from the point to the mean
        down, up = draws.spreads(weights, number, delta)
        below, above = min(below, down - shift), min(above, up + shift)
    if below <= 0 or above <= 0:  # past answers are not what the histogram makes plausible
        down, up = draws.spreads(rest.values, number, delta)
        below, above = (below if below > 0 else down), (above if above > 0 else up)
    return below, above


def _containing(ground: Ground, flags: Floats) -> list[Floats]:
    rows, number = ground.geometry.rows, ground.geometry.number
    if rows.number == 0:
        return []
    around = np.flatnonzero(np.isclose(rows.times(number * flags), float(number @ flags)))
    sizes = [float(number @ rows.row(int(k))) for k in around]
    return [rows.row(int(around[k])).astype(np.float64) for k in np.argsort(sizes, kind="stable")[:CONTAINING]]
