"""Who the records of each cell belong to, where a person has several records.

A person is the unit of protection. Groups are as large as the people in them, however many records they have; and a
part of one person's records is as secret as a single record is. How many records of a cell belong to one person is no
secret to the audit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array  # loaded where a table has people

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Cells = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class People:
    """How many records each person has in each cell: one row per person, one column per cell."""

    matrix: "csr_array"

    @classmethod
    def of(cls, persons: Ints, cells: Ints, records: Ints, number: int) -> Self:
        """Put together the records of persons in so many cells; a pair that occurs twice is added up."""
        _, rows = np.unique(persons, return_inverse=True)
        shape = (int(rows.max(initial=-1)) + 1, number)
        from scipy.sparse import csr_array

        held = csr_array((records.astype(np.float64), (rows, cells)), shape=shape)
        held.sum_duplicates()
        held.eliminate_zeros()
        return cls(held)

    @cached_property
    def records(self) -> Floats:
        """How many records each person has."""
        return np.asarray(self.matrix.sum(axis=1), dtype=np.float64).ravel()

    @cached_property
    def by_cell(self) -> "csc_array":
        """The same, quick to look up by cells."""
        return self.matrix.tocsc()

    @property
    def several(self) -> bool:
        """Whether anybody has more than one record. Otherwise people and records are the same."""
        return bool((self.records > 1).any())

    @cached_property
    def weights(self) -> Floats:
        """What a cell's records weigh, each as much as all records of its person together make 1.

        So the cells of a group weigh at most as much as there are people in it.
        """
        shares = 1.0 / np.maximum(self.records, 1.0)
        return np.asarray(self.matrix.T @ shares, dtype=np.float64)

    def within(self, cells: Ints) -> Self:
        """Return the records in some cells, numbered anew."""
        return type(self)(self.matrix[:, cells].tocsr())

    def together(self, labels: Ints, number: int) -> Self:
        """Return the records in so many sets of cells, given by a label per cell."""
        from scipy.sparse import csr_array

        shape = (self.matrix.shape[0], number)
        held = csr_array((self.matrix.data, labels[self.matrix.indices], self.matrix.indptr), shape=shape, copy=True)
        held.sum_duplicates()
        return type(self)(held)

    def number(self, cells: Cells) -> int:
        """Return how many people have a record in a set."""
        return int(np.count_nonzero(self.matrix @ cells.astype(np.float64)))

    def of_sets(self, labels: Ints, number: int, least: int | None = None) -> Ints:
        """Return how many people have a record in each of so many sets, given by a label per cell.

        With `least`, sets that are sure to have that many are not counted out: they are given as having so many.
        """
        found = np.zeros(number, dtype=np.int64)
        own = labels[self.matrix.indices]
        kept: NDArray[np.bool_] | slice = slice(None)
        if least is not None:
            records = np.bincount(labels[labels >= 0], weights=self._of_cells[labels >= 0], minlength=number)
            large = records >= least * self.records.max(initial=1.0)
            found[large] = least
            kept = ~np.append(large, True)[own]
        pairs = np.unique(self._rows[kept] * (number + 1) + own[kept] + 1)
        counts = np.bincount(pairs % (number + 1), minlength=number + 1)[1:]
        return np.where(found > 0, found, counts).astype(np.int64)

    @cached_property
    def _rows(self) -> Ints:
        """The person of each entry."""
        return np.repeat(np.arange(self.matrix.shape[0]), np.diff(self.matrix.indptr))

    @cached_property
    def _of_cells(self) -> Floats:
        """The records of each cell."""
        return np.asarray(self.matrix.sum(axis=0), dtype=np.float64).ravel()

    @cached_property
    def with_several(self) -> Self:
        """Those who have more than one record."""
        return type(self)(self.matrix[np.flatnonzero(self.records > 1)].tocsr())

    def members(self, labels: Ints, wanted: Ints) -> Sequence[Ints]:
        """Return the people with a record in each of the wanted sets."""
        place = np.full(int(labels.max(initial=-1)) + 1, -1, dtype=np.int64)
        place[wanted] = np.arange(len(wanted))
        at = place[labels[self.matrix.indices]]
        wide = self.matrix.shape[0] + 1
        keys = np.unique(at[at >= 0] * wide + self._rows[at >= 0])
        pairs = np.stack([keys // wide, keys % wide])
        ends = np.searchsorted(pairs[0], np.arange(len(wanted) + 1))
        return [pairs[1, ends[n] : ends[n + 1]] for n in range(len(wanted))]

    def profiles(self) -> tuple[Self, Ints]:
        """Put people together who have records in the same cells; return one of each kind, and how many there are."""
        ends, cells = self.matrix.indptr, self.matrix.indices
        kinds: dict[bytes, int] = {}
        first: list[int] = []
        kind = np.zeros(self.matrix.shape[0], dtype=np.int64)
        for person in range(self.matrix.shape[0]):
            key = np.sort(cells[ends[person] : ends[person + 1]]).tobytes()
            kind[person] = kinds.setdefault(key, len(kinds))
            if kind[person] == len(first):
                first.append(person)
        return type(self)(self.matrix[first].tocsr()), np.bincount(kind, minlength=len(first)).astype(np.int64)

    def with_records(self, cells: Cells) -> Cells:
        """Tell who has a record in a set."""
        return np.asarray(self.matrix @ cells.astype(np.float64) > 0, dtype=np.bool_)
