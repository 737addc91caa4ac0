"""One pass over the vectors when a set is answered (the formulas are in `basis`)."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(cache=True, nogil=True)
def answered(  # noqa: PLR0912 - one loop in machine code
    vectors: Ints, directions: Floats, sums: Ints, inside: NDArray[np.bool_], weight: Floats
) -> tuple[Ints, Floats, Floats, Floats]:
    """Return the vectors that vanish on the set, their Gram-Schmidt vectors, and their sums of sizes and squares.

    `weight` is the inner product's. The first vector with a sum has 1 or -1, or is the only one that has any.
    """
    m, n = vectors.shape
    fresh, turned = np.empty((m - 1, n), np.int64), np.empty((m - 1, n))
    whole, squares, shadow = np.zeros(n), np.zeros(n), np.zeros(n)  # shadow: q projected on the span so far
    length, pivot, row = 0.0, -1, 0
    for i in range(m):
        if pivot < 0:
            if sums[i] == 0:
                for j in range(n):
                    fresh[row, j], turned[row, j] = vectors[i, j], directions[i, j]
            else:
                pivot = i
        else:
            times = sums[i] * sums[pivot]
            for j in range(n):
                fresh[row, j] = vectors[i, j] - times * vectors[pivot, j]
        if pivot >= 0:
            along, size = 0.0, 0.0
            for j in range(n):
                d = directions[i, j]
                size += weight[j] * d * d
                if inside[j]:
                    along += d
            if i > pivot:
                share = along / length
                for j in range(n):
                    turned[row, j] = directions[i, j] - share * shadow[j]
            size = max(size, 1e-300)
            for j in range(n):
                shadow[j] += along / size * directions[i, j]
            length += along * along / size
        if i != pivot:
            for j in range(n):
                d = turned[row, j]
                whole[j] += abs(d)
                squares[j] += d * d
            row += 1
    return fresh, turned, whole, squares
