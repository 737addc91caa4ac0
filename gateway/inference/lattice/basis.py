"""Whole-number vectors on which every answered sum vanishes, and the margins that follow from them.

A column is an *atom*: the cells that lie in the same answered sets, with the total of their records as its unknown.
Beside each vector its Gram-Schmidt vector is kept, in the geometry in which the total of c records counts 1 / c (as if
it were spread evenly over them). Both are cheap to carry along:

- A set *splits* an atom of c records into parts of c1 and c2. The difference of the parts is a new vector, put first.
  Old vectors keep their number in the outer part; their Gram-Schmidt vectors spread it over both, c1 : c2, and stay
  orthogonal to each other and to the new ones.
- A set q is *answered*. Let w_i be the sum of b_i over q, w*_i that of its Gram-Schmidt vector, and r_i the projection
  of q on the span of the first i vectors. The first vector with a sum is dropped and becomes the *carrier*, with sum
  g. Each later one becomes b_i - (w_i / g) carrier; where g does not divide w_i, with d their greatest common divisor,
  it becomes (g / d) b_i - (w_i / d) carrier, and the carrier a combination of both with sum d. Together they span all
  that vanishes on q too. Their Gram-Schmidt vectors are b*_i - (w*_i / |r_(i-1)|^2) r_(i-1), times g / d: in the span,
  without a sum, and orthogonal to the new ones before.
- Where a length has grown large, neighbours are *exchanged* (Lenstra, Lenstra and Lovasz 1982): with both kinds of
  vectors at hand that is one pass over two of them.

Which vectors are found depends on query sets alone, so a verdict that uses the margins tells nothing about values; and
vectors that are longer than need be can only make it deny too much.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.blas_threads import threads_for
from sdcdb.gateway.inference.intervals.atoms import refine
from sdcdb.gateway.inference.lattice.answered import (
    FACTOR,
    LONG,
    answered,
    column_sums,
    largest_entries,
    lower_peaks,
    shorten_rows,
    sums_of,
)
from sdcdb.gateway.inference.lattice.lll import orthogonal, reduce_basis
from sdcdb.gateway.inference.lattice.margins import best_margins, longest_for
from sdcdb.gateway.inference.lattice.short_vectors import ShortVectors

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Cells = NDArray[np.bool_]

SWAPS = 20_000  # of one reduction
EASY = 300  # vectors: so few are reduced as a whole before a question is denied
PEAK, PLAIN = 0.5, 0.25  # of the longest Gram-Schmidt vector that the cap bears: exchange from, and down to
PROJECTED = 1200  # columns: beyond that no projection is kept
DRIFT = 1e-7  # between lengths as carried along and as they are, and between vectors and their Gram-Schmidt vectors


@dataclass(frozen=True, eq=False)
class Basis:
    """The vectors. `labels` is the column of each cell, `counts` the records of each cell, `records` of each column.

    `margin` is how far each column's records move, in steps of the grid, when a real solution is rounded: the margin
    of the total divided by the records. `squared` are the lengths of the Gram-Schmidt vectors. `touched` columns lie in
    an answered set. `projection`, where it is kept, is the orthogonal projection on the span of the vectors, in
    coordinates total / sqrt(records).
    """

    labels: Ints
    counts: Floats
    records: Floats
    touched: Cells
    vectors: Ints
    directions: Floats
    squared: Floats
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
        squared=1.0 / np.full(columns, float(counts.sum())),
        margin=np.zeros(columns),
        projection=np.ones((columns, columns)) if projected else None,
    )


def grown(basis: Basis, labels: Ints, counts: Floats, came: float) -> Basis:
    """Return the basis for more cells; their column is given. Newcomers, if any, are one more column.

    They are in no set: their unit vector vanishes on all of them, and is orthogonal to all others.
    """
    basis = replace(basis, labels=labels, counts=counts)
    if not came:
        return basis
    number, one = len(basis.records), np.eye(1, len(basis.records) + 1, len(basis.records))
    vectors, directions = (
        np.concatenate([one.astype(each.dtype), np.pad(each, ((0, 0), (0, 1)))])
        for each in (basis.vectors, basis.directions)
    )
    projection = None
    if basis.projection is not None and number < PROJECTED:
        projection = np.pad(basis.projection, (0, 1))
        projection[number, number] = 1.0
    return replace(
        basis,
        records=np.append(basis.records, came),
        touched=np.append(basis.touched, False),
        vectors=vectors,
        directions=directions,
        squared=np.append(1.0 / came, basis.squared),
        margin=np.append(basis.margin, 0.0),
        projection=projection,
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
    size = 1.0 / records[parents] + 1.0 / records[number:]
    order = np.argsort(size, kind="stable")
    fresh = np.zeros((more, columns), dtype=np.int64)
    fresh[np.arange(more), number + order] = 1
    fresh[np.arange(more), parents[order]] = -1
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
        squared=np.concatenate([size[order], basis.squared]),
        margin=np.concatenate([basis.margin, basis.margin[parents]]),
        projection=None
        if basis.projection is None or columns > PROJECTED
        else _split_projection(basis, parents, records),
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
    """Return the vectors that leave some columns' totals as they are, whatever whole numbers those are.

    Some whole-number solution has any given numbers there if the greatest common divisor of what the vectors have in a
    column, once those before it are pinned, is 1 each time. Otherwise, and if numbers grow too large, None.
    """
    found: Basis | None = basis
    for column in columns:
        alone = np.zeros(len(basis.records), dtype=np.bool_)
        alone[column] = True
        if found is not None:
            found = _vanishing(found, alone, cap) if np.gcd.reduce(found.vectors[:, column]) <= 1 else None
    return found


def _vanishing(basis: Basis, inside: Cells, cap: float) -> Basis | None:
    sums = sums_of(basis.vectors, np.flatnonzero(inside))
    if not sums.any():
        return basis
    found = answered(basis.vectors, basis.directions, basis.squared, sums, inside)
    if found is None:
        return None
    few = found[0].copy() if len(found[0]) <= EASY else None
    after = _shorter(basis, found, cap)
    if few is not None and (after is None or after.worst > cap):
        after = _reduced(replace(basis, vectors=few if after is None else after.vectors))
    return None if after is None else replace(after, projection=_without(basis, inside))


def _shorter(basis: Basis, found: tuple[Ints, Floats, Floats], cap: float) -> Basis | None:
    """Exchange vectors where Gram-Schmidt vectors are long, and keep their numbers small; None if that fails."""
    vectors, directions, squared = found
    longest, weight = longest_for(cap, len(basis.records)), 1.0 / basis.records
    if squared.max(initial=0.0) > PEAK * longest and lower_peaks(*found, weight, PLAIN * longest, SWAPS) < 0:
        return None
    large = np.flatnonzero(largest_entries(vectors) > LONG)
    if len(large):
        fits = shorten_rows(*found, weight, large)
        if not fits or int(largest_entries(vectors).max()) > FACTOR:
            return None
    return _measured(replace(basis, vectors=vectors, directions=directions, squared=squared))


def _measured(basis: Basis) -> Basis | None:
    """Compute the margins; None if rounding errors have added up."""
    whole, squares, off = column_sums(basis.vectors, basis.directions, basis.squared, 1.0 / basis.records)
    total = float(basis.squared.sum())
    if off + abs(float((squares / basis.records).sum()) - total) > DRIFT * total:
        return None
    return replace(basis, margin=best_margins(whole, squares, basis.records))


def _without(basis: Basis, inside: Cells) -> Floats | None:
    """Return the projection on what also leaves the total of a set as it is."""
    if basis.projection is None:
        return None
    move = basis.projection @ np.where(inside, np.sqrt(basis.records), 0.0)
    return np.asarray(basis.projection - np.outer(move, move / (move @ move)), dtype=np.float64)


def _reduced(basis: Basis) -> Basis | None:
    with threads_for(0):
        vectors = reduce_basis(basis.vectors, basis.records**-0.5, SWAPS)
        return from_vectors(basis, vectors) if int(np.abs(vectors).max(initial=0)) <= FACTOR else None


def from_vectors(basis: Basis, vectors: Ints) -> Basis | None:
    """Return the basis with other vectors, whose Gram-Schmidt vectors are computed anew."""
    scaled = orthogonal(vectors, basis.records**-0.5)
    directions, squared = scaled * basis.records**0.5, np.asarray((scaled**2).sum(axis=1), dtype=np.float64)
    return _measured(replace(basis, vectors=vectors, directions=directions, squared=squared))


def from_short(short: ShortVectors) -> Basis | None:
    """Return the basis of short vectors, the shortest first."""
    m, n = short.number, len(short.records)
    vectors = np.zeros((m, n), dtype=np.int64)
    starts, columns, numbers = short.vectors
    vectors[np.repeat(np.arange(m), np.diff(starts)), columns] = numbers
    vectors = np.ascontiguousarray(vectors[np.argsort(short.size, kind="stable")])
    empty = np.zeros((0, n))
    blank = Basis(
        short.labels,
        short.counts,
        short.records,
        np.ones(n, dtype=np.bool_),
        vectors,
        empty,
        empty[:, 0],
        short.records,
    )
    with threads_for(0):
        return from_vectors(blank, vectors)
