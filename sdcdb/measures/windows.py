"""The compiled programme behind CAE: the smallest entropy when values at most eps apart may be merged.

Algorithm 1 of the CAE paper (2014) computes, for one eps, the recurrence of its section 4

    H(eps, i) = min over j with x_i - x_j <= eps of  H(eps, j - 1) + a(j..i),   a = q log2(1/q),  q = p_j + ... + p_i

by trying every j for every i, and repeats that for every eps. Two facts make it fast without changing a result:

1. *Only windows that cannot grow, and fillers between them, matter.* Moving a boundary between two neighbouring groups
   changes the cost by a concave function of the mass moved, so some optimal grouping has, at each boundary, either the
   left group unable to grow rightwards or the right group unable to grow leftwards. For a group j..i that leaves: j is
   the leftmost that i can reach; or i is the rightmost that j can reach; or a window that cannot grow ends at j - 1 and
   another starts at i + 1. The first two are at most 2n candidates in all.
2. *Each solved eps shows where the next step is.* If the widest group of the optimal grouping at eps has width
   w <= eps, then the same grouping is allowed for every eps' in [w, eps], and H never rises: H is constant on
   [w, eps]. Walking down from the full range therefore visits each step of H once, and never what lies between.

Distances within a few units of rounding error count as equal, such as 0.3 - 0.1 and 0.2 - 0.0.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Two entropies closer than this come from two groupings of equal cost, not from a step of H.
TIE = 1e-12


@njit(cache=True, nogil=True)
def _slack(x: Floats) -> float:
    return float(8 * 2.220446049250313e-16 * max(abs(x[0]), abs(x[-1])))


@njit(cache=True, nogil=True)
def _cost(q: float) -> float:
    return -q * math.log2(q) if q > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _cumulative(p: Floats) -> Floats:
    c = np.zeros(len(p) + 1)
    for i in range(len(p)):
        c[i + 1] = c[i] + p[i]
    return c


@njit(cache=True, nogil=True)
def _solve(x: Floats, c: Floats, reach: float) -> tuple[float, float]:
    """Return the least entropy for windows of length `reach`, and the width of the widest window used."""
    n = len(x)
    left = np.empty(n + 1, np.int64)  # left[i]: the leftmost value that a window ending at i can hold
    begins = np.zeros(n + 2, np.bool_)  # begins[i]: some window that cannot grow leftwards begins at i
    first = 0
    for i in range(n):
        while x[i] - x[first] > reach:
            first += 1
        left[i] = first
        begins[first] = True
    left[n] = n
    h = np.zeros(n + 1)
    back = np.zeros(n + 1, np.int64)
    starts = np.empty(n, np.int64)  # where a filler may start: just after a window that cannot grow rightwards
    oldest, newest = 0, 0
    for i in range(n):
        if i == 0 or left[i - 1] < left[i]:
            starts[newest] = i
            newest += 1
        # Windows ending at i that cannot grow on one side: from left[i], and those that stop before left[i + 1].
        best, group = np.inf, left[i]
        for j in range(left[i], max(left[i] + 1, min(left[i + 1], i + 1))):
            total = h[j] + _cost(c[i + 1] - c[j])
            if total < best:
                best, group = total, j
        if begins[i + 1]:
            while oldest < newest and starts[oldest] < left[i + 1]:
                oldest += 1
            for s in range(oldest, newest):
                total = h[starts[s]] + _cost(c[i + 1] - c[starts[s]])
                if total < best:
                    best, group = total, starts[s]
        h[i + 1], back[i + 1] = best, group
    widest, end = 0.0, n
    while end > 0:
        widest = max(widest, x[end - 1] - x[back[end]])
        end = back[end]
    return max(0.0, h[n]), widest


@njit(cache=True, nogil=True)
def _next_distance(x: Floats, width: float, slack: float) -> float:
    """Return the largest distance between two values that is smaller than `width`."""
    nearest, best = 0, 0.0
    for i in range(len(x)):
        while x[i] - x[nearest] >= width - slack:
            nearest += 1
        best = max(best, x[i] - x[nearest])
    return best


@njit(cache=True, nogil=True)
def entropy_at(x: Floats, p: Floats, eps: float) -> float:
    """Return H(eps) for sorted distinct values `x` with positive probabilities `p`."""
    return float(_solve(x, _cumulative(p), eps + _slack(x))[0])


@njit(cache=True, nogil=True)
def steps(x: Floats, p: Floats) -> tuple[Floats, Floats]:
    """Return every eps at which H changes, ascending from 0, and H from there up to the next."""
    c, slack = _cumulative(p), _slack(x)
    width = x[-1] - x[0]
    eps, h = [width], [0.0]
    while width > slack:
        value, widest = _solve(x, c, _next_distance(x, width, slack) + slack)
        width = widest if widest > slack else 0.0
        if value > h[-1] + TIE:
            eps.append(width)
            h.append(value)
        else:
            eps[-1] = width
    return np.array(eps)[::-1].copy(), np.array(h)[::-1].copy()


@njit(cache=True, nogil=True)
def measure_rows(x: Floats, rows: Floats) -> tuple[Floats, Floats]:
    """Return H(0) and the area of many distributions over the same sorted distinct values `x`, one in each row."""
    h0, area = np.zeros(len(rows)), np.zeros(len(rows))
    for r in range(len(rows)):
        possible = rows[r] > 0.0
        eps, h = steps(x[possible], rows[r][possible])
        h0[r] = h[0]
        for k in range(len(h) - 1):
            area[r] += h[k] * (eps[k + 1] - eps[k])
    return h0, area
