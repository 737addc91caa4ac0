"""The sets over which the count of one value was answered: what they determine, and how much they tell of each person.

The count of a value is a sum of ones and zeros, so the algebra of sums decides what is determined (`exact`): no count
of a value becomes determined over a group too small for its answer to be harmless (`plausible`), by whatever chain.

Sums of ones and zeros tell more than their rank: about 2 n / log2 n of them determine n people (coin weighing). A
person's leverage, the diagonal of the projection on the span of the sets, says which part of an answer's information is
about them: leverages of all people add up to the rank. So each answer of b bits costs a person b times what it adds to
their leverage, and nobody may be told more than a share of the entropy of their value. That limit is statistical.
"""

from typing import Any

import numpy as np

from sdcdb.gateway.inference.algebra.nullspace import NullSpace
from sdcdb.gateway.inference.categories.counting import Cells, Floats, Ints
from sdcdb.gateway.inference.exact.determined import determines
from sdcdb.gateway.inference.exact.small_totals_of_many import ExplainedSets, Proof
from sdcdb.gateway.inference.intervals.atoms import refine
from sdcdb.gateway.inference.people import People


class ValueSets:
    """The sets of one value. `counts` are the sizes of the cells that hold anybody.

    Where somebody has several records, `people` say whose they are: no group of fewer than `min_set` people may have
    its count determined either.
    """

    def __init__(self, counts: Ints, rng: np.random.Generator, people: People | None = None, min_set: int = 0) -> None:
        self._counts, self._people, self._min_set = counts, people, min_set
        self._exact = NullSpace(len(counts), rng)
        self._explained = ExplainedSets(counts)
        self._persons = None if people is None else ExplainedSets(counts, people)
        self.labels, self.atoms = np.zeros(len(counts), dtype=np.int64), min(1, len(counts))
        self.sets: tuple[Cells, ...] = ()
        self.bits = np.zeros(len(counts))
        """What each person of a cell has been told, in bits."""
        self._to_fork = False  # whether what is added must leave what is known as it is

    @property
    def rank(self) -> int:
        """How many of the sets are independent."""
        return len(self.sets)

    def implied(self, cells: Cells) -> bool:
        """Tell whether the count over a set follows."""
        return self._exact.implied(cells)

    def determines_small(self, cells: Cells, least: int) -> bool:
        """Tell whether the count over a group of fewer than `least` people would become determined."""
        vectors = self._exact.vectors_with(cells)
        if vectors is None:
            return False
        labels, atoms = refine(self.labels, self.atoms, cells)
        sizes = np.bincount(labels, weights=self._counts, minlength=atoms).astype(np.int64)
        if self._persons is not None and self._few_people(cells, labels, atoms, vectors):
            return True
        least = min(least, int(self._counts.sum()) + 1)
        if determines(self._exact.vectors(), vectors, self._exact.primes, labels, sizes, least, differences=False):
            return True
        proof = Proof(self._exact.vectors(), vectors, self._exact.primes)
        return self._explained.determines(cells, [], labels, sizes, proof, least)

    def _few_people(self, cells: Cells, labels: Ints, atoms: int, vectors: list[Floats]) -> bool:
        """Tell whether the count over the records of fewer than `min_set` people would become determined."""
        if self._people is None or self._persons is None:
            return False
        sizes, before = self._people.of_sets(labels, atoms, self._min_set), self._exact.vectors()
        if determines(before, vectors, self._exact.primes, labels, sizes, self._min_set, differences=False):
            return True
        proof = Proof(before, vectors, self._exact.primes)
        return self._persons.determines(cells, [], labels, sizes, proof, self._min_set)

    def leverage_of(self, cells: Cells) -> Floats:
        """Return what a set would add to the leverage of a person of each cell."""
        return self._explained.added_leverage(cells)

    def add(self, cells: Cells, bits: float) -> None:
        """Take in a set whose count was answered, with this much information."""
        if self._exact.implied(cells):
            return
        if self._to_fork:
            self._exact, self._to_fork = self._exact.fork(), False
        self._exact.add(cells)
        self.bits = self.bits + bits * self._explained.added_leverage(cells)
        self._explained.add(cells)
        if self._persons is not None:
            self._persons.add(cells)
        self.labels, self.atoms = refine(self.labels, self.atoms, cells)
        self.sets = (*self.sets, cells)

    def begin_trial(self) -> Any:
        """Remember what is known: what is added from here on is taken back by `end_trial`."""
        self._to_fork = True
        persons = None if self._persons is None else self._persons.mark()
        return self._exact, (self._explained.mark(), persons), self.labels, self.atoms, self.sets, self.bits

    def end_trial(self, mark: Any) -> None:
        """Take back what was added since."""
        self._exact, explained, self.labels, self.atoms, self.sets, self.bits = mark
        self._explained.rewind(explained[0])
        if self._persons is not None:
            self._persons.rewind(explained[1])
        self._to_fork = False
