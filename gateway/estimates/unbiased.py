"""Sums over records, estimated without bias from their published values.

Let L[x, o] be the chance that x is published as o, and w[x] what a record with the value x adds to a sum. A weight g[o]
with L g = w has the expectation w[x] for a record with the value x, so the sum of g over the published values is
unbiased (Warner 1965; Gouweleeuw et al. 1998). A record's part has the variance sum_o L[x, o] g[o]^2 - w[x]^2, of
which g^2 - s, with L s = w^2, is an unbiased estimate.

For noise on numbers, L is taken on a grid of the domain. There L g = w is solved by least squares with a small ridge;
what is left of it is the bias, which is public and reported.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RIDGE = 1e-6
WORST = 1e8  # a condition number beyond which different originals look the same
BIAS = 0.02  # of the width of what is added, that a grid may leave


@dataclass(frozen=True, eq=False)
class Weights:
    """What a published value adds to an estimate, and to the estimate of its variance."""

    value: Floats
    variance: Floats

    def of(self, published: Floats) -> tuple[float, float]:
        """Return the estimate and its standard error, from counts of the published values."""
        return float(published @ self.value), float(np.sqrt(max(float(published @ self.variance), 0.0)))


def weights_for(likelihood: Floats, wanted: Floats) -> Weights | None:
    """Return the weights for a sum in which an original value counts `wanted`; None where there are none.

    >>> keeps = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> weights_for(keeps, np.array([1.0, 0.0])).of(np.array([40.0, 60.0]))[0]
    30.0
    """
    if likelihood.shape[0] == likelihood.shape[1] <= 100 and np.linalg.cond(likelihood) < WORST:
        value, square = np.linalg.solve(likelihood, np.stack([wanted, wanted**2], axis=1)).T
        return Weights(value.round(12), value**2 - square)
    gram = likelihood.T @ likelihood
    ridge = gram + RIDGE * np.trace(gram) / len(gram) * np.eye(len(gram))
    value, square = np.linalg.solve(ridge, likelihood.T @ np.stack([wanted, wanted**2], axis=1)).T
    if np.abs(likelihood @ value - wanted).max() > BIAS * max(float(np.ptp(wanted)), 1e-12):
        return None
    return Weights(value, value**2 - square)
