"""How far the answer to a sum may lie from its expected value, judged from the past alone.

Split the new query set into what earlier sets explain and a rest r, a number per record (`geometry`). The explained
part of the answer is known. The rest is r(X) with X the unknown values, and at the point x that the audit keeps it is
r(x): the expected answer. The model for the deviation takes the records as independent around x, each uniform:

- towards the nearer end of its range it reaches that end, whose distance is `near`;
- away from it, it reaches 2.25 times `near` but not further than the other end. That gives sums of skewed values, like
  salaries, the spread of a distribution with a long tail (for a lognormal with sigma 1 the standard deviation is 1.3 of
  the mean, and 1.3 sqrt 3 = 2.25).

Because r is orthogonal to all earlier sets, knowing their sums does not change the variance of r(X). The tail is that
of a sum of independent uniforms by the saddle point: with K the cumulant function,

    P(deviation >= K'(t)) = exp(K(t) - t K'(t)) / (t sqrt(2 pi K''(t)))

(Daniels 1954; Bahadur and Rao 1960), which is Gaussian for many records, and for m fresh uniform records near the end
agrees with the Irwin-Hall tail t^m / m! up to Stirling's formula. A normal tail would be far too wide there: it would
refuse every set of fewer than 30 records.
"""

import math

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.machine_code import machine_code

Floats = NDArray[np.float64]

FAR = 2.25


def spreads(rest: Floats, number: Floats, down: Floats, up: Floats, delta: float) -> tuple[float, float]:
    """Return how far below and above its expected value the answer lies but for a share `delta` on each side.

    `rest` is r per record, `number` the records that have it, `down` and `up` the distances to the ends of the range.

    >>> five = np.full(5, 1.0)
    >>> low, high = spreads(five, five, five / 2, five / 2, 1e-6)  # a fresh set of five uniform records
    >>> round(2.5 - low, 2)  # (1e-6 * 5!) ** (1 / 5) = 0.16
    0.16
    """
    near = np.minimum(down, up)
    below, above = np.minimum(down, FAR * near), np.minimum(up, FAR * near)
    falls = np.abs(rest) * np.where(rest > 0, below, above)
    rises = np.abs(rest) * np.where(rest > 0, above, below)
    return deviation(falls, number, delta), deviation(rises, number, delta)


@machine_code()
def deviation(reach: Floats, number: Floats, delta: float) -> float:
    """Return the upper delta-quantile of a sum of independent uniforms on [-reach, reach], `number` of each."""
    variance, most = 0.0, 0.0
    for i in range(len(reach)):
        variance += number[i] * reach[i] * reach[i] / 3.0
        most += number[i] * reach[i]
    if not variance > 0.0:
        return 0.0
    wanted = math.log(delta)
    low, high = 0.0, math.inf
    t = math.sqrt(-2.0 * wanted / variance)
    slope = 0.0
    for _ in range(60):
        value, slope, bend = 0.0, 0.0, 0.0
        for i in range(len(reach)):
            u = t * reach[i]
            if u < 0.7:  # the series: no cancellation, and no exponential
                s = u * u
                value += number[i] * s * (1.0 / 6.0 - s / 180.0 + s * s / 2835.0)
                slope += number[i] * reach[i] * u * (1.0 / 3.0 - s / 45.0 + 2.0 * s * s / 945.0)
                bend += number[i] * reach[i] * reach[i] * (1.0 / 3.0 - s / 15.0 + 2.0 * s * s / 189.0)
            else:
                e = math.exp(-2.0 * u)
                value += number[i] * (u + math.log((1.0 - e) / (2.0 * u)))
                slope += number[i] * reach[i] * ((1.0 + e) / (1.0 - e) - 1.0 / u)
                bend += number[i] * reach[i] * reach[i] * (1.0 / (u * u) - 4.0 * e / ((1.0 - e) * (1.0 - e)))
        tail = value - t * slope - math.log(max(1.0, t * math.sqrt(2.0 * math.pi * bend)))
        if abs(tail - wanted) < 1e-3:
            break
        if tail > wanted:
            low = t
        else:
            high = t
        step = t + (tail - wanted) / (t * bend)
        if not (low < step < high):
            step = 2.0 * t if high == math.inf else 0.5 * (low + high)
        t = min(step, 4.0 * t)
    return min(slope, most)


@deviation.in_numpy
def _deviation_plainly(reach: Floats, number: Floats, delta: float) -> float:
    used = number * reach > 0.0
    return _passed(reach[used], number[used], delta) if used.any() else 0.0


def _passed(reach: Floats, number: Floats, delta: float) -> float:
    """Return the deviation where the approximate tail is delta, by Newton's method between bounds."""
    most, wanted = float((number * reach).sum()), math.log(delta)
    low, high, slope = 0.0, math.inf, 0.0
    t = math.sqrt(-2.0 * wanted / float((number * reach * reach).sum() / 3.0))
    for _ in range(60):
        value, slope, bend = _cumulants_at(t * reach, reach, number)
        tail = value - t * slope - math.log(max(1.0, t * math.sqrt(2.0 * math.pi * bend)))
        if abs(tail - wanted) < 1e-3:
            break
        low, high = (t, high) if tail > wanted else (low, t)
        step = t + (tail - wanted) / (t * bend)
        if not (low < step < high):
            step = 2.0 * t if high == math.inf else 0.5 * (low + high)
        t = min(step, 4.0 * t)
    return min(slope, most)


def _cumulants_at(u: Floats, reach: Floats, number: Floats) -> tuple[float, float, float]:
    """Return K and its first two derivatives: for small u by the series, which has no cancellation."""
    small, large = np.minimum(u, 0.7), np.maximum(u, 0.7)
    s, e, series = small * small, np.exp(-2.0 * large), u < 0.7
    value = np.where(series, s * (1 / 6 - s / 180 + s * s / 2835), large + np.log((1.0 - e) / (2.0 * large)))
    slope = np.where(series, small * (1 / 3 - s / 45 + 2 * s * s / 945), (1.0 + e) / (1.0 - e) - 1.0 / large)
    bend = np.where(series, 1 / 3 - s / 15 + 2 * s * s / 189, 1.0 / (large * large) - 4.0 * e / ((1.0 - e) * (1.0 - e)))
    return float((number * value).sum()), float((number * reach * slope).sum()), float((number * reach**2 * bend).sum())
