"""An audit of query sets alone, for answers whose numbers do not fit into one system.

Two sums may be about the same people and not about the same numbers: a salary before and after a raise, net and gross.
Who knows how the numbers hang together still has equations in the same unknowns. So nobody's value may follow from the
sets, whatever the answers are: no total of too few people may be determined (`exact`), and whole numbers must keep the
margin that random sums use up (`interval`). The narrowness of intervals depends on the answers and is not looked at.

Where somebody has several records, sets are as large as there are people in them, and no combination of one person's
records may follow, whatever the weights.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sdcdb.gateway.inference.algebra.growth import Growth
from sdcdb.gateway.inference.algebra.nullspace import NullSpace
from sdcdb.gateway.inference.exact.determined import determines
from sdcdb.gateway.inference.exact.small_totals import determines_small_total
from sdcdb.gateway.inference.exact.small_totals_of_many import ExplainedSets, Proof
from sdcdb.gateway.inference.intervals.atoms import refine
from sdcdb.gateway.inference.lattice.lattice import DENSE, Lattice
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.people import People

Cells = NDArray[np.bool_]


class SetAudit:
    """The sets whose sums were answered. `steps` is how many steps of their grid the values' domain is wide."""

    def __init__(
        self, counts: ArrayLike, steps: float, limits: Limits, secret: bytes, people: People | None = None
    ) -> None:
        records = np.asarray(counts, dtype=np.int64)
        self._live = np.flatnonzero(records)
        self._counts, self._limits = records[self._live], limits
        self._rng = np.random.default_rng(int.from_bytes(secret, "little"))
        self._exact = NullSpace(len(self._live), self._rng)
        self._lattice = Lattice.fresh(self._counts, steps, self._rng)
        mine = None if people is None else people.within(self._live)
        self._people = mine if mine is not None and mine.several else None
        self._explained = ExplainedSets(self._counts, self._people)
        self._labels, self._atoms = np.zeros(len(self._live), dtype=np.int64), min(1, len(self._live))

    @property
    def rank(self) -> int:
        """The number of independent sums answered."""
        return self._exact.rank

    def grow(self, growth: Growth, people: People | None = None) -> bool:
        """Go on in the table's next version. False, and nothing changed, if its state is to be found from the sets."""
        here = growth.within(self._live)
        if here is None or len(self._live) <= DENSE < len(here.counts):
            return False  # it was too small for short vectors
        if self._people is not None or (people is not None and people.several):
            return False  # people weigh otherwise than before
        self._live, self._counts = np.flatnonzero(growth.counts), here.counts
        self._lattice = self._lattice.grown(here, self._rng)
        self._exact.grow(here)
        self._explained.grow(here)
        self._labels, self._atoms = here.labels(self._labels, self._atoms)
        return True

    def consider(self, sets: Sequence[Cells]) -> list[str | None]:
        """Return, for each set of a statement, the rule that its sum would breach; the state is the same afterwards."""
        exact, lattice, labels, atoms = self._exact, self._lattice, self._labels, self._atoms
        found: list[str | None] = []
        earlier: list[Cells] = []
        for number, each in enumerate(sets):
            cells = np.ascontiguousarray(each[self._live])
            vectors = exact.vectors_with(cells)
            if vectors is None:
                found.append(None)
                continue
            split, parts = refine(labels, atoms, cells)
            sizes = self._sizes(split, parts)
            after = lattice.with_set(cells)
            least = self._limits.min_set
            alone = determines(exact.vectors(), vectors, exact.primes, split, sizes, least)
            proof = Proof(exact.vectors(), vectors, exact.primes)
            if (
                alone
                or self._small_total(lattice, after, cells, earlier, split, sizes, proof)
                or (self._people is not None and self._explained.combines(self._people, cells, earlier, split, sizes))
            ):
                found.append("exact")
            elif not lattice.allows(after):
                found.append("interval")
            else:
                found.append(None)
                labels, atoms, lattice = split, parts, after
                earlier.append(cells)
                if number < len(sets) - 1:
                    exact = exact.fork() if exact is self._exact else exact
                    exact.add(cells)
        return found

    def _sizes(self, labels: NDArray[np.int64], atoms: int) -> NDArray[np.int64]:
        """Return how many people each atom has."""
        if self._people is not None:
            return self._people.of_sets(labels, atoms, self._limits.min_set)
        return np.bincount(labels, weights=self._counts, minlength=atoms).astype(np.int64)

    def _small_total(
        self,
        before: Lattice,
        after: Lattice,
        cells: Cells,
        earlier: Sequence[Cells],
        labels: NDArray[np.int64],
        sizes: NDArray[np.int64],
        proof: Proof,
    ) -> bool:
        least = self._limits.min_set
        if self._limits.small_totals == "allow":
            return False
        if before.basis is not None and after.basis is not None and after.basis.projection is not None:
            return determines_small_total(before.basis, after.basis, least, self._people)
        return self._explained.determines(cells, earlier, labels, sizes, proof, least)

    def learn(self, sets: Sequence[Cells]) -> None:
        """Take in sets whose sums were answered."""
        for each in sets:
            cells = np.ascontiguousarray(each[self._live])
            if not self._exact.add(cells):
                continue
            self._explained.add(cells)
            self._labels, self._atoms = refine(self._labels, self._atoms, cells)
            self._lattice = self._lattice.with_set(cells)
