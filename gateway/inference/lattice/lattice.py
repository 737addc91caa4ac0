"""The grid of the column, as the audit sees it: margins for the real audit, and whether they are small enough.

Three *shadows* are kept beside the basis: the same with a random fifth of the records left out, as if an intruder knew
their values. In all four every record's margin must stay below the cap, and in a shadow nobody may stand alone. (An
intruder knows some other fifth: this is evidence, not proof.)

The cap is 10 steps, or 15% of the domain if that is less. The declared grid is often finer than the one that people
use (salaries in hundreds): a cap in steps keeps the proof's reserve for a grid that is coarser by that factor.

Vectors of more than `DENSE` columns are not carried along. Beyond that the *leverages* of records in small cells, the
shares of them that the answered sums pin down, must stay below a limit, and the cap stands for the margin. Sums
supported on a set S of people number at most the sum of their leverages, and reconstruction needs a share of about
b / (b + log2(1.19 sqrt(|S| / 2))) of |S|, for values of b bits. The mean leverage of the best-known people, however
many, must be below 70% of that share; 80% is what is left when a fifth of them is known. That is evidence against
lattice reduction of random sums, not a proof: sums that are chosen to leave a remainder modulo a large number have
small leverages.
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.lattice.basis import Basis, fresh_basis, pinned, with_set

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Cells = NDArray[np.bool_]

MOST_STEPS, MOST_SHARE = 10.0, 0.15
SHADOWS, KNOWN = 3, 0.2
DENSE = 1200
LEVERAGE = 0.7  # of the share of a group's size at which reconstruction begins
LARGE = 10  # records of a cell that hide each other: 10! is more than a million
GIVEN_UP = 20  # columns that a history beyond the cap may cost


@dataclass(frozen=True)
class Grid:
    """The grid: how many steps the domain is wide, and the largest margin that is tolerated, in steps."""

    steps: float

    @property
    def cap(self) -> float:
        """The largest margin, in steps."""
        return min(MOST_STEPS, MOST_SHARE * self.steps)

    def most_leverage(self, people: Floats) -> Floats:
        """Return the largest mean leverage of so many people in small cells, where margins are not computed."""
        bits = math.log2(self.steps + 1) if self.steps > 0 else 0.0
        return LEVERAGE * bits / (bits + np.maximum(np.log2(1.19 * np.sqrt(people / 2)), 0.0) + 1e-12)

    def bears(self, leverage: Floats, before: Floats) -> bool:
        """Tell whether the best-known people, any number of them, are known little enough, or no better than before."""
        risen = leverage[leverage > before + 1e-9]
        if len(risen) == 0 or len(leverage) == 0:
            return True
        people = np.arange(1.0, len(leverage) + 1)
        mean = np.cumsum(np.sort(leverage)[::-1]) / people
        earlier = np.cumsum(np.sort(before)[::-1]) / people
        return bool((mean <= np.maximum(self.most_leverage(people), earlier + 1e-9)).all())


@dataclass(frozen=True, eq=False)
class Shadow:
    """A basis over some of the cells."""

    cells: Ints
    basis: Basis | None

    def with_set(self, cells: Cells, cap: float) -> "Shadow":
        """Take in a set."""
        if self.basis is None:
            return self
        return Shadow(self.cells, _dense(with_set(self.basis, cells[self.cells], cap)))

    def worse(self, before: "Shadow", cap: float) -> bool:
        """Tell whether a margin passes the cap, or somebody stands alone who did not before."""
        if self.basis is None or before.basis is None:
            return self.basis is not before.basis and before.basis is not None and len(before.basis.records) < DENSE / 2
        if self.basis.worst > max(cap, before.basis.worst):
            return True
        return _exposed(self.basis) > _exposed(before.basis)


@dataclass(frozen=True, eq=False)
class Lattice:
    """The bases after some answered sums. `too_large` says that the leverages are to be looked at instead."""

    grid: Grid
    counts: Floats
    basis: Basis | None
    shadows: tuple[Shadow, ...]
    lost: bool = False
    _next: dict[bytes, "Lattice"] = field(default_factory=dict)
    _margins: dict[bytes, Floats] = field(default_factory=dict)

    @classmethod
    def fresh(cls, counts: NDArray[np.int64], steps: float, rng: np.random.Generator) -> "Lattice":
        """Return the state before the first question."""
        shadows = []
        for _ in range(SHADOWS):
            left = counts - rng.binomial(counts, KNOWN)
            live = np.flatnonzero(left)
            shadows.append(Shadow(live, fresh_basis(left[live])))
        return cls(Grid(steps), counts.astype(np.float64), fresh_basis(counts, projected=True), tuple(shadows))

    @property
    def too_large(self) -> bool:
        """Whether there are too many columns to carry vectors along."""
        return self.basis is None

    def with_set(self, cells: Cells) -> "Lattice":
        """Return the state with one more answered set. The last one is kept: what is allowed is learnt next."""
        if self.basis is None:
            return self
        key = cells.tobytes()
        if key not in self._next:
            cap = self.grid.cap
            made = with_set(self.basis, cells, cap)
            basis, lost = _dense(made), made is None
            shadows = tuple(each.with_set(cells, cap) for each in self.shadows) if basis is not None else ()
            self._next.clear()
            self._next[key] = Lattice(self.grid, self.counts, basis, shadows, lost)
        return self._next[key]

    def allows(self, after: "Lattice") -> bool:
        """Tell whether the margins of a later state are small enough, or no worse than they are."""
        if after.lost:
            return False
        if self.basis is None or after.basis is None:
            return True
        cap = self.grid.cap
        if after.basis.worst > max(cap, self.basis.worst):
            return False
        return not any(new.worse(old, cap) for new, old in zip(after.shadows, self.shadows, strict=True))

    def settled(self) -> "Lattice":
        """Return a state that can go on after answers that were not asked for: the worst columns are given up."""
        basis, cap = self.basis, self.grid.cap
        for _ in range(GIVEN_UP):
            if basis is None or basis.worst <= cap:
                break
            basis = pinned(basis, np.array([int(basis.margin.argmax())]), cap)
        if basis is self.basis and not self.lost:
            return self
        return replace(self, basis=basis, lost=False, _next={}, _margins={})

    def margins(self, number: Floats) -> Floats:
        """Return the margin of a record of each cell, in steps, when `number` records of each cell may move.

        The total of a column moves by at most its margin; c records take it in equal parts and are then rounded so
        that their sum stays, by less than 1. Columns of which no record may move are pinned first.
        """
        if self.basis is None:
            return np.where(self.counts >= LARGE, 1.0 + self.grid.cap / self.counts, self.grid.cap)
        basis = self.basis
        free = np.asarray(np.bincount(basis.labels, number, len(basis.records)), dtype=np.float64)
        key = free.tobytes()
        if key not in self._margins:
            pins = np.flatnonzero((free < 0.5) & basis.touched & (basis.margin > 0))
            found = pinned(basis, pins, self.grid.cap) if len(pins) else basis
            self._margins.clear()
            self._margins[key] = np.full(len(number), np.inf) if found is None else _per_record(found, free)
        return self._margins[key]


def _per_record(basis: Basis, free: Floats) -> Floats:
    total = basis.margin * basis.records
    each = np.where(free >= 1.5, total / np.maximum(free, 1.0) + 1.0, np.where(free >= 0.5, total, 0.0))
    return np.asarray(np.where(basis.touched, each, 0.0)[basis.labels], dtype=np.float64)


def _dense(basis: Basis | None) -> Basis | None:
    return None if basis is None or len(basis.records) > DENSE else basis


def _exposed(basis: Basis) -> int:
    """Count the records that stand alone and that no vector moves."""
    return int((basis.touched & (basis.records < 1.5) & (basis.margin == 0)).sum())
