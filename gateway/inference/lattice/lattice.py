"""The grid of the column, as the audit sees it: margins for the real audit, and whether they are small enough.

The margins come from a basis with its Gram-Schmidt vectors (`basis`). In a table of many cells that takes long, and is
not needed as long as short vectors alone keep the margins small (`short_vectors`): beyond `DENSE` columns the basis is
set up only when they do not any more. When neither is within its budget, the question is denied.

Three *shadows* are kept beside a basis of up to `DENSE` columns: the same with a random fifth of the records left out,
as if an intruder knew their values. In all of them every record's margin must stay below the cap, and in a shadow
nobody may stand alone. (An intruder knows some other fifth: this is evidence, not proof.)

Users share the margin. The highest that it ever was is a sum of raises, each by one user's question; one user may raise
it by `SHARE` of the cap in all, so that nobody can use it up for the others.

The cap is 10 steps, or 15% of the domain if that is less. The declared grid is often finer than the one that people
use (salaries in hundreds): a cap in steps keeps the proof's reserve for a grid that is coarser by that factor.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.growth import Growth
from sdcdb.gateway.inference.lattice.basis import Basis, fresh_basis, from_short, grown, pinned, with_set
from sdcdb.gateway.inference.lattice.margins import longest_for, margins_of_squares
from sdcdb.gateway.inference.lattice.short_vectors import ShortVectors

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Cells = NDArray[np.bool_]

MOST_STEPS, MOST_SHARE = 10.0, 0.15
SHADOWS, KNOWN = 3, 0.2
DENSE = 1200
SHARE = 0.6  # of the cap that one user's questions may raise the margin by
EASY = 0.25  # of the longest vector that the cap bears: up to that, none is made shorter
COMFORT = 0.85  # of the cap: up to that, no vector is made shorter
FEW, MANY = 24, (100, 200)  # how many are made shorter in passing, and before a question is denied
NUMBERS = 24_000_000  # of a basis, vectors times columns


@dataclass(frozen=True)
class Grid:
    """The grid: how many steps the domain is wide, and the largest margin that is tolerated, in steps."""

    steps: float

    @property
    def cap(self) -> float:
        """The largest margin, in steps."""
        return min(MOST_STEPS, MOST_SHARE * self.steps)


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

    def grown(self, counts: Floats, growth: Growth, rng: np.random.Generator) -> "Shadow":
        """Return the shadow in the table's next version. Of newcomers a fifth is left out too, at random.

        `counts` are the records of all cells before. Those that are left of a cell fall to its parts at random.
        """
        if self.basis is None:
            return self
        here, column = np.zeros(len(counts), dtype=np.int64), np.zeros(len(counts), dtype=np.int64)
        here[self.cells], column[self.cells] = self.basis.counts.astype(np.int64), self.basis.labels
        left = growth.shared(here, counts.astype(np.int64), rng)
        fresh = growth.before + np.flatnonzero(growth.came)
        left[fresh] -= rng.binomial(left[fresh], KNOWN)
        live = np.flatnonzero(left)
        labels, _ = growth.labels(column, len(self.basis.records))
        came = float(left[fresh].sum())
        return Shadow(live, _dense(grown(self.basis, labels[live], left[live].astype(np.float64), came)))

    def worse(self, before: "Shadow", cap: float) -> bool:
        """Tell whether a margin passes the cap, or somebody stands alone who did not before."""
        if self.basis is None or before.basis is None:
            return self.basis is not before.basis and before.basis is not None and len(before.basis.records) < DENSE / 2
        if self.basis.worst > max(cap, before.basis.worst):
            return True
        return _exposed(self.basis) > _exposed(before.basis)


@dataclass(frozen=True, eq=False)
class Lattice:
    """What is carried along after some answered sums. With neither a basis nor short vectors, nothing is certified."""

    grid: Grid
    counts: Floats
    basis: Basis | None
    shadows: tuple[Shadow, ...]
    short: ShortVectors | None = None
    peak: float = 0.0
    raised: Mapping[str, float] = field(default_factory=dict)
    _next: dict[bytes, "Lattice"] = field(default_factory=dict)
    _margins: dict[bytes, Floats] = field(default_factory=dict)

    @classmethod
    def fresh(
        cls, counts: NDArray[np.int64], steps: float, rng: np.random.Generator, *, many: bool | None = None
    ) -> "Lattice":
        """Return the state before the first question. `many` says that there will be more than `DENSE` cells."""
        shadows = []
        for _ in range(SHADOWS):
            left = counts - rng.binomial(counts, KNOWN)
            live = np.flatnonzero(left)
            shadows.append(Shadow(live, fresh_basis(left[live])))
        floats = counts.astype(np.float64)
        short = ShortVectors.fresh(floats) if (len(counts) > DENSE if many is None else many) else None
        return cls(Grid(steps), floats, fresh_basis(counts, projected=True), tuple(shadows), short)

    def grown(self, growth: Growth, rng: np.random.Generator) -> "Lattice":
        """Return the state for more cells."""
        counts = growth.counts.astype(np.float64)
        basis = None
        if self.basis is not None:
            labels, _ = growth.labels(self.basis.labels, len(self.basis.records))
            basis = _within(grown(self.basis, labels, counts, float(growth.newcomers)))
        short = None if self.short is None else self.short.grown(growth)
        shadows = tuple(each.grown(self.counts, growth, rng) for each in self.shadows)
        return Lattice(self.grid, counts, basis, shadows, short, self.peak, self.raised)

    @property
    def lost(self) -> bool:
        """Whether nothing can be certified any more."""
        return self.basis is None and self.short is None

    @property
    def worst(self) -> float:
        """The largest margin of a record, in steps."""
        if self.basis is not None:
            return self.basis.worst
        return np.inf if self.short is None else _worst(self.short)

    @property
    def level(self) -> float:
        """The largest margin of a record, for an intruder who knows a fifth too; 0 while short vectors suffice."""
        if self.basis is None:
            return 0.0
        return max([self.worst, *(each.basis.worst for each in self.shadows if each.basis is not None)])

    def with_set(self, cells: Cells, user: str | None = None) -> "Lattice":
        """Return the state with one more answered set. The last one is kept: what is allowed is learnt next."""
        key = cells.tobytes() + (user or "").encode()
        if key not in self._next:
            made = self._with_set(cells)
            more, raised = max(0.0, made.level - self.peak), dict(self.raised)
            if user is not None and more > 0:
                raised[user] = raised.get(user, 0.0) + more
            self._next.clear()
            self._next[key] = replace(made, peak=self.peak + more, raised=raised)
        return self._next[key]

    def _with_set(self, cells: Cells) -> "Lattice":
        cap = self.grid.cap
        short = None if self.short is None else self.short.with_set(cells)
        short = None if short is None else _within_cap(short, cap)
        if short is not None and len(short.records) > DENSE:
            return Lattice(self.grid, self.counts, None, (), short)
        basis = self.basis
        if basis is None and self.short is not None:
            basis = _within(from_short(self.short) if _numbers(self.short) <= NUMBERS else None)
        basis = None if basis is None else _within(with_set(basis, cells, cap))
        small = basis is not None and len(basis.records) <= DENSE
        shadows = tuple(each.with_set(cells, cap) for each in self.shadows) if small else ()
        return Lattice(self.grid, self.counts, basis, shadows, short)

    def allows(self, after: "Lattice", user: str | None = None) -> bool:
        """Tell whether the margins of a later state are small enough, or no worse, and whether the user has a share."""
        if after.lost or after.worst > max(self.grid.cap, self.worst):
            return False
        if user is not None and after.raised.get(user, 0.0) > max(SHARE * self.grid.cap, self.raised.get(user, 0.0)):
            return False
        return not any(new.worse(old, self.grid.cap) for new, old in zip(after.shadows, self.shadows, strict=False))

    def margins(self, number: Floats) -> Floats:
        """Return the margin of a record of each cell, in steps, when `number` records of each cell may move.

        The total of a column moves by at most its margin; c records take it in equal parts and are then rounded so
        that their sum stays, by less than 1. Columns of which no record may move are pinned first. Infinite if that
        cannot be done, or if nothing is certified.
        """
        nothing = np.full(len(number), np.inf)
        if self.lost:
            return nothing
        key = number.tobytes()
        if key not in self._margins:
            self._margins.clear()
            self._margins[key] = self._found(number, nothing)
        return self._margins[key]

    def _found(self, number: Floats, nothing: Floats) -> Floats:
        if self.basis is not None:
            basis, free = self.basis, _free(number, self.basis)
            pins = np.flatnonzero((free < 0.5) & basis.touched & (basis.margin > 0))
            held = pinned(basis, pins, self.grid.cap) if len(pins) else basis
            return nothing if held is None else _per_record(held.margin * held.touched, free, held)
        if self.short is not None:
            free = _free(number, self.short)
            left = self.short.pinned(np.flatnonzero(free < 0.5))
            return nothing if left is None else _per_record(_margins(left), free, left)
        return nothing


def _free(number: Floats, columns: Basis | ShortVectors) -> Floats:
    return np.asarray(np.bincount(columns.labels, number, len(columns.records)), dtype=np.float64)


def _per_record(margin: Floats, free: Floats, columns: Basis | ShortVectors) -> Floats:
    total = margin * columns.records
    each = np.where(free >= 1.5, total / np.maximum(free, 1.0) + 1.0, np.where(free >= 0.5, total, 0.0))
    return np.asarray(np.where(total > 0, each, 0.0)[columns.labels], dtype=np.float64)


def _margins(short: ShortVectors) -> Floats:
    return margins_of_squares(short.squares, short.records)


def _worst(short: ShortVectors) -> float:
    return float(_margins(short).max(initial=0.0))


def _within_cap(short: ShortVectors, cap: float) -> ShortVectors | None:
    """Return vectors whose margins do not pass the cap: some made shorter, if need be; None if that does not do."""
    long = EASY * longest_for(cap, len(short.counts))
    if _worst(short) > COMFORT * cap:
        short = short.shortened(long, FEW, by_all=False)
    for most in MANY:
        if _worst(short) <= cap:
            return short
        short = short.shortened(long, most)
    return short if _worst(short) <= cap else None


def _numbers(short: ShortVectors) -> int:
    return short.number * len(short.records)


def _within(basis: Basis | None) -> Basis | None:
    return None if basis is None or basis.vectors.size > NUMBERS else basis


def _dense(basis: Basis | None) -> Basis | None:
    return None if basis is None or len(basis.records) > DENSE else basis


def _exposed(basis: Basis) -> int:
    """Count the records that stand alone and that no vector moves."""
    return int((basis.touched & (basis.records < 1.5) & (basis.margin == 0)).sum())
