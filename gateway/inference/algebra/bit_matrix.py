"""Query sets as bits, packed both ways, and products with them that look up eight bits at a time.

A history of a thousand query sets on five thousand cells is five million flags. Packed along the cells, the product
with a weight per cell adds, for each byte, one of 256 sums prepared for its eight cells; packed along the rows, the
product with a weight per row does the same for eight rows. Both are eight times fewer additions than flags.
"""

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.growth import Growth
from sdcdb.gateway.inference.machine_code import machine_code

Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Cells = NDArray[np.bool_]


_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[None], axis=0, bitorder="little").astype(np.float64)
"""The eight bits of each byte, a column for each."""


class Rows:
    """A growing 0/1 matrix, one row per answer and one column per cell; rows can be taken off the end."""

    def __init__(self, columns: int) -> None:
        self.number, self.columns = 0, columns
        self._along_cells = np.zeros((64, self._groups(columns)), np.uint8)
        self._along_rows = np.zeros((8, 8 * self._along_cells.shape[1]), np.uint8)

    @staticmethod
    def _groups(columns: int) -> int:
        return 16 * ((columns + 127) // 128)

    def append(self, cells: Cells | Floats) -> None:
        """Add a row."""
        k = self.number
        if k == len(self._along_cells):
            grow = max(64, k // 128 * 64)
            self._along_cells = np.concatenate(
                [self._along_cells, np.zeros((grow, self._along_cells.shape[1]), np.uint8)]
            )
            self._along_rows = np.concatenate(
                [self._along_rows, np.zeros((grow // 8, self._along_rows.shape[1]), np.uint8)]
            )
        packed = np.packbits(np.asarray(cells, dtype=np.bool_), bitorder="little")
        self._along_cells[k] = 0
        self._along_cells[k, : len(packed)] = packed
        line = self._along_rows[k // 8]
        line &= np.uint8(255 ^ (1 << (k % 8)))
        line[: len(cells)] |= cells.astype(np.uint8) << np.uint8(k % 8)
        self.number += 1

    def grow(self, growth: Growth) -> None:
        """Take in more cells."""
        number, before, kept = len(growth.counts), self.columns, ~growth.came
        further = np.zeros((len(self._along_rows), len(growth.origins)), np.uint8)
        further[:, kept] = self._along_rows[:, growth.origins[kept]]
        along_cells = np.zeros((len(self._along_cells), self._groups(number)), np.uint8)
        along_rows = np.zeros((len(self._along_rows), 8 * self._groups(number)), np.uint8)
        along_rows[:, :before], along_rows[:, before:number] = self._along_rows[:, :before], further
        start = before // 8  # the byte in which the first of the further cells is
        lines = along_rows[: (self.number + 7) // 8, 8 * start : number]
        packed = np.packbits(np.unpackbits(lines, axis=0, count=self.number, bitorder="little"), 1, "little")
        along_cells[: self.number, :start] = self._along_cells[: self.number, :start]
        along_cells[: self.number, start : start + packed.shape[1]] = packed
        self.columns, self._along_cells, self._along_rows = number, along_cells, along_rows

    def truncate(self, number: int) -> None:
        """Take off the last rows."""
        for k in range(number, self.number):
            self._along_rows[k // 8] &= np.uint8(255 ^ (1 << (k % 8)))
        self.number = number

    def column(self, column: int) -> Floats:
        """Return one column as numbers."""
        bits = (self._along_cells[: self.number, column // 8] >> np.uint8(column % 8)) & np.uint8(1)
        return bits.astype(np.float64)

    def some(self, columns: NDArray[np.int64]) -> Floats:
        """Return some columns as a matrix of numbers."""
        bits = self._along_cells[: self.number, columns // 8] >> (columns % 8).astype(np.uint8)
        return (bits & np.uint8(1)).astype(np.float64)

    def row(self, row: int) -> Cells:
        """Return one row as flags."""
        return np.unpackbits(self._along_cells[row], bitorder="little", count=self.columns).astype(bool)

    def dense(self, first: int = 0, last: int | None = None) -> Floats:
        """Return rows as a matrix of numbers."""
        part = self._along_cells[first : self.number if last is None else last]
        return np.unpackbits(part, axis=1, bitorder="little", count=self.columns).astype(np.float64)

    def part(self, first: int, last: int) -> Floats:
        """Return some columns of all rows as a matrix of numbers; `first` is a multiple of 8."""
        last = min(last, self.columns)
        packed = self._along_cells[: self.number, first // 8 : (last + 7) // 8]
        return np.unpackbits(packed, axis=1, bitorder="little", count=last - first).astype(np.float64)

    def times(self, weights: Floats) -> Floats:
        """Return the sum of the weights over each row's cells."""
        padded = np.zeros(8 * self._groups(self.columns))
        padded[: self.columns] = weights
        return _by_cells(self._along_cells[: self.number, : len(padded) // 8], padded)

    def combined(self, weights: Floats) -> Floats:
        """Return for each cell the sum of the weights of the rows that it lies in."""
        padded = np.zeros(64 * ((self.number + 63) // 64))
        padded[: self.number] = weights
        return _by_rows(self._along_rows[: len(padded) // 8, : self.columns], padded)


@machine_code()
def _sums_of_eight(weights: Floats, first: int, sums: Floats) -> None:
    sums[0] = 0.0
    for bit in range(8):
        for byte in range(1 << bit):
            sums[(1 << bit) + byte] = sums[byte] + weights[first + bit]


@machine_code()
def _by_cells(packed: Bytes, weights: Floats) -> Floats:
    out = np.zeros(packed.shape[0])
    sums = np.empty((16, 256))
    for start in range(0, packed.shape[1], 16):
        for j in range(16):
            _sums_of_eight(weights, 8 * (start + j), sums[j])
        for q in range(packed.shape[0]):
            total = 0.0
            for j in range(16):
                total += sums[j, packed[q, start + j]]
            out[q] += total
    return out


@_by_cells.in_numpy
def _by_cells_plainly(packed: Bytes, weights: Floats) -> Floats:
    return np.array([weights[np.unpackbits(row, bitorder="little").view(np.bool_)].sum() for row in packed])


@machine_code()
def _by_rows(packed: Bytes, weights: Floats) -> Floats:
    out = np.zeros(packed.shape[1])
    sums = np.empty((8, 256))
    for start in range(0, packed.shape[0], 8):
        for j in range(8):
            _sums_of_eight(weights, 8 * (start + j), sums[j])
        for c in range(packed.shape[1]):
            total = 0.0
            for j in range(8):
                total += sums[j, packed[start + j, c]]
            out[c] += total
    return out


@_by_rows.in_numpy
def _by_rows_plainly(packed: Bytes, weights: Floats) -> Floats:
    out = np.zeros(packed.shape[1])
    for line, sums in zip(packed, weights.reshape(-1, 8) @ _BITS, strict=True):
        out += sums[line]
    return out
