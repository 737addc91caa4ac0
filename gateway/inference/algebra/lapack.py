"""Factors of matrices, by LAPACK. scipy is loaded when a matrix first needs it: a first answer seldom does.

Arrays are not looked through for NaN. A matrix that cannot be factorised raises `numpy.linalg.LinAlgError`.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def cholesky(matrix: Floats, *, in_place: bool = False) -> Floats:
    """Return the lower Cholesky factor."""
    from scipy import linalg

    return np.asarray(linalg.cholesky(matrix, lower=True, overwrite_a=in_place, check_finite=False), dtype=np.float64)


def solve_lower(lower: Floats, right: Floats, *, in_place: bool = False) -> Floats:
    """Return X with L X = right."""
    from scipy import linalg

    found = linalg.solve_triangular(lower, right, lower=True, overwrite_b=in_place, check_finite=False)
    return np.asarray(found, dtype=np.float64)


def solve_factored(lower: Floats, right: Floats) -> Floats:
    """Return x with L L' x = right."""
    from scipy import linalg

    return np.asarray(linalg.cho_solve((lower, True), right, check_finite=False), dtype=np.float64)


def solve_positive(matrix: Floats, right: Floats) -> Floats:
    """Return x with A x = right, A being positive definite."""
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
