"""k-anonymity, l-diversity and t-closeness: what a release reveals to somebody who knows the quasi-identifiers.

Each measure takes `quasi`, one array per quasi-identifier, and looks at the equivalence classes they form (see
`unique_records` for missing quasi-identifiers, which count as a value). A record whose confidential
value is missing (None, NaN, masked) counts in k-anonymity and is left out of l-diversity and t-closeness; a class that
has only such records is left out with them. Without records the counts are 0 and the measures None.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import DataError
from sdcdb.measures.unique_records import Codes, Column, equivalence_classes, numbered

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class KAnonymity:
    """Result of `k_anonymity`."""

    records: int
    classes: int
    k: int | None
    unique_records: int


@dataclass(frozen=True)
class LDiversity:
    """Result of `l_diversity`."""

    records: int
    classes: int
    l_distinct: int | None
    l_entropy: float | None
    largest_share: float | None


@dataclass(frozen=True)
class TCloseness:
    """Result of `t_closeness`."""

    records: int
    classes: int
    t: float | None
    mean_t: float | None


def k_anonymity(quasi: Sequence[Column]) -> KAnonymity:
    """Return the size k of the smallest equivalence class (Samarati and Sweeney 1998), and how many have size one.

    >>> k_anonymity([["f", "f", "m", "m", "m"], [30, 30, 41, 41, 52]])
    KAnonymity(records=5, classes=3, k=1, unique_records=1)
    """
    sizes = np.bincount(equivalence_classes(quasi))
    smallest = int(sizes.min()) if sizes.size else None
    return KAnonymity(int(sizes.sum()), sizes.size, smallest, int(np.sum(sizes == 1)))


def l_diversity(quasi: Sequence[Column], confidential: Column) -> LDiversity:
    """Return how diverse the confidential values are in the worst equivalence class (Machanavajjhala et al. 2007).

    `l_distinct` is the smallest number of distinct values in a class; `l_entropy` the smallest 2 ** H, H in bits, so
    that l equally frequent values give l; `largest_share` the largest share of one value in a class: the probability
    that an intruder guesses right.

    >>> l_diversity([["f", "f", "f", "m", "m"]], ["flu", "flu", "cold", "flu", "cold"]).l_distinct
    2
    >>> round(l_diversity([["f", "f", "f", "m", "m"]], ["flu", "flu", "cold", "flu", "cold"]).largest_share, 3)
    0.667
    """
    cells = _cells(quasi, confidential, ordered=False)
    if cells.records == 0:
        return LDiversity(0, 0, None, None, None)
    bits = np.log2(cells.sizes) - cells.per_class(cells.counts * np.log2(cells.counts)) / cells.sizes
    most = np.maximum.reduceat(cells.counts, cells.starts)
    return LDiversity(
        records=cells.records,
        classes=cells.sizes.size,
        l_distinct=int(np.bincount(cells.classes).min()),
        l_entropy=float(np.exp2(bits.min())),
        largest_share=float(np.max(most / cells.sizes)),
    )


def t_closeness(quasi: Sequence[Column], confidential: Column, *, ordered: bool = True) -> TCloseness:
    """Return how far the confidential values of a class are from those of the whole table (Li et al. 2007).

    `t` is the largest distance over the equivalence classes, `mean_t` the mean over records. Both lie in [0, 1].
    With `ordered` the distance is the Earth Mover's Distance under Li et al.'s ordered distance: the m distinct values
    of the table lie 1 / (m - 1) apart, and the distance is the sum of |cumulative difference| / (m - 1), or 0 when
    m = 1. Without it all values are equally far apart: half the sum of |difference|.

    >>> t_closeness([["f", "f", "m", "m"]], [10, 20, 20, 30])
    TCloseness(records=4, classes=2, t=0.25, mean_t=0.25)
    """
    cells = _cells(quasi, confidential, ordered=ordered)
    if cells.records == 0:
        return TCloseness(0, 0, None, None)
    distances = np.maximum(_ordered_distances(cells) if ordered else _equal_distances(cells), 0.0)
    mean = float(distances @ cells.sizes) / cells.records
    return TCloseness(cells.records, cells.sizes.size, float(distances.max()), mean)


@dataclass(frozen=True)
class _Cells:
    """Every class and confidential value that occur together, by class and then by value, with their counts."""

    records: int
    classes: Codes
    values: Codes
    counts: Codes
    starts: Codes
    sizes: Codes

    def per_class(self, amounts: Codes | Floats) -> Floats:
        """Sum amounts over the cells of each class."""
        return np.add.reduceat(amounts.astype(np.float64), self.starts)


def _cells(quasi: Sequence[Column], confidential: Column, *, ordered: bool) -> _Cells:
    classes = equivalence_classes(quasi)
    values, distinct = numbered(confidential)
    if len(values) != len(classes):
        raise DataError(
            f"quasi has {len(classes)} records and confidential {len(values)}: pass the same records in both"
        )
    known = values >= 0
    classes, values = np.unique(classes[known], return_inverse=True)[1], values[known]
    if ordered:
        try:
            order = distinct.argsort()
        except TypeError as error:
            raise DataError(f"confidential values have no order ({error}): use ordered=False") from error
        values = np.argsort(order)[values]
    joint, counts = np.unique(classes * len(distinct) + values, return_counts=True)
    classes, values = np.divmod(joint, max(len(distinct), 1))
    starts = np.flatnonzero(np.diff(classes, prepend=-1))
    sizes = np.add.reduceat(counts, starts)
    return _Cells(int(counts.sum()), classes, values, counts, starts, sizes)


def _ordered_distances(cells: _Cells) -> Floats:
    """Find the Earth Mover's Distance of each class with one step per cell, not per class and table value.

    Let F(s) be the table's cumulative count at value rank s and A its prefix sums. Between two of its own values a
    class's cumulative share, scaled to the table, is a constant y. F never falls, so it crosses y once, at p, and the
    run of ranks [first, stop) adds y (2 p - first - stop) + A(first) + A(stop) - 2 A(p).
    """
    cumulative = np.cumsum(np.bincount(cells.values, cells.counts))
    area = np.concatenate([[0.0], np.cumsum(cumulative)])
    last = np.append(cells.starts[1:], cells.classes.size) - 1
    within = np.cumsum(cells.counts) - (np.cumsum(cells.sizes) - cells.sizes)[cells.classes]
    y = np.minimum(within / cells.sizes[cells.classes] * cells.records, cells.records)
    first, stop = cells.values, np.append(cells.values[1:], 0)
    stop[last] = cumulative.size
    p = np.clip(np.searchsorted(cumulative, y), first, stop)
    runs = y * (2 * p - first - stop) + area[first] + area[stop] - 2 * area[p]
    before = area[first[cells.starts]]  # ranks below the class's first value, where its share is 0
    longest = cells.records * max(cumulative.size - 1, 1)
    return np.asarray((cells.per_class(runs) + before) / longest)


def _equal_distances(cells: _Cells) -> Floats:
    """Halve the L1 distance; values missing from a class contribute their share in the table."""
    table = (np.bincount(cells.values, cells.counts) / cells.records)[cells.values]
    own = cells.counts / cells.sizes[cells.classes]
    return (cells.per_class(np.abs(own - table)) + 1 - cells.per_class(table)) / 2
