"""How uncertain an intruder remains: H(0), area and curve of what the answers leave, given what the intruder knows.

CAE paper, query restriction: each record that matches what is known is equally likely to be the person; of a record in
[L, U], each domain value in it is equally likely. So p is the average, over the matching records, of the uniform
distributions on their intervals. Here a domain of more than `GRID` values is counted in `GRID` wider steps; H(0) is
exact for a single interval.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf, log2

import numpy as np
from numpy.typing import NDArray

from sdcdb.auditor.evidence import Domain, Evidence
from sdcdb.auditor.proofs.interval import Intervals
from sdcdb.gateway.inference.intervals.equivocation import area, h0
from sdcdb.measures.cae_curve import Curve, curve

GRID = 250
FEW = 10  # values whose curve is found without compiled code
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Doubt:
    """H(0) in bits and the area in bits times the unit of the column."""

    h0: float
    area: float


def values_in(lower: float, upper: float, domain: Domain) -> int:
    """Return how many values of the domain's grid lie in an interval."""
    return max(1, round((upper - lower) / float(domain.grid)) + 1)


def of_interval(lower: float, upper: float, domain: Domain) -> Doubt:
    """Return the uncertainty about a value of which only the interval is known."""
    number = values_in(lower, upper, domain) if upper > lower else 1
    return Doubt(h0(number), area(number, float(domain.grid)))


def of_points(values: Sequence[float]) -> Doubt:
    """Return the uncertainty about a value that is one of a few, each equally likely."""
    found = curve_of(np.unique(np.array(values, dtype=np.float64)), np.full(len(values), 1 / len(values)))
    return Doubt(float(found.h[0]), found.area())


def mixture(found: Intervals, cells: Sequence[int], counts: Sequence[int], domain: Domain) -> tuple[Floats, Floats]:
    """Return the grid values and their probabilities, averaged over the matching records."""
    low, wide = float(domain.low), float(domain.width)
    number = min(GRID, values_in(low, float(domain.high), domain))
    edges = np.linspace(low, float(domain.high), number)
    probability = np.zeros(number)
    lower, upper = found.lower[cells], found.upper[cells]
    firsts = np.searchsorted(edges, lower - 1e-9 * wide).tolist()
    lasts = np.searchsorted(edges, upper + 1e-9 * wide, side="right").tolist()
    for n, (first, last, count) in enumerate(zip(firsts, lasts, counts, strict=True)):
        if last <= first:  # between two grid values: the nearer one
            probability[int(np.argmin(np.abs(edges - (lower[n] + upper[n]) / 2)))] += count
        else:
            probability[first:last] += count / (last - first)
    return edges[probability > 0], probability[probability > 0] / probability.sum()


def curve_of(values: Floats, probability: Floats) -> Curve:
    """Return H(eps); of a few values by the paper's own recurrence, as starting the compiled one costs more."""
    return curve(values, probability) if len(values) > FEW else few_values(values.tolist(), probability.tolist())


def few_values(values: Sequence[float], probability: Sequence[float]) -> Curve:
    """Return H(eps) of a few ascending values: Algorithm 1 of the CAE paper, at every distance between two of them.

    >>> few_values([1, 3, 8, 9], [0.15, 0.1, 0.7, 0.05]).h.round(3).tolist()
    [1.319, 1.054, 0.811, 0.61, 0.286, 0.0]
    """
    number = len(values)
    mass = list(accumulate(probability, initial=0.0))
    slack = 8 * 2.220446049250313e-16 * max(abs(values[0]), abs(values[-1]))
    eps, bits = [0.0], [_least_entropy(values, mass, slack)]
    for distance in sorted(values[i] - values[j] for i in range(number) for j in range(i)):
        least = _least_entropy(values, mass, distance + slack)
        if least < bits[-1] - 1e-12:
            eps.append(distance)
            bits.append(least)
    return Curve(np.array(eps), np.array(bits))


def _least_entropy(values: Sequence[float], mass: Sequence[float], reach: float) -> float:
    best = [0.0]
    for i, value in enumerate(values):
        least, j = inf, i
        while j >= 0 and value - values[j] <= reach:
            q = mass[i + 1] - mass[j]
            least = min(least, best[j] - (q * log2(q) if q > 0 else 0.0))
            j -= 1
        best.append(least)
    return best[-1] if best[-1] > 1e-12 else 0.0


class Uncertainty:
    """What an intruder who knows some columns of a person still does not know: found once per combination of them."""

    def __init__(self, found: Intervals, known: Mapping[str, Sequence[object]], evidence: Evidence) -> None:
        self._found, self._domain, self._counts = found, evidence.domain, evidence.counts
        columns = list(known.values())
        self._key = [tuple(values[cell] for values in columns) for cell in range(len(evidence.counts))]
        self._matching: dict[tuple[object, ...], list[int]] = {}
        for cell in np.flatnonzero(evidence.counts > 0).tolist():
            self._matching.setdefault(self._key[cell], []).append(cell)
        self._kept: dict[tuple[object, ...], tuple[Doubt, Curve]] = {}
        self._exact: dict[tuple[object, ...], bool] = {}
        self._certain = Doubt(0.0, 0.0), Curve(np.zeros(1), np.zeros(1))

    def of(self, cell: int) -> tuple[Doubt, Curve]:
        """Return the uncertainty about the person in a cell, and the curve H(eps)."""
        key = self._key[cell]
        if key not in self._kept:
            self._kept[key] = self._measured(cell, self._matching.get(key, [cell]))
        return self._kept[key]

    def exact(self, cell: int) -> bool:
        """Tell whether the interval of every record that this person may be is known, not only a part of it."""
        key = self._key[cell]
        if key not in self._exact:
            self._exact[key] = bool(self._found.exact[self._matching.get(key, [cell])].all())
        return self._exact[key]

    def _measured(self, cell: int, matching: list[int]) -> tuple[Doubt, Curve]:
        found, domain = self._found, self._domain
        if len(matching) == 1 and found.lower[cell] == found.upper[cell]:
            return self._certain
        if len(matching) == 1:
            number = min(GRID, values_in(float(found.lower[cell]), float(found.upper[cell]), domain))
            values = np.unique(np.linspace(found.lower[cell], found.upper[cell], number))
            doubt = of_interval(float(found.lower[cell]), float(found.upper[cell]), domain)
            return doubt, curve_of(values, np.full(len(values), 1 / len(values)))
        values, probability = mixture(found, matching, [int(self._counts[c]) for c in matching], domain)
        measured = curve_of(values, probability)
        return Doubt(float(measured.h[0]), measured.area()), measured
