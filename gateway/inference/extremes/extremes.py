"""MIN and MAX: caps for everybody in the set, and one record, the *witness*, that has the value.

A cap alone is not what a MAX tells: somebody has that value. An assignment holds one record at each answered MIN and
MAX and caps the others; every assignment that fits the sums is a state of the world that the answers allow. A record
is safe if under some assignment it has room enough. One assignment is kept. Where it holds a record of an atom with
others that may move, each record of the atom is free in one of the assignments, by symmetry, with the same room; for a
witness that stands alone another assignment is looked for (`alternates`).

Two more things are asked for, so that a MAX does not point at few people: `min_set` of them must be able to have the
value (`holders` looks at all patterns of equal and lower), and when a new set could have a lower MAX than an earlier
one that overlaps it, the earlier witness must find its place among as many outside of the new set.

MIN is MAX upside down.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.extremes.alternates import elsewhere_safe, witnesses_safe
from sdcdb.gateway.inference.extremes.extreme_range import SAME, Seen, implied_extreme, known_range, likely_range, seen
from sdcdb.gateway.inference.extremes.witness import able, candidates, place, relocate, shared_witness, steady
from sdcdb.gateway.inference.intervals.interval_rule import WIDE, Case, judge
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.state.cell_state import Columns
from sdcdb.gateway.inference.state.feasible_state import Ground, Tried
from sdcdb.gateway.inference.state.fixed_records import Extreme
from sdcdb.gateway.inference.state.narrow_records import still_free
from sdcdb.gateway.inference.state.restore_feasibility import find_point

Cells = NDArray[np.bool_]

TRIES = 6  # cells tried as the place of the record that has the MIN or MAX


def try_extreme(ground: Ground, cells: Cells, kind: str, limits: Limits, before: Seen | None = None) -> Tried:
    """Try a MIN or MAX (the atoms are refined already). If it is safe it stays tried, at its most restrictive value.

    `before` is what was known before the statement, if other questions of it were tried already.

    Together with other questions of the statement: that all of their answers lie at the far end of what is likely at
    the same time is far less likely than delta, or impossible (a MAX below the mean). So this one is tried at its own
    end with the others as expected, and then at sqrt(delta) with the others at 1 / sqrt 2 of their reach.
    """
    c, mark = ground.columns, ground.mark()
    before = seen(ground) if before is None else before
    if not (c.falls.any() or c.rises.any()):
        return _try(ground, cells, kind, limits, before, limits.delta)
    ground.columns = replace(c, falls=np.zeros(len(c.point)), rises=np.zeros(len(c.point)))
    alone = _try(ground, cells, kind, limits, before, limits.delta)
    ground.rewind(mark)
    if alone.room is None:
        return alone
    ground.columns = replace(c, falls=c.falls / 2, rises=c.rises / 2)
    tried = _try(ground, cells, kind, limits, before, float(np.sqrt(limits.delta)))
    new = ground.columns
    ground.columns = replace(new, falls=new.falls + c.falls / 2, rises=new.rises + c.rises / 2)
    return replace(tried, low=alone.low, high=alone.high)


def _try(ground: Ground, cells: Cells, kind: str, limits: Limits, before: Seen, delta: float) -> Tried:
    here, ever = (likely_range(known, cells, kind, delta) for known in (seen(ground), before))
    least, most = known_range(seen(ground), cells, kind)
    if kind == "max":  # near as it is likely before anything is tried, far as the others leave it
        low, high = max(least, min(ever[0], most)), here[1]
    else:
        low, high = here[0], min(most, max(ever[1], least))
    low, high = min(low, high), max(low, high)
    refused, fewest = Tried(low, high, None), limits.min_set
    near, far = (low, high) if kind == "max" else (high, low)  # near: the caps are tightest
    near, far = _not_below(ground, cells, kind, near), _not_below(ground, cells, kind, far)
    farthest = max(far, ever[1]) if kind == "max" else min(far, ever[0])
    if not relocate(ground, cells, kind, near, fewest):
        return refused
    c = ground.columns
    fitting = able(ground, cells, far) & (c.low <= near + SAME) & (c.high >= near - SAME)
    certain = fitting & steady(ground, cells, kind, farthest)
    found = candidates(ground, certain if certain.any() else fitting, far)
    if len(found) == 0 or ground.geometry.number[fitting].sum() < fewest:
        return refused
    cell, start = int(found[0]), ground.mark()
    left, point = WIDE, c.point
    for value in (far, near):
        ground.rewind(start)
        if not place(ground, cell, value):
            return refused
        ground.columns = narrow(ground.columns, cells, kind, value)
        ground.extremes += (Extreme(kind, cells, value, cell, shared=False, far=farthest),)
        case = Case(ground.geometry, ground.columns, None, ground.columns.point)
        verdict = judge(case)
        if verdict is not None and not still_free(ground.frozen, ground.dropped, case):
            return refused
        if verdict is None or not witnesses_safe(ground, verdict.point):
            return refused
        left, point = left.least(verdict.room), verdict.point
    if not elsewhere_safe(ground, point):
        return refused
    moved = (abs(farthest - near) * ground.geometry.touched(cell)) ** 2
    c = ground.columns
    ground.columns = replace(c, point=point, falls=c.falls + moved, rises=c.rises + moved)
    return Tried(min(low, ever[0]), max(high, ever[1]), left)


def _not_below(ground: Ground, cells: Cells, kind: str, value: float) -> float:
    """Return the value that a MAX has at least, when answered ones have nobody outside of its set to hold them."""
    sign = 1.0 if kind == "max" else -1.0
    for each in ground.extremes:
        higher = each.kind == kind and sign * (each.value - value) > SAME and bool(cells[each.witness])
        if higher and not able(ground, each.cells & ~cells, each.value).any():
            value = each.value
    return value


def learn_extreme(ground: Ground, cells: Cells, kind: str, value: float) -> bool:
    """Take in the answer to a MIN or MAX; False if it was implied."""
    if implied_extreme(seen(ground), cells, kind):
        return False
    ground.split(cells)
    ground.columns = narrow(ground.columns, cells, kind, value)
    mark = ground.mark()
    if relocate(ground, cells, kind, value):
        if (held := shared_witness(ground, cells, kind, value)) is not None:
            ground.extremes += (Extreme(kind, cells, value, held, shared=True),)
            find_point(ground)
            return True
        for cell in candidates(ground, cells, value)[:TRIES]:
            moved = ground.mark()
            if place(ground, int(cell), value):
                ground.extremes += (Extreme(kind, cells, value, int(cell), shared=False),)
                find_point(ground)
                if not ground.blind:
                    return True
            ground.rewind(moved)
    ground.rewind(mark)
    ground.blind = True  # no record can be shown to have this value: nothing that depends on it may pass
    return True


def narrow(columns: Columns, cells: Cells, kind: str, value: float) -> Columns:
    """Cap all records of a set by its MIN or MAX."""
    if kind == "max":
        return replace(columns, high=np.where(cells, np.minimum(columns.high, value), columns.high))
    return replace(columns, low=np.where(cells, np.maximum(columns.low, value), columns.low))
