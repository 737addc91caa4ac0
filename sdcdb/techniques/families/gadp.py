"""General Additive Data Perturbation: a perturbed record as a linear rule of its own values and normal draws.

GADP (Muralidhar, Parsa and Sarathy 1999) publishes, for the numbers X and the columns S that stay as they are,

    Y = mx + B (S - ms) + a (X - mx - B (S - ms)) + e,     B = Sxs Sss^-1,     Cov(e) = (1 - a^2) (Sxx - B Ssx)

so that mean and covariance of (Y, S) are those of (X, S). `a`, the proximity, is how much of X itself is kept: with
a = 0 and no S, as in the thesis (2007, chapter 7), the data is redrawn from its mean and covariance.

In GADP e is drawn, so this holds in expectation. EGADP (Muralidhar and Sarathy 2005) makes it hold in the sample: the
normal draws are freed from what they happen to share with X and S, and scaled so that their sample covariance is the
wanted one. Both steps are linear with constants that follow from sample moments of values and draws, so each
record is still perturbed by itself:

    Y = intercept + inputs (X, S) + noise Z
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RANK = 1e-9  # eigenvalues of a correlation matrix below this share of the largest count as 0


@dataclass(frozen=True)
class Moments:
    """Mean and covariance of the columns (X, S, Z), in this order; the covariance divides by records - 1."""

    mean: Floats
    covariance: Floats


@dataclass(frozen=True)
class Rule:
    """A linear rule. `inputs` has a row for each of X and a column for each of X and S; `noise` one for each of Z."""

    intercept: Floats
    inputs: Floats
    noise: Floats


def rule(moments: Moments, numbers: int, proximity: float, *, exact: bool) -> Rule:
    """Return the rule of GADP, or of EGADP where `exact`; `numbers` is the number of columns of X.

    Where there are too few records to free the draws from X as well, EGADP leaves nothing of X (a = 0) and frees them
    from S alone: the moments are still exact.
    """
    given = len(moments.mean) - 2 * numbers
    scale = np.sqrt(np.diag(moments.covariance))
    scale = np.where(scale > 0, scale, 1.0)
    mean, unit = moments.mean / scale, moments.covariance / np.outer(scale, scale)
    x, s = slice(0, numbers), slice(numbers, numbers + given)
    z, w = slice(numbers + given, None), slice(0, numbers + given)
    regression = (
        unit[x, s] @ np.linalg.pinv(unit[s, s], rcond=RANK, hermitian=True) if given else np.zeros((numbers, 0))
    )
    left = unit[x, x] - regression @ unit[s, x]
    if not exact:
        made = _linear(mean, numbers, regression, proximity)
        noise = np.sqrt(1 - proximity**2) * root(left)
        return _unscaled(made.intercept, made.inputs, noise, scale, numbers, given)
    freed, share, rest = _freed(unit[z, w], unit[w, w]), proximity, np.empty(0)
    rest = unit[z, z] - freed @ unit[w, z]
    if _rank(rest) < _rank(left):
        share, freed = 0.0, np.zeros((numbers, numbers + given))
        if given:
            freed[:, s] = _freed(unit[z, s], unit[s, s])
        rest = unit[z, z] - freed @ unit[w, z]
    mixed = mapped(rest, (1 - share**2) * left)
    made = _linear(mean, numbers, regression, share)
    inputs = made.inputs - mixed @ freed
    intercept = made.intercept - mixed @ (mean[z] - freed @ mean[w])
    return _unscaled(intercept, inputs, mixed, scale, numbers, given)


def _linear(mean: Floats, numbers: int, regression: Floats, proximity: float) -> Rule:
    inputs = np.hstack([proximity * np.eye(numbers), (1 - proximity) * regression])
    return Rule(mean[:numbers] - inputs @ mean[: inputs.shape[1]], inputs, np.empty(0))


def _unscaled(intercept: Floats, inputs: Floats, noise: Floats, scale: Floats, numbers: int, given: int) -> Rule:
    own = scale[:numbers]
    return Rule(
        intercept * own,
        inputs * own[:, None] / scale[: numbers + given],
        noise * own[:, None] / scale[numbers + given :],
    )


def _freed(cross: Floats, inner: Floats) -> Floats:
    """Return the regression of the draws on the columns that they are freed from."""
    return np.asarray(cross @ np.linalg.pinv(inner, rcond=RANK, hermitian=True))


def root(covariance: Floats) -> Floats:
    """Return a lower triangular L with L L' = covariance, which may have any rank."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    upper = np.linalg.qr((vectors * np.sqrt(np.clip(values, 0, None))).T).R
    lower = upper.T * np.where(np.diag(upper) < 0, -1.0, 1.0)
    lower[np.abs(lower) < 1e-8] = 0.0
    return np.asarray(lower)


def mapped(given: Floats, wanted: Floats) -> Floats:
    """Return M with M given M' = wanted; `given` must have at least the rank of `wanted`.

    >>> mapped(np.array([[4.0]]), np.array([[1.0]])).tolist()
    [[0.5]]
    """
    if _rank(given) == len(given) == _rank(wanted):
        return np.asarray(np.linalg.cholesky(wanted) @ np.linalg.inv(np.linalg.cholesky(given)))
    from_values, from_vectors = np.linalg.eigh((given + given.T) / 2)
    to_values, to_vectors = np.linalg.eigh((wanted + wanted.T) / 2)
    size = _rank(wanted)
    keep = slice(len(given) - size, None)  # eigh sorts in ascending order
    scale = np.sqrt(np.clip(to_values[keep], 0, None) / from_values[keep])
    return np.asarray((to_vectors[:, keep] * scale) @ from_vectors[:, keep].T)


def _rank(covariance: Floats) -> int:
    values = np.linalg.eigvalsh((covariance + covariance.T) / 2)
    return int((values > RANK * max(1.0, float(values[-1]) if len(values) else 1.0)).sum())
