"""Sums of products, in one thread.

numpy gives long vectors to a threaded library, which waits for its threads; for vectors of some thousand numbers that
takes longer than the sum, and on a busy machine a hundred times longer.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@njit(cache=True, nogil=True, fastmath=True)
def dot(a: Floats, b: Floats) -> float:
    """Return the sum of a b."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@njit(cache=True, nogil=True, fastmath=True)
def dot3(a: Floats, b: Floats, c: Floats) -> float:
    """Return the sum of a b c."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i] * c[i]
    return total


@njit(cache=True, nogil=True)
def sums_over(vectors: Floats, flags: NDArray[np.bool_]) -> Floats:
    """Return the sum of each vector over the flagged places. Exact for whole numbers whose sums are below 2^53."""
    out = np.zeros(vectors.shape[0])
    for i in range(vectors.shape[0]):
        total = 0.0
        for j in range(vectors.shape[1]):
            total += vectors[i, j] if flags[j] else 0.0
        out[i] = total
    return out
