"""What everybody can foretell of people's values: a prior for each class of cells, in units of the audit.

Sums are taken as sums of independent draws. With K the logarithm of the moment generating function of the deviation,

    P(deviation >= K'(t)) <= exp(K(t) - t K'(t))      (Chernoff),

so the deviation at which the right side is delta is passed with at most that probability; where even the end of the
range is more probable than delta (ten people, of whom each has nothing with probability 0.92), the end is plausible.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sdcdb.gateway.inference.prior import Prior

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

SIZES = 48  # different sizes of coefficients that are told apart, over all classes
FEWEST_SIZES = 6  # in each class
STEPS = 60


@dataclass(frozen=True)
class Points:
    """The priors as points: a row of deviations from the mean, and one of chances, for each class; filled up by 0."""

    centred: Floats
    chances: Floats


@dataclass(frozen=True)
class Forecast:
    """Priors, and the number of the one that each cell has."""

    priors: tuple[Prior, ...]
    place: Ints

    @classmethod
    def same(cls, prior: Prior, cells: int) -> "Forecast":
        """Return the forecast that is the same for all cells."""
        return cls((prior,), np.zeros(cells, dtype=np.int64))

    def of(self, cells: NDArray[np.intp]) -> "Forecast":
        """Return the forecast for some of the cells."""
        return Forecast(self.priors, self.place[cells])

    def in_units(self, low: float, wide: float) -> "Forecast":
        """Return the same with the domain as [0, 1]."""
        return Forecast(tuple(prior.in_units(low, wide) for prior in self.priors), self.place)

    @cached_property
    def means(self) -> Floats:
        """The mean value in each cell."""
        return np.array([prior.mean for prior in self.priors])[self.place]

    @cached_property
    def points(self) -> Points:
        """The priors as points."""
        drawn = [prior.drawn for prior in self.priors]
        most = max(len(values) for values, _ in drawn)
        centred, chances = np.zeros((len(drawn), most)), np.zeros((len(drawn), most))
        for row, (values, parts) in enumerate(drawn):
            centred[row, : len(values)] = values - values @ parts
            chances[row, : len(values)] = parts
        return Points(centred, chances)

    def log_chance_up_to(self, cells: Flags, number: Floats, value: float, *, above: bool) -> float:
        """Return the logarithm of the chance that nobody in these cells is above this value, or nobody is below."""
        counts = np.bincount(self.place[cells], weights=number[cells], minlength=len(self.priors))
        found = 0.0
        for count, prior in zip(counts, self.priors, strict=True):
            if count:
                share = prior.up_to(value) if above else 1.0 - prior.below(value)
                found += float(count) * (math.log(share) if share > 0 else -math.inf)
        return found

    def spreads(self, rest: Floats, number: Floats, delta: float) -> tuple[float, float]:
        """Return how far below and above its mean the sum of rest times draws lies, but for a share `delta` each."""
        sizes, times, classes = self._grouped(rest, number)
        centred, chances = self.points.centred, self.points.chances
        return (
            _deviation(-sizes, times, classes, centred, chances, delta),
            _deviation(sizes, times, classes, centred, chances, delta),
        )

    def _grouped(self, rest: Floats, number: Floats) -> tuple[Floats, Floats, Ints]:
        """Return a few coefficients of each class and how many records have each; a coefficient counts as no less."""
        used = (number > 0) & (np.abs(rest) > 1e-12)
        if not used.any():
            return np.zeros(1), np.zeros(1), np.zeros(1, dtype=np.int64)
        steps = max(FEWEST_SIZES, SIZES // len(self.priors))
        largest = float(np.abs(rest[used]).max())
        size = np.ceil(np.abs(rest[used]) / largest * steps - 1e-9) * np.sign(rest[used])
        per_class = 2 * steps + 1
        place = self.place[used] * per_class + (size + steps).astype(np.int64)
        times = np.bincount(place, number[used], per_class * len(self.priors))
        kept = np.flatnonzero(times)
        sizes = np.asarray((kept % per_class - steps) * (largest / steps), dtype=np.float64)
        return sizes, np.asarray(times[kept], dtype=np.float64), kept // per_class


@njit(cache=True, nogil=True)
def _ends(sizes: Floats, times: Floats, classes: Ints, centred: Floats, chances: Floats) -> tuple[float, float]:
    """Return the largest deviation of the sum that can be, and the largest of one record."""
    most, widest = 0.0, 0.0
    for g in range(len(sizes)):
        end = 0.0
        for p in range(centred.shape[1]):
            if chances[classes[g], p] > 0.0:
                product = sizes[g] * centred[classes[g], p]
                end = max(end, product)
                widest = max(widest, abs(product))
        most += times[g] * end
    return most, widest


@njit(cache=True, nogil=True)
def _tilted(
    t: float, sizes: Floats, times: Floats, classes: Ints, centred: Floats, chances: Floats
) -> tuple[float, float, float]:
    """Return K(t) and its first two derivatives."""
    value, slope, bend = 0.0, 0.0, 0.0
    for g in range(len(sizes)):
        row, size, peak = classes[g], t * sizes[g], 0.0
        for p in range(centred.shape[1]):
            if chances[row, p] > 0.0:
                peak = max(peak, size * centred[row, p])
        total, first, second = 0.0, 0.0, 0.0
        for p in range(centred.shape[1]):
            if chances[row, p] > 0.0:
                weight = chances[row, p] * math.exp(size * centred[row, p] - peak)
                product = sizes[g] * centred[row, p]
                total += weight
                first += weight * product
                second += weight * product * product
        mean = first / total
        value += times[g] * (math.log(total) + peak)
        slope += times[g] * mean
        bend += times[g] * (second / total - mean * mean)
    return value, slope, bend


@njit(cache=True, nogil=True)
def _deviation(sizes: Floats, times: Floats, classes: Ints, centred: Floats, chances: Floats, delta: float) -> float:
    """Return the deviation of a sum of draws that is passed with a chance of at most delta."""
    most, widest = _ends(sizes, times, classes, centred, chances)
    if not most > 0.0:
        return 0.0
    wanted = math.log(delta)
    low, high, slope = 0.0, math.inf, 0.0
    t = 1.0 / widest
    for _ in range(STEPS):
        value, slope, bend = _tilted(t, sizes, times, classes, centred, chances)
        exponent = value - t * slope
        if abs(exponent - wanted) < 1e-3:
            break
        if exponent > wanted:
            low = t
        else:
            high = t
        if t > 1e12 / widest:
            return most
        step = t + (exponent - wanted) / (t * bend) if bend > 0.0 else math.inf
        if not (low < step < high):
            step = 4.0 * t if high == math.inf else 0.5 * (low + high)
        t = min(step, 4.0 * t)
    return min(slope, most)
