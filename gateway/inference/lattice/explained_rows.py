"""How much of some sparse rows the others leave unexplained: least squares by conjugate gradients, for all at once.

Whatever the number of steps, what is left of a row is the row less a real combination of the others.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

TINY = 1e-30
ROUNDING = 1e-9


def unexplained(rows: tuple[Ints, Ints, Ints], chosen: Flags, weight: Floats, wanted: float, steps: int) -> float:
    """Return the largest squared length of what is left of the chosen rows, each column times its weight.

    It stops when none of them is longer than `wanted`.
    """
    from scipy.sparse import csr_array

    starts, columns, numbers = rows
    scaled = csr_array((numbers * weight[columns], columns, starts), shape=(len(starts) - 1, len(weight)))
    others = scaled[np.flatnonzero(~chosen)]
    across = others.T.tocsr()
    left = np.ascontiguousarray(scaled[np.flatnonzero(chosen)].toarray().T)
    slope = others @ left
    move, square = slope, (slope**2).sum(axis=0)
    for _ in range(steps):
        if float((left**2).sum(axis=0).max()) <= wanted:
            break
        along = across @ move
        left = left - along * (square / np.maximum((along**2).sum(axis=0), TINY))
        slope = others @ left
        before, square = square, (slope**2).sum(axis=0)
        move = slope + move * (square / np.maximum(before, TINY))
    return float((left**2).sum(axis=0).max()) + ROUNDING
