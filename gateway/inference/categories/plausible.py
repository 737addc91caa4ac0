"""Which counts are plausible: the chance that the answer about a group breaches the limit, before it is looked at.

Whoever learns that `count` of `size` people have a value believes of each that they have it with count / size; one of
them who knows that they have not, with count / (size - 1). So a count above `cap` (size - 1) is a breach. So is one
that is too small: of a value that a share p has in public, at least (1 - cap) p must stay possible in every group. For
a rare value, of which everybody's absence is likely anyway, that is what keeps the answer 0 from being plausible.

How many have a value is taken as binomial, whose spread is the largest of all sums of independent 0/1 values with that
mean (Hoeffding 1956).
"""

import math

import numpy as np

LARGEST = 10_000_000


def chance_of_breach(size: int, mean: float, public: float, cap: float, absent: float | None = None) -> float:
    """Return the chance that the count of a value in a group breaches the limit.

    `mean` is the count that is expected, `public` the share that everybody knows. `absent` is the limit for too small
    counts, where that is another one.

    >>> chance_of_breach(10, 3.4, 0.34, 0.8) > 1e-3, chance_of_breach(100, 34.0, 0.34, 0.8) < 1e-6
    (True, True)
    """
    from scipy.special import bdtr, bdtrc  # scipy.stats takes half a second to import

    if size < 2:
        return 1.0
    share = min(max(mean / size, 0.0), 1.0)
    most, least = highest(size, cap), lowest(size, public, cap if absent is None else absent)
    above = float(bdtrc(most, size, share)) if most < size else 0.0
    below = float(bdtr(least - 1, size, share)) if least > 0 else 0.0
    return min(1.0, above + below)


def highest(size: int, cap: float) -> int:
    """Return the largest count that is no breach."""
    return math.floor(cap * (size - 1) + 1e-9)


def lowest(size: int, public: float, cap: float) -> int:
    """Return the smallest count that is no breach."""
    return math.ceil((1 - cap) * public * size - 1e-9)


def least_size(public: float, cap: float, delta: float, absent: float | None = None) -> int:
    """Return a size from which on no group's count is likely to breach the limit; `LARGEST` if there is none.

    >>> least_size(0.34, 0.8, 1e-3), least_size(0.9, 0.8, 1e-3) == LARGEST
    (23, True)
    """
    if public >= cap:
        return LARGEST
    sizes = np.unique(np.geomspace(2, LARGEST, 200).astype(np.int64))
    for size in sizes.tolist():
        if chance_of_breach(size, public * size, public, cap, absent) <= delta:
            low, high = size // 2, size
            while high - low > 1:  # counts are whole, so the chance does not fall evenly: the last breach counts
                middle = (low + high) // 2
                fine = chance_of_breach(middle, public * middle, public, cap, absent) <= delta
                low, high = (low, middle) if fine else (middle, high)
            return _last_breach(high, public, cap, delta, absent) + 1
    return LARGEST


def _last_breach(size: int, public: float, cap: float, delta: float, absent: float | None) -> int:
    """Return the last size about here that is not safe: saw teeth of whole counts reach a little further."""
    least = (1 - (cap if absent is None else absent)) * public
    tooth = max(2 / (1 - cap) if cap < 1 else 0.0, 2 / least if least > 0 else 0.0)
    reach = range(size + max(20, math.ceil(tooth)), size - 1, -1)
    return next((n for n in reach if chance_of_breach(n, public * n, public, cap, absent) > delta), size - 1)
