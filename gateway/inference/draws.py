"""People's values as independent draws, one distribution for each class of cells: how far sums of them stray.

With K the logarithm of the moment generating function of the deviation,

    P(deviation >= K'(t)) <= exp(K(t) - t K'(t))      (Chernoff),

so the deviation at which the right side is delta is passed with at most that probability; where even the end of the
range is more probable than delta (ten people, of whom each has nothing with probability 0.92), the end is plausible.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.machine_code import FEW, machine_code

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SIZES = 48  # different sizes of coefficients that are told apart, over all classes
FEWEST_SIZES = 6  # in each class
STEPS = 60


@dataclass(frozen=True)
class Draws:
    """Values and their chances, a row for each class, filled up by chances of 0; and the class of each cell."""

    values: Floats
    chances: Floats
    place: Ints

    @cached_property
    def averages(self) -> Floats:
        """The mean value in each class."""
        return np.asarray((self.values * self.chances).sum(axis=1), dtype=np.float64)

    @cached_property
    def centred(self) -> Floats:
        """The values as deviations from the mean of their class."""
        return self.values - self.averages[:, None]

    @cached_property
    def means(self) -> Floats:
        """The mean value in each cell."""
        return self.averages[self.place]

    def spreads(self, rest: Floats, number: Floats, delta: float) -> tuple[float, float]:
        """Return how far below and above its mean the sum of rest times draws lies, but for a share `delta` each."""
        sizes, times, classes = self._grouped(rest, number)
        centred, chances = self.centred, self.chances
        return (
            _deviation(-sizes, times, classes, centred, chances, delta)[0],
            _deviation(sizes, times, classes, centred, chances, delta)[0],
        )

    def tail_at(self, rest: Floats, number: Floats, delta: float) -> float:
        """Return the t at which the tail upwards of the sum of rest times draws is found."""
        sizes, times, classes = self._grouped(rest, number)
        return _deviation(sizes, times, classes, self.centred, self.chances, delta)[1]

    def cumulants(self, tilts: Floats, number: Floats) -> tuple[float, Floats, Floats]:
        """Return the sum of all k(tilt), and for each cell its records' k' and k''."""
        slope, bend = np.zeros(len(tilts)), np.zeros(len(tilts))
        value = _cumulants(tilts, number, self.place, self.centred, self.chances, slope, bend)
        return value, slope, bend

    def _grouped(self, rest: Floats, number: Floats) -> tuple[Floats, Floats, Ints]:
        """Return a few coefficients of each class and how many records have each; a coefficient counts as no less."""
        used = (number > 0) & (np.abs(rest) > 1e-12)
        if not used.any():
            return np.zeros(1), np.zeros(1), np.zeros(1, dtype=np.int64)
        steps = max(FEWEST_SIZES, SIZES // len(self.values))
        largest = float(np.abs(rest[used]).max())
        size = np.ceil(np.abs(rest[used]) / largest * steps - 1e-9) * np.sign(rest[used])
        per_class = 2 * steps + 1
        place = self.place[used] * per_class + (size + steps).astype(np.int64)
        times = np.bincount(place, number[used], per_class * len(self.values))
        kept = np.flatnonzero(times)
        sizes = np.asarray((kept % per_class - steps) * (largest / steps), dtype=np.float64)
        return sizes, np.asarray(times[kept], dtype=np.float64), kept // per_class


@machine_code(few=FEW)
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


@machine_code()
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


@_tilted.in_numpy
def _tilted_plainly(
    t: float, sizes: Floats, times: Floats, classes: Ints, centred: Floats, chances: Floats
) -> tuple[float, float, float]:
    value, slope, bend = _tilted_each(np.full(len(sizes), t), sizes, classes, centred, chances)
    return float((times * value).sum()), float((times * slope).sum()), float((times * bend).sum())


def _tilted_each(
    tilts: Floats, sizes: Floats, classes: Ints, centred: Floats, chances: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return k(t) and its first two derivatives for one record of each class."""
    product, chance = sizes[:, None] * centred[classes], chances[classes]
    exponents = np.where(chance > 0.0, tilts[:, None] * product, -math.inf)
    peak = np.maximum(exponents.max(axis=1, initial=-math.inf), 0.0)
    weight = chance * np.exp(exponents - peak[:, None])
    total = weight.sum(axis=1)
    mean = (weight * product).sum(axis=1) / total
    bend = (weight * product * product).sum(axis=1) / total - mean * mean
    return np.log(total) + peak, mean, bend


@machine_code()
def _cumulants(
    tilts: Floats, number: Floats, classes: Ints, centred: Floats, chances: Floats, slope: Floats, bend: Floats
) -> float:
    one, all_of_it = np.ones(1), 0.0
    for i in range(len(tilts)):
        if number[i] > 0.0:
            value, first, second = _tilted(tilts[i], one, number[i : i + 1], classes[i : i + 1], centred, chances)
            all_of_it += value
            slope[i], bend[i] = first, second
    return all_of_it


@_cumulants.in_numpy
def _cumulants_plainly(
    tilts: Floats, number: Floats, classes: Ints, centred: Floats, chances: Floats, slope: Floats, bend: Floats
) -> float:
    used = np.flatnonzero(number > 0.0)
    value, first, second = _tilted_each(tilts[used], np.ones(len(used)), classes[used], centred, chances)
    slope[used], bend[used] = number[used] * first, number[used] * second
    return float((number[used] * value).sum())


@machine_code(few=FEW)
def _deviation(
    sizes: Floats, times: Floats, classes: Ints, centred: Floats, chances: Floats, delta: float
) -> tuple[float, float]:
    """Return the deviation of a sum of draws that is passed with a chance of at most delta, and its t."""
    most, widest = _ends(sizes, times, classes, centred, chances)
    if not most > 0.0:
        return 0.0, 1.0
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
            return most, t
        step = t + (exponent - wanted) / (t * bend) if bend > 0.0 else math.inf
        if not (low < step < high):
            step = 4.0 * t if high == math.inf else 0.5 * (low + high)
        t = min(step, 4.0 * t)
    return min(slope, most), t
