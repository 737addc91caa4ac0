"""Short whole-number vectors on which every answered sum vanishes: for any number of atoms.

They are kept sparse, but for those that have entries in many atoms (`wide_vectors`). When a set is answered, vectors
with a sum over it are replaced. Those with few entries give their differences along a spanning tree of least length
(`sparse_trees`), all others take as many of them as clear their sums (`clearing`): together these span all whole-number
combinations without a sum. Where some have grown long, they are made shorter by others (`shortened`). Every vector is
explicit: added to a table it changes no answer.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.growth import Growth
from sdcdb.gateway.inference.intervals.atoms import refine
from sdcdb.gateway.inference.lattice.clearing import Carriers, clear_sums
from sdcdb.gateway.inference.lattice.margins import weights
from sdcdb.gateway.inference.lattice.shortening import shorter
from sdcdb.gateway.inference.lattice.sparse_rows import (
    Rows,
    add_squares,
    by_column,
    chosen,
    differences,
    joined,
    lengths,
    replaced,
    sums_inside,
)
from sdcdb.gateway.inference.lattice.sparse_trees import cheapest_tree
from sdcdb.gateway.inference.lattice.wide_vectors import LARGEST, WideVectors

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Entries = NDArray[np.int32]
Cells = NDArray[np.bool_]

ENTRIES = 16_000_000  # of all vectors together
EASY = 4_000_000  # entries up to which all vectors serve to make others shorter
ROUNDS = 4  # of shortening one vector
SHORT, LEAST = 32, 16  # entries of a vector by which others are cleared, and how many such vectors there are at least
CARRIERS = 256  # so many of them, the shortest, are tried for a long vector
WIDE = 256  # entries of a sparse row at least that becomes wide
LONG = (0, 4, 8, 16, 32, 64, 128, 256, 512)  # how many vectors are taken by themselves, as the longest


@dataclass(frozen=True, eq=False)
class ShortVectors:
    """The vectors, as sparse rows over atoms: `labels` is the atom of each cell, `records` the records of each atom.

    Those with entries in many atoms are `wide`. `stays` is how many records of an atom are thought to stay together,
    at most: newcomers come as one atom and are told apart before long, so what they bear is what one of them bears.
    """

    labels: Ints
    counts: Floats
    records: Floats
    starts: Ints
    columns: Entries
    numbers: Entries
    sparse_size: Floats
    stays: Floats
    wide: WideVectors

    @classmethod
    def fresh(cls, counts: Floats) -> "ShortVectors":
        """Return the one vector of the one atom that there is before the first question."""
        one, records, labels = (
            np.ones(1, dtype=np.int32),
            np.array([counts.sum()]),
            np.zeros(len(counts), dtype=np.int64),
        )
        size, none = weights(records), WideVectors.none(1)
        return cls(labels, counts, records, np.array([0, 1]), 0 * one, one, size, np.full(1, np.inf), none)

    @classmethod
    def apart(cls, atoms: int) -> "ShortVectors":
        """Return the unit vectors of atoms of one record each, in no set so far."""
        every, ones = np.arange(atoms, dtype=np.int32), np.ones(atoms)
        starts = np.arange(atoms + 1, dtype=np.int64)
        rows = (starts, every, np.ones_like(every), weights(ones))
        return cls(starts[:-1], ones, ones, *rows, np.full(atoms, np.inf), WideVectors.none(atoms))

    @property
    def number(self) -> int:
        """How many vectors there are."""
        return len(self.size)

    @property
    def vectors(self) -> Rows:
        """All vectors as sparse rows, in the order of `size`."""
        every = self._narrowed(np.arange(self.wide.number))
        return every.starts, every.columns, every.numbers

    def grown(self, growth: Growth) -> "ShortVectors":
        """Return the vectors for more cells: newcomers are one atom more, and its unit vector is one more of them."""
        labels, atoms = growth.labels(self.labels, len(self.records))
        found = replace(self, labels=labels, counts=growth.counts.astype(np.float64))
        if atoms == len(self.records):
            return found
        fresh, one = weights(np.ones(1)), np.ones(1, dtype=np.int32)
        return replace(
            found,
            records=np.append(self.records, float(growth.newcomers)),
            starts=np.append(self.starts, self.starts[-1] + 1),
            columns=np.append(self.columns, np.int32(atoms - 1)),
            numbers=np.append(self.numbers, one),
            sparse_size=np.append(self.sparse_size, fresh),
            stays=np.append(self.stays, 1.0),
            wide=self.wide.spread(self.weights, np.append(self.weights, fresh)),
        )

    @cached_property
    def weights(self) -> Floats:
        """The weight of each atom in the length of a vector."""
        return weights(np.minimum(self.records, self.stays))

    @cached_property
    def size(self) -> Floats:
        """The squared length of each vector, sparse ones first, in the geometry of `margins.weights`."""
        return np.concatenate([self.sparse_size, self.wide.size])

    @cached_property
    def squares(self) -> Floats:
        """What the squares of Gram-Schmidt vectors add up to in each atom, at most, if those that are long come last.

        Of a few numbers of vectors that are taken for long, the one for which the worst record has the least.
        """
        order = np.argsort(-self.size, kind="stable")
        long, best, least = np.zeros(len(self.records)), None, np.inf
        for before, number in zip((0, *LONG), LONG, strict=False):
            if number >= self.number:
                break
            further, sparse = order[before:number], len(self.sparse_size)
            add_squares(self.starts, self.columns, self.numbers, further[further < sparse], long)
            self.wide.add_squares(further[further >= sparse] - sparse, long)
            if float((long / self.records**2).max()) >= least:
                break
            found = self.size[order[number]] / self.weights + long
            worst = float((found / self.records**2).max())
            if worst < least:
                best, least = found, worst
        return np.zeros(len(self.records)) if best is None else best

    def inside(self, cells: Cells) -> Cells:
        """Return the atoms of a set, which cuts none."""
        found = np.zeros(len(self.records), dtype=np.bool_)
        found[self.labels[cells]] = True
        return found

    def with_set(self, cells: Cells) -> "ShortVectors | None":
        """Return the vectors that vanish on one more set; None if they have too many entries."""
        part = self._split(cells)
        inside = part.inside(cells)
        sums, wide = sums_inside(part.starts, part.columns, part.numbers, inside), part.wide.sums(inside)
        few = LEAST - np.count_nonzero(sums)
        if few > 0 and wide.any():  # the shortest of the wide ones serve as well
            active = np.flatnonzero(wide)
            serve = active[np.argsort(part.wide.size[active], kind="stable")[:few]]
            part = part._narrowed(serve)  # noqa: SLF001 - one of us
            sums, wide = np.concatenate([sums, wide[serve]]), np.delete(wide, serve)
        return part._vanishing(sums, wide)  # noqa: SLF001

    def _vanishing(self, sums: Ints, wide: Ints) -> "ShortVectors | None":
        """Return the vectors without their sums: differences of short ones, and others cleared by these."""
        part, uneven = self, np.zeros(len(sums), dtype=np.bool_)
        while sums.any():
            short = uneven | part._short(sums)
            found = part._equal_sums(np.where(short, sums, 0))
            if found is None:
                return None
            part, equal = found
            sums = np.where(short, equal, sums)
            unit = int(np.abs(equal).max())
            if (wide % unit).any():
                break
            odd = sums % unit != 0
            if not odd.any():
                return part._without(sums, np.flatnonzero(equal), wide)  # noqa: SLF001
            uneven |= odd
        if not wide.any():
            return part
        every = part._narrowed(np.arange(part.wide.number))  # noqa: SLF001 - they are needed
        return every._vanishing(np.concatenate([sums, wide]), wide[:0])  # noqa: SLF001

    def _short(self, sums: Ints) -> Cells:
        """Return which vectors with a sum are so short that others are cleared by them."""
        short: Cells = (sums != 0) & (np.diff(self.starts) <= SHORT)
        if short.sum() < LEAST:
            active = np.flatnonzero(sums)
            short[active[np.argsort(self.size[active], kind="stable")[:LEAST]]] = True
        return short

    def _without(self, sums: Ints, short: Ints, wide: Ints) -> "ShortVectors | None":
        """Return the vectors without a sum, `short` being those of which the sums are of one size."""
        rows = (self.starts, self.columns, self.numbers)
        first, second = cheapest_tree(short, sums, *rows, self.weights, self.size)
        fresh = differences(first, second, sums[first] * sums[second] // sums[short[0]] ** 2, *rows)
        rest = sums != 0
        rest[short] = False
        long, changed = np.flatnonzero(rest), short[:-1]
        cleared: WideVectors | None = self.wide
        if fresh is not None and (len(long) or wide.any()):
            shortest = np.sort(short[np.argsort(self.size[short], kind="stable")[:CARRIERS]])
            carriers = Carriers.of(shortest, sums, rows, self.weights)
            if len(long):
                others = clear_sums(long, sums, rows, carriers)
                fresh = None if others is None else joined(fresh, others)
                changed = np.concatenate([changed, long])
            if wide.any():
                cleared = self.wide.cleared(wide, carriers, self.weights)
        if fresh is None or cleared is None:
            return None
        found = replace(self, wide=cleared)._with_rows(replaced(*rows, changed, fresh, int(short[-1])))  # noqa: SLF001
        return None if found is None else found._widened()  # noqa: SLF001

    def shortened(self, least: float, most: int, *, by_all: bool = True) -> "ShortVectors":
        """Return the vectors with the longest of them made shorter by others, where that is possible.

        They are those longer than `least`, squared, and no more than `most`. All others serve, or those with few
        entries, which takes less time and is the way where there are many.
        """
        by_all &= len(self.columns) <= EASY
        long, sparse = np.flatnonzero(self.size > least), len(self.sparse_size)
        long = long[np.argsort(-self.size[long], kind="stable")[:most]]
        if not len(long):
            return self
        far = long >= sparse
        every = self._narrowed(np.arange(self.wide.number) if by_all else long[far] - sparse)
        if not by_all:
            long[far] = sparse + np.arange(np.count_nonzero(far))
        rows = (every.starts, every.columns, every.numbers)
        serve = (np.diff(every.starts) <= SHORT) | by_all
        index = by_column(*rows, np.flatnonzero(serve), len(every.records))
        changed, sizes, columns, numbers = shorter(long, *rows, every.weights, every.sparse_size, index, ROUNDS)
        found = every._with_rows(replaced(*rows, changed, (sizes, columns, numbers), -1))  # noqa: SLF001
        return self if found is None else found._widened()  # noqa: SLF001

    def pinned(self, columns: Ints) -> "ShortVectors | None":
        """Return the vectors that leave some atoms' totals as they are, whatever whole numbers those are.

        None if they have too many entries, or if not all whole numbers are possible there.
        """
        part: ShortVectors | None = self
        for column in columns:
            if part is None:
                break
            alone = np.arange(len(part.records)) == column
            sums = np.append(sums_inside(part.starts, part.columns, part.numbers, alone), part.wide.sums(alone))
            part = part.with_set(part.labels == column) if np.gcd.reduce(sums) <= 1 else None
        return part

    def _split(self, cells: Cells) -> "ShortVectors":
        number = len(self.records)
        labels, columns = refine(self.labels, number, cells)
        if columns == number:
            return self
        more = columns - number
        parents = np.zeros(more, dtype=np.int64)
        parents[labels[labels >= number] - number] = self.labels[labels >= number]
        records = np.asarray(np.bincount(labels, self.counts, columns), dtype=np.float64)
        swapped = np.flatnonzero(records[number:] > records[parents])  # numbers stay with the larger part
        place = np.arange(columns)
        place[number + swapped], place[parents[swapped]] = parents[swapped], number + swapped
        labels, records = place[labels], records[place]
        starts = np.concatenate([self.starts, self.starts[-1] + 2 * np.arange(1, more + 1)])
        fresh = np.stack([parents, number + np.arange(more)], axis=1).astype(np.int32)
        wide = np.concatenate([self.columns, fresh.ravel()])
        numbers = np.concatenate([self.numbers, np.tile(np.array([-1, 1], dtype=np.int32), more)])
        stays = np.concatenate([self.stays, self.stays[parents]])[place]
        weight = weights(np.minimum(records, stays))
        return ShortVectors(
            labels,
            self.counts,
            records,
            starts,
            wide,
            numbers,
            lengths(starts, wide, numbers, weight),
            stays,
            self.wide.spread(self.weights, weight),
        )

    def _with_rows(self, rows: Rows) -> "ShortVectors | None":
        if len(rows[1]) + self.wide.numbers.size // 4 > ENTRIES:
            return None
        size = lengths(*rows, self.weights)
        return replace(self, starts=rows[0], columns=rows[1], numbers=rows[2], sparse_size=size)

    def _widened(self) -> "ShortVectors":
        """Return the same with sparse rows that have entries in many atoms as wide vectors."""
        entries = np.diff(self.starts)
        wide = (entries > WIDE) & (entries > len(self.records) // 8)
        if not wide.any() or np.abs(self.numbers).max() > LARGEST:
            return self
        rows = (self.starts, self.columns, self.numbers)
        more = self.wide.joined(chosen(*rows, np.flatnonzero(wide)), self.sparse_size[wide])
        starts, columns, numbers = chosen(*rows, np.flatnonzero(~wide))
        size = self.sparse_size[~wide]
        return replace(self, starts=starts, columns=columns, numbers=numbers, sparse_size=size, wide=more)

    def _narrowed(self, which: Ints) -> "ShortVectors":
        """Return the same with some of the wide vectors as sparse rows, behind the others."""
        if not len(which):
            return self
        starts, columns, numbers = self.wide.sparse(which)
        return replace(
            self,
            starts=np.concatenate([self.starts, self.starts[-1] + starts[1:]]),
            columns=np.concatenate([self.columns, columns]),
            numbers=np.concatenate([self.numbers, numbers]),
            sparse_size=np.concatenate([self.sparse_size, self.wide.size[which]]),
            wide=self.wide.without(which),
        )

    def _equal_sums(self, sums: Ints) -> "tuple[ShortVectors, Ints] | None":
        """Subtract vectors from each other until all sums that are left are of one size, as Euclid does.

        Vectors with a sum of one size either take the vector with a smaller sum that lengthens them least, or all but
        the shortest of them are replaced by their differences, whichever is shorter.
        """
        part = self
        while True:
            active = np.flatnonzero(sums)
            by_size = {int(size): active[np.abs(sums[active]) == size] for size in np.unique(np.abs(sums[active]))}
            if len(by_size) == 1:
                return part, sums
            rows = (part.starts, part.columns, part.numbers)
            shortest = {size: int(alike[np.argmin(part.size[alike])]) for size, alike in by_size.items()}
            first: list[Ints] = []
            second: list[Ints] = []
            factors: list[Ints] = []
            changed: list[Ints] = []
            for size, alike in list(by_size.items())[1:]:
                cost, other = min(
                    (float(np.rint(size / less)) ** 2 * part.size[row], row)
                    for less, row in shortest.items()
                    if less < size
                )
                if len(alike) > 1 and part.size[shortest[size]] < cost:
                    one, two = cheapest_tree(alike, sums, *rows, part.weights, part.size)
                    changed.append(alike[alike != shortest[size]])
                else:
                    one, two = alike, np.full(len(alike), other)
                    changed.append(alike)
                first, second = [*first, one], [*second, two]
                factors.append(np.rint(sums[one] / sums[two]).astype(np.int64))
            one, two, times, which = (np.concatenate(each) for each in (first, second, factors, changed))
            new = differences(one, two, times, *rows)
            made = None if new is None else part._with_rows(replaced(*rows, which, new, -1))
            if made is None:
                return None
            left = sums.copy()
            left[which] = sums[one] - times * sums[two]
            part, sums = made, left
