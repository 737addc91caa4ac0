"""Where the MIN or MAX over a set can lie, and where it lies in all but a share delta of the cases."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.forecast import Forecast
from sdcdb.gateway.inference.state.cell_state import Columns
from sdcdb.gateway.inference.state.feasible_state import Ground
from sdcdb.gateway.inference.state.fixed_records import Extreme

Floats = NDArray[np.float64]
Cells = NDArray[np.bool_]
Range = tuple[float, float]

SAME = 1e-12


@dataclass(frozen=True)
class Seen:
    """What is known, or taken as known while a statement is tried: see `Ground`."""

    columns: Columns
    number: Floats
    extremes: tuple[Extreme, ...]
    forecast: Forecast | None


def seen(ground: Ground) -> Seen:
    """Return what a ground knows now; what is tried later does not change it."""
    return Seen(ground.columns, ground.geometry.number, ground.extremes, ground.forecast)


def known_range(known: Seen, cells: Cells, kind: str) -> tuple[float, float]:
    """Return the least and the greatest value that the MIN or MAX over a set can have by the extremes learnt."""
    c = known.columns
    return _range(c.low, c.high, known.extremes, cells, kind)


def implied_extreme(known: Seen, cells: Cells, kind: str, together: Sequence[Cells] = ()) -> bool:
    """Tell whether the MIN or MAX over a set follows from the extremes learnt, whatever those asked `together` are.

    It does if the learnt ones leave one value, and if the set is made up of sets inside of it that are asked or learnt.
    """
    least, most = known_range(known, cells, kind)
    if most - least <= SAME:
        return True
    inner = [*together, *(each.cells for each in known.extremes if each.kind == kind)]
    covered = [each for each in inner if not (each & ~cells).any()]
    return bool(covered) and not (cells & ~np.logical_or.reduce(covered)).any()


def _range(low: Floats, high: Floats, extremes: tuple[Extreme, ...], cells: Cells, kind: str) -> tuple[float, float]:
    if not cells.any():
        return 0.0, 0.0
    inner = []
    for each in (each for each in extremes if each.kind == kind):  # whoever holds it lies in the set
        holders = each.cells & (high >= each.value - SAME if kind == "max" else low <= each.value + SAME)
        if not (holders & ~cells).any():
            inner.append(each.value)
    if kind == "max":
        return max([float(low[cells].max()), *inner]), float(high[cells].max())
    return float(low[cells].min()), min([float(high[cells].min()), *inner])


def _foretold(
    known: Seen, forecast: Forecast, inside: Cells, known_to_lie: Range, kind: str, delta: float
) -> tuple[float, float]:
    """Return where the MIN or MAX of draws lies: all m of them are up to t with probability F(t)^m."""
    least, most = known_to_lie
    number, above = known.number, kind == "max"

    def passed(wanted: float) -> tuple[float, float]:
        """Return values just before and behind the one at which the chance passes the one wanted."""
        near, far = (0.0, 1.0) if above else (1.0, 0.0)
        for _ in range(40):
            t = (near + far) / 2
            reached = forecast.log_chance_up_to(inside, number, t, above=above) > wanted
            near, far = (near, t) if reached else (t, far)
        return near, far

    rare, usual = passed(math.log(delta))[0], passed(math.log1p(-delta))[1]
    low, high = (rare, usual) if above else (usual, rare)
    low = min(max(least, low), most)
    return low, min(most, max(high, low))


def likely_range(known: Seen, cells: Cells, kind: str, delta: float) -> tuple[float, float]:
    """Return where the MIN or MAX lies but for a share `delta` of the cases, judged from the past alone.

    The records are taken as uniform from their end of the range to as far beyond the point (as in `predictive`). The
    MAX of m of them is below t with probability (t / width)^m. It is also above the mean of the set: with the sum of m
    records known, the share of states in which all are below mean + e is about

        (m e / width)^(m - 1) / (m - 1)!  /  sqrt(6 / (pi m)),

    a simplex in a slice of a cube. The far end is the end of the range, or where an exponential tail would end.
    """
    c, number = known.columns, known.number
    inside = cells & (number > 0)
    least, most = known_range(known, cells, kind)
    if not inside.any():
        return least, most
    m = number[inside]
    if known.forecast is not None:
        return _foretold(known, known.forecast, inside, (least, most), kind, delta)
    if kind == "max":
        start, point, end = c.low[inside], c.point[inside], c.high[inside]
    else:
        start, point, end = -c.high[inside], -c.point[inside], -c.low[inside]
        least, most = -most, -least
    near = np.minimum(point - start, end - point)
    reach = np.maximum(np.minimum(end, 2 * point - start) - start, 1e-12)
    wanted = math.log(delta)
    below, above = float(start.min()), float((start + reach).max())
    for _ in range(60):
        t = (below + above) / 2
        share = np.clip((t - start) / reach, 1e-300, 1.0)
        below, above = (t, above) if float((m * np.log(share)).sum()) < wanted else (below, t)
    records = float(m.sum())
    mean = float((m * point).sum() / records)
    if records > 1:
        room = (wanted + math.lgamma(records) + 0.5 * math.log(6 / (math.pi * records))) / (records - 1)
        below = max(below, mean + float((m * reach).sum() / records) / records * math.exp(room))
    far = float((point + near * (math.log(records) - wanted)).max())
    low = min(max(least, below), most)
    high = min(most, max(far, low))
    return (low, high) if kind == "max" else (-high, -low)
