"""The Cholesky factor of the overlaps between query sets, grown a row at a time.

G[p, q] is the number of records that sets p and q share. With G = L L', the part of a new set that the old ones do not
explain is found by two triangular solves, and adding the set adds one row to L. The row's diagonal entry is the length
of that unexplained part. Rows can be taken off the end again.
"""

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.lapack import solve_lower
from sdcdb.gateway.inference.machine_code import FEW, machine_code

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

    def halves(self, right: Floats) -> Floats:
        """Return the solutions of L v = right for several right sides, the columns of a matrix."""
        if not self.number:
            return np.zeros((0, right.shape[1]))
        return solve_lower(self._lower[: self.number, : self.number], right)

    def backward(self, half: Floats) -> Floats:
        """Return the solution of L' v = half."""
        return _backward(self._lower, self.number, half)

    def append(self, half: Floats, length: float) -> None:
        """Add the row of a set: `half` of its overlaps, and the length of its unexplained part."""
        k = self.number
        if k >= len(self._lower):
            larger = np.zeros((k + max(16, k // 2),) * 2)
            larger[:k, :k] = self._lower[:k, :k]
            self._lower = larger
        self._lower[k, :k] = half
        self._lower[k, k] = length
        self.number += 1

    def updated(self, vector: Floats, weight: float) -> "Gram | None":
        """Return the factor of G + weight v v', or None if that is not safely positive."""
        copy = Gram()
        copy.assign(self._lower[: self.number, : self.number].copy())
        if self.number and not _update(copy._lower, vector * np.sqrt(abs(weight)), weight > 0):
            return None
        return copy

    def truncate(self, number: int) -> None:
        """Take off the last rows."""
        self.number = number

    def assign(self, lower: Floats) -> None:
        """Take a whole factor."""
        self.number = len(lower)
        self._lower = np.ascontiguousarray(lower)


@machine_code(any_order=True)
def _forward(lower: Floats, k: int, right: Floats) -> Floats:
    out = np.empty(k)
    for i in range(k):
        total = right[i]
        for j in range(i):
            total -= lower[i, j] * out[j]
        out[i] = total / lower[i, i]
    return out


@_forward.in_numpy
def _forward_plainly(lower: Floats, k: int, right: Floats) -> Floats:
    out = np.empty(k)
    for i in range(k):
        out[i] = (right[i] - lower[i, :i] @ out[:i]) / lower[i, i]
    return out


@machine_code(any_order=True)
def _backward(lower: Floats, k: int, right: Floats) -> Floats:
    out = right.copy()
    for i in range(k - 1, -1, -1):
        out[i] /= lower[i, i]
        for j in range(i):
            out[j] -= lower[i, j] * out[i]
    return out


@_backward.in_numpy
def _backward_plainly(lower: Floats, k: int, right: Floats) -> Floats:
    out = right.copy()
    for i in range(k - 1, -1, -1):
        out[i] /= lower[i, i]
        out[:i] -= lower[i, :i] * out[i]
    return out


@machine_code(few=FEW)
def _update(lower: Floats, vector: Floats, plus: bool) -> bool:  # noqa: FBT001 - compiled
    """Turn L into the factor of L L' + v v' or L L' - v v', in place, by one rotation per row."""
    k = len(vector)
    sign = 1.0 if plus else -1.0
    v = vector.copy()
    for i in range(k):
        d = lower[i, i]
        square = d * d + sign * v[i] * v[i]
        if square <= 1e-10 * d * d:
            return False
        r = np.sqrt(square)
        c, s = r / d, v[i] / d
        lower[i, i] = r
        for j in range(i + 1, k):
            lower[j, i] = (lower[j, i] + sign * s * v[j]) / c
            v[j] = c * v[j] - s * lower[j, i]
    return True
