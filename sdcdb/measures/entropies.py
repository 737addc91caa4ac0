"""Shannon entropy and the disclosure risk built on it. Logarithms are to base 2: the unit is the bit."""

import math

import numpy as np
from numpy.typing import ArrayLike

from sdcdb.measures.distribution import probabilities


def entropy(probs: ArrayLike) -> float:
    """Return H = -sum p log2 p in bits.

    >>> entropy([0.5, 0.25, 0.25])
    1.5
    """
    p = probabilities(probs)
    p = p[p > 0]
    return max(0.0, -float(p @ np.log2(p)))  # a certain value has entropy 0, not -0


def disclosure_risk(probs: ArrayLike) -> float:
    """Return DR = 1 / H(X | Y = y), Oganian and Domingo-Ferrer; eq. (1) of the CAE paper (2014).

    Certainty has entropy 0, hence infinite risk.

    >>> disclosure_risk([0.25, 0.25, 0.25, 0.25])
    0.5
    """
    h = entropy(probs)
    return 1.0 / h if h > 0 else math.inf
