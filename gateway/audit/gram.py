"""The Cholesky factor of the overlaps between query sets, grown a row at a time.

G[p, q] is the number of records that sets p and q share. With G = L L', the part of a new set that the old ones do not
explain is found by two triangular solves, and adding the set adds one row to L. The row's diagonal entry is the length
of that unexplained part. Rows can be taken off the end again.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Gram:
    """L, in the upper left corner of a larger array."""

    def __init__(self) -> None:
        self.number = 0
        self._lower = np.zeros((16, 16))

    def solve(self, right: Floats) -> Floats:
        """Return the solution of G v = right."""
        return _backward(self._lower, self.number, _forward(self._lower, self.number, right))

    def half(self, right: Floats) -> Floats:
        """Return the solution of L v = right."""
        return _forward(self._lower, self.number, right)

    def backward(self, half: Floats) -> Floats:
        """Return the solution of L' v = half."""
        return _backward(self._lower, self.number, half)

    def append(self, half: Floats, length: float) -> None:
        """Add the row of a set: `half` of its overlaps, and the length of its unexplained part."""
        k = self.number
        if k == len(self._lower):
            larger = np.zeros((k + max(16, k // 2),) * 2)
            larger[:k, :k] = self._lower[:k, :k]
            self._lower = larger
        self._lower[k, :k] = half
        self._lower[k, k] = length
        self.number += 1

    def truncate(self, number: int) -> None:
        """Take off the last rows."""
        self.number = number

    def assign(self, lower: Floats) -> None:
        """Take a whole factor."""
        self.number = len(lower)
        self._lower = np.ascontiguousarray(lower)


@njit(cache=True, nogil=True, fastmath=True)
def _forward(lower: Floats, k: int, right: Floats) -> Floats:
    out = np.empty(k)
    for i in range(k):
        total = right[i]
        for j in range(i):
            total -= lower[i, j] * out[j]
        out[i] = total / lower[i, i]
    return out


@njit(cache=True, nogil=True, fastmath=True)
def _backward(lower: Floats, k: int, right: Floats) -> Floats:
    out = right.copy()
    for i in range(k - 1, -1, -1):
        out[i] /= lower[i, i]
        for j in range(i):
            out[j] -= lower[i, j] * out[i]
    return out
