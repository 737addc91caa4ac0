"""Whole-number vectors on which every answered sum vanishes, and the margins that follow from them.

A column is an *atom*: the cells that lie in the same answered sets, with the total of their records as its unknown.
Beside each vector its Gram-Schmidt vector is kept, in the geometry in which the total of c records counts 1 / c (as if
it were spread evenly over them). Both are cheap to carry along:

- A set *splits* an atom of c records into parts of c1 and c2. The difference of the parts is a new vector, put first.
  Old vectors keep their number in the outer part; their Gram-Schmidt vectors spread it over both, c1 : c2, and stay
  orthogonal to each other and to the new ones.
- A set q is *answered*: with w_i the sum of b_i over q, and p the first with w_p != 0, which is 1 or -1, the vectors
  b_i - w_i w_p b_p with i > p and those before p span all that vanishes on q too. Let r_i be the projection of q on
  the span of the first i vectors. Then the new Gram-Schmidt vector is b*_i - (w*_i / |r_(i-1)|^2) r_(i-1), where w*_i
  is q times b*_i: it lies in the span, vanishes on q, and is orthogonal to the new ones before it.

Which vectors are found depends on query sets alone, so a verdict that uses the margins tells nothing about values; and
vectors that are longer than need be can only make it deny too much.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.blas_threads import threads_for
from sdcdb.gateway.inference.intervals.atoms import refine
from sdcdb.gateway.inference.lattice.answered import answered
from sdcdb.gateway.inference.lattice.lll import LARGEST, orthogonal, reduce_basis
from sdcdb.gateway.inference.lattice.margins import best_margins

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Cells = NDArray[np.bool_]

SWAPS = 20_000  # of one reduction
EASY = 300  # vectors: so few are reduced before it is needed
SHARE = 0.6  # of the wanted margin: from there on few vectors are reduced
LONG = 1 << 16  # numbers that large are made smaller before they grow


@dataclass(frozen=True, eq=False)
class Basis:
    """The vectors. `labels` is the column of each cell, `counts` the records of each cell, `records` of each column.

    `margin` is how far each column's records move, in steps of the grid, when a real solution is rounded: the margin
    of the total divided by the records. `touched` columns lie in an answered set. `projection`, where it is kept, is
    the orthogonal projection on the span of the vectors, in coordinates total / sqrt(records).
    """

    labels: Ints
    counts: Floats
    records: Floats
    touched: Cells
    vectors: Ints
    directions: Floats
    margin: Floats
    projection: Floats | None = None

    @property
    def worst(self) -> float:
        """The largest margin of a record."""
        return float(self.margin.max(initial=0.0))


def fresh_basis(counts: NDArray[np.int64], *, projected: bool = False) -> Basis:
    """Return the basis before the first question: one column, and its unit vector. All cells have records."""
    columns = min(1, len(counts))
    one = np.ones((columns, columns), dtype=np.int64)
    return Basis(
        labels=np.zeros(len(counts), dtype=np.int64),
        counts=counts.astype(np.float64),
        records=np.full(columns, float(counts.sum())),
        touched=np.zeros(columns, dtype=np.bool_),
        vectors=one,
        directions=one.astype(np.float64),
        margin=np.zeros(columns),
        projection=np.ones((columns, columns)) if projected else None,
    )


def split(basis: Basis, cells: Cells) -> Basis:
    """Give the part of a column inside a set a column of its own."""
    number = len(basis.records)
    labels, columns = refine(basis.labels, number, cells)
    if columns == number:
        return basis
    more = columns - number
    parents = np.zeros(more, dtype=np.int64)
    parents[labels[labels >= number] - number] = basis.labels[labels >= number]
    records = np.asarray(np.bincount(labels, basis.counts, columns), dtype=np.float64)
    fresh = np.zeros((more, columns), dtype=np.int64)
    fresh[np.arange(more), number + np.arange(more)] = 1
    fresh[np.arange(more), parents] = -1
    old = np.zeros((len(basis.vectors), columns), dtype=np.int64)
    old[:, :number] = basis.vectors
    spread = np.zeros((len(basis.vectors), columns))
    spread[:, :number] = basis.directions * (records[:number] / basis.records)
    spread[:, number:] = basis.directions[:, parents] * (records[number:] / basis.records[parents])
    return Basis(
        labels=labels,
        counts=basis.counts,
        records=records,
        touched=np.concatenate([basis.touched, basis.touched[parents]]),
        vectors=np.concatenate([fresh, old]),
        directions=np.concatenate([fresh.astype(np.float64), spread]),
        margin=np.concatenate([basis.margin, basis.margin[parents]]),
        projection=None if basis.projection is None else _split_projection(basis, parents, records),
    )


def _split_projection(basis: Basis, parents: Ints, records: Floats) -> Floats:
    """Spread the entries of a column over its parts, and let the difference of the parts move as well."""
    number, whole = len(basis.records), np.concatenate([np.arange(len(basis.records)), parents])
    share = np.sqrt(records / basis.records[whole])
    found = np.asarray(basis.projection)[np.ix_(whole, whole)] * np.outer(share, share)
    fresh = number + np.arange(len(parents))
    outer, inner = share[parents], share[fresh]  # unit vector of the difference: the other part's share, opposite signs
    found[fresh, fresh] += outer**2
    found[parents, parents] += inner**2
    found[fresh, parents] -= outer * inner
    found[parents, fresh] -= outer * inner
    return np.asarray(found, dtype=np.float64)


def with_set(basis: Basis, cells: Cells, cap: float) -> Basis | None:
    """Return the basis with one more answered set, whatever its margins; None if its numbers grow too large.

    `cap` is the margin that is wanted: vectors are reduced at length only if it is not reached otherwise.
    """
    part = split(basis, cells)
    inside = np.zeros(len(part.records), dtype=np.bool_)
    inside[part.labels[cells]] = True
    return _vanishing(replace(part, touched=part.touched | inside), inside, cap)


def pinned(basis: Basis, columns: Ints, cap: float) -> Basis | None:
    """Return the vectors that leave some columns' totals as they are."""
    found: Basis | None = basis
    for column in columns:
        alone = np.zeros(len(basis.records), dtype=np.bool_)
        alone[column] = True
        found = None if found is None else _vanishing(found, alone, cap)
    return found


