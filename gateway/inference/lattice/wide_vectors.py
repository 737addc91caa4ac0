"""Whole-number vectors with entries in a good part of all atoms, as rows of a matrix (machine code).

A number takes 16 bits there, where a sparse entry takes 64. What is taken off such a vector are short ones, which
change a few of its numbers in place; its length is brought up to date with them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.lattice.clearing import Carriers, take_carriers
from sdcdb.gateway.inference.lattice.sparse_rows import Entries, Rows
from sdcdb.gateway.inference.machine_code import machine_code

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = NDArray[np.int16]
Flags = NDArray[np.bool_]

LARGEST = 1 << 14


@dataclass(frozen=True, eq=False)
class WideVectors:
    """The vectors, and the squared length of each."""

    numbers: Numbers
    size: Floats

    @classmethod
    def none(cls, columns: int) -> "WideVectors":
        """Return no vectors."""
        return cls(np.zeros((0, columns), dtype=np.int16), np.zeros(0))

    @property
    def number(self) -> int:
        """How many vectors there are."""
        return len(self.size)

    def spread(self, before: Floats, after: Floats) -> "WideVectors":
        """Return the vectors for more columns, which are 0 there; `before` and `after` are the weights of columns."""
        numbers = np.pad(self.numbers, ((0, 0), (0, len(after) - len(before))))
        changed = np.flatnonzero(after[: len(before)] != before)
        squares = self.numbers[:, changed].astype(np.float64) ** 2
        return WideVectors(numbers, self.size + squares @ (after[changed] - before[changed]))

    def joined(self, rows: Rows, size: Floats) -> "WideVectors":
        """Return these and some sparse rows, of the lengths given."""
        starts, columns, numbers = rows
        fresh = np.zeros((len(size), self.numbers.shape[1]), dtype=np.int16)
        fresh[np.repeat(np.arange(len(size)), np.diff(starts)), columns] = numbers
        return WideVectors(np.concatenate([self.numbers, fresh]), np.concatenate([self.size, size]))

    def without(self, which: Ints) -> "WideVectors":
        """Return all but some of the vectors."""
        return WideVectors(np.delete(self.numbers, which, axis=0), np.delete(self.size, which))

    def sparse(self, which: Ints) -> Rows:
        """Return some of the vectors as sparse rows."""
        row, column = np.nonzero(self.numbers[which])
        starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(which)))])
        return starts, column.astype(np.int32), self.numbers[which[row], column].astype(np.int32)

    def sums(self, inside: Flags) -> Ints:
        """Return the sum of each vector over the columns of a set."""
        return _sums(self.numbers, np.flatnonzero(inside)) if self.number else np.zeros(0, dtype=np.int64)

    def cleared(self, sums: Ints, carriers: Carriers, weight: Floats) -> "WideVectors | None":
        """Return the vectors without their sums, by taking carriers off; None if a number grows too large."""
        c, need = carriers, carriers.needed(sums)
        if need is None:
            return None
        numbers, size, weight = self.numbers.copy(), self.size.copy(), weight[c.wide]
        fits = _clear(numbers, size, need, weight, c.wide, c.weight, c.ends, c.local, c.number, c.sums, c.products)
        return WideVectors(numbers, size) if fits else None

    def add_squares(self, rows: Ints, out: Floats) -> None:
        """Add the squares of some vectors to what there is for each column."""
        if len(rows):
            _add_squares(self.numbers, rows, out)


@machine_code()
def _sums(numbers: Numbers, columns: Ints) -> Ints:
    out = np.zeros(len(numbers), np.int64)
    for i in range(len(numbers)):
        for j in columns:
            out[i] += numbers[i, j]
    return out


@machine_code()
def _add_squares(numbers: Numbers, rows: Ints, out: Floats) -> None:
    for i in rows:
        for j in range(numbers.shape[1]):
            out[j] += float(numbers[i, j]) * numbers[i, j]


@machine_code()
def _clear(  # noqa: PLR0913, PLR0917 - one loop in machine code
    rows: Numbers,
    size: Floats,
    need: Ints,
    weight: Floats,
    wide: Entries,
    whole: Ints,
    ends: Ints,
    local: Ints,
    number: Ints,
    sums: Ints,
    products: Ints,
) -> bool:
    """Take carriers off rows, in place."""
    here, along = np.zeros(len(wide), np.int64), np.empty(len(sums), np.int64)
    for r in range(len(rows)):
        if need[r] == 0:
            continue
        for u in range(len(wide)):
            here[u] = rows[r, wide[u]]
        take_carriers(need[r], here, along, whole, ends, local, number, sums, products)
        for u in range(len(wide)):
            before = np.int64(rows[r, wide[u]])
            if here[u] != before:
                if abs(here[u]) > LARGEST:
                    return False
                size[r] += weight[u] * float(here[u] * here[u] - before * before)
                rows[r, wide[u]] = here[u]
    return True
