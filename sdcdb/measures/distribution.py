"""What an intruder believes about one confidential value: the values it may have, with their probabilities.

One documented behaviour for every odd input, the same in Python and in SQL:

| input                                   | behaviour                                                     |
|-----------------------------------------|---------------------------------------------------------------|
| values not sorted                       | sorted                                                        |
| a value passed twice                     | merged, probabilities added                                   |
| probability 0                           | the value is dropped: it cannot be the true one               |
| probabilities summing to 1 within 1e-6  | divided by their sum                                          |
| any other sum                           | error; `normalise` (`sdc_normalise`) turns counts into shares |
| negative probability, NaN, infinity     | error                                                         |
| lists of different length, empty lists  | error                                                         |
| NULL list, or a list with a NULL in it  | NULL in SQL; error in Python                                  |
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sdcdb.errors import DataError

Floats = NDArray[np.float64]

SUM_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Distribution:
    """Strictly increasing `values` and their `probs`, all positive, summing to one."""

    values: Floats
    probs: Floats

    @classmethod
    def of(cls, values: ArrayLike, probs: ArrayLike) -> "Distribution":
        """Check, sort and merge; see the table above."""
        x, p = _floats(values, "values"), probabilities(probs)
        if len(x) != len(p):
            raise DataError(f"{len(x)} values but {len(p)} probabilities: pass one probability per value")
        x, where = np.unique(x[p > 0], return_inverse=True)
        merged = np.zeros(len(x))
        np.add.at(merged, where, p[p > 0])
        return cls(x, merged)

    def coarse(self, bins: int) -> "Distribution":
        """Move every value to the middle of one of `bins` equal parts of the range, and merge."""
        low, width = self.values[0], (self.values[-1] - self.values[0]) / bins
        if width == 0:
            return self
        part = np.minimum((self.values - low) // width, bins - 1)
        return Distribution.of(low + (part + 0.5) * width, self.probs)


def probabilities(probs: ArrayLike) -> Floats:
    """Check that `probs` is a probability distribution and return it summing to exactly one."""
    p = _weights(probs, "probabilities")
    total = float(p.sum())
    if abs(total - 1.0) > SUM_TOLERANCE:
        raise DataError(
            f"the probabilities sum to {total:.6g}, not to 1: "
            "divide counts by their sum first (sdc_normalise in SQL, normalise in Python)"
        )
    return p / total


def normalise(weights: ArrayLike) -> Floats:
    """Turn counts or weights into probabilities.

    >>> normalise([1, 3]).tolist()
    [0.25, 0.75]
    """
    w = _weights(weights, "weights")
    total = float(w.sum())
    if total <= 0:
        raise DataError("the weights sum to zero: at least one must be positive")
    return w / total


def _weights(weights: ArrayLike, what: str) -> Floats:
    w = _floats(weights, what)
    if (w < 0).any():
        raise DataError(f"negative {what}: {w.min():.6g} at position {int(w.argmin()) + 1}")
    return w


def _floats(given: Any, what: str) -> Floats:
    try:
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise DataError(f"the {what} must be numbers: {problem}") from None
    if array.ndim != 1 or not len(array):
        raise DataError(f"the {what} must be a list with at least one number")
    if not np.isfinite(array).all():
        raise DataError(f"the {what} contain NaN or infinity at position {int(np.isfinite(array).argmin()) + 1}")
    return array
