"""Cells that every row treats alike, as one column: linear algebra over a history costs as much as rows tell apart."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.growth import Growth

Ints = NDArray[np.int64]
Row = NDArray[np.bool_] | NDArray[np.int64]
"""Flags of cells, or whole numbers from 0."""


@dataclass(frozen=True, eq=False)
class Partition:
    """The column of each cell, and one cell of each column."""

    labels: Ints
    first: Ints

    @classmethod
    def whole(cls, cells: int) -> "Partition":
        """Return all cells as one column.

        >>> Partition.whole(3).number
        1
        """
        return cls(np.zeros(cells, dtype=np.int64), np.zeros(min(1, cells), dtype=np.int64))

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
        if np.array_equal(row[self.first][self.labels], row):
            return self, np.zeros(0, dtype=np.int64)
        inside = np.bincount(self.labels[row], minlength=self.number)
        outside = np.bincount(self.labels, minlength=self.number) - inside
        parents = np.flatnonzero((inside > 0) & (outside > 0))
        into = np.arange(self.number)
        into[parents] = self.number + np.arange(len(parents))
        return _with_first(np.where(row, into[self.labels], self.labels), self.number + len(parents)), parents

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
        labels, _ = growth.labels(self.labels, self.number)
        came = growth.before + np.flatnonzero(growth.came)[:1]
        return Partition(labels, np.concatenate([self.first, came]))

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
    return Partition(labels, first)


def _numbered(keys: Ints) -> Ints:
    """Number different keys from 0."""
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)