def _vanishing(basis: Basis, inside: Cells, cap: float) -> Basis | None:
    sums = basis.vectors @ inside.astype(np.int64)
    if not sums.any():
        return basis
    found = _first_unit(basis, sums)
    if found is None:
        return None
    basis, sums = found
    vectors, directions, whole, squares = answered(basis.vectors, basis.directions, sums, inside, 1.0 / basis.records)
    margin = best_margins(whole, squares, basis.records)
    after = replace(basis, vectors=vectors, directions=directions, margin=margin, projection=_without(basis, inside))
    large = int(np.abs(vectors).max(initial=0))
    if large > LARGEST:
        return None
    wanted = SHARE * min(cap, 10.0) if len(vectors) <= EASY else cap
    return _reduced(after) if large > LONG or after.worst > wanted else after


def _without(basis: Basis, inside: Cells) -> Floats | None:
    """Return the projection on what also leaves the total of a set as it is."""
    if basis.projection is None:
        return None
    move = basis.projection @ np.where(inside, np.sqrt(basis.records), 0.0)
    return np.asarray(basis.projection - np.outer(move, move / (move @ move)), dtype=np.float64)


def _reduced(basis: Basis) -> Basis:
    with threads_for(0):
        return _again(basis, reduce_basis(basis.vectors, basis.records**-0.5, SWAPS))


def _again(basis: Basis, vectors: Ints) -> Basis:
    """Compute the Gram-Schmidt vectors anew."""
    directions = orthogonal(vectors, basis.records**-0.5) * basis.records**0.5
    size = np.abs(directions)
    margin = best_margins(size.sum(axis=0), (size**2).sum(axis=0), basis.records)
    return replace(basis, vectors=vectors, directions=directions, margin=margin)


def _first_unit(basis: Basis, sums: Ints) -> tuple[Basis, Ints] | None:
    """Make the first vector whose sum is not 0 one whose sum is 1 or -1."""
    active = np.flatnonzero(sums)
    if abs(int(sums[active[0]])) == 1:
        return basis, sums
    vectors, sums = basis.vectors.copy(), sums.copy()
    while True:
        active = np.flatnonzero(sums)
        least = active[np.argmin(np.abs(sums[active]))]
        units = np.flatnonzero(np.abs(sums) == np.abs(sums[least]))
        if abs(int(sums[least])) == 1 or len(active) == 1:
            break
        others = active[active != least]
        times = np.rint(sums[others] / sums[least]).astype(np.int64)
        vectors[others] -= times[:, None] * vectors[least]
        sums[others] -= times * sums[least]
    if np.abs(vectors).max(initial=0) > LARGEST:
        return None
    lengths = (vectors[units] ** 2 / basis.records).sum(axis=1)
    chosen = int(units[np.argmin(lengths)])
    order = np.concatenate([[chosen], np.delete(np.arange(len(vectors)), chosen)])
    with threads_for(0):
        return _again(basis, np.ascontiguousarray(vectors[order])), sums[order]
