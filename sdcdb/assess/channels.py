"""The channel of a fitted technique: the probability that an original value is published as another.

Categories that change by a matrix have it already. For noise on numbers it is computed on a grid of the domain, from
2,000 equally likely noises; nothing is drawn. For all others it is counted from records before and after.
"""

import math

import numpy as np

from sdcdb.measures.channel import Cells, Grid, bounded, empirical
from sdcdb.measures.distribution import Floats
from sdcdb.techniques.binomial import FittedBinomial
from sdcdb.techniques.correlated import FittedCorrelated
from sdcdb.techniques.families.numbers import Boundary, NumberShape
from sdcdb.techniques.multiplicative import FittedMultiplicative
from sdcdb.techniques.normal import FittedNormal
from sdcdb.techniques.technique import Fitted
from sdcdb.techniques.uniform import FittedUniform

CELLS = 100  # of a domain
_NOISES = 2_000


def grid_of(domain: tuple[float, float], step: float | None) -> Grid:
    """Divide a domain into cells: one for each value of a short one, otherwise a hundred."""
    low, high = domain
    values = math.floor((high - low) / step + 1e-6) + 1 if step else CELLS + 1
    if step and values <= CELLS:
        return Grid(low - step / 2, low + (values - 0.5) * step, values)
    return Grid(low, high, CELLS)


def channel(fitted: Fitted, column: str, grid: Grid) -> Floats | None:
    """Return the likelihood of noise on a grid; None for a technique of another kind."""
    published = _published(fitted, column, grid.middles[:, None])
    return None if published is None else grid.channel(published)


def likelihoods(fitted: Fitted, column: str, values: Floats, grid: Grid) -> Floats | None:
    """Return, for each value, the likelihood of the grid's cells under noise; None for a technique of another kind."""
    published = _published(fitted, column, values[:, None])
    return None if published is None else grid.channel(published)


def counted(before: Cells, after: Cells, grid: Grid) -> Floats:
    """Estimate the channel of any technique from records; originals that do not occur are taken as unchanged."""
    likelihood = empirical(before, after, (grid.size, grid.size))
    never = likelihood.sum(axis=1) == 0
    likelihood[never] = np.eye(grid.size)[never]
    return likelihood


def _published(fitted: Fitted, column: str, x: Floats) -> Floats | None:
    from scipy.special import ndtri
    from scipy.stats import binom

    q = (np.arange(_NOISES) + 0.5) / _NOISES
    if isinstance(fitted, FittedNormal):
        return _shaped(x + fitted.sd * ndtri(q), fitted.shape, fitted.boundary)
    if isinstance(fitted, FittedUniform):
        return _shaped(x + fitted.width * (2 * q - 1), fitted.shape, fitted.boundary)
    if isinstance(fitted, FittedBinomial):
        steps = binom.ppf(q, fitted.trials, 0.5) - fitted.trials / 2
        return _shaped(x + steps * (fitted.shape.step or 1), fitted.shape, fitted.boundary)
    if isinstance(fitted, FittedMultiplicative):
        noise = fitted.sd * ndtri(q)
        factor = 1 + np.clip(noise, -1, 1) if fitted.form == "direct" else np.exp(noise)
        return _shaped(x * factor, fitted.shape, fitted.boundary)
    if isinstance(fitted, FittedCorrelated):
        place = fitted.columns.index(column)
        noisy = x + math.hypot(*fitted.factor[place]) * ndtri(q)
        if fitted.restore:
            noisy = fitted.means[place] + (noisy - fitted.means[place]) / math.sqrt(1 + fitted.share)
        return _shaped(noisy, fitted.shapes[place], fitted.boundary)
    return None


def _shaped(noisy: Floats, shape: NumberShape, boundary: Boundary) -> Floats:
    if shape.domain is None:
        return noisy
    low, high = shape.domain
    if shape.step:
        noisy = low + np.floor((noisy - low) / shape.step + 0.5) * shape.step
        high += shape.step if boundary == "wrap" else 0  # the last value is followed by the first
    return bounded(noisy, low, high, boundary)
