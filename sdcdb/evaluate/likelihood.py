"""How likely a technique is to publish each value as each other: what Bayes needs to invert noise.

`likelihood[i, j]` is the probability that the i-th value of the grid is published as the j-th; the last column is
"nothing is published". Techniques that treat every record by itself follow a law determined by the fit, and it is
computed here, exactly. Techniques that look at other records (microaggregation, swapping) or at other columns
(gadp, linnapt) have none: for them `observed` counts, in the file at hand, how often each value became each other. That
gives the intruder counts that only the owner has. It does not include what other columns say: an intruder who knows
which leaf a record is in, and what noise that leaf has, may learn more than is measured here.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import ndtr

from sdcdb.engines.expressions import SPAN
from sdcdb.evaluate.population import Floats, Grid, Ints
from sdcdb.techniques.binomial import FittedBinomial, chances
from sdcdb.techniques.coding import FittedCoding
from sdcdb.techniques.correlated import FittedCorrelated
from sdcdb.techniques.families.numbers import Boundary
from sdcdb.techniques.multiplicative import FittedMultiplicative
from sdcdb.techniques.normal import FittedNormal
from sdcdb.techniques.rounding import FittedRounding
from sdcdb.techniques.suppression import FittedSuppression
from sdcdb.techniques.technique import Fitted
from sdcdb.techniques.uniform import FittedUniform

FAR = 8.3  # standard deviations: what lies beyond has a probability below 1e-16
MOST_TURNS = 200  # of the domain, in either direction, are followed one by one

Below = Callable[[Floats], Floats]
"""The probability that the noisy value, counted in steps from `low`, is below each of a row of limits."""


def likelihood(fitted: Fitted | None, grid: Grid) -> Floats | None:
    """Return the matrix of a fitted technique, or None if it does not perturb each record by itself."""
    law = None if fitted is None else _LAWS.get(type(fitted))
    return None if law is None else law(fitted, grid)


def observed(positions: Ints, published: Ints, size: int) -> Floats:
    """Return the matrix of one published file: the share of the records with each value that became each other."""
    counts = np.bincount(positions * (size + 1) + published, minlength=size * (size + 1)).reshape(size, size + 1)
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1), dtype=np.float64)


def folded(steps: Ints, boundary: Boundary, size: int) -> Ints:
    """Map places outside 0 to size - 1 back inside, as `sdcdb.techniques.families.numbers.NumberShape` does in SQL.

    >>> [folded(np.arange(-2, 5), how, 3).tolist() for how in ("wrap", "clip", "reflect")]
    [[1, 2, 0, 1, 2, 0, 1], [0, 0, 0, 1, 2, 2, 2], [2, 1, 0, 1, 2, 1, 0]]
    """
    if boundary == "clip" or size == 1:
        return np.clip(steps, 0, size - 1)
    if boundary == "wrap":
        return np.asarray(steps % size)
    return np.asarray(size - 1 - np.abs(steps % (2 * (size - 1)) - (size - 1)))


def _moved(first: int, weights: Floats, grid: Grid, boundary: Boundary) -> Floats:
    """Return the matrix of noise that is `first`, `first` + 1, ... steps with these weights, whatever the value."""
    matrix = np.zeros((grid.size, grid.size + 1))
    offsets = first + np.arange(len(weights))
    for i in range(grid.size):
        matrix[i, : grid.size] = np.bincount(folded(i + offsets, boundary, grid.size), weights, minlength=grid.size)
    return matrix


def _rounded(laws: list[tuple[Below, tuple[float, float]]], grid: Grid, boundary: Boundary) -> Floats:
    """Return the matrix of noisy numbers that are rounded to the nearest step, one law per value of the grid.

    Each law comes with its reach. Noise that wraps or folds more than `MOST_TURNS` times is spread evenly.
    """
    matrix = np.zeros((grid.size, grid.size + 1))
    for i, (below, reach) in enumerate(laws):
        if boundary == "clip":
            first, last = 0, grid.size - 1
        else:
            ends = np.floor(np.array(reach) + 0.5)
            first, last = np.clip(ends, -MOST_TURNS * grid.size, MOST_TURNS * grid.size).astype(int).tolist()
        limits: Floats = np.arange(first, last + 2) - np.float64(0.5)
        if boundary == "clip":
            limits[[0, -1]] = -np.inf, np.inf
        places = folded(np.arange(first, last + 1), boundary, grid.size)
        matrix[i, : grid.size] = np.bincount(places, np.diff(below(limits)), minlength=grid.size)
    matrix[:, : grid.size] += (1 - matrix.sum(axis=1, keepdims=True)) / grid.size
    return np.maximum(matrix, 0.0)


def _normal_law(middle: float, sd: float) -> tuple[Below, tuple[float, float]]:
    if sd == 0:
        return lambda x: (x > middle).astype(np.float64), (middle, middle)
    return lambda x: np.asarray(ndtr((x - middle) / sd)), (middle - FAR * sd, middle + FAR * sd)


def _normal(fitted: FittedNormal, grid: Grid) -> Floats:
    laws = [_normal_law(float(i), fitted.sd / grid.step) for i in range(grid.size)]
    return _rounded(laws, grid, fitted.boundary)


def _correlated(fitted: FittedCorrelated, grid: Grid) -> Floats | None:
    """One column by itself has normal noise; with `restore` it is drawn towards the mean afterwards."""
    if len(fitted.columns) != 1:
        return None
    shrink = 1 / math.sqrt(1 + fitted.share) if fitted.restore else 1.0
    mean, sd = fitted.means[0], math.hypot(*fitted.factor[0])
    middles = (mean + (grid.points - mean) * shrink - grid.low) / grid.step
    laws = [_normal_law(float(middle), sd * shrink / grid.step) for middle in middles]
    return _rounded(laws, grid, fitted.boundary)


def _uniform(fitted: FittedUniform, grid: Grid) -> Floats:
    steps = round(fitted.width / grid.step)
    return _moved(-steps, np.full(2 * steps + 1, 1 / (2 * steps + 1)), grid, fitted.boundary)


def _binomial(fitted: FittedBinomial, grid: Grid) -> Floats:
    first, weights = chances(fitted.trials)
    return _moved(first, np.array(weights) / SPAN, grid, fitted.boundary)


def _multiplicative(fitted: FittedMultiplicative, grid: Grid) -> Floats:
    laws = [_factor_law(fitted, float(value), grid) for value in grid.points]
    return _rounded(laws, grid, fitted.boundary)


def _factor_law(fitted: FittedMultiplicative, value: float, grid: Grid) -> tuple[Below, tuple[float, float]]:
    """Return the law of value x factor, a factor 1 + sd z held between 0 and 2, or exp(sd z)."""
    if value == 0 or fitted.sd == 0:
        return _normal_law((value - grid.low) / grid.step, 0.0)
    direct, sd = fitted.form == "direct", fitted.sd
    ends = (max(0.0, 1 - FAR * sd), min(2.0, 1 + FAR * sd)) if direct else (math.exp(-FAR * sd), math.exp(FAR * sd))

    def below_factor(factor: Floats) -> Floats:
        if direct:  # what lies outside 0 to 2 is moved to the ends
            return np.where(factor <= 0, 0.0, np.where(factor > 2, 1.0, ndtr((factor - 1) / sd)))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(factor <= 0, 0.0, ndtr(np.log(factor) / sd))

    def below(steps: Floats) -> Floats:
        factor = (grid.low + steps * grid.step) / value
        return below_factor(factor) if value > 0 else 1.0 - below_factor(factor)

    reach = sorted((value * end - grid.low) / grid.step for end in ends)
    return below, (reach[0], reach[1])


def _rounding(fitted: FittedRounding, grid: Grid) -> Floats:
    matrix, rows = np.zeros((grid.size, grid.size + 1)), np.arange(grid.size)
    bases = np.round(grid.points / fitted.base, 9)
    low, high = (end / fitted.base for end in (grid.low, grid.high))
    if fitted.at_random:
        below, above = np.maximum(np.floor(bases), low), np.minimum(np.floor(bases) + 1, high)
        gap = above - below
        up = np.where(gap > 0, (bases - below) / np.where(gap > 0, gap, 1), 0.0)
    else:
        below, above, up = np.floor(bases + 0.5), np.floor(bases + 0.5), np.zeros(grid.size)
    for multiples, weight in ((below, 1 - up), (above, up)):
        places = np.round((np.clip(multiples, low, high) * fitted.base - grid.low) / grid.step).astype(np.int64)
        np.add.at(matrix, (rows, np.clip(places, 0, grid.size - 1)), weight)
    return matrix


def _coding(fitted: FittedCoding, grid: Grid) -> Floats:
    becomes = grid.points.copy()
    if fitted.bottom is not None:
        becomes[grid.points < fitted.bottom.threshold] = fitted.bottom.becomes
    if fitted.top is not None:
        becomes[grid.points > fitted.top.threshold] = fitted.top.becomes
    places = np.clip(np.round((becomes - grid.low) / grid.step).astype(np.int64), 0, grid.size - 1)
    return np.eye(grid.size, grid.size + 1)[places]


def _suppression(fitted: FittedSuppression, grid: Grid) -> Floats | None:
    """Only random suppression follows a law; rare and listed values are counted in the file."""
    if fitted.values or fitted.rare is not None or fitted.replace is not None:
        return None
    gone = fitted.below / SPAN
    matrix = np.eye(grid.size, grid.size + 1) * (1 - gone)
    matrix[:, grid.size] = gone
    return matrix


_LAWS: dict[type[Fitted], Callable[[Any, Grid], Floats | None]] = {
    FittedNormal: _normal,
    FittedUniform: _uniform,
    FittedBinomial: _binomial,
    FittedMultiplicative: _multiplicative,
    FittedCorrelated: _correlated,
    FittedRounding: _rounding,
    FittedCoding: _coding,
    FittedSuppression: _suppression,
}
