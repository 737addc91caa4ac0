"""Cells that every row treats alike, as one column: linear algebra over a history costs as much as rows tell apart."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.growth import Growth
from sdcdb.gateway.inference.machine_code import machine_code

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Row = Flags | Ints
"""Flags of cells, or whole numbers from 0."""


@dataclass(frozen=True, eq=False)
class Partition:
    """The column of each cell, and one cell of each column; `sizes` is how many cells each column has."""

    labels: Ints
    first: Ints
    sizes: Ints

    @classmethod
    def whole(cls, cells: int) -> "Partition":
        """Return all cells as one column.

        >>> Partition.whole(3).number
        1
        """
        one = np.zeros(min(1, cells), dtype=np.int64)
        return cls(np.zeros(cells, dtype=np.int64), one, np.full_like(one, cells))

    @property
    def number(self) -> int:
        """How many columns there are."""
        return len(self.first)

    def split(self, row: Row) -> tuple["Partition", Ints]:
        """Split the columns that a row cuts; return what is left, and the column that each new one was a part of.

        One part of a column keeps its number.

        >>> found, parents = Partition.whole(3).split(np.array([True, False, True]))
        >>> found.labels.tolist(), parents.tolist()
        ([1, 0, 1], [0])
        """
        if not self.number:
            return self, np.zeros(0, dtype=np.int64)
        if row.dtype != np.bool_:
            return self._by(row.astype(np.int64))
        flags = np.ascontiguousarray(row, dtype=np.bool_)
        inside = _inside(self.labels, flags, self.number)
        parents = np.flatnonzero((inside > 0) & (inside < self.sizes))
        if not len(parents):
            return self, parents
        into = np.arange(self.number)
        into[parents] = self.number + np.arange(len(parents))
        sizes = np.concatenate([self.sizes, inside[parents]])
        sizes[parents] -= inside[parents]
        first = np.concatenate([self.first, self.first[parents]])
        return Partition(_moved(self.labels, flags, into, first), first, sizes), parents

    def split_by_all(self, rows: Iterable[Row]) -> "Partition":
        """Split by many rows: up to 62 sets at a time."""
        found, keys, bit = self, np.zeros(len(self.labels), dtype=np.int64), 0
        for row in rows:
            if row.dtype != np.bool_:
                found, _ = found.split(row)
                continue
            keys |= row.astype(np.int64) << bit
            bit += 1
            if bit == 62:
                found, _ = found.split(_numbered(keys))
                keys, bit = np.zeros(len(self.labels), dtype=np.int64), 0
        return found.split(_numbered(keys))[0] if bit else found

    def grown(self, growth: Growth) -> "Partition":
        """Return the columns of more cells: newcomers are a column of their own, the last."""
        labels, number = growth.labels(self.labels, self.number)
        came = growth.before + np.flatnonzero(growth.came)[:1]
        return Partition(labels, np.concatenate([self.first, came]), np.bincount(labels, minlength=number))

    def _by(self, values: Ints) -> tuple["Partition", Ints]:
        wide = int(values.max(initial=0)) + 1
        kinds, place = np.unique(self.labels * wide + values, return_inverse=True)
        parents = kinds // wide
        fresh = np.append(False, parents[1:] == parents[:-1])
        into = parents.copy()
        into[fresh] = self.number + np.arange(np.count_nonzero(fresh))
        return _with_first(into[place], self.number + int(np.count_nonzero(fresh))), parents[fresh]


def _with_first(labels: Ints, number: int) -> Partition:
    first = np.zeros(number, dtype=np.int64)
    first[labels] = np.arange(len(labels))
    return Partition(labels, first, np.bincount(labels, minlength=number))


@machine_code()
def _inside(labels: Ints, flags: Flags, number: int) -> Ints:
    """Return how many cells of each column are flagged."""
    found = np.zeros(number, np.int64)
    for i in range(len(labels)):
        found[labels[i]] += flags[i]
    return found


@_inside.in_numpy
def _inside_plainly(labels: Ints, flags: Flags, number: int) -> Ints:
    return np.bincount(labels[flags], minlength=number)


@machine_code()
def _moved(labels: Ints, flags: Flags, into: Ints, first: Ints) -> Ints:
    """Return the columns of cells after flagged ones have moved; write one cell of each column into `first`."""
    found = np.empty_like(labels)
    for i in range(len(labels)):
        column = into[labels[i]] if flags[i] else labels[i]
        found[i] = column
        first[column] = i
    return found


@_moved.in_numpy
def _moved_plainly(labels: Ints, flags: Flags, into: Ints, first: Ints) -> Ints:
    found = np.where(flags, into[labels], labels)
    first[found] = np.arange(len(found))
    return found


@machine_code()
def totals_of(labels: Ints, values: Ints, number: int) -> Ints:
    """Return the sum of the values of each column's cells."""
    found = np.zeros(number, np.int64)
    for i in range(len(labels)):
        found[labels[i]] += values[i]
    return found


@totals_of.in_numpy
def _totals_plainly(labels: Ints, values: Ints, number: int) -> Ints:
    return np.bincount(labels, weights=values, minlength=number).astype(np.int64)


def _numbered(keys: Ints) -> Ints:
    """Number different keys from 0."""
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)
