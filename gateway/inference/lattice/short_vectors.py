"""Short whole-number vectors on which every answered sum vanishes: for any number of atoms.

They are kept sparse. When a set is answered, vectors with a sum over it are replaced by differences: those of a
spanning tree of least length (`sparse_trees`), which span all whole-number combinations without a sum. Where some have
grown long, they are made shorter by others (`shortened`). Every vector is explicit: added to a table it changes no
answer.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.growth import Growth
from sdcdb.gateway.inference.intervals.atoms import refine
from sdcdb.gateway.inference.lattice.margins import weights
from sdcdb.gateway.inference.lattice.shortening import shorter
from sdcdb.gateway.inference.lattice.sparse_rows import (
    Rows,
    add_squares,
    by_column,
    differences,
    lengths,
    replaced,
    sums_inside,
    with_changed,
)
from sdcdb.gateway.inference.lattice.sparse_trees import cheapest_tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Entries = NDArray[np.int32]
Cells = NDArray[np.bool_]

ENTRIES = 4_000_000  # of all vectors together
ROUNDS = 4  # of shortening one vector
LONG = (0, 4, 8, 16, 32, 64, 128, 256, 512)  # how many vectors are taken by themselves, as the longest


@dataclass(frozen=True, eq=False)
class ShortVectors:
    """The vectors, as sparse rows over atoms: `labels` is the atom of each cell, `records` the records of each atom.

    `size` is the squared length of each vector, in the geometry of `margins.weights`.
    """

    labels: Ints
    counts: Floats
    records: Floats
    starts: Ints
    columns: Entries
    numbers: Entries
    size: Floats

    @classmethod
    def fresh(cls, counts: Floats) -> "ShortVectors":
        """Return the one vector of the one atom that there is before the first question."""
        one, records, labels = (
            np.ones(1, dtype=np.int32),
            np.array([counts.sum()]),
            np.zeros(len(counts), dtype=np.int64),
        )
        return cls(labels, counts, records, np.array([0, 1]), 0 * one, one, weights(records))

    @property
    def number(self) -> int:
        """How many vectors there are."""
        return len(self.size)

    def grown(self, growth: Growth) -> "ShortVectors":
        """Return the vectors for more cells: newcomers are one atom more, and its unit vector is one more of them."""
        labels, atoms = growth.labels(self.labels, len(self.records))
        found = replace(self, labels=labels, counts=growth.counts.astype(np.float64))
        if atoms == len(self.records):
            return found
        return replace(
            found,
            records=np.append(self.records, float(growth.newcomers)),
            starts=np.append(self.starts, self.starts[-1] + 1),
            columns=np.append(self.columns, np.int32(atoms - 1)),
            numbers=np.append(self.numbers, np.int32(1)),
            size=np.append(self.size, weights(np.array([float(growth.newcomers)]))),
        )

    @cached_property
    def weights(self) -> Floats:
        """The weight of each atom in the length of a vector."""
        return weights(self.records)

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
            add_squares(self.starts, self.columns, self.numbers, order[before:number], long)
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
        sums = sums_inside(part.starts, part.columns, part.numbers, part.inside(cells))
        if not sums.any():
            return part
        found = part._equal_sums(sums)  # noqa: SLF001 - one of us
        if found is None:
            return None
        part, sums = found
        active = np.flatnonzero(sums)
        rows = (part.starts, part.columns, part.numbers)
        first, second = cheapest_tree(active, sums, *rows, part.weights, part.size)
        new = differences(first, second, sums[first] * sums[second] // sums[active[0]] ** 2, *rows)
        if new is None:
            return None
        return part._with_rows(replaced(*rows, active[:-1], new, int(active[-1])))  # noqa: SLF001 - one of us

    def shortened(self, least: float, most: int) -> "ShortVectors":
        """Return the vectors with the longest of them made shorter by others, where that is possible.

        They are those longer than `least`, squared, and no more than `most`.
        """
        long = np.flatnonzero(self.size > least)
        long = long[np.argsort(-self.size[long], kind="stable")[:most]]
        if not len(long):
            return self
        rows = (self.starts, self.columns, self.numbers)
        index = by_column(*rows, np.arange(self.number), len(self.records))
        changed, sizes, columns, numbers = shorter(long, *rows, self.weights, self.size, index, ROUNDS)
        return self._with_rows(with_changed(*rows, changed, (sizes, columns, numbers))) or self

    def pinned(self, columns: Ints) -> "ShortVectors | None":
        """Return the vectors that leave some atoms' totals as they are, whatever whole numbers those are.

        None if they have too many entries, or if not all whole numbers are possible there.
        """
        part: ShortVectors | None = self
        for column in columns:
            if part is None:
                break
            sums = sums_inside(part.starts, part.columns, part.numbers, np.arange(len(part.records)) == column)
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
        size = lengths(starts, wide, numbers, weights(records))
        return ShortVectors(labels, self.counts, records, starts, wide, numbers, size)

    def _with_rows(self, rows: Rows) -> "ShortVectors | None":
        if len(rows[1]) > ENTRIES:
            return None
        return ShortVectors(self.labels, self.counts, self.records, *rows, lengths(*rows, self.weights))

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
