"""Secret random vectors that every answered sum leaves unseen: the exact test of what the sums determine.

Let z be a random vector modulo p with z(Q) = 0 for every answered query set Q, where z(Q) is the sum of z over the
cells of Q. The total over a set S of cells is determined by the answers exactly if the flags of S are a combination of
those of the answered sets. If they are, z(S) = 0. If they are not, z(S) is a uniformly random residue: it is 0 with
probability 1/p. So one sum over cells decides, whatever the number of answers, and never in floating point.

A uniformly random z stays one when a query set Q is added: with a second such vector d, z - (z(Q) / d(Q)) d is uniform
among the vectors that also vanish on Q. That uses d up, so a reservoir of vectors is kept. When it runs low it is
filled again: random residues on all cells but the pivots, and the pivots from the factors of the query sets
(`factors`).

A sum may have whole-number weights in the place of flags, such as people's ages where the unknowns are sizes of cells:
then z(Q) is the weighted sum, and all of this holds as well.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import InternalError
from sdcdb.gateway.inference.algebra.blas_threads import threads_for
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
RESERVE_MEMORY = 2_000_000  # residues per prime: with very many cells the reservoir is smaller and filled more often


class NullSpace:
    """The sums answered so far, as exact linear algebra. `cells` are those with records."""

    def __init__(self, cells: int, rng: np.random.Generator) -> None:
        self._cells, self._rng = cells, rng
        self._rows: list[NDArray[np.uint8]] = []
        self._weights: dict[int, NDArray[np.int64]] = {}  # of the rows that are no flags
        self._reset()

    def _reset(self) -> None:
        self.primes = random_primes(self._rng, PRIMES)
        self._factors = [Factors(p) for p in self.primes]
        self._pivots: list[int] = []
        self._z = [self._random(p, self._reserve()) for p in self.primes]

    @property
    def rank(self) -> int:
        """The number of independent sums."""
        return len(self._rows)

    def fork(self) -> "NullSpace":
        """Return a copy that may be added to and thrown away."""
        copy = NullSpace.__new__(NullSpace)
        copy._cells, copy._rng, copy._rows, copy.primes = self._cells, self._rng, list(self._rows), self.primes  # noqa: SLF001 - a copy of ourselves
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

    def vectors(self) -> list[Floats]:
        """Return one null vector per prime."""
        return [z[0] for z in self._z]

    def vectors_with(self, cells: Cells) -> list[Floats] | None:
        """Return null vectors as if the sum over `cells` were answered too, or None if the answers imply it."""
        out, implied = [], True
        for z, p in zip(self._z, self.primes, strict=True):
            few = z[:3]  # the one to change, and two of which one does not vanish on a set that is not implied
            values = _sums(few, cells, p)
            implied &= not values.any()
            if values[1:].any():
                pair = few[[0, 1 if values[1] else 2]]
                eliminate_along(pair, values[[0, 1 if values[1] else 2]], 1, float(p))
                few = pair
            out.append(few[0])
        return None if implied else out

    def implied(self, cells: Cells) -> bool:
        """Tell whether the sum over `cells` follows from the answers: for every prime and three vectors of each."""
        return all(not _sums(z[:3], cells, p).any() for z, p in zip(self._z, self.primes, strict=True))

    def add(self, cells: Cells) -> bool:
        """Take in the sum over `cells`; False, and nothing changed, if the answers imply it."""
        values = [_sums(z, cells, p) for z, p in zip(self._z, self.primes, strict=True)]
        if not any(each.any() for each in values):
            return False
        self._append(cells)
        if not all(each.any() for each in values):  # dependent for one prime only: that prime is unlucky
            self._start_again()
            return True
        for number, (z, p, value) in enumerate(zip(self._z, self.primes, values, strict=True)):
            spent = int(np.flatnonzero(value)[-1])
            eliminate_along(z, value, spent, float(p))
            self._z[number] = np.delete(z, spent, axis=0) if spent < len(z) - 1 else z[:-1]
        if min(len(z) for z in self._z) < 4:
            self._fill()
        return True

    def restore(self, rows: Sequence[Cells]) -> None:
        """Take in many sums that are known to be independent, at once."""
        self._rows, self._weights = [], {}
        for cells in rows:
            self._append(cells)
        self._fill()

    def _append(self, cells: Cells) -> None:
        if cells.dtype != np.bool_:
            self._weights[len(self._rows)] = cells.astype(np.int64)
        self._rows.append(np.packbits(cells != 0))

    # ---- the reservoir

    def _reserve(self) -> int:
        return max(8, min(RESERVE, RESERVE_MEMORY // max(1, self._cells)))

    def _random(self, p: int, number: int) -> Floats:
        return reduced(self._rng.integers(0, p, (number, self._cells)).astype(np.float64), p)

    def _start_again(self) -> None:
        self._reset()
        self._fill()

    def _fill(self) -> None:
        missing = self.rank - self._factors[0].rank
        work = PRIMES * (missing * self.rank * (self.rank + BLOCK) + self.rank * self._cells * self._reserve())
        with threads_for(work):
            for _ in range(5):
                if self._factorise() and self._draw():
                    return
                self._reset()
        raise InternalError("five sets of random primes in a row were unlucky: the query sets are not independent")

    def _block(self, first: int, last: int) -> Floats:
        packed = np.array(self._rows[first:last]).reshape(last - first, -1)
        found = np.unpackbits(packed, axis=1, count=self._cells).astype(np.float64)
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
        at_once = max(16, UNPACKED // max(1, self._cells))
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
        return np.unpackbits(self._rows[row], count=self._cells).astype(np.bool_)

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
        packed = np.array(self._rows[: len(self._pivots)], np.uint8).reshape(-1, (self._cells + 7) // 8)
        bits = packed[:, columns >> 3] >> (7 - (columns & 7)).astype(np.uint8)
        found = (bits & np.uint8(1)).astype(np.float64)
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
        taken = np.zeros(self._cells, bool)
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
        if done or self.rank < 4 * BLOCK or self.rank * self._cells > 200_000_000:
            return None
        matrix = np.empty((self._cells, self.rank), np.float32)
        for a in range(0, self.rank, 512):
            b = min(a + 512, self.rank)
            matrix[:, a:b] = self._block(a, b).T
        return row_order(matrix)[: self.rank]


def _sums(z: Floats, cells: Cells, p: int) -> Floats:
    if cells.dtype == np.bool_:
        return reduced(sums_over(z, np.asarray(cells, dtype=np.bool_)), p)
    return reduced(reduced(z * cells, p).sum(axis=1), p)
