"""Witnesses that stand alone in their atom: is there another assignment in which they have room?

A record that is held at the value of a MIN or MAX, and has nobody like it, would look known. It is not if another
record of the set may have the value instead, and it then has as much room as it needs. So for each such witness one
other assignment is looked for, in which only this MIN or MAX has another witness.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.extremes.witness import able, place, release, steady
from sdcdb.gateway.inference.intervals.interval_rule import Case, judge
from sdcdb.gateway.inference.state.feasible_state import Ground
from sdcdb.gateway.inference.state.fixed_records import Extreme

Floats = NDArray[np.float64]
Cells = NDArray[np.bool_]

TRIES = 3  # other witnesses tried for each
PARTS = 64  # of sets, in which the witness may have to stand instead


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


def elsewhere_safe(ground: Ground, point: Floats) -> bool:
    """Tell whether everybody keeps their room wherever the answers of a statement put the witnesses of its extremes.

    A witness that is `steady` holds its MIN or MAX whatever the other answers are. Another one does so only as long as
    no set that it lies in turns out lower: then somebody of another part of its set holds it. So each such set is cut
    into parts, people who lie in the same others, and the witness is tried in every part. Without sums nobody is moved
    by a witness, and there is nothing to try.
    """
    if not ground.geometry.rows.number:
        return True
    left = PARTS
    for each in ground.extremes:
        if each.far is None or each.shared or steady(ground, each.cells, each.kind, each.far)[each.witness]:
            continue
        for cell in _parts(ground, each):
            left -= 1
            if left < 0 or not _safe_at(ground, point, each, cell):
                return False
    return True


def _parts(ground: Ground, each: Extreme) -> list[int]:
    """Return a cell, the largest, of each part of a set of which somebody can hold its extreme."""
    others = [o.cells for o in ground.extremes if o.kind == each.kind and o is not each]
    found = np.flatnonzero(able(ground, each.cells, each.value))
    found = found[np.argsort(-ground.geometry.number[found], kind="stable")]
    member = np.array([cells[found] for cells in others], dtype=np.bool_).reshape(len(others), len(found))
    _, first = np.unique(member, axis=1, return_index=True)
    return [int(cell) for cell in found[first] if int(cell) != each.witness]


def _safe_at(ground: Ground, point: Floats, each: Extreme, cell: int) -> bool:
    mark = ground.mark()
    ground.columns = replace(ground.columns, point=point)
    try:
        if not (release(ground, each.witness, each.value) and place(ground, cell, each.value)):
            return False
        return judge(Case(ground.geometry, ground.columns, None, ground.columns.point)) is not None
    finally:
        ground.rewind(mark)
