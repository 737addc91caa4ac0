"""Sums over records, estimated without bias from their published values.

Let L[x, o] be the chance that x is published as o, and w[x] what a record with the value x adds to a sum. A weight g[o]
with L g = w has the expectation w[x] for a record with the value x, so the sum of g over the published values is
unbiased (Warner 1965; Gouweleeuw et al. 1998). A record's part has the variance sum_o L[x, o] g[o]^2 - w[x]^2, of
which g^2 - s, with L s = w^2, is an unbiased estimate.

For noise on numbers, L is taken on a grid of the domain. There the exact solution of L g = w can have huge weights of
changing sign, above all where values are wrapped around the ends: no bias, and an error beyond all use. So solutions by
least squares with a ridge are tried. Each has a bias L g - w and a variance for every original; what they come to over
the published records, each of which stands for the originals that it may come from, is the error of an estimate. The
ridge with the least error is taken.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RIDGES = tuple(10.0**power for power in range(0, -13, -1))
PLAIN = 1e3  # a condition number up to which the exact solution is the best one
BIAS = 0.02  # of the width of what is added, below which some ridge must come


@dataclass(frozen=True, eq=False)
class Weights:
    """What a published value adds to an estimate, to its variance and to its bias: a row for each way to weigh."""

    value: Floats
    variance: Floats
    bias: Floats

    def of(self, published: Floats) -> tuple[float, float]:
        """Return the estimate with the least standard error, bias included, and that error, from published counts."""
        squared = np.maximum(self.variance @ published, 0.0) + (self.bias @ published) ** 2
        best = int(np.argmin(squared))
        return float(self.value[best] @ published), float(np.sqrt(squared[best]))


def weights_for(likelihood: Floats, wanted: Floats) -> Weights | None:
    """Return the weights for a sum in which an original value counts `wanted`; None where there are none.

    >>> keeps = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> weights_for(keeps, np.array([1.0, 0.0])).of(np.array([40.0, 60.0]))[0]
    30.0
    """
    if likelihood.shape[0] == likelihood.shape[1] <= 100 and np.linalg.cond(likelihood) < PLAIN:
        value, square = np.linalg.solve(likelihood, np.stack([wanted, wanted**2], axis=1)).T
        exact = value.round(12)[None]
        return Weights(exact, (value**2 - square)[None], np.zeros_like(exact))
    left, singular, right = np.linalg.svd(likelihood, full_matrices=False)
    origin = likelihood / np.maximum(likelihood.sum(axis=0), 1e-300)  # what a published value may come from
    values, variances, biases, least = [], [], [], np.inf
    for ridge in RIDGES:
        value = right.T @ (singular / (singular**2 + ridge * singular[0] ** 2) * (left.T @ wanted))
        expected = likelihood @ value
        values.append(value)
        variances.append(np.maximum(likelihood @ value**2 - expected**2, 0.0) @ origin)
        biases.append(np.sqrt((expected - wanted) ** 2 @ origin))
        least = min(least, float(np.abs(expected - wanted).max()))
    if least > BIAS * max(float(np.ptp(wanted)), 1e-12):
        return None
    return Weights(np.array(values), np.array(variances), np.array(biases))
