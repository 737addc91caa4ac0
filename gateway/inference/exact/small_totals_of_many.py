"""Totals of few people where there are too many atoms to keep a whole projection.

Let Q be the projection on the span of the answered sets, record by record. If the total of a group G is determined, the
flags of G lie in that span, and a record's leverage Q_jj is at least 1 / |G| (Cauchy and Schwarz: 1 = (1_G e_j)^2 =
(1_G Q e_j)^2 <= |G| Q_jj). So only atoms whose records have a leverage of 1 / (min_set - 1) or more can be in such a
group, and a group that is newly determined holds one that the new set moves, as the flags of G are no combination of
the old sets. For those atoms alone the entries of Q are computed, and searched as in `small_totals`. What is found is
checked modulo primes (`nullspace`). Beyond the budget the answer is "not shown", which denies.

Where a person has several records, a record weighs less, so that a person's records together weigh 1. Then the flags of
G have a squared length of at most the number of people in it, and all of this holds with people for records.

Records that are held at a value elsewhere in the audit are not held here: a total is determined by sums alone. A row
may have weights for flags, here at most 1; nothing above depends on what spans the space.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.blas_threads import threads_for
from sdcdb.gateway.inference.algebra.geometry import LEAST, Geometry
from sdcdb.gateway.inference.algebra.gram import Gram
from sdcdb.gateway.inference.algebra.growth import Growth
from sdcdb.gateway.inference.algebra.modular import reduced
from sdcdb.gateway.inference.algebra.weighted_rows import WeightedRows
from sdcdb.gateway.inference.exact.groups_of_people import EXACT
from sdcdb.gateway.inference.exact.small_totals import small_groups
from sdcdb.gateway.inference.people import People

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Cells = NDArray[np.bool_]
Row = NDArray[np.bool_] | NDArray[np.float64]

MOST_ATOMS = 2_000
WORK = 4e9  # multiplications
MOVED = 1e-6  # of a record, by which a set moves it at least


class ExplainedSets:
    """The answered sets as directions, and the leverage of a record of each cell."""

    def __init__(self, counts: NDArray[np.int64], people: People | None = None) -> None:
        self._weights = counts.astype(np.float64) if people is None else people.weights
        self._geometry, self._people = Geometry(self._weights, WeightedRows(len(counts))), people
        self._leverage = np.zeros(len(counts))

    @property
    def by_people(self) -> bool:
        """Whether a record weighs less where its person has several."""
        return self._people is not None

    @property
    def number(self) -> int:
        """How many sets were taken in."""
        return self._geometry.rows.number

    def add(self, cells: Row) -> None:
        """Take in a set that the others do not explain."""
        rest = self._geometry.rest(cells)
        if rest.length > LEAST:
            self._geometry.add(rest)
            self._leverage = self._leverage + rest.values**2 / rest.length

    def grow(self, growth: Growth, people: People | None = None) -> None:
        """Take in more cells. Each record weighs what it did."""
        self._people = people
        self._weights = growth.counts.astype(np.float64) if people is None else people.weights
        self._geometry.grow(growth, self._weights)
        self._leverage = growth.values(self._leverage, 0.0)

    def mark(self) -> tuple[tuple[Gram, int, Floats], Floats]:
        """Remember what was taken in."""
        return self._geometry.mark(), self._leverage

    def rewind(self, mark: tuple[tuple[Gram, int, Floats], Floats]) -> None:
        """Forget what was taken in since the mark."""
        self._geometry.rewind(mark[0])
        self._leverage = mark[1]

    def added_leverage(self, cells: Cells) -> Floats:
        """Return what a set would add to the leverage of a record of each cell."""
        rest = self._geometry.rest(cells)
        return np.asarray(rest.values**2 / rest.length if rest.length > LEAST else np.zeros(len(cells)))

    def determines(
        self, cells: Cells, earlier: Sequence[Cells], labels: Ints, sizes: Ints, proof: "Proof", min_set: int
    ) -> bool:
        """Tell whether a set, with `earlier` ones of its statement, newly determines the total of too few people.

        `sizes` are the people of each atom.
        """
        with self.trying():
            for each in earlier:
                self.add(each)
            return self.newly(cells, labels, sizes, proof, min_set)

    def combines(self, people: People, cells: Cells, earlier: Sequence[Cells], labels: Ints, sizes: Ints) -> bool:
        """Tell whether a set makes a combination of one person's records follow that did not, whatever its weights.

        What follows is the same on all records of an atom, so it is about atoms that are one person's alone. A
        combination of them follows exactly if the projection has the eigenvalue 1 there.
        """
        alone = np.flatnonzero(sizes == 1)
        if len(alone) < 2:
            return False
        whose = np.array([mine[0] for mine in people.members(labels, alone)])
        several = np.flatnonzero(np.bincount(whose)[whose] > 1)
        if not len(several):
            return False
        atoms, whose = alone[several], whose[several]
        rank = self._geometry.rows.number + len(earlier)
        if len(atoms) * rank * rank > WORK:
            return True
        _, first = np.unique(labels, return_index=True)
        weights = np.bincount(labels, weights=self._weights, minlength=len(sizes))[atoms]
        with self.trying():
            for each in earlier:
                self.add(each)
            rest = self._geometry.rest(cells)
            if rest.length <= LEAST:
                return True  # independent, and floating point does not see it
            half = self._geometry.gram.halves(self._geometry.rows.some(first[atoms])) * np.sqrt(weights)
            new = rest.values[first[atoms]] / np.sqrt(rest.length) * np.sqrt(weights)
        for person in np.unique(whose):
            mine = whose == person
            before = half[:, mine].T @ half[:, mine]
            after = before + np.outer(new[mine], new[mine])
            if _certain(after) > _certain(before):
                return True
        return False

    @contextmanager
    def trying(self) -> Iterator[None]:
        """Forget afterwards what is taken in meanwhile."""
        mark = self.mark()
        try:
            yield
        finally:
            self.rewind(mark)

    def newly(self, cells: Row, labels: Ints, sizes: Ints, proof: "Proof", min_set: int) -> bool:
        """Tell whether a set newly determines the total of too few people, beside all that were taken in."""
        rest = self._geometry.rest(cells)
        if rest.length <= LEAST:
            return True  # independent, and floating point does not see it
        _, first = np.unique(labels, return_index=True)
        leverage = (self._leverage + rest.values**2 / rest.length)[first]
        small = (sizes > 0) & (sizes < min_set)
        kept = np.flatnonzero(small & (leverage >= 1 / max(min_set - 1, 1) - EXACT))
        if not (np.abs(rest.values[first[kept]]) > MOVED).any():
            return False
        rank = self._geometry.rows.number
        if len(kept) > MOST_ATOMS or len(kept) * rank * (rank + len(kept)) > WORK:
            return True
        with threads_for(0):
            columns = self._geometry.rows.some(first[kept])
            half = self._geometry.gram.halves(columns)
            new = rest.values[first[kept]] / np.sqrt(rest.length)
            weights = np.bincount(labels, weights=self._weights, minlength=len(sizes))[kept].astype(np.float64)
            root = np.sqrt(weights)
            projection = np.eye(len(kept)) - np.outer(root, root) * (half.T @ half + np.outer(new, new))
        place = np.full(len(sizes), -1, dtype=np.int64)
        place[kept] = np.arange(len(kept))
        people = None if self._people is None else self._people.within(np.flatnonzero(place[labels] >= 0))
        inner = place[labels][place[labels] >= 0]
        groups, finished = small_groups(projection, weights, min_set, inner, people)
        return not finished or any(proof.is_new(kept[group], labels) for group in groups)


def _certain(projection: Floats) -> int:
    """Return how many combinations follow."""
    return int((np.linalg.eigvalsh(projection) > 1 - EXACT).sum())


class Proof:
    """Null vectors before and after a set, one per prime: they tell exactly what is determined."""

    def __init__(self, before: list[Floats], after: list[Floats], primes: tuple[int, ...]) -> None:
        self._before, self._after, self._primes = before, after, primes

    def is_new(self, group: Ints, labels: Ints) -> bool:
        """Tell whether a group of atoms is determined after and was not before."""
        members = np.isin(labels, group)
        return self._vanish(self._after, members) and not self._vanish(self._before, members)

    def _vanish(self, vectors: list[Floats], members: Cells) -> bool:
        values = (reduced(np.array([z[members].sum()]), p) for z, p in zip(vectors, self._primes, strict=True))
        return not any(value.any() for value in values)
