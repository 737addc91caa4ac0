"""When the point cannot be kept inside the ranges: look for another, or find out who is nearly known already.

An answer in the far tail can leave some records almost no room, or none (the sum of ten records is ten times the least
value: all ten are known). Then no point stands well inside. Those records are *frozen*: they are held where they are
and not moved for anybody's sake, and what they have left must not be narrowed by a later question (`frozen`).
"""

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
    polytope_of,
    programme_of,
    record_width,
)
from sdcdb.gateway.inference.state.feasible_state import Ground
from sdcdb.gateway.inference.state.fixed_records import Frozen

Floats = NDArray[np.float64]

SUSPECTS = 400  # atoms near an end that are looked at by linear programmes
NEAR_END = 1e-3


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
    columns, atom, polytope = polytope_of(Case(ground.geometry, c, None, c.point))
    if polytope.rows.shape[0] ** 2 * polytope.rows.shape[1] > 8 * CENTRE_WORK:
        return False
    with threads_for(0):
        x = centre(polytope, c.point[columns])
    if x is None:
        return False
    ground.columns = replace(c, point=np.where(free, x[atom], c.point) if len(x) else c.point)
    return True


def _freeze(ground: Ground) -> bool:
    """Freeze every record that has less room than it needs; False if there is none or it cannot be told."""
    c, number = ground.columns, ground.geometry.number
    case = Case(ground.geometry, replace(c, unit=0.0), None, c.point)  # the whole domain
    columns, atom, polytope = polytope_of(case)
    x, low, high, need = c.point[columns], polytope.low, polytope.high, c.need[columns]
    suspects = np.flatnonzero((x - low < NEAR_END) | (high - x < NEAR_END))
    if len(suspects) > SUSPECTS or polytope.rows.size > 10 * PROGRAMME_SIZE:
        return False
    programme = programme_of(polytope)
    if not programme.feasible():
        return False
    value = np.clip(x, low, high)
    narrow: dict[int, float] = {}
    for a in suspects:
        width = record_width(programme, polytope, int(a))
        reach = programme.reach(int(a))
        if width < need[a] and reach is not None:
            narrow[int(a)] = max(0.0, width)
            value[a] = (reach[0] + reach[1]) / 2 / polytope.size[a]
    if not narrow:
        return False
    frozen = (number > 0) & np.isin(atom, list(narrow))
    point = np.where(frozen, value[atom], c.point)
    held = c.held + np.where(frozen, number * point, 0.0)
    need = np.where(frozen, 0.0, c.need)
    ground.frozen += tuple(
        Frozen(frozen & (atom == a), number[frozen & (atom == a)], width) for a, width in narrow.items()
    )
    ground.columns = replace(c, point=point, held=held, need=need)
    rebuild(ground, np.where(frozen, 0.0, number))
    return True


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
