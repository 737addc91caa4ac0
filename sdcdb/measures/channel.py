"""Perturbation as a channel: what is published, given the original, and what can be learnt and used afterwards.

`likelihood[i, j]` is the probability that the i-th original is published as the j-th value; rows sum to one. With a
prior over the originals this says everything about one column: how often an intruder's best guess is right, and how
much of the column is left for an analyst.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sdcdb.errors import DataError
from sdcdb.measures.distribution import Floats, normalise

Boundary = Literal["wrap", "clip", "reflect"]
Cells = NDArray[np.int64]


@dataclass(frozen=True)
class Grid:
    """Numbers in equal cells: the domain, cut into `size` parts, each standing for its middle.

    >>> Grid(0, 10, 5).middles.tolist(), Grid(0, 10, 5).cells([0, 1.9, 10, 11]).tolist()
    ([1.0, 3.0, 5.0, 7.0, 9.0], [0, 0, 4, 4])
    """

    low: float
    high: float
    size: int

    def __post_init__(self) -> None:
        if not (self.low < self.high and self.size >= 1):
            raise DataError(
                f"a grid from {self.low:g} to {self.high:g} in {self.size} cells: use low < high, and at least one cell"
            )

    @property
    def middles(self) -> Floats:
        """The number that each cell stands for."""
        return self.low + (np.arange(self.size) + 0.5) * (self.high - self.low) / self.size

    def cells(self, numbers: ArrayLike) -> Cells:
        """Return the cell of each number; what lies outside belongs to the first or the last."""
        places = np.floor((np.asarray(numbers, np.float64) - self.low) / (self.high - self.low) * self.size)
        return np.asarray(np.clip(places, 0, self.size - 1), np.int64)

    def channel(self, published: Floats) -> Floats:
        """Return the likelihood when row i of `published` holds equally likely outcomes for the i-th middle."""
        places = self.cells(published)
        rows = np.repeat(np.arange(len(published)), published.shape[1])
        counts = np.bincount(rows * self.size + places.ravel(), minlength=len(published) * self.size)
        return np.asarray(counts.reshape(len(published), self.size) / published.shape[1])


def bounded(numbers: Floats, low: float, high: float, boundary: Boundary) -> Floats:
    """Move noisy numbers back into [low, high], as `sdcdb.techniques.families.numbers.NumberShape` does in SQL.

    >>> [bounded(np.array([11.0]), 0, 10, how).tolist() for how in ("wrap", "clip", "reflect")]
    [[1.0], [10.0], [9.0]]
    """
    if boundary == "clip":
        return np.clip(numbers, low, high)
    width = high - low
    if boundary == "wrap":
        return np.asarray(low + np.mod(numbers - low, width))
    return np.asarray(high - np.abs(np.mod(numbers - low, 2 * width) - width))


def empirical(before: Cells, after: Cells, sizes: tuple[int, int]) -> Floats:
    """Estimate the likelihood from records; an original that never occurs has a row of zeros."""
    joint = np.bincount(before * sizes[1] + after, minlength=sizes[0] * sizes[1]).reshape(sizes)
    totals = joint.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(joint, totals, out=np.zeros(sizes), where=totals > 0)
    return shares


def guessed(likelihood: ArrayLike, prior: ArrayLike, reach: int = 0) -> float:
    """Return how often an intruder who knows the prior and the likelihood guesses the original.

    A guess within `reach` places of the original counts as right. Bayes' rule: the sum, over what may be published, of
    the largest joint probability of a window of 2 reach + 1 originals.

    >>> guessed([[0.75, 0.25], [0.25, 0.75]], [1, 1]), guessed([[1, 0], [1, 0]], [3, 1])
    (0.75, 0.75)
    """
    joint = normalise(prior)[:, None] * np.asarray(likelihood, np.float64)
    sums = np.cumsum(np.vstack([np.zeros(joint.shape[1]), joint]), axis=0)
    width = min(2 * reach + 1, len(joint))
    return float((sums[width:] - sums[:-width]).max(axis=0).sum())


def kept_variance(likelihood: ArrayLike, prior: ArrayLike, values: ArrayLike) -> float:
    """Return the squared correlation of original and published numbers: 1 if unchanged, 0 if nothing is left.

    >>> kept_variance(np.eye(3), [1, 1, 1], [1, 2, 3]), kept_variance(np.full((2, 2), 0.5), [1, 1], [0, 1])
    (1.0, 0.0)
    """
    joint = normalise(prior)[:, None] * np.asarray(likelihood, np.float64)
    x, before, after = np.asarray(values, np.float64), joint.sum(axis=1), joint.sum(axis=0)
    centred_before, centred_after = x - before @ x, x - after @ x
    variances = (before @ centred_before**2) * (after @ centred_after**2)
    covariance = centred_before @ joint @ centred_after
    return float(covariance**2 / variances) if variances > 0 else 0.0


def kept_association(likelihood: ArrayLike, table: ArrayLike) -> float | None:
    """Return the share of chi-square that is kept on average, of a table of originals (rows) by another column.

    The published table is expected to be likelihood' x table. None where there was no association to keep.

    >>> kept_association([[0.75, 0.25], [0.25, 0.75]], [[10, 0], [0, 10]])
    0.25
    """
    counts = np.asarray(table, np.float64)
    before = _chi_square(counts)
    return _chi_square(np.asarray(likelihood, np.float64).T @ counts) / before if before > 0 else None


def _chi_square(table: Floats) -> float:
    """Return chi-square of a table of expected counts, which need not be integers."""
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / max(float(table.sum()), 1e-300)
    terms = np.divide((table - expected) ** 2, expected, out=np.zeros_like(expected), where=expected > 0)
    return float(terms.sum())
