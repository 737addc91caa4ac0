"""Counts over a history: the size of no set of too few people follows from the sizes that were shown.

A count is a sum of ones. So the algebra of `exact` decides here as well: over cells, whether the total of a union of
atoms of together fewer than `min_set` people is determined by the counts that were answered: one or two atoms modulo
primes, all unions by the search of `small_totals_of_many`. How many people are in the table counts as known from the
start: a total less all groups that are shown is the size of the one that is not.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.nullspace import NullSpace
from sdcdb.gateway.inference.exact.determined import determines
from sdcdb.gateway.inference.exact.small_totals_of_many import ExplainedSets, Proof
from sdcdb.gateway.inference.intervals.atoms import classes, refine
from sdcdb.gateway.inference.people import People

Cells = NDArray[np.bool_]


class CountAudit:
    """The sets whose sizes were shown, as flags of the cells of one version; `records` are the sizes of the cells.

    Where somebody has several records, `people` say whose they are: sets are as large as there are people in them.
    """

    def __init__(
        self,
        records: NDArray[np.int64],
        min_set: int,
        secret: bytes,
        shown: Sequence[Cells] = (),
        people: People | None = None,
    ) -> None:
        """Begin with sets that were shown, none of which followed from the others."""
        self._records, self._least = records, min_set
        self._people = people if people is not None and people.several else None
        self._exact = NullSpace(len(records), np.random.default_rng(int.from_bytes(secret, "little")))
        everybody = np.ones(len(records), dtype=np.bool_)
        self._explained = ExplainedSets(records, self._people)
        if len(records):
            self._exact.restore([everybody, *shown])
            for each in (everybody, *shown):
                self._explained.add(each)
        self._labels = classes(np.array(shown)) if shown else np.zeros(len(records), dtype=np.int64)
        self._atoms = int(self._labels.max(initial=-1)) + 1

    def consider(self, sets: Sequence[Cells]) -> list[bool]:
        """Tell which sets of a statement may be shown in size, each beside those before it. Nothing is learnt."""
        with self._explained.trying():
            return self._considered(sets)

    def _considered(self, sets: Sequence[Cells]) -> list[bool]:
        exact, labels, atoms = self._exact, self._labels, self._atoms
        found = []
        for number, cells in enumerate(sets):
            vectors = exact.vectors_with(cells)
            if vectors is None:
                found.append(True)
                continue
            split, parts = refine(labels, atoms, cells)
            if self._people is not None:
                sizes = self._people.of_sets(split, parts, self._least)
            else:
                sizes = np.bincount(split, weights=self._records, minlength=parts).astype(np.int64)
            before = exact.vectors()
            small = determines(before, vectors, exact.primes, split, sizes, self._least, differences=False)
            if not small and ((sizes > 0) & (sizes < self._least)).any():
                proof = Proof(before, vectors, exact.primes)
                small = self._explained.newly(cells, split, sizes, proof, self._least)
            found.append(not small)
            if not small:
                labels, atoms = split, parts
                if number < len(sets) - 1:
                    exact = exact.fork() if exact is self._exact else exact
                    exact.add(cells)
                    self._explained.add(cells)
        return found

    def learn(self, cells: Cells) -> bool:
        """Take in a set whose size was shown; False if it followed from the others."""
        if not self._exact.add(cells):
            return False
        self._explained.add(cells)
        self._labels, self._atoms = refine(self._labels, self._atoms, cells)
        return True

    def implied(self, cells: Cells) -> bool:
        """Tell whether the size of a set follows from what was shown."""
        return self._exact.implied(cells)
