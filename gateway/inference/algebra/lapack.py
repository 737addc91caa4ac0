"""Factors of matrices, by LAPACK. scipy is loaded when a matrix is first large: a first answer seldom needs it.

Loading scipy takes a fifth of a second; what numpy has serves for up to `FEW` rows. Arrays are not looked through for
NaN. A matrix that cannot be factorised raises `numpy.linalg.LinAlgError`.
"""

import sys

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FEW = 300


def cholesky(matrix: Floats, *, in_place: bool = False) -> Floats:
    """Return the lower Cholesky factor."""
    if _few(matrix):
        return np.asarray(np.linalg.cholesky(matrix), dtype=np.float64)
    from scipy import linalg

    return np.asarray(linalg.cholesky(matrix, lower=True, overwrite_a=in_place, check_finite=False), dtype=np.float64)


def solve_lower(lower: Floats, right: Floats, *, in_place: bool = False) -> Floats:
    """Return X with L X = right."""
    if _few(lower):
        return np.asarray(np.linalg.solve(np.tril(lower), right), dtype=np.float64)
    from scipy import linalg

    found = linalg.solve_triangular(lower, right, lower=True, overwrite_b=in_place, check_finite=False)
    return np.asarray(found, dtype=np.float64)


def solve_factored(lower: Floats, right: Floats) -> Floats:
    """Return x with L L' x = right."""
    if _few(lower):
        half = np.linalg.solve(np.tril(lower), right)
        return np.asarray(np.linalg.solve(np.tril(lower).T, half), dtype=np.float64)
    from scipy import linalg

    return np.asarray(linalg.cho_solve((lower, True), right, check_finite=False), dtype=np.float64)


def solve_positive(matrix: Floats, right: Floats) -> Floats:
    """Return x with A x = right, A being positive definite."""
    if _few(matrix):
        lower = np.linalg.cholesky(matrix)  # raises where A is not
        return np.asarray(np.linalg.solve(lower.T, np.linalg.solve(lower, right)), dtype=np.float64)
    from scipy import linalg

    return np.asarray(linalg.solve(matrix, right, assume_a="pos", check_finite=False), dtype=np.float64)


def row_order(matrix: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the order of the rows after elimination with partial pivoting, which overwrites the matrix."""
    from scipy import linalg

    _, swaps = linalg.lu_factor(matrix, overwrite_a=True, check_finite=False)
    order = np.arange(len(matrix))
    for i, j in enumerate(swaps[: matrix.shape[1]]):
        order[[i, j]] = order[[j, i]]
    return order


def _few(matrix: NDArray[np.floating]) -> bool:
    return len(matrix) <= FEW and "scipy.linalg" not in sys.modules
