"""The sums learnt so far: as exact linear algebra, and as they were, with their answers."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.growth import Growth
from sdcdb.gateway.inference.algebra.nullspace import NullSpace
from sdcdb.gateway.inference.exact.small_totals_of_many import ExplainedSets
from sdcdb.gateway.inference.people import People

Floats = NDArray[np.float64]
Cells = NDArray[np.bool_]


class History:
    """Independent sums that were answered."""

    def __init__(self, cells: int, rng: np.random.Generator) -> None:
        self.exact = NullSpace(cells, rng)
        self._cells = cells
        self._rows: list[NDArray[np.uint8]] = []
        self._answers: list[float] = []
        self._explained: ExplainedSets | None = None
        self._taken = 0

    def add(self, cells: Cells, answer: float) -> bool:
        """Take in a sum; False if it followed from the others."""
        if not self.exact.add(cells):
            return False
        self._rows.append(np.packbits(cells))
        self._answers.append(answer)
        return True

    def explained(self, counts: NDArray[np.int64], people: People | None = None) -> ExplainedSets:
        """Return the sets as directions, brought up to date: only large histories need them."""
        if self._explained is None or self._explained.number > len(self._rows):
            self._explained = ExplainedSets(counts, people)
            self._taken = 0
        for packed in self._rows[self._taken :]:
            self._explained.add(np.unpackbits(packed, count=self._cells).astype(bool))
        self._taken = len(self._rows)
        return self._explained

    def restore(self, sums: Sequence[tuple[Cells, float]]) -> None:
        """Take in independent sums, at once."""
        self.exact.restore([cells for cells, _ in sums])
        self._rows = [np.packbits(cells) for cells, _ in sums]
        self._answers = [answer for _, answer in sums]
        self._explained, self._taken = None, 0

    def grow(self, growth: Growth, people: People | None = None, *, same: bool = False) -> None:
        """Take in more cells. Unless people are the same as before, they may have more records, which weigh less."""
        self._rows = [np.packbits(growth.flags(cells)) for cells in self.sets()]
        self.exact.grow(growth)
        self._cells = len(growth.counts)
        if self._explained is not None and (same or (people is None and not self._explained.by_people)):
            self._explained.grow(growth, people)
        else:
            self._explained = None

    def sets(self) -> NDArray[np.bool_]:
        """Return the query sets, one row each."""
        packed = np.array(self._rows, dtype=np.uint8).reshape(len(self._rows), (self._cells + 7) // 8)
        return np.unpackbits(packed, axis=1, count=self._cells).astype(bool)

    def answers(self) -> Floats:
        """Return the answers, in the audit's units."""
        return np.array(self._answers, dtype=np.float64)
