"""What is publicly known of a column's distribution: a coarse histogram, with point masses.

It stands in for the uniform distribution on the domain wherever it is asked which answers are plausible. Sums are taken
as sums of independent draws from it. With K the logarithm of the moment generating function of the deviation,

    P(deviation >= K'(t)) <= exp(K(t) - t K'(t))      (Chernoff),

so the deviation at which the right side is delta is passed with at most that probability; where even the end of the
range is more probable than delta (ten people, of whom each has nothing with probability 0.92), the end is plausible.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import DataError

Floats = NDArray[np.float64]

PARTS = 8  # of a bin, each as a point in its middle
SIZES = 48  # different sizes of coefficients that are told apart
USUAL = (0.05, 0.95)  # between these points lies what is usual


@dataclass(frozen=True)
class Prior:
    """Shares of the bins between `edges`, and `points` with a share of their own, in the column's units."""

    edges: tuple[float, ...]
    shares: tuple[float, ...]
    points: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        if len(self.edges) != len(self.shares) + 1 or any(
            b <= a for a, b in zip(self.edges, self.edges[1:], strict=False)
        ):
            raise DataError("a histogram has one edge more than shares, and its edges rise")
        given = [*self.shares, *(share for _, share in self.points)]
        if min(given) < 0 or not math.isclose(sum(given), 1.0, abs_tol=1e-6):
            raise DataError(f"the shares of a histogram are not negative and add up to 1, not to {sum(given)}")

    def drawn(self) -> tuple[Floats, Floats]:
        """Return values and their probabilities, in order: each bin as a few points."""
        edges, shares = np.array(self.edges), np.array(self.shares)
        middles = (np.arange(PARTS) + 0.5) / PARTS
        values = (edges[:-1, None] + np.diff(edges)[:, None] * middles).ravel()
        chances = np.repeat(shares / PARTS, PARTS)
        values = np.concatenate([values, [value for value, _ in self.points]])
        chances = np.concatenate([chances, [share for _, share in self.points]])
        order = np.argsort(values, kind="stable")
        return values[order], chances[order] / chances.sum()

    def quantile(self, share: float) -> float:
        """Return the value that this share of people does not pass."""
        values, chances = self.drawn()
        return float(values[min(int(np.searchsorted(np.cumsum(chances), share - 1e-12)), len(values) - 1)])

    @property
    def mean(self) -> float:
        """The mean value."""
        values, chances = self.drawn()
        return float(values @ chances)

    @property
    def spread(self) -> float:
        """The width of what is usual: from the 5% point to the 95% point."""
        return self.quantile(USUAL[1]) - self.quantile(USUAL[0])

    def in_units(self, low: float, wide: float) -> "Prior":
        """Return the same with the domain as [0, 1]."""
        return Prior(
            tuple((edge - low) / wide for edge in self.edges),
            self.shares,
            tuple(((value - low) / wide, share) for value, share in self.points),
        )


def floor_of(prior: Prior, share: float) -> float:
    """Return `min_interval` as a share of what is usual, for columns whose domain is much wider than most values."""
    return share * prior.spread


def prior_spreads(prior: Prior, rest: Floats, number: Floats, delta: float) -> tuple[float, float]:
    """Return how far below and above its mean the sum of rest times draws lies, but for a share `delta` each."""
    values, chances = prior.drawn()
    centred = values - values @ chances
    sizes, times = _grouped(rest, number)
    return _deviation(-sizes, times, centred, chances, delta), _deviation(sizes, times, centred, chances, delta)


def _grouped(rest: Floats, number: Floats) -> tuple[Floats, Floats]:
    """Return a few coefficients and how many records have each, those between two counted as the larger one."""
    used = (number > 0) & (np.abs(rest) > 1e-12)
    if not used.any():
        return np.zeros(1), np.zeros(1)
    largest = float(np.abs(rest[used]).max())
    steps = np.ceil(np.abs(rest[used]) / largest * SIZES) * np.sign(rest[used])
    place = (steps + SIZES).astype(np.int64)
    times = np.bincount(place, number[used], 2 * SIZES + 1)
    kept = np.flatnonzero(times)
    sizes = np.asarray((kept - SIZES) * (largest / SIZES), dtype=np.float64)
    return sizes, np.asarray(times[kept], dtype=np.float64)


def _deviation(sizes: Floats, times: Floats, centred: Floats, chances: Floats, delta: float) -> float:
    products = np.outer(sizes, centred)
    most = float((times * products.max(axis=1)).sum())
    if not most > 0:
        return 0.0
    wanted, low, high, slope = math.log(delta), 0.0, math.inf, 0.0
    t = 1.0 / max(float(np.abs(products).max()), 1e-300)
    for _ in range(60):
        peak = (t * products).max(axis=1, keepdims=True)
        weights = chances * np.exp(t * products - peak)
        total = weights.sum(axis=1)
        value = float((times * (np.log(total) + peak[:, 0])).sum())
        slope = float((times * ((weights * products).sum(axis=1) / total)).sum())
        exponent = value - t * slope
        if abs(exponent - wanted) < 1e-3:
            break
        low, high = (t, high) if exponent > wanted else (low, t)
        if t > 1e12:
            return most
        t = 2.0 * t if high == math.inf else 0.5 * (low + high)
    return min(slope, most)
