"""The answered sums as directions in the space of records: what a new query set adds, and which moves change no answer.

All records of a cell are alike, so a number per cell says it all. `number` is how many records of each cell may move;
others are held at a value (`ground`). The *leverage* of a record is the share of it that the answered sums pin down:

    leverage_i = Q_ii,  Q = the projection on the span of the answered query sets, record by record.

A leverage of 1 means determined. Of the m records of an atom each has at most 1/m. A new query set b leaves a rest
r = b - Q b, and adds r_i^2 / |r|^2 to the leverages, so one rest per question is all that has to be computed. Holding a
record w changes them by a formula as short.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.bit_matrix import Rows
from sdcdb.gateway.inference.algebra.gram import Gram
from sdcdb.gateway.inference.algebra.growth import Growth
from sdcdb.gateway.inference.algebra.kernels import dot3

Floats = NDArray[np.float64]
Cells = NDArray[np.bool_]

# A set of which less than this much of one record is left unexplained cannot be told from an explained one in floating
# point; the rule `exact` tells them apart.
LEAST = 1e-7


@dataclass(frozen=True)
class Rest:
    """What earlier sets do not explain of a set: `values` per record, squared `length`, and its row for the factor."""

    cells: Cells | Floats
    values: Floats
    length: float
    half: Floats

    @property
    def direction(self) -> Floats:
        """How the point moves when the answer grows by 1 and all earlier answers stay."""
        return self.values / self.length


class Geometry:
    """The answered sums. Rows beyond a mark can be taken back: a question is tried and then forgotten."""

    def __init__(self, number: Floats, rows: Rows | None = None) -> None:
        self.number = number
        self.rows, self.gram = Rows(len(number)) if rows is None else rows, Gram()
        self._last: tuple[Gram, int, Floats, Rest] | None = None

    def mark(self) -> tuple[Gram, int, Floats]:
        """Remember where we are."""
        return self.gram, self.gram.number, self.number

    def rewind(self, mark: tuple[Gram, int, Floats]) -> None:
        """Forget what was added or held since the mark."""
        self.gram, number, self.number = mark
        self.gram.truncate(number)
        self.rows.truncate(number)
        if self._last is not None and self._last[1] > number:
            self._last = None

    def rest(self, cells: Cells | Floats) -> Rest:
        """Split off what the answered sets explain of a set, twice so that rounding errors do not add up.

        The last rest is kept: a question that is answered was tried just before.
        """
        if self._last is not None:
            gram, rows, number, rest = self._last
            if gram is self.gram and rows == gram.number and number is self.number and (rest.cells == cells).all():
                return rest
        values = cells.astype(np.float64)
        half = self.gram.half(self.rows.times(self.number * values))
        values -= self.rows.combined(self.gram.backward(half))
        values = self.within(values)
        found = Rest(cells, values, dot3(self.number, values, values), half)
        self._last = (self.gram, self.gram.number, self.number, found)
        return found

    def grow(self, growth: Growth, number: Floats) -> None:
        """Take in more cells, and so many records of each: the overlaps of sets are what they were."""
        self.rows.grow(growth)
        self.number, self._last = number, None

    def within(self, move: Floats) -> Floats:
        """Return the part of a move of the point that changes no answered sum."""
        return move - self.rows.combined(self.gram.solve(self.rows.times(self.number * move)))

    def add(self, rest: Rest) -> None:
        """Take in a set."""
        self.rows.append(rest.cells)
        self.gram.append(rest.half, float(np.sqrt(rest.length)))

    def touched(self, cell: int) -> Floats:
        """Return Q_jw for every j and a record w of the cell: what the others take back of a change of w."""
        return self.rows.combined(self.gram.solve(self.rows.column(cell)))

    def hold(self, cell: int, records: float) -> bool:
        """Stop records of a cell from moving (negative: let them go); False, and nothing changed, if singular."""
        changed = self.gram.updated(self.rows.column(cell), -records)
        if changed is None:
            return False
        self.gram = changed
        self.number = self.number.copy()
        self.number[cell] -= records
        return True
