"""Secret random vectors that every answered sum leaves unseen: the exact test of what the sums determine.

Let z be a random vector modulo p with z(Q) = 0 for every answered query set Q, where z(Q) is the sum of z over the
cells of Q. The total over a set S of cells is determined by the answers exactly if the flags of S are a combination of
those of the answered sets. If they are, z(S) = 0. If they are not, z(S) is a uniformly random residue: it is 0 with
probability 1/p. So one sum over cells decides, whatever the number of answers, and never in floating point.

A uniformly random z stays one when a query set Q is added: with a second such vector d, z - (z(Q) / d(Q)) d is uniform
among the vectors that also vanish on Q. That uses d up, so a reservoir of vectors is kept. When it runs low it is
filled again: random residues on all columns but the pivots, and the pivots from the factors of the query sets
(`factors`).

Cells that lie in the same query sets are one column, and z has one residue for all of them: their sum. A query set that
cuts a column leaves the sum and adds a random residue for the part inside, so z stays uniformly random. Where residues
of single cells are asked for, they are drawn so that they add up to that sum. So the cost follows what the answers have
told apart, not the number of cells.

A sum may have whole-number weights in the place of flags, such as people's ages where the unknowns are sizes of cells:
then z(Q) is the weighted sum, and all of this holds as well.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import InternalError
from sdcdb.gateway.inference.algebra.blas_threads import threads_for
from sdcdb.gateway.inference.algebra.columns_of_cells import Partition
from sdcdb.gateway.inference.algebra.growth import Growth
from sdcdb.gateway.inference.algebra.kernels import sums_over
from sdcdb.gateway.inference.algebra.lapack import row_order
from sdcdb.gateway.inference.algebra.modular import BLOCK, eliminate_along, pivots_of, random_primes, reduced
from sdcdb.gateway.inference.algebra.modular_lu import Factors

Floats = NDArray[np.float64]
Cells = NDArray[np.bool_] | NDArray[np.int64]
"""Flags, or whole numbers up to `HEAVIEST`."""

HEAVIEST = 2**16
PRIMES = 3
RESERVE = 48  # vectors per prime
UNPACKED = (
    2**20
)  # flags at a time: larger matrices are new memory each time, and clearing it takes longer than using it
RESERVE_MEMORY = 2_000_000  # residues per prime: with very many columns the reservoir is smaller and filled more often


class NullSpace:
    """The sums answered so far, as exact linear algebra. `cells` are those with records."""

    def __init__(self, cells: int, rng: np.random.Generator) -> None:
        self._partition, self._rng = Partition.whole(cells), rng
        self.rank = 0
        """The number of independent sums."""
        self._bits = np.zeros((self._columns, 0), dtype=np.uint8)  # of each column, the rows that it lies in
        self._weights: dict[int, NDArray[np.int64]] = {}  # of the rows that are no flags
        self._reset()

    def _reset(self) -> None:
        self.primes = random_primes(self._rng, PRIMES)
        self._factors = [Factors(p) for p in self.primes]
        self._pivots: list[int] = []
        self._z = [self._random(p, self._reserve()) for p in self.primes]

    @property
    def _columns(self) -> int:
        return self._partition.number

    def fork(self) -> "NullSpace":
        """Return a copy that may be added to and thrown away."""
        copy = NullSpace.__new__(NullSpace)
        copy._partition, copy._rng, copy.rank, copy.primes = self._partition, self._rng, self.rank, self.primes  # noqa: SLF001 - a copy of ourselves
        copy._bits = self._bits  # noqa: SLF001 - as above, and never written into
        copy._weights = dict(self._weights)  # noqa: SLF001 - as above
        copy._factors = [each.fork() for each in self._factors]  # noqa: SLF001 - as above
        copy._pivots, copy._z = list(self._pivots), [z.copy() for z in self._z]  # noqa: SLF001 - as above
        return copy

    def copy(self) -> "NullSpace":
        """Return a copy that lives on by itself."""
        copy = self.fork()
        for each in copy._factors:  # noqa: SLF001 - a copy of ourselves
            each.square = each.square.copy()
        return copy

    def grow(self, growth: Growth) -> None:
        """Take in more cells. Newcomers are in no row: their residues are random."""
        before = self._columns
        self._partition = self._partition.grown(growth)
        more = self._columns - before
        if more:
            self._bits = np.concatenate([self._bits, np.zeros((more, self._bits.shape[1]), np.uint8)])
            self._z = [
                np.concatenate([z, self._random(p, len(z), more)], axis=1)
                for z, p in zip(self._z, self.primes, strict=True)
            ]
            none = np.zeros(more, dtype=np.int64)
            self._weights = {row: np.concatenate([held, none]) for row, held in self._weights.items()}

    def vectors(self) -> list[Floats]:
        """Return one null vector over cells per prime."""
        return [_spread(z[0], self._partition, p, self._rng) for z, p in zip(self._z, self.primes, strict=True)]

    def samples(self) -> tuple[Floats, NDArray[np.intp], int]:
        """Return null vectors modulo one prime over the classes of cells, a row each, and the class of each cell."""
        return self._z[0], self._partition.labels, self.primes[0]

    def vectors_with(self, cells: Cells) -> list[Floats] | None:
        """Return null vectors as if the sum over `cells` were answered too, or None if the answers imply it."""
        partition, parents = self._partition.split(cells)
        row = cells[partition.first]
        out, implied = [], True
        for z, p in zip(self._z, self.primes, strict=True):
            few = self._cut(z[:3], parents, p)  # to change the first; one of the others vanishes on no new set
            values = _sums(few, row, p)
            implied &= not values.any()
            if values[1:].any():
                pair = few[[0, 1 if values[1] else 2]]
                eliminate_along(pair, values[[0, 1 if values[1] else 2]], 1, float(p))
                few = pair
            out.append(few[0])
        if implied:
            return None
        return [_spread(z, partition, p, self._rng) for z, p in zip(out, self.primes, strict=True)]

    def implied(self, cells: Cells) -> bool:
        """Tell whether the sum over `cells` follows from the answers: for every prime and three vectors of each."""
        row = cells[self._partition.first]
        if not np.array_equal(row[self._partition.labels], cells):
            return False  # it cuts cells that all answers treat alike
        return all(not _sums(z[:3], row, p).any() for z, p in zip(self._z, self.primes, strict=True))

    def add(self, cells: Cells) -> bool:
        """Take in the sum over `cells`; False, and nothing changed, if the answers imply it."""
        partition, parents = self._partition.split(cells)
        row = cells[partition.first]
        cut = [self._cut(z, parents, p) for z, p in zip(self._z, self.primes, strict=True)]
        values = [_sums(z, row, p) for z, p in zip(cut, self.primes, strict=True)]
        if not any(each.any() for each in values):
            return False
        self._z, self._partition = cut, partition
        self._append(row, parents)
        if not all(each.any() for each in values):  # dependent for one prime only: that prime is unlucky
            self._start_again()
            return True
        most = self._reserve()
        for number, (z, p, value) in enumerate(zip(cut, self.primes, values, strict=True)):
            spent = int(np.flatnonzero(value)[-1])
            eliminate_along(z, value, spent, float(p))
            self._z[number] = np.delete(z, spent, axis=0)[:most] if spent < len(z) - 1 else z[:-1][:most]
        if min(len(z) for z in self._z) < 4:
            self._fill()
        return True

    def restore(self, rows: Sequence[Cells]) -> None:
        """Take in many sums that are known to be independent, at once."""
        self.rank, self._weights = 0, {}
        self._partition = Partition.whole(len(self._partition.labels)).split_by_all(rows)
        self._bits = np.zeros((self._columns, (len(rows) + 7) // 8), dtype=np.uint8)
        for cells in rows:
            self._append(cells[self._partition.first], np.zeros(0, dtype=np.int64))
        self._reset()
        self._fill()

    def _cut(self, z: Floats, parents: NDArray[np.int64], p: int) -> Floats:
        """Return vectors over columns that were cut: a random residue for each part, less for the one it was cut from.

        Always a copy.
        """
        fresh = self._random(p, len(z), len(parents))
        found = np.concatenate([z, fresh], axis=1)
        if len(parents):
            np.subtract.at(found.T, parents, fresh.T)
            found = reduced(found, p)
        return found

    def _append(self, row: Cells, parents: NDArray[np.int64]) -> None:
        """Take in a row over columns, some of which were cut off from others."""
        bits = np.concatenate([self._bits, self._bits[parents]])
        if self.rank == 8 * bits.shape[1]:
            bits = np.concatenate([bits, np.zeros((len(bits), max(8, bits.shape[1] // 4)), np.uint8)], axis=1)
        bits[:, self.rank // 8] |= (row != 0).astype(np.uint8) << np.uint8(self.rank % 8)
        self._bits = bits
        self._weights = {each: np.concatenate([held, held[parents]]) for each, held in self._weights.items()}
        if row.dtype != np.bool_:
            self._weights[self.rank] = row.astype(np.int64)
        self.rank += 1

    # ---- the reservoir

    def _reserve(self) -> int:
        return max(8, min(RESERVE, RESERVE_MEMORY // max(1, self._columns)))

    def _random(self, p: int, number: int, columns: int | None = None) -> Floats:
        size = (number, self._columns if columns is None else columns)
        return reduced(self._rng.integers(0, p, size).astype(np.float64), p)

    def _start_again(self) -> None:
        self._reset()
        self._fill()

    def _fill(self) -> None:
        missing = self.rank - self._factors[0].rank
        work = PRIMES * (missing * self.rank * (self.rank + BLOCK) + self.rank * self._columns * self._reserve())
        with threads_for(work):
            for _ in range(5):
                if self._factorise() and self._draw():
                    return
                self._reset()
        raise InternalError("five sets of random primes in a row were unlucky: the query sets are not independent")

    def _block(self, first: int, last: int) -> Floats:
        packed = self._bits[:, first // 8 : (last + 7) // 8]
        flags = np.unpackbits(packed, axis=1, bitorder="little")[:, first % 8 : first % 8 + last - first]
        found = np.ascontiguousarray(flags.T, dtype=np.float64)
        for row, weights in self._weights.items():
            if first <= row < last:
                found[row - first] = weights
        return found

    def _draw(self) -> bool:
        """Draw new vectors: random but for the pivots, which are solved for. False if they do not vanish on a row."""
        reserve = self._reserve()
        drawn = [self._random(p, reserve) for p in self.primes]
        for z in drawn:
            z[:, self._pivots] = 0
        stacked = np.concatenate(drawn).T
        at_once = max(16, UNPACKED // max(1, self._columns))
        parts = [self._block(a, min(a + at_once, self.rank)) @ stacked for a in range(0, self.rank, at_once)]
        right = np.concatenate(parts) if parts else np.zeros((0, stacked.shape[1]))
        for row, weights in self._weights.items():  # products with weights are not exact over all cells at once
            right[row] = np.concatenate([_sums(z, weights, p) for z, p in zip(drawn, self.primes, strict=True)])
        for number, (z, p, factors) in enumerate(zip(drawn, self.primes, self._factors, strict=True)):
            values = reduced(-right[:, number * reserve : (number + 1) * reserve], p)
            z[:, self._pivots] = factors.solve(values).T
        self._z = drawn
        return all(
            not _sums(z[:1], self._row(a), p).any()
            for z, p in zip(drawn, self.primes, strict=True)
            for a in {0, self.rank // 2, self.rank - 1}
            if 0 <= a < self.rank
        )

    def _row(self, row: int) -> Cells:
        if row in self._weights:
            return self._weights[row]
        return ((self._bits[:, row // 8] >> np.uint8(row % 8)) & np.uint8(1)).astype(np.bool_)

    # ---- the factors

    def _factorise(self) -> bool:
        """Add the rows that the factors do not hold yet. False if they are dependent for one of the primes."""
        done = self._factors[0].rank
        hints = self._hints(done)
        while done < self.rank:
            last = min(done + BLOCK, self.rank)
            rows = self._block(done, last)
            hint = hints[: last - done] if hints is not None else None
            hints = hints[last - done :] if hints is not None else None
            if not (hint is not None and self._add_block(rows, hint)):
                found = self._find_pivots(rows)
                if found is None or not self._add_block(rows, found):
                    return False
            done = last
        return True

    def _old_at(self, columns: NDArray[np.int64]) -> Floats:
        """Return some columns of the rows that the factors hold, unpacking no others."""
        bits = np.unpackbits(self._bits[columns], axis=1, bitorder="little")[:, : len(self._pivots)]
        found = np.ascontiguousarray(bits.T, dtype=np.float64)
        for row, weights in self._weights.items():
            if row < len(found):
                found[row] = weights[columns]
        return found

    def _add_block(self, rows: Floats, pivots: NDArray[np.int64]) -> bool:
        old = self._old_at(pivots)
        made = [each.schur(rows[:, self._pivots], old, rows[:, pivots]) for each in self._factors]
        if not all(inverse[2].any() for inverse in made):
            return False
        before = [each.fork() for each in self._factors]
        if not all(each.append(*parts) for each, parts in zip(self._factors, made, strict=True)):
            self._factors = before
            return False
        self._pivots += [int(c) for c in pivots]
        return True

    def _find_pivots(self, rows: Floats) -> NDArray[np.int64] | None:
        """Look for one pivot cell per row among random cells, more and more of them, those of the rows first."""
        taken = np.zeros(self._columns, bool)
        taken[self._pivots] = True
        inside = rows.any(axis=0)
        free = np.concatenate([self._rng.permutation(np.flatnonzero(part & ~taken)) for part in (inside, ~inside)])
        number = len(rows) + 32
        while True:
            tried = free[:number]
            left = self._factors[0].schur(rows[:, self._pivots], self._old_at(tried), rows[:, tried])[2]
            chosen = pivots_of(np.ascontiguousarray(left), float(self.primes[0]))
            if (chosen >= 0).all():
                return np.asarray(tried[chosen], dtype=np.int64)
            if number >= len(free):
                return None
            number *= 3

    def _hints(self, done: int) -> NDArray[np.int64] | None:
        """Guess pivots for very many rows at once by floating-point elimination: only a guess, checked modulo p."""
        if done or self.rank < 4 * BLOCK or self.rank * self._columns > 200_000_000:
            return None
        matrix = np.empty((self._columns, self.rank), np.float32)
        for a in range(0, self.rank, 512):
            b = min(a + 512, self.rank)
            matrix[:, a:b] = self._block(a, b).T
        return row_order(matrix)[: self.rank]


def _sums(z: Floats, cells: Cells, p: int) -> Floats:
    if cells.dtype == np.bool_:
        return reduced(sums_over(z, np.asarray(cells, dtype=np.bool_)), p)
    return reduced(reduced(z * cells, p).sum(axis=1), p)


def _spread(z: Floats, partition: Partition, p: int, rng: np.random.Generator) -> Floats:
    """Return residues of cells, random but for adding up to those of their columns."""
    cells = rng.integers(0, p, len(partition.labels)).astype(np.float64)
    cells[partition.first] = 0
    sums = np.bincount(partition.labels, cells, partition.number)
    cells[partition.first] = z - sums
    return reduced(cells, p)
