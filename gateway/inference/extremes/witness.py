"""Holding a record at the value of a MIN or MAX, letting it go, and finding another one for it."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.extremes.extreme_range import SAME
from sdcdb.gateway.inference.state.feasible_state import Ground
from sdcdb.gateway.inference.state.fixed_records import Extreme

Ints = NDArray[np.int64]
Cells = NDArray[np.bool_]


def able(ground: Ground, cells: Cells, value: float) -> Cells:
    """Return the cells of a set of which a record may have a value."""
    c = ground.columns
    return cells & (ground.geometry.number >= 1) & (c.high >= value - SAME) & (c.low <= value + SAME)


def candidates(ground: Ground, cells: Cells, value: float) -> Ints:
    """Return the cells of a set of which a record may be held at a value, the best first.

    Large cells come first: they cannot be split by a later question, and one record less changes little for the others.
    Then cells of large atoms, where nobody knows which record it is. Last those that stand alone (`alternates`).
    """
    c, number = ground.columns, ground.geometry.number
    atom = np.bincount(c.labels, weights=number, minlength=c.atoms)[c.labels]
    found = np.flatnonzero(able(ground, cells, value))
    far = np.abs(c.point[found] - value)
    return found[np.lexsort((far, -atom[found], -np.minimum(number[found], 3.0)))]


def place(ground: Ground, cell: int, value: float) -> bool:
    """Hold one record of a cell at a value and let the others take back what that changes in the sums."""
    g, c = ground.geometry, ground.columns
    touched = g.touched(cell)
    left = 1.0 - touched[cell]
    if left < 1e-6 or not g.hold(cell, 1):
        return False
    leverage = np.minimum(1.0, c.leverage + touched**2 / left)
    point = c.point - (value - c.point[cell]) * touched / left
    held = c.held.copy()
    held[cell] += value
    ground.columns = replace(c, leverage=leverage, point=point, held=held)
    return True


def release(ground: Ground, cell: int, value: float) -> bool:
    """Let a held record go: it joins the others of its cell, where they are."""
    g, c = ground.geometry, ground.columns
    touched, point = g.touched(cell), c.point.copy()
    if g.number[cell] == 0:
        point[cell] = value
    if not g.hold(cell, -1):
        return False
    whole = 1.0 + touched[cell]
    held = c.held.copy()
    held[cell] -= value
    ground.columns = replace(
        c,
        leverage=np.maximum(0.0, c.leverage - touched**2 / whole),
        point=point - (point[cell] - value) * touched / whole,
        held=held,
    )
    return True


def shared_witness(ground: Ground, cells: Cells, kind: str, value: float) -> int | None:
    """Return the cell of a record that is held at the very same extreme already."""
    for each in ground.extremes:
        if each.kind == kind and abs(each.value - value) <= SAME and cells[each.witness]:
            return each.witness
    return None


def steady(ground: Ground, cells: Cells, kind: str, far: float) -> Cells:
    """Return the people of a set who may hold its MAX however the others' turn out, up to `far` (MIN: down to it).

    They are in no other set whose MAX may be lower, but for sets that hold this one whole.
    """
    sign, left = (1.0 if kind == "max" else -1.0), cells.copy()
    for each in ground.extremes:
        if each.kind == kind and sign * (far - each.value) > SAME and (cells & ~each.cells).any():
            left &= ~each.cells
    return left


def _must_leave(each: Extreme, cells: Cells, kind: str, value: float) -> bool:
    if each.kind != kind:  # held above the cap that a MAX sets, or below a MIN
        return (each.value - value if kind == "max" else value - each.value) > SAME
    always_within = each.far is not None and not (each.cells & ~cells).any()
    return each.may_pass(value) and not always_within


def relocate(ground: Ground, cells: Cells, kind: str, value: float, at_least: int = 1) -> bool:
    """Move every witness out of a set whose MAX may be below it (MIN: above); False if one has nowhere to go.

    What is tried may turn out as far away as `far`; a set that holds its set whole is then never below it.
    """
    for each in ground.extremes:
        if each.shared or not cells[each.witness] or not _must_leave(each, cells, kind, value):
            continue
        sharing = [e for e in ground.extremes if e.witness == each.witness and e.value == each.value]
        common = np.logical_and.reduce([e.cells for e in sharing]) & ~cells
        if not release(ground, each.witness, each.value):
            return False
        best = common if each.far is None else common & steady(ground, each.cells, kind, each.far)
        found = candidates(ground, best if able(ground, best, each.value).any() else common, each.value)
        if len(found) == 0 or ground.geometry.number[found].sum() < at_least:
            return False
        if not place(ground, int(found[0]), each.value):
            return False
        ground.extremes = tuple(
            replace(e, witness=int(found[0])) if any(e is other for other in sharing) else e for e in ground.extremes
        )
    return True
