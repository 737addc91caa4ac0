"""The rules, in order, for the questions of one statement: what is decided never depends on an answer to them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.exact.answered_sums import History
from sdcdb.gateway.inference.exact.determined import determines
from sdcdb.gateway.inference.extremes.extreme_range import implied_extreme, released_extreme
from sdcdb.gateway.inference.extremes.extremes import try_extreme
from sdcdb.gateway.inference.extremes.holders import stay_hidden
from sdcdb.gateway.inference.finding import Finding
from sdcdb.gateway.inference.score import Score
from sdcdb.gateway.inference.state.feasible_state import Ground
from sdcdb.gateway.inference.state.sums import try_sum
from sdcdb.gateway.inference.units import Scale

Cells = NDArray[np.bool_]


@dataclass(frozen=True)
class Decision:
    """A finding, and for a plain sum the answers that it covered, in the audit's units."""

    finding: Finding
    covered: tuple[float, float] | None = None


class Statement:
    """Questions that are asked together: each is decided as if the allowed ones before it were answered."""

    def __init__(self, history: History, ground: Ground, counts: NDArray[np.int64], scale: Scale) -> None:
        self._history, self._exact, self._ground = history, history.exact, ground
        self._counts, self._scale, self._limits = counts, scale, scale.limits
        self._released = None if history.released is None else history.released.fork()
        self._sets: list[Cells] = []

    def decide(self, cells: Cells, kinds: frozenset[str], before: Score, *, last: bool) -> Decision:
        """Decide one question. If it is allowed, the ground keeps it as tried; if not, the ground is as it was."""
        mark = self._ground.mark()
        new = self._new_kinds(cells, kinds)
        if self._scale.too_coarse or not self._given(cells, kinds - new):
            return Decision(Finding(allowed=False, rule="interval", before=before, after=None, implied=False))
        if not new:
            return Decision(Finding(allowed=True, rule=None, before=before, after=before, implied=True))
        rule = self.overlap(cells) or self.pinned(cells, new) or self.determined(cells, new)
        width, covered = 0.0, None
        if rule is None:
            rule, width, covered = self.room(cells, new)
        if rule is not None:
            self._ground.rewind(mark)
            return Decision(Finding(allowed=False, rule=rule, before=before, after=None, implied=False))
        self._sets.append(cells)
        if "sum" in new and not last:
            if self._exact is self._history.exact:
                self._exact = self._exact.fork()
            self._exact.add(cells)
            if self._released is not None:
                self._released.add(cells)
        after = self._scale.score(width)
        return Decision(Finding(allowed=True, rule=None, before=before, after=after, implied=False), covered)

    def _new_kinds(self, cells: Cells, kinds: frozenset[str]) -> frozenset[str]:
        return frozenset(
            kind
            for kind in kinds
            if not (self._exact.implied(cells) if kind == "sum" else implied_extreme(self._ground, cells, kind))
        )

    def _given(self, cells: Cells, implied: frozenset[str]) -> bool:
        """Tell whether what is implied follows from answers that were given, not from those learnt and denied."""
        if "sum" in implied and self._released is not None and not self._released.implied(cells):
            return False
        return all(released_extreme(self._ground, cells, kind) for kind in implied - {"sum"})

    def overlap(self, cells: Cells) -> str | None:
        """Return `overlap` if the set shares too many records with another one."""
        most = self._limits.max_overlap
        if most is None:
            return None
        earlier = [*self._history.sets(), *(each.cells for each in self._ground.extremes), *self._sets]
        apart = all(self._counts[cells & other].sum() <= most for other in earlier if (cells != other).any())
        return None if apart else "overlap"

    def pinned(self, cells: Cells, new: frozenset[str]) -> str | None:
        """Return `exact` if a MIN or MAX would point at too few people."""
        extremes, counts, least = self._ground.extremes, self._counts, self._limits.min_set
        hidden = all(stay_hidden(extremes, cells, kind, counts, least) for kind in new - {"sum"})
        return None if hidden else "exact"

    def determined(self, cells: Cells, new: frozenset[str]) -> str | None:
        """Return `exact` if the total of too few people would become determined."""
        self._ground.split(cells)
        vectors = self._exact.vectors_with(cells) if "sum" in new else None
        if vectors is None:
            return None
        columns, exact = self._ground.columns, self._exact
        sizes = np.bincount(columns.labels, weights=self._counts, minlength=columns.atoms).astype(np.int64)
        found = determines(exact.vectors(), vectors, exact.primes, columns.labels, sizes, self._limits.min_set)
        return "exact" if found else None

    def room(self, cells: Cells, new: frozenset[str]) -> tuple[str | None, float, tuple[float, float] | None]:
        """Return the rule that is breached, the width that is certified, and the answers that were covered."""
        failed = "interval" if self._scale.interval_need >= self._scale.cae_need else "cae"
        if self._ground.blind:
            return failed, 0.0, None
        width, covered = 1.0, None
        for kind in sorted(new, reverse=True):  # the sum first: it says most about where the others lie
            if kind == "sum":
                tried = try_sum(self._ground, cells, self._limits.delta)
                covered = (tried.low, tried.high) if new == {"sum"} else None
            else:
                tried = try_extreme(self._ground, cells, kind, self._limits.delta, self._limits.min_set)
            if tried.widths is None:
                return failed, 0.0, None
            width = min(width, float(tried.widths.min(initial=1.0)))
        return None, width, covered
