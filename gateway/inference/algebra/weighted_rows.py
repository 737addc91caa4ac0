"""Query sets as bits, and beside them the few rows that have weights in the place of flags."""

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.bit_matrix import Rows
from sdcdb.gateway.inference.algebra.growth import Growth

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class WeightedRows(Rows):
    """A growing matrix. A row of flags is kept as bits, a row of weights beside an empty row of bits."""

    def __init__(self, columns: int) -> None:
        super().__init__(columns)
        self._weights: dict[int, Floats] = {}

    def append(self, cells: NDArray[np.bool_] | Floats) -> None:
        """Add a row."""
        if cells.dtype == np.bool_:
            super().append(np.asarray(cells, dtype=np.bool_))
            return
        self._weights[self.number] = np.asarray(cells, dtype=np.float64)
        super().append(np.zeros(len(cells), dtype=np.bool_))

    def grow(self, growth: Growth) -> None:
        """Take in more cells."""
        super().grow(growth)
        self._weights = {row: growth.values(weights, 0.0) for row, weights in self._weights.items()}

    def truncate(self, number: int) -> None:
        """Take off the last rows."""
        self._weights = {row: weights for row, weights in self._weights.items() if row < number}
        super().truncate(number)

    def some(self, columns: Ints) -> Floats:
        """Return some columns as a matrix of numbers."""
        found = super().some(columns)
        for row, weights in self._weights.items():
            found[row] = weights[columns]
        return found

    def times(self, weights: Floats) -> Floats:
        """Return the products of all rows with a weight per cell."""
        found = super().times(weights)
        for row, own in self._weights.items():
            found[row] = own @ weights
        return found

    def combined(self, weights: Floats) -> Floats:
        """Return the sum of all rows, each times its weight."""
        found = super().combined(weights)
        for row, own in self._weights.items():
            found = found + weights[row] * own
        return found
