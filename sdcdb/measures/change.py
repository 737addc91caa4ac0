"""What perturbation changes: moments, correlations and marginals of a table before and after.

Record i before is record i after: sort both by the record key first. Missing values (NaN in numbers, -1 in
category codes, masked in masked arrays) are handled in pairs, so that suppression and perturbation do not mix:

- a statistic of one column uses the records whose value is known both before and after; those that became missing are
  counted in `lost`, those that became known in `gained`;
- a correlation uses the records in which both columns are known both before and after (so a matrix of columns with
  different gaps need not be positive semidefinite).

What is undefined, such as the mean of no records or the variance of one, is None; in a correlation matrix it is NaN, as
is the correlation with a column that is constant.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sdcdb.errors import DataError
from sdcdb.measures.distribution import Floats

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class NumberChange:
    """Result of `number_change`. Variances divide by records - 1."""

    records: int
    lost: int
    gained: int
    mean_before: float | None
    mean_after: float | None
    variance_before: float | None
    variance_after: float | None
    share_changed: float | None
    mean_absolute_change: float | None
    ks_distance: float | None

    @property
    def mean_difference(self) -> float | None:
        """Mean after - before."""
        return _difference(self.mean_before, self.mean_after)

    @property
    def variance_difference(self) -> float | None:
        """Variance after - before."""
        return _difference(self.variance_before, self.variance_after)


@dataclass(frozen=True)
class CorrelationChange:
    """Result of `correlation_change`: Pearson correlation matrices, columns in the given order."""

    before: Floats
    after: Floats

    @property
    def difference(self) -> Floats:
        """Correlations after - before."""
        return self.after - self.before

    @property
    def largest(self) -> float | None:
        """The largest absolute difference of a correlation; None where no correlation is defined in both tables."""
        known = np.abs(self.difference[~np.isnan(self.difference)])
        return float(known.max()) if known.size else None


@dataclass(frozen=True)
class CategoryChange:
    """Result of `category_change`. `transitions[i, j]` counts the records that had value i and now have value j."""

    records: int
    lost: int
    gained: int
    share_changed: float | None
    total_variation: float | None
    transitions: Codes

    @property
    def matrix(self) -> Floats:
        """The empirical transition matrix: share of value i that became j; NaN rows for values that did not occur."""
        totals = self.transitions.sum(axis=1, keepdims=True)
        shares = np.full(self.transitions.shape, np.nan)
        np.divide(self.transitions, totals, out=shares, where=totals > 0)
        return shares


def number_change(before: ArrayLike, after: ArrayLike) -> NumberChange:
    """Compare one column of numbers.

    The Kolmogorov-Smirnov distance is the largest difference of the two cumulative distributions: 0 for equal
    marginals, even if all values changed places, and 1 for ranges that do not overlap.

    >>> change = number_change([1, 2, 3, 4], [2, 2, 3, 5])
    >>> change.mean_difference, change.share_changed, change.mean_absolute_change, change.ks_distance
    (0.5, 0.5, 0.5, 0.25)
    """
    b, a = _numbers(before, 1), _numbers(after, 1)
    _aligned(b, a)
    lost, gained, both = _known(~np.isnan(b), ~np.isnan(a))
    b, a = b[both], a[both]
    n = len(b)
    if n == 0:
        return NumberChange(0, lost, gained, None, None, None, None, None, None, None)
    return NumberChange(
        records=n,
        lost=lost,
        gained=gained,
        mean_before=float(b.mean()),
        mean_after=float(a.mean()),
        variance_before=float(b.var(ddof=1)) if n > 1 else None,
        variance_after=float(a.var(ddof=1)) if n > 1 else None,
        share_changed=float((a != b).mean()),
        mean_absolute_change=float(np.abs(a - b).mean()),
        ks_distance=_ks(b, a),
    )


def correlation_change(before: ArrayLike, after: ArrayLike) -> CorrelationChange:
    """Compare the correlation matrices of two tables of numbers, records x columns.

    >>> change = correlation_change([[1, 1], [2, 2], [3, 3]], [[1, 3], [2, 2], [3, 1]])
    >>> round(float(change.before[0, 1]), 6), round(float(change.after[0, 1]), 6), round(change.largest, 6)
    (1.0, -1.0, 2.0)
    """
    b, a = _numbers(before, 2), _numbers(after, 2)
    _aligned(b, a)
    missing = np.isnan(b) | np.isnan(a)
    return CorrelationChange(_correlations(np.where(missing, np.nan, b)), _correlations(np.where(missing, np.nan, a)))


def category_change(before: ArrayLike, after: ArrayLike, size: int | None = None) -> CategoryChange:
    """Compare one column of category codes: 0, 1, ... and -1 for missing, as `uniqueness.numbered` gives them.

    `size` is the number of values, by default as many as occur; the transitions take size x size counts. The total
    variation distance is half the sum of |share before - share after| over the values: 0 when the changes cancel out
    in the marginals, never more than the share of changed values.

    >>> change = category_change([0, 0, 1, 1], [0, 1, 1, 1])
    >>> change.share_changed, change.total_variation, change.matrix.tolist()
    (0.25, 0.25, [[0.5, 0.5], [0.0, 1.0]])
    """
    b, a = _codes(before), _codes(after)
    _aligned(b, a)
    width = max(int(b.max(initial=-1)), int(a.max(initial=-1))) + 1
    if size is not None and size < width:
        raise DataError(f"size is {size} and code {width - 1} occurs: size must be at least {width}")
    width = size or width
    lost, gained, both = _known(b >= 0, a >= 0)
    n = int(both.sum())
    counts = np.bincount(b[both] * width + a[both], minlength=width * width).reshape(width, width).astype(np.int64)
    if n == 0:
        return CategoryChange(0, lost, gained, None, None, counts)
    shift = np.abs(counts.sum(axis=1) - counts.sum(axis=0)).sum()
    changed = (n - int(np.trace(counts))) / n
    return CategoryChange(n, lost, gained, changed, float(shift) / (2 * n), counts)


def _ks(before: Floats, after: Floats) -> float:
    grid = np.concatenate([before, after])
    below = [np.searchsorted(np.sort(values), grid, side="right") for values in (before, after)]
    return float(np.abs(below[0] - below[1]).max()) / len(before)


def _correlations(table: Floats) -> Floats:
    import pandas as pd  # its correlation leaves out missing values pair by pair, in one stable pass

    return pd.DataFrame(table).corr(min_periods=2).to_numpy(dtype=np.float64)


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _known(before: NDArray[np.bool_], after: NDArray[np.bool_]) -> tuple[int, int, NDArray[np.bool_]]:
    """Return how many values were lost and gained, and where both are known."""
    return int((before & ~after).sum()), int((after & ~before).sum()), before & after


def _aligned(before: Floats | Codes, after: Floats | Codes) -> None:
    if before.shape != after.shape:
        raise DataError(
            f"before has shape {before.shape} and after {after.shape}: "
            "pass the same records in the same order; join both tables on the record key first"
        )


def _numbers(given: ArrayLike, dimensions: int) -> Floats:
    try:
        numbers = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"the values are not numbers ({error}): pass category codes to category_change") from error
    if isinstance(given, np.ma.MaskedArray):
        numbers[np.ma.getmaskarray(given)] = np.nan  # DuckDB's fetchnumpy masks NULL
    if numbers.ndim != dimensions:
        raise DataError(f"the values have {numbers.ndim} dimensions instead of {dimensions}: pass a column or a table")
    if np.isinf(numbers).any():
        raise DataError("the values contain infinity: replace it with a number, or with NaN for a missing value")
    return numbers


def _codes(given: ArrayLike) -> Codes:
    codes = np.asarray(given)
    if codes.size == 0:
        codes = codes.astype(np.int64)  # numpy takes an empty list for real numbers
    if codes.ndim != 1 or codes.dtype.kind not in "iu":
        raise DataError("category codes must be a list of integers: 0, 1, ... for values and -1 for missing ones")
    codes = codes.astype(np.int64)
    if isinstance(given, np.ma.MaskedArray):
        codes[np.ma.getmaskarray(given)] = -1  # DuckDB's fetchnumpy masks NULL
    if codes.min(initial=0) < -1:
        raise DataError(f"category code {codes.min()}: codes of values start at 0, and -1 is a missing value")
    return codes
