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
    unit: int
    cells: NDArray[np.intp]
    """The cells that are left open in some sum."""
    rows: Sets
    """What is left of the sums over these cells, one column each."""
    rest: tuple[Fraction, ...]
    odd: Fraction
    """The largest amount by which two ways to a value differ: nothing, unless answers contradict each other."""

    def value(self, cell: int) -> Fraction:
        """Return the value of a fixed cell."""
        return Fraction(int(self.values[cell]), self.unit)


def peel(counts: Ints, rows: sparse.csr_matrix, answers: Sequence[Fraction]) -> Peeled:
    """Subtract known values until no sum is left with a single record."""
    unit = lcm(1, *{answer.denominator for answer in answers})
    whole = [answer.numerator * (unit // answer.denominator) for answer in answers]
    small = sum(abs(each) for each in whole) < 2**60
    kind = np.int64 if small else object
    rest = np.array(whole, dtype=kind)
    fixed = counts == 0
    values = np.zeros(len(counts), dtype=kind)
    records = np.asarray(rows @ counts, dtype=np.int64).ravel()
    odd = _singles(counts, rows, records, rest, fixed, values)
    several = np.flatnonzero(records > 1)
    left = np.zeros(0, np.int64)
    over = rest[several]
    matrix = rows[several]
    if len(several):
        left = _subtract(matrix, counts, rest[several], fixed, values, small=small)
        over = _subtracted(matrix, rest[several], values, small=small)
    odd = max([odd, *(abs(int(each)) for each in over[left == 0])])
    open_rows = np.flatnonzero(left > 1)
    kept = matrix[open_rows]
    cells = np.flatnonzero(~fixed & (np.asarray(kept.sum(axis=0)).ravel() > 0))
    remaining = tuple(Fraction(int(over[at]), unit) for at in open_rows)
    return Peeled(fixed, values, unit, cells, kept[:, cells].toarray() > 0, remaining, Fraction(odd, unit))


def _singles(
    counts: Ints,
    rows: sparse.csr_matrix,
    records: Ints,
    rest: NDArray[np.object_],
    fixed: NDArray[np.bool_],
    values: NDArray[np.object_],
) -> int:
    """Fix, in place, what is summed alone; return by how much two sums over one record differ."""
    alone = np.flatnonzero(records == 1)
    cells = np.asarray(rows[alone] @ np.where(counts > 0, np.arange(len(counts)), 0), dtype=np.int64).ravel()
    values[cells] = rest[alone]
    fixed[cells] = True
    return max((abs(int(each)) for each in rest[alone] - values[cells] if each), default=0)


def _subtract(
    matrix: sparse.csr_matrix,
    counts: Ints,
    rest: NDArray[np.object_],
    fixed: NDArray[np.bool_],
    values: NDArray[np.object_],
    *,
    small: bool,
) -> Ints:
    """Fix, in place, what is left alone in a sum; return how many records are open in each sum at the end."""
    places = np.arange(len(counts), dtype=np.int64)
    left = _left(matrix, counts, fixed)
    while True:
        ready = np.flatnonzero(left == 1)
        if not len(ready):
            return left
        cells = np.asarray(matrix[ready] @ np.where(fixed, 0, places), dtype=np.int64).ravel()
        known = _subtracted(matrix[ready], rest[ready], values, small=small)
        cells, first = np.unique(cells, return_index=True)
        values[cells] = known[first]
        fixed[cells] = True
        left = _left(matrix, counts, fixed)


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
