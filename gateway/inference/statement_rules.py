"""The rules, in order, for the questions of one statement: what is decided never depends on an answer to them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.exact.answered_sums import History
from sdcdb.gateway.inference.exact.determined import determines
from sdcdb.gateway.inference.exact.small_totals import determines_small_total
from sdcdb.gateway.inference.exact.small_totals_of_many import Proof
from sdcdb.gateway.inference.extremes.extreme_range import implied_extreme, seen
from sdcdb.gateway.inference.extremes.extremes import try_extreme
from sdcdb.gateway.inference.extremes.holders import stay_hidden
from sdcdb.gateway.inference.finding import Finding
from sdcdb.gateway.inference.intervals.interval_rule import WIDE, Room
from sdcdb.gateway.inference.score import Score
from sdcdb.gateway.inference.state.feasible_state import Ground
from sdcdb.gateway.inference.state.sums import try_sum
from sdcdb.gateway.inference.units import Scale

Cells = NDArray[np.bool_]


@dataclass(frozen=True)
class Decision:
    """A finding, and for each kind of answer the range that it covered, in the audit's units."""

    finding: Finding
    covered: Mapping[str, tuple[float, float]] = field(default_factory=dict)


class Statement:
    """Questions that are asked together: each is decided as if the allowed ones before it were answered."""

    def __init__(
        self, history: History, ground: Ground, counts: NDArray[np.int64], scale: Scale, user: str | None = None
    ) -> None:
        self._user = user
        self._history, self._exact, self._ground = history, history.exact, ground
        self._counts, self._scale, self._limits = counts, scale, scale.limits
        self._people = ground.columns.people
        self._sets: list[Cells] = []
        self._sums: list[Cells] = []
        self._before = seen(ground)  # as answered: what is asked in this statement has no value yet
        self._extreme_sets: dict[str, list[Cells]] = {"min": [], "max": []}

    def decide(self, cells: Cells, kinds: frozenset[str], before: Score, *, last: bool) -> Decision:
        """Decide one question. If it is allowed, the ground keeps it as tried; if not, the ground is as it was."""
        mark = self._ground.mark()
        new = self._new_kinds(cells, kinds)
        if self._scale.too_coarse:
            return Decision(Finding(allowed=False, rule="interval", before=before, after=None, implied=False))
        if not new:
            return Decision(Finding(allowed=True, rule=None, before=before, after=before, implied=True))
        rule = self.overlap(cells) or self.pinned(cells, new) or self.determined(cells, new)
        room, covered = WIDE, dict[str, tuple[float, float]]()
        if rule is None:
            rule, room = self.room(cells, new, covered)
        if rule is not None:
            self._ground.rewind(mark)
            return Decision(Finding(allowed=False, rule=rule, before=before, after=None, implied=False))
        self._sets.append(cells)
        for kind in new - {"sum"}:
            self._extreme_sets[kind].append(cells)
        if "sum" in new:
            self._sums.append(cells)
        if "sum" in new and not last:
            if self._exact is self._history.exact:
                self._exact = self._exact.fork()
            self._exact.add(cells)
        after = self._scale.score(room)
        return Decision(Finding(allowed=True, rule=None, before=before, after=after, implied=False), covered)

    def _new_kinds(self, cells: Cells, kinds: frozenset[str]) -> frozenset[str]:
        return frozenset(
            kind
            for kind in kinds
            if not (
                self._exact.implied(cells)
                if kind == "sum"
                else implied_extreme(self._before, cells, kind, self._extreme_sets[kind])
            )
        )

    def overlap(self, cells: Cells) -> str | None:
        """Return `overlap` if the set shares too many records with another one."""
        most = self._limits.max_overlap
        if most is None:
            return None
        earlier = [*self._history.sets(), *(each.cells for each in self._ground.extremes), *self._sets]
        apart = all(self._size(cells & other) <= most for other in earlier if (cells != other).any())
        return None if apart else "overlap"

    def _size(self, cells: Cells) -> int:
        """Return how many people a set has."""
        return int(self._counts[cells].sum()) if self._people is None else self._people.number(cells)

    def pinned(self, cells: Cells, new: frozenset[str]) -> str | None:
        """Return `exact` if a MIN or MAX would point at too few people."""
        extremes, least = self._before.extremes, self._limits.min_set
        hidden = all(
            stay_hidden(extremes, [*self._extreme_sets[kind], cells], kind, self._size, least) for kind in new - {"sum"}
        )
        return None if hidden else "exact"

    def determined(self, cells: Cells, new: frozenset[str]) -> str | None:
        """Return `exact` if the total of too few people would become determined."""
        self._ground.split(cells)
        vectors = self._exact.vectors_with(cells) if "sum" in new else None
        if vectors is None:
            return None
        columns, exact = self._ground.columns, self._exact
        if self._people is not None:
            sizes = self._people.of_sets(columns.labels, columns.atoms, self._limits.min_set)
        else:
            sizes = np.bincount(columns.labels, weights=self._counts, minlength=columns.atoms).astype(np.int64)
        found = determines(exact.vectors(), vectors, exact.primes, columns.labels, sizes, self._limits.min_set)
        if not found and self._limits.small_totals == "forbid":
            proof = Proof(exact.vectors(), vectors, exact.primes)
            found = self._small_total(cells, sizes, proof)
        return "exact" if found else None

    def _small_total(self, cells: Cells, sizes: NDArray[np.int64], proof: Proof) -> bool:
        lattice = self._ground.columns.lattice
        before, after = lattice.basis, lattice.with_set(cells, self._user).basis
        least = self._limits.min_set
        if before is not None and after is not None and after.projection is not None:
            return determines_small_total(before, after, least, self._people)
        if not ((sizes > 0) & (sizes < least)).any():
            return False
        explained = self._history.explained(self._counts, self._people)
        return explained.determines(cells, self._sums, self._ground.columns.labels, sizes, proof, least)

    def _on_grid(self, cells: Cells) -> bool:
        """Tell whether whole numbers keep their room if a sum is answered; the ground takes the new margins."""
        columns = self._ground.columns
        after = columns.lattice.with_set(cells, self._user)
        if not columns.lattice.allows(after, self._user):
            return False
        self._ground.columns = replace(columns, lattice=after)
        return True

    def room(
        self, cells: Cells, new: frozenset[str], covered: dict[str, tuple[float, float]]
    ) -> tuple[str | None, Room]:
        """Return the rule that is breached and the room that is certified; note the answers that were covered."""
        failed, room = "interval" if self._scale.interval_need >= self._scale.cae_need else "cae", WIDE
        if self._ground.blind or ("sum" in new and not self._on_grid(cells)):
            return failed, room
        for kind in sorted(new, reverse=True):  # the sum first: it says most about where the others lie
            if kind == "sum":
                tried = try_sum(self._ground, cells, self._limits.delta)
            else:
                tried = try_extreme(self._ground, cells, kind, self._limits, self._before)
            if tried.room is None:
                return failed, room
            covered[kind] = (tried.low, tried.high)
            room = room.least(tried.room)
        return None, room
