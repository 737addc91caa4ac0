"""Witnesses that stand alone in their atom: is there another assignment in which they have room?

A record that is held at the value of a MIN or MAX, and has nobody like it, would look known. It is not if another
record of the set may have the value instead, and it then has as much room as it needs. So for each such witness one
other assignment is looked for, in which only this MIN or MAX has another witness.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.extremes.witness import able, place, release
from sdcdb.gateway.inference.intervals.interval_rule import Case, judge
from sdcdb.gateway.inference.state.feasible_state import Ground

Floats = NDArray[np.float64]
Cells = NDArray[np.bool_]

TRIES = 3  # other witnesses tried for each


def witnesses_safe(ground: Ground, point: Floats) -> bool:
    """Tell whether every witness is hidden among others of its atom, or has room under another assignment."""
    return all(_has_room(ground, point, *each) for each in _alone(ground))


def _alone(ground: Ground) -> list[tuple[int, float, Cells]]:
    """Return cell, value and the cells where another may have it, of each witness without a like."""
    if not ground.extremes:
        return []
    labels = ground.columns.labels
    free = np.bincount(labels, weights=ground.geometry.number, minlength=ground.columns.atoms)
    found: dict[tuple[int, float], Cells] = {}
    for each in ground.extremes:
        if free[labels[each.witness]] < 1:
            key = (each.witness, each.value)
            found[key] = found[key] & each.cells if key in found else each.cells
    return [(cell, value, cells) for (cell, value), cells in found.items()]


def _has_room(ground: Ground, point: Floats, cell: int, value: float, cells: Cells) -> bool:
    others = np.flatnonzero(able(ground, cells, value))
    others = others[others != cell]
    nearest = others[np.argsort(np.abs(point[others] - value), kind="stable")]
    for other in nearest[:TRIES]:
        mark = ground.mark()
        ground.columns = replace(ground.columns, point=point)
        try:
            if release(ground, cell, value) and place(ground, int(other), value):
                need = np.zeros(len(point))
                need[cell] = mark.columns.need[cell]
                columns = replace(ground.columns, need=need)
                if judge(Case(ground.geometry, columns, None, columns.point)) is not None:
                    return True
        finally:
            ground.rewind(mark)
    return False
