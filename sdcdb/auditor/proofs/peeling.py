"""Records whose value follows by subtraction alone: a sum over one record, or over one beside others already known.

This is done before any programme, in whole numbers of the answers' common unit, for all records at once. A log that
shows single values, or groups of one person, is settled here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sdcdb.auditor.evidence import Ints, Sets


@dataclass(frozen=True, eq=False)
class Peeled:
    """The fixed cells and their values in units, and what is left of the sums once these are subtracted."""

    fixed: NDArray[np.bool_]
    values: NDArray[np.object_]
    rows: Sets
    rest: tuple[Fraction, ...]
    odd: Fraction
    """The largest amount by which two ways to a value differ: nothing, unless answers contradict each other."""

    def value(self, cell: int) -> Fraction:
        """Return the value of a fixed cell."""
        return Fraction(self.values[cell])


def peel(counts: Ints, rows: Sets, answers: Sequence[Fraction]) -> Peeled:
    """Subtract known values until no sum is left with a single record."""
    unit = lcm(1, *(answer.denominator for answer in answers))
    whole = [int(answer * unit) for answer in answers]
    small = sum(abs(each) for each in whole) < 2**60
    matrix = sparse.csr_matrix(rows.astype(np.int64))
    fixed = counts == 0
    values = np.zeros(len(counts), dtype=np.int64 if small else object)
    places = np.arange(len(counts), dtype=np.int64)
    rest = np.array(whole, dtype=np.int64 if small else object)
    left = _left(matrix, counts, fixed)
    while True:
        ready = np.flatnonzero(left == 1)
        if not len(ready):
            break
        cells = np.asarray(matrix[ready] @ np.where(fixed, 0, places), dtype=np.int64).ravel()
        known = _subtracted(matrix[ready], rest[ready], values, small=small)
        cells, first = np.unique(cells, return_index=True)
        values[cells] = known[first]
        fixed = fixed.copy()
        fixed[cells] = True
        left = _left(matrix, counts, fixed)
    over = _subtracted(matrix, rest, values, small=small)
    done = np.flatnonzero(left == 0)
    odd = max((abs(int(each)) for each in over[done]), default=0)
    open_rows = np.flatnonzero(left > 1)
    found = np.array([Fraction(int(each), unit) for each in values], dtype=object)
    kept = rows[open_rows] & ~fixed
    return Peeled(fixed, found, kept, tuple(Fraction(int(over[at]), unit) for at in open_rows), Fraction(odd, unit))


def _left(matrix: sparse.csr_matrix, counts: Ints, fixed: NDArray[np.bool_]) -> Ints:
    return np.asarray(matrix @ np.where(fixed, 0, counts), dtype=np.int64).ravel()


def _subtracted(
    matrix: sparse.csr_matrix, rest: NDArray[np.object_], values: NDArray[np.object_], *, small: bool
) -> NDArray[np.object_]:
    """Return what is left of sums without the known values; unknown ones are zero."""
    if small:
        return np.asarray(rest - np.asarray(matrix @ values).ravel())
    total = [
        sum((values[at] for at in matrix.indices[matrix.indptr[n] : matrix.indptr[n + 1]]), 0)
        for n in range(matrix.shape[0])
    ]
    return np.asarray(rest - np.array(total, dtype=object))
