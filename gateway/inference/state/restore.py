"""Taking in a whole history of sums at once: one factorisation in place of one step per sum."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.geometry import LEAST
from sdcdb.gateway.inference.algebra.lapack import cholesky, solve_lower
from sdcdb.gateway.inference.intervals.atoms import refine
from sdcdb.gateway.inference.state.feasible_state import Ground
from sdcdb.gateway.inference.state.restore_feasibility import find_point
from sdcdb.gateway.inference.state.sums import learn_sum

Floats = NDArray[np.float64]
Cells = NDArray[np.bool_]

COLUMNS = 2048  # cells at a time


def restore_sums(ground: Ground, sums: Sequence[tuple[Cells, float]]) -> None:
    """Bring a fresh ground to where the sums, all independent, would have brought it."""
    for cells, _ in sums:
        ground.geometry.rows.append(cells)
    lower = _factor(ground) if sums else None
    if lower is None:
        ground.geometry.rows.truncate(0)
        for cells, answer in sums:
            learn_sum(ground, cells, answer)
        return
    ground.geometry.gram.assign(lower)
    ground.answers = tuple(answer for _, answer in sums)
    labels, atoms = ground.columns.labels, ground.columns.atoms
    for cells, _ in sums:
        labels, atoms = refine(labels, atoms, cells)
    ground.columns = replace(ground.columns, labels=labels, atoms=atoms, leverage=_leverages(ground, lower))
    find_point(ground)


def _factor(ground: Ground) -> Floats | None:
    rows, number = ground.geometry.rows, ground.geometry.number
    overlaps = np.zeros((rows.number, rows.number))
    for start in range(0, rows.columns, COLUMNS):
        part = rows.part(start, start + COLUMNS)
        overlaps += (part * number[start : start + COLUMNS]) @ part.T
    try:
        lower = cholesky(overlaps, in_place=True)
    except np.linalg.LinAlgError:
        return None
    return lower if float(np.diag(lower).min()) ** 2 > LEAST else None


def _leverages(ground: Ground, lower: Floats) -> Floats:
    rows = ground.geometry.rows
    found = np.empty(rows.columns)
    for start in range(0, rows.columns, COLUMNS):
        part = solve_lower(lower, rows.part(start, start + COLUMNS), in_place=True)
        found[start : start + COLUMNS] = np.einsum("ij,ij->j", part, part)
    return np.minimum(1.0, found)
