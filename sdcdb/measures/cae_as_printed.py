"""Algorithm 1 of the CAE paper (2014), written as printed: the reference for `sdcdb.measures.windows`.

Kept simple on purpose. Tests compare the fast programme with it, and `benchmarks/cae.py` times the two side by side.
One line is left out: the paper starts H(eps, i) from H(eps - 1, i), which assumes integer values and saves no work.
"""

import math
from collections.abc import Iterable

from sdcdb.measures.distribution import Distribution


def algorithm1(distribution: Distribution, ranges: Iterable[float]) -> list[float]:
    """Return H(eps) for every eps in `ranges`."""
    x, p = [0.0, *distribution.values.tolist()], [0.0, *distribution.probs.tolist()]
    return [_least_entropy(x, p, float(eps)) for eps in ranges]


def _least_entropy(x: list[float], p: list[float], eps: float) -> float:
    n = len(x) - 1
    h = [0.0] * (n + 1)
    for i in range(1, n + 1):
        j, partial, best = i, 0.0, math.inf
        while j != 0 and x[i] - x[j] <= eps:
            partial += p[j]
            best = min(best, partial * math.log2(1 / partial) + h[j - 1])
            j -= 1
        h[i] = best
    return h[n]
