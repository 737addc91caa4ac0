"""The rule `size`: query sets, and what they leave out, must be large enough.

An aggregate of quasi-identifiers is about more than one set: SUM(CASE WHEN c THEN 1 ELSE 0 END) counts those for whom c
holds, MIN(age) is about the youngest. `parts` says how large the sets are that an answer tells apart.
"""

from bisect import bisect
from math import gcd

import numpy as np
from numpy.typing import NDArray

Sizes = NDArray[np.int64]


def large_enough(records: int, everybody: int, least: int) -> bool:
    """Tell whether a query set and its complement are large enough; an empty complement is not a small one.

    >>> large_enough(10, 100, 10), large_enough(95, 100, 10), large_enough(100, 100, 10)
    (True, False, True)
    """
    outside = everybody - records
    return records >= least and (outside == 0 or outside >= least)


def parts(
    kind: str,
    ranks: NDArray[np.int64],
    records: Sizes,
    numbers: NDArray[np.float64] | None,
    least: int,
    *,
    plain: bool,
    people: Sizes | None = None,
) -> Sizes:
    """Return the sizes of the sets that an answer about an expression tells apart: those who share its value.

    `ranks` are the places of the cells' values, `records` the sizes of the cells. A MIN tells of those who have the
    least value. A sum tells how many have each: weights can be chosen so that its digits are these numbers. Only where
    the analyst chose no weights (`plain`) and other numbers of people give the same sum, it does not. A number of
    distinct values tells of rare ones together. Where a computed number is 0 for everybody, the set that it asks
    for is empty, as in SUM(CASE WHEN c THEN 1 ELSE 0 END): nobody looks like too few in every spelling. `people` are
    how many have each value, where a person has several records.

    >>> ranks, records = np.array([1, 1, 2]), np.array([20, 10, 1])
    >>> [parts(kind, ranks, records, None, 5, plain=False).tolist() for kind in ("min", "max", "sum")]
    [[30], [1], [30, 1]]
    """
    if not plain and kind in {"sum", "min", "max"} and numbers is not None and not numbers.any():
        return np.zeros(1, dtype=np.int64)
    values, inverse = np.unique(ranks, return_inverse=True)
    counts = np.bincount(inverse, weights=records, minlength=len(values)).astype(np.int64)
    sizes = counts if people is None else people
    if kind in {"min", "max"}:
        return sizes[:1] if kind == "min" else sizes[-1:]
    if not plain or kind == "sum_distinct":
        return sizes
    if kind == "distinct":
        small = sizes < least
        return np.append(sizes[~small], sizes[small].sum()) if small.any() else sizes
    if numbers is None:
        return sizes
    first = np.array([numbers[np.argmax(inverse == n)] for n in range(len(values))])
    return sizes[~_exchangeable(first, counts)]


def _exchangeable(values: NDArray[np.float64], sizes: Sizes) -> NDArray[np.bool_]:
    """Tell for which values another number of people would give the same count and the same sum.

    Of three neighbouring values a < b < c, (c-b)/g people of a and (b-a)/g of c can stand for (c-a)/g of b, where g is
    the greatest common divisor.

    >>> _exchangeable(np.array([0.0, 1.0, 2.0]), np.array([9, 9, 1])).tolist()
    [True, True, True]
    >>> _exchangeable(np.array([0.0, 1.0, 1000.0]), np.array([9, 9, 1])).tolist()
    [False, False, False]

    Who is far from the others, such as one person of 70 among many of 25 to 64, is looked at more closely.
    """
    found = np.zeros(len(values), dtype=np.bool_)
    whole = values.astype(np.int64) if np.all(np.abs(values) < 2**53) else np.zeros(0, dtype=np.int64)
    if len(whole) != len(values) or not np.array_equal(whole, values):
        return found
    for n in range(len(values) - 2):
        low, high = int(whole[n + 1] - whole[n]), int(whole[n + 2] - whole[n + 1])
        g = int(np.gcd(low, high))
        moved = np.array([high // g, -(low + high) // g, low // g])
        here = sizes[n : n + 3]
        if np.all(here + moved >= 0) or np.all(here - moved >= 0):
            found[n : n + 3] = True
    for n in np.flatnonzero(~found).tolist():
        others = [int(value) for value in np.delete(whole, n)]
        total, count = int(whole @ sizes), int(sizes.sum())
        found[n] = any(
            _reachable(others, total - int(whole[n]) * other, count - other)
            for other in (int(sizes[n]) - 1, int(sizes[n]) + 1)
        )
    return found


def _reachable(values: list[int], total: int, people: int) -> bool:
    """Tell whether so many people with these values can have this total. False where it is not easily seen.

    Put q = (high - low) / g people at a, where a and a + g are values and g divides all distances; the others at low or
    at high. Moving people from a to a + g and from low to high gives every g-th total between the ends.

    >>> _reachable([30, 31, 32, 33], 13 * 32, 13), _reachable([30, 31, 32, 33], 447, 13)
    (True, False)
    """
    if people < 1 or len(values) < 2:
        return False
    g = gcd(*(value - values[0] for value in values[1:]))
    middle = bisect(values, total / people)
    for at in range(max(middle - 3, 0), min(middle + 3, len(values) - 1)):
        if values[at + 1] - values[at] != g:
            continue
        for reach in (0, 1, 2, 4, 8, 16, 32, 64):
            low, high = values[max(at - reach, 0)], values[min(at + 1 + reach, len(values) - 1)]
            q = (high - low) // g
            least, most = q * values[at] + (people - q) * low, q * values[at + 1] + (people - q) * high
            if q <= people and least <= total <= most and (total - least) % g == 0:
                return True
    return False
