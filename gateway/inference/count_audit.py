"""Counts over a history: the size of no set of too few people follows from the sizes that were shown.

A count is a sum of ones. So the algebra of `exact` decides here as well: over cells, whether the total of a union of
atoms of together fewer than `min_set` people is determined by the counts that were answered: one or two atoms modulo
primes, all unions by the search of `small_totals_of_many`. How many people are in the table counts as known from the
start: a total less all groups that are shown is the size of the one that is not.

A sum of people's ages is a combination of the sizes of cells as well, with the ages as weights: two such sums over sets
that differ by a few people of one age tell how many those are. So it is one more equation in the same unknowns.

Cells that no set has told apart are one block, so a decision costs as much as was asked, not as there are cells.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.growth import Growth
from sdcdb.gateway.inference.algebra.nullspace import HEAVIEST, NullSpace
from sdcdb.gateway.inference.blocks import Blocks
from sdcdb.gateway.inference.exact.determined import determines
from sdcdb.gateway.inference.exact.small_totals_of_many import ExplainedSets, Proof
from sdcdb.gateway.inference.intervals.atoms import refine
from sdcdb.gateway.inference.people import People

Cells = NDArray[np.bool_]
Weights = NDArray[np.int64]


def weights_of(values: NDArray[np.float64]) -> Weights | None:
    """Return the weights that make a sum of values an equation in sizes, beside the size of the set itself.

    Values less the least of them, in steps of their greatest common divisor; None where they are no whole numbers, or
    too far apart.

    >>> weights_of(np.array([30.0, 40.0, 55.0])).tolist()
    [0, 2, 5]
    >>> weights_of(np.array([30.5, 31.0])) is None
    True
    """
    if not len(values) or not np.all(np.abs(values) < 2**53) or not np.array_equal(np.rint(values), values):
        return None
    whole = values.astype(np.int64)
    whole -= whole.min()
    whole //= max(1, int(np.gcd.reduce(whole)))
    return whole if whole.max() <= HEAVIEST else None


class CountAudit:
    """The sets whose sizes were shown, as flags of the cells of one version; `records` are the sizes of the cells.

    What was summed up over a set is taken in as a weight per cell, 0 outside of it, after the set itself. Where
    somebody has several records, `people` say whose they are: sets are as large as there are people in them.
    """

    def __init__(
        self,
        records: NDArray[np.int64],
        min_set: int,
        secret: bytes,
        shown: Sequence[Cells | Weights] = (),
        people: People | None = None,
    ) -> None:
        """Begin with sets that were shown, none of which followed from the others."""
        self._least = min_set
        self._apart: tuple[Cells | Weights, ...] = ()  # the sets that were told apart last
        several = people if people is not None and people.several else None
        self._blocks = Blocks.whole(records, several, None)
        self._exact = NullSpace(self._blocks.number, np.random.default_rng(int.from_bytes(secret, "little")))
        self._explained = ExplainedSets(self._blocks.records, self._blocks.people)
        self._labels = np.zeros(self._blocks.number, dtype=np.int64)
        self._atoms = self._blocks.number
        if len(records):
            self._begin(shown)

    def _begin(self, shown: Sequence[Cells | Weights]) -> None:
        self._tell_apart(shown)
        rows = [np.ones(self._blocks.number, dtype=np.bool_), *map(self._blocks.row, shown)]
        self._exact.restore(rows)
        for each in rows:
            self._explained.add(_scaled(each))
            self._labels, self._atoms = _split(self._labels, self._atoms, each)

    def _tell_apart(self, sets: Sequence[Cells | Weights]) -> None:
        """Make blocks of which no set cuts one. They hold the same people, and are in the same sets, as before."""
        if self._apart and all(any(each is one for one in self._apart) for each in sets):
            return  # they were told apart when they were considered
        self._apart = tuple(sets)
        found = self._blocks.cut(sets)
        if found is not None:
            self._blocks, growth = found
            self._grow(growth)

    def _grow(self, growth: Growth) -> None:
        self._exact.grow(growth)
        self._explained.grow(growth, self._blocks.people)
        self._labels, self._atoms = growth.labels(self._labels, self._atoms)

    def consider(self, sets: Sequence[Cells | Weights]) -> list[bool]:
        """Tell which sets of a statement may be shown in size, each beside those before it. Nothing is learnt."""
        self._tell_apart(sets)
        with self._explained.trying():
            return self._considered([self._blocks.row(each) for each in sets])

    def _considered(self, sets: Sequence[Cells | Weights]) -> list[bool]:
        exact, labels, atoms, people = self._exact, self._labels, self._atoms, self._blocks.people
        found = []
        for number, cells in enumerate(sets):
            vectors = exact.vectors_with(cells)
            if vectors is None:
                found.append(True)
                continue
            split, parts = _split(labels, atoms, cells)
            if people is not None:
                sizes = people.of_sets(split, parts, self._least)
            else:
                sizes = np.bincount(split, weights=self._blocks.records, minlength=parts).astype(np.int64)
            before = exact.vectors()
            small = determines(before, vectors, exact.primes, split, sizes, self._least, differences=False)
            if not small and ((sizes > 0) & (sizes < self._least)).any():
                proof = Proof(before, vectors, exact.primes)
                small = self._explained.newly(_scaled(cells), split, sizes, proof, self._least)
            found.append(not small)
            if not small:
                labels, atoms = split, parts
                if number < len(sets) - 1:
                    exact = exact.fork() if exact is self._exact else exact
                    exact.add(cells)
                    self._explained.add(_scaled(cells))
        return found

    def learn(self, cells: Cells | Weights) -> bool:
        """Take in a set whose size was shown; False if it followed from the others."""
        self._tell_apart([cells])
        row = self._blocks.row(cells)
        if not self._exact.add(row):
            return False
        self._explained.add(_scaled(row))
        self._labels, self._atoms = _split(self._labels, self._atoms, row)
        return True


def _split(labels: NDArray[np.int64], atoms: int, row: Cells | Weights) -> tuple[NDArray[np.int64], int]:
    """Split atoms by a set, or by the weights of a sum."""
    if row.dtype == np.bool_:
        return refine(labels, atoms, row.astype(np.bool_))
    values, inverse = np.unique(labels * (HEAVIEST + 1) + row, return_inverse=True)
    return inverse.astype(np.int64), len(values)


def _scaled(row: Cells | Weights) -> NDArray[np.bool_] | NDArray[np.float64]:
    """Bring weights to the size of flags, for floating point."""
    return row.astype(np.bool_) if row.dtype == np.bool_ else row / max(1, int(row.max()))
