"""The rule `cae` as a least width: H(0) and the area of the uniform distribution on the domain values in an interval.

The intruder knows that a record lies in [L, U] and nothing else: each of the N domain values in it has probability 1/N
(CAE paper, section on query restriction, where the domain has step 1 and N = U - L + 1). Then H(0) = log2 N. For a
window of j + 1 neighbouring values the least entropy has as many full windows as fit and one remainder, because entropy
falls when masses become more unequal. Both numbers grow with N, so a floor on them is a floor on the width.

An interval of width w holds at least floor(w / step) values of a domain with that step. A domain without a step counts
as 1,000 steps.
"""

import math
from functools import lru_cache

import numpy as np

STEPS = 1000  # of a domain that has no step of its own
COARSE = 4096  # more values than this are counted as this many wider steps: the area changes by less than 0.1%


def values_in(width: float, step: float) -> int:
    """Return how many domain values an interval of this width holds at least."""
    return max(1, math.floor(width / step + 1e-9))


def h0(number: int) -> float:
    """Return H(0) in bits.

    >>> h0(8)
    3.0
    """
    return math.log2(number)


@lru_cache(maxsize=4096)
def area(number: int, step: float) -> float:
    """Return the area under H(eps), in bits times units.

    >>> area(2, 57_000.0)  # two values 57,000 apart, the CAE paper's example
    57000.0
    """
    if number > COARSE:
        return area(COARSE, step * number / COARSE)
    full, left = np.divmod(number, np.arange(1, number))
    window = np.arange(1, number) / number
    rest = left / number
    bits = -full * window * np.log2(window) - np.where(left > 0, rest * np.log2(np.where(left > 0, rest, 1.0)), 0.0)
    return float(step * bits.sum())


def least_width(min_h0: float, min_area: float, step: float, most: int) -> float:
    """Return the width from which H(0) and the area are at least these; infinite if `most` values are too few."""
    need = math.ceil(2**min_h0 - 1e-9) if min_h0 > 0 else 1
    if need > most or area(most, step) < min_area:
        return math.inf
    if area(need, step) < min_area:
        low, high = need, most
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if area(middle, step) < min_area else (low, middle)
        need = high
    return need * step if need > 1 else 0.0
