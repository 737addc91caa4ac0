"""When the point cannot be kept inside the ranges: look for another, or find out who is nearly known already.

An answer in the far tail can leave some records almost no room, or none (the sum of ten records is ten times the least
value: all ten are known). Then no point stands well inside. Those records are *frozen*: they are held where they are
and not moved for anybody's sake, and what they have left must not be narrowed by a later question (`frozen`).

They are held at values of the column's grid, if it has one, one atom after the other, each at a total that some table
has that agrees with all answers and with those held before: the lemma on whole numbers is about tables with just these
values.
"""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.blas_threads import threads_for
from sdcdb.gateway.inference.algebra.geometry import LEAST, Geometry
from sdcdb.gateway.inference.intervals.centre import centre
from sdcdb.gateway.inference.intervals.interval_rule import (
    CENTRE_WORK,
    PROGRAMME_SIZE,
    Case,
    means_of_atoms,
    polytope_of,
    programme_of,
    record_width,
)
from sdcdb.gateway.inference.intervals.programme import Programme
from sdcdb.gateway.inference.state.feasible_state import Ground
from sdcdb.gateway.inference.state.fixed_records import Frozen

Floats = NDArray[np.float64]

SUSPECTS = 400  # atoms near an end that are looked at by linear programmes
NEAR_END = 1e-3
OFF_GRID = 1e-4  # of a step, by which the solver's numbers may miss the grid


def find_point(ground: Ground) -> None:
    """Put the point inside the ranges, by whatever means it takes, or go blind."""
    if not ground.settle_down() and not _other_point(ground):
        ground.blind = True


def _other_point(ground: Ground) -> bool:
    """Find a point for a ground whose point left the ranges; False if nothing was found."""
    return _by_centre(ground) or (_freeze(ground) and (ground.settle_down() or _by_centre(ground)))


def _by_centre(ground: Ground) -> bool:
    c, number = ground.columns, ground.geometry.number
    free = number > 0
    if not (c.low[free] < c.high[free]).all():
        return False
    _, atom, polytope = polytope_of(Case(ground.geometry, c, None, c.point))
    if polytope.rows.shape[0] ** 2 * polytope.rows.shape[1] > 8 * CENTRE_WORK:
        return False
    with threads_for(0):
        x = centre(polytope, means_of_atoms(c.point, number, atom, polytope.size))
    if x is None:
        return False
    ground.columns = replace(c, point=np.where(free, x[atom], c.point) if len(x) else c.point)
    return True


def _freeze(ground: Ground) -> bool:
    """Freeze every record that has less room than it needs; False if there is none or it cannot be told."""
    c, number = ground.columns, ground.geometry.number
    case = Case(ground.geometry, replace(c, unit=0.0), None, c.point)  # the whole domain
    columns, atom, polytope = polytope_of(case)
    x, low, high = means_of_atoms(c.point, number, atom, polytope.size), polytope.low, polytope.high
    need = c.need[columns]
    suspects = np.flatnonzero((x - low < NEAR_END) | (high - x < NEAR_END))
    if len(suspects) > SUSPECTS or polytope.rows.size > 10 * PROGRAMME_SIZE:
        return False
    programme = programme_of(polytope)
    if not programme.feasible():
        return False
    narrow: dict[int, float] = {}
    for a in suspects:
        width = record_width(programme, polytope, int(a))
        if width < need[a]:
            narrow[int(a)] = max(0.0, width)
    totals = _places(programme, sorted(narrow, key=lambda a: (narrow[a], a)), c.unit, whole=c.whole)
    if not totals:
        return False
    frozen = (number > 0) & np.isin(atom, list(narrow))
    held = np.zeros(len(number))
    for place, total in totals.items():
        own = np.flatnonzero(frozen & (atom == place))
        held[own] = _in_parts(total, number[own], whole=c.whole) * c.unit
    point = np.where(frozen, held / np.maximum(number, 1.0), c.point)
    need = np.where(frozen, 0.0, c.need)
    ground.frozen += tuple(
        Frozen(frozen & (atom == place), number[frozen & (atom == place)], width) for place, width in narrow.items()
    )
    ground.columns = replace(c, point=point, held=c.held + held, need=need)
    rebuild(ground, np.where(frozen, 0.0, number))
    return True


def _places(programme: Programme, atoms: list[int], unit: float, *, whole: bool) -> dict[int, float]:
    """Hold atoms at totals that agree with all answers; return them in steps, none if one has no place.

    Of whole numbers they are whole.
    """
    found: dict[int, float] = {}
    for a in atoms:
        reach = programme.reach(a)
        if reach is None:
            return {}
        found[a] = (reach[0] + reach[1]) / 2 / unit
        if whole:
            least, most = math.ceil(reach[0] / unit - OFF_GRID), math.floor(reach[1] / unit + OFF_GRID)
            if least > most:
                return {}
            found[a] = min(max(round(found[a]), least), most)
        programme.fix(a, min(max(found[a] * unit, reach[0]), reach[1]))
    return found


def _in_parts(total: float, number: Floats, *, whole: bool) -> Floats:
    """Share a total out among the records of some cells: equally, or in whole numbers that differ by at most 1.

    >>> _in_parts(8, np.array([2.0, 1.0, 2.0]), whole=True).tolist()
    [4.0, 2.0, 2.0]
    """
    if not whole:
        return np.asarray(total / number.sum() * number, dtype=np.float64)
    each, more = divmod(round(total), round(float(number.sum())))
    before = np.cumsum(number) - number
    return np.asarray(each * number + np.clip(more - before, 0, number), dtype=np.float64)


def rebuild(ground: Ground, number: Floats) -> None:
    """Set up the geometry anew with other numbers of records that may move, dropping sums over held records only."""
    old, fresh = ground.geometry, Geometry(number)
    leverage, kept = np.zeros(len(number)), []
    for k, answer in enumerate(ground.answers):
        cells = old.rows.row(k)
        rest = fresh.rest(cells)
        if rest.length > LEAST:
            fresh.add(rest)
            leverage += rest.values**2 / rest.length
            kept.append(answer)
        else:
            ground.dropped += ((cells, answer),)
    ground.geometry, ground.answers = fresh, tuple(kept)
    ground.columns = replace(ground.columns, leverage=np.minimum(1.0, leverage))
