"""Records with less room than they need: what they have left must not be narrowed by a later question."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.geometry import Geometry
from sdcdb.gateway.inference.intervals.interval_rule import (
    PROGRAMME_SIZE,
    Case,
    means_of_atoms,
    polytope_of,
    programme_of,
    record_width,
)
from sdcdb.gateway.inference.state.fixed_records import Frozen

Cells = NDArray[np.bool_]

PINNED = 1e-6  # less room than this is none
MOST_FROZEN = 20  # atoms that later questions are checked for


def still_free(frozen: tuple[Frozen, ...], dropped: tuple[tuple[Cells, float], ...], case: Case) -> bool:
    """Tell whether frozen records keep, in a hypothetical state, the room that they had."""
    frozen = tuple(each for each in frozen if each.width > PINNED)  # the others have nothing to lose
    if not frozen:
        return True
    if len(frozen) > MOST_FROZEN:
        return False
    number = case.geometry.number.copy()
    for each in frozen:
        number[each.cells] = each.number
    whole = Geometry(number)
    whole.rows = case.geometry.rows
    columns, atom, polytope = polytope_of(Case(whole, case.columns, case.rest, case.point))
    if polytope.rows.size > PROGRAMME_SIZE:
        return False
    if dropped:
        more = np.array([cells for cells, _ in dropped])[:, columns].astype(np.float64)
        rows = np.concatenate([polytope.rows, more])
        answers = rows @ (polytope.size * means_of_atoms(case.point, number, atom, polytope.size))
        polytope = replace(polytope, rows=rows, answers=answers)
    programme = programme_of(polytope)
    return all(
        record_width(programme, polytope, part) >= each.width - PINNED
        for each in frozen
        for part in np.unique(atom[each.cells]).tolist()  # a later question may have cut the atom
    )
