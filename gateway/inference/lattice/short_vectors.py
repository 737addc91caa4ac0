"""Short whole-number vectors on which every answered sum vanishes: for any number of atoms.

They are kept sparse. When a set is answered, vectors with a sum over it are replaced by differences: those of a
spanning tree of least length (`sparse_rows`), which span all whole-number combinations without a sum. Then each new
vector is made shorter by others, while that helps. Every vector is explicit: added to a table it changes no answer.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.growth import Growth
from sdcdb.gateway.inference.intervals.atoms import refine
from sdcdb.gateway.inference.lattice.explained_rows import unexplained
from sdcdb.gateway.inference.lattice.sparse_rows import (
    cheapest_tree,
    differences,
    lengths,
    partners,
    replaced,
    sums_inside,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Cells = NDArray[np.bool_]

ENTRIES = 4_000_000  # of all vectors together
ROUNDS = 3  # of shortening
MOST_LONG, STEPS = 32, 16  # vectors that others explain, and steps towards how well they do


@dataclass(frozen=True, eq=False)
class ShortVectors:
    """The vectors, as sparse rows over atoms: `labels` is the atom of each cell, `records` the records of each atom.

    `size` is the squared length of each vector, where a number in the total of an atom of c records counts 1 / c.
    """

    labels: Ints
    counts: Floats
    records: Floats
    starts: Ints
    columns: Ints
    numbers: Ints
    size: Floats
    _longest: dict[float, float] = field(default_factory=dict, init=False)

    @classmethod
    def fresh(cls, counts: Floats) -> "ShortVectors":
        """Return the one vector of the one atom that there is before the first question."""
        one = np.ones(1, dtype=np.int64)
        records = np.array([counts.sum()])
        return cls(np.zeros(len(counts), dtype=np.int64), counts, records, np.array([0, 1]), 0 * one, one, 1 / records)

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
            columns=np.append(self.columns, atoms - 1),
            numbers=np.append(self.numbers, 1),
            size=np.append(self.size, 1.0 / growth.newcomers),
        )

    def longest(self, wanted: float) -> float:
        """Return what the squared lengths of their Gram-Schmidt vectors are at most, if those that are long come last.

        Those are longer than `wanted`: what the others leave of them is made shorter until it is not, or for `STEPS`.
        """
        if wanted not in self._longest:
            long = self.size > wanted
            found = float(self.size.max(initial=0.0))
            if 0 < np.count_nonzero(long) <= min(MOST_LONG, self.number - 1):
                rows = (self.starts, self.columns, self.numbers)
                left = unexplained(rows, long, self.records**-0.5, wanted, STEPS)
                found = max(float(self.size[~long].max()), left)
            self._longest[wanted] = found
        return self._longest[wanted]

    def inside(self, cells: Cells) -> Cells:
        """Return the atoms of a set, which cuts none."""
        found = np.zeros(len(self.records), dtype=np.bool_)
        found[self.labels[cells]] = True
        return found

    def with_set(self, cells: Cells, enough: float = 0.0) -> "ShortVectors | None":
        """Return the vectors that vanish on one more set; None if they have too many entries.

        New vectors that are longer than `enough`, squared, are made shorter where that is possible.
        """
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
        first, second = cheapest_tree(active, sums, *rows, 1.0 / part.records, part.size)
        new = differences(first, second, sums[first] * sums[second] // sums[active[0]] ** 2, *rows)
        if new is None:
            return None
        made = part._with_rows(replaced(*rows, active[:-1], new, int(active[-1])))  # noqa: SLF001 - one of us
        if made is None:
            return None
        long = active[:-1][made.size[active[:-1]] > enough]
        return made._shortened(long) if len(long) else made  # noqa: SLF001 - one of us

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
        starts = np.concatenate([self.starts, self.starts[-1] + 2 * np.arange(1, more + 1)])
        fresh = np.stack([parents, number + np.arange(more)], axis=1)
        wide = np.concatenate([self.columns, fresh.ravel()])
        numbers = np.concatenate([self.numbers, np.tile([-1, 1], more)])
        size = lengths(starts, wide, numbers, 1.0 / records)
        return ShortVectors(labels, self.counts, records, starts, wide, numbers, size)

    def _with_rows(self, rows: tuple[Ints, Ints, Ints]) -> "ShortVectors | None":
        if len(rows[1]) > ENTRIES:
            return None
        return ShortVectors(self.labels, self.counts, self.records, *rows, lengths(*rows, 1.0 / self.records))

    def _equal_sums(self, sums: Ints) -> "tuple[ShortVectors, Ints] | None":
        """Subtract vectors from each other until all sums that are left are of one size, as Euclid does."""
        part = self
        while True:
            active = np.flatnonzero(sums)
            least = np.abs(sums[active]).min()
            larger = active[np.abs(sums[active]) != least]
            if len(larger) == 0:
                return part, sums
            small = active[np.abs(sums[active]) == least]
            best = small[np.argmin(part.size[small])]
            factors = np.rint(sums[larger] / sums[best]).astype(np.int64)
            rows = (part.starts, part.columns, part.numbers)
            new = differences(larger, np.full(len(larger), best), factors, *rows)
            made = None if new is None else part._with_rows(replaced(*rows, larger, new, -1))
            if made is None:
                return None
            part, sums = made, sums.copy()
            sums[larger] -= factors * sums[best]

    def _shortened(self, wanted: Ints) -> "ShortVectors":
        part = self
        usable = np.ones(self.number, dtype=np.bool_)
        for _ in range(ROUNDS):
            order = wanted[np.argsort(-part.size[wanted], kind="stable")]
            rows = (part.starts, part.columns, part.numbers)
            first, second, factors = partners(order, usable, *rows, 1.0 / part.records, part.size)
            new = differences(first, second, factors, *rows) if len(first) else None
            made = None if new is None else part._with_rows(replaced(*rows, first, new, -1))
            if made is None:
                break
            part, wanted = made, first
        return part
