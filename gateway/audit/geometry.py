"""The answered sums as directions in the space of records: what a new query set adds, and which moves change no answer.

All records of a cell are alike,
so a number per cell says it all. The *leverage* of a record is the share of it that the answered sums pin down:

    leverage_i = Q_ii,  Q = the projection on the span of the answered query sets, record by record.

A leverage of 1 means determined. Of the m records of an atom each has at most 1/m. A new query set b leaves a rest
r = b - Q b, and adds r_i^2 / |r|^2 to the leverages, so one rest per question is all that has to be computed.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.audit.gram import Gram
from sdcdb.gateway.audit.rows import Rows

Floats = NDArray[np.float64]
Cells = NDArray[np.bool_]

# A set of which less than this much of one record is left unexplained cannot be told from an explained one in floating
# point; the rule `exact` tells them apart.
LEAST = 1e-7


@dataclass(frozen=True)
class Rest:
    """What earlier sets do not explain of a set: `values` per record, squared `length`, and its row for the factor."""

    values: Floats
    length: float
    half: Floats
    cells: Cells

    @property
    def direction(self) -> Floats:
        """How the point moves when the answer grows by 1 and all earlier answers stay."""
        return self.values / self.length


class Geometry:
    """The answered sums. Rows beyond a mark can be taken back: a question is tried and then forgotten."""

    def __init__(self, number: Floats) -> None:
        cells = len(number)
        self.number = np.array(number, dtype=np.float64)
        self.rows, self.gram = Rows(cells), Gram()
        self.answers: list[float] = []

    def rest(self, cells: Cells) -> Rest:
        """Split off what the answered sets explain of a set, twice so that rounding errors do not add up."""
        values = cells.astype(np.float64)
        overlaps = self.rows.times(self.number * values)
        half = self.gram.half(overlaps)
        values -= self.rows.combined(self.gram.backward(half))
        values = self.within(values)
        return Rest(values, float((self.number * values) @ values), half, cells)

    def within(self, move: Floats) -> Floats:
        """Return the part of a move of the point that changes no answered sum."""
        return move - self.rows.combined(self.gram.solve(self.rows.times(self.number * move)))

    def add(self, cells: Cells, rest: Rest, answer: float) -> None:
        """Take in a sum."""
        self.rows.append(cells)
        self.gram.append(rest.half, float(np.sqrt(rest.length)))
        self.answers.append(answer)

    def truncate(self, number: int) -> None:
        """Forget the last sums."""
        self.rows.truncate(number)
        self.gram.truncate(number)
        del self.answers[number:]

    def corrected(self, point: Floats) -> Floats:
        """Return the point moved the shortest way to where it agrees with all answers."""
        wrong = np.array(self.answers) - self.rows.times(self.number * point)
        return point + self.rows.combined(self.gram.solve(wrong))
