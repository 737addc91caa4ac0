"""SUM: trying a question before it is answered, and taking in its answer."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.geometry import LEAST, Rest
from sdcdb.gateway.inference.extremes.alternates import witnesses_safe
from sdcdb.gateway.inference.intervals.interval_rule import (
    PROGRAMME_SIZE,
    Case,
    Verdict,
    judge,
    means_of_atoms,
    polytope_of,
    programme_of,
)
from sdcdb.gateway.inference.intervals.plausible_sum import plausible_spreads
from sdcdb.gateway.inference.intervals.sum_range import spreads
from sdcdb.gateway.inference.state.feasible_state import Ground, Tried
from sdcdb.gateway.inference.state.narrow_records import still_free
from sdcdb.gateway.inference.state.restore_feasibility import find_point

Cells = NDArray[np.bool_]


def try_sum(ground: Ground, cells: Cells, delta: float) -> Tried:
    """Try a sum (the atoms are refined already). If it is safe it stays tried, as a row with the expected answer."""
    g, c = ground.geometry, ground.columns
    rest, expected = g.rest(cells), ground.expected(cells)
    if rest.length < LEAST:
        return Tried(expected, expected, None)
    if ground.forecast is None:
        spread = spreads(rest.values, g.number, c.point - c.low, c.high - c.point, delta)
    else:
        spread = plausible_spreads(ground, ground.forecast, rest, delta)
    below, low = _judged(ground, rest, -1.0, spread[0], delta)
    above, high = _judged(ground, rest, 1.0, spread[1], delta) if low is not None else (spread[1], None)
    if low is None or high is None:
        return Tried(expected - below, expected + above, None)
    move = rest.direction
    ground.append(rest, expected)
    if not (witnesses_safe(ground, low.point) and witnesses_safe(ground, high.point)):
        return Tried(expected - below, expected + above, None)
    down, up = np.where(move > 0, below, above) * move, np.where(move > 0, above, below) * move
    ground.columns = replace(ground.columns, falls=c.falls + down**2, rises=c.rises + up**2)
    return Tried(expected - below, expected + above, low.room.least(high.room))


def _judged(ground: Ground, rest: Rest, sign: float, spread: float, delta: float) -> tuple[float, Verdict | None]:
    """Judge the answer at the end of the spread, or as near to it as the answers so far allow it to be."""
    for attempt in (spread, None):
        if attempt is None:
            if ground.forecast is not None:  # its spread is what is plausible, to the very end if need be
                break
            spread, before = min(spread, _possible(ground, rest, sign, delta)), spread
            if not 0 < spread < 0.999 * before:
                break
        point = ground.columns.point + sign * spread * rest.direction
        case = Case(ground.geometry, ground.columns, rest, point)
        verdict = judge(case)
        if verdict is not None:
            return spread, verdict if still_free(ground.frozen, ground.dropped, case) else None
    return spread, None


def _possible(ground: Ground, rest: Rest, sign: float, delta: float) -> float:
    """Return how far from its expected value the answer can be, but for a share `delta` near the very end.

    The spread is judged as if records were independent, and may lie beyond what the answers so far leave possible. The
    end E of that is found by a linear programme. Near it the share of states falls like a power of the distance; for m
    uniform records, of which the answer can fall by E in all, it is delta at (2 E / m) (delta m!)^(1/m) from the end
    (Irwin-Hall). m is the length of the rest: the number of records that the question leaves to chance.
    """
    state = Case(ground.geometry, replace(ground.columns, unit=0.0), None, ground.columns.point)  # the whole domain
    columns, atom, polytope = polytope_of(state)
    if polytope.rows.size > PROGRAMME_SIZE:
        return 0.0
    flags = rest.cells[columns].astype(np.float64)
    found = programme_of(polytope).least(-sign * flags)
    if found is None:
        return 0.0
    middle = means_of_atoms(state.point, state.geometry.number, atom, polytope.size)
    room = -sign * float((flags * polytope.size) @ middle) - found
    m = max(rest.length, 1.0)
    return room * (1 - min(1.0, 2 / m * math.exp((math.log(delta) + math.lgamma(m + 1)) / m)))


def learn_sum(ground: Ground, cells: Cells, answer: float) -> None:
    """Take in the answer to a sum. A ground that finds no point any more is blind: it certifies nothing."""
    ground.split(cells)
    rest = ground.geometry.rest(cells)
    if not ground.geometry.number[cells].any():
        ground.dropped += ((cells, answer),)  # of records that are all held
        return
    if rest.length < LEAST:
        ground.blind = True  # independent, but not to floating point
        return
    shift = answer - ground.expected(cells)
    ground.append(rest, answer)
    ground.columns = replace(ground.columns, point=ground.columns.point + shift * rest.direction)
    find_point(ground)
