"""Sums of products, in one thread.

numpy gives long vectors to a threaded library, which waits for its threads; for vectors of some thousand numbers that
takes longer than the sum, and on a busy machine a hundred times longer.
"""

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.machine_code import machine_code

Floats = NDArray[np.float64]


@machine_code(any_order=True)
def dot(a: Floats, b: Floats) -> float:
    """Return the sum of a b."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@dot.in_numpy
def _dot_plainly(a: Floats, b: Floats) -> float:
    return float((a * b).sum())


@machine_code(any_order=True)
def dot3(a: Floats, b: Floats, c: Floats) -> float:
    """Return the sum of a b c."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i] * c[i]
    return total


@dot3.in_numpy
def _dot3_plainly(a: Floats, b: Floats, c: Floats) -> float:
    return float((a * b * c).sum())


@machine_code()
def sums_over(vectors: Floats, flags: NDArray[np.bool_]) -> Floats:
    """Return the sum of each vector over the flagged places. Exact for whole numbers whose sums are below 2^53."""
    out = np.zeros(vectors.shape[0])
    for i in range(vectors.shape[0]):
        total = 0.0
        for j in range(vectors.shape[1]):
            total += vectors[i, j] if flags[j] else 0.0
        out[i] = total
    return out


@sums_over.in_numpy
def _sums_over_plainly(vectors: Floats, flags: NDArray[np.bool_]) -> Floats:
    return np.asarray(np.where(flags, vectors, 0.0).sum(axis=1), dtype=np.float64)
