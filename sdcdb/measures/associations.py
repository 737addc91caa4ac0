"""Chi-square of contingency tables before and after perturbation: is a relation between two attributes preserved?

VICUS (2012), section 3.2, measures data quality in this way: for each pair of attributes, Pearson's chi-square and the
likelihood-ratio chi-square of their contingency table, in the original and in the perturbed table, and whether the
verdict on independence is the same. With O the observed and E = row total x column total / n the expected counts,

    chi2 = sum (O - E)^2 / E      chi2_LR = 2 sum O ln(O / E)      df = (rows - 1)(columns - 1)

without Yates' correction. Values that do not occur (rows or columns of zeros) are left out, as in statistical packages.
When that leaves one row or column there is nothing to test: df is 0, chi-square 0, p 1, Cramer's V None.
Records with a missing value are left out by leaving them out of the counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from sdcdb.errors import DataError
from sdcdb.measures.distribution import Floats


@dataclass(frozen=True)
class Association:
    """Result of `association`.

    `large_sample` is VICUS's condition for trusting the p-values: over 80% of the expected counts larger than 5 and all
    larger than 1. It is False where there is nothing to test.
    """

    records: int
    chi_square: float
    likelihood_ratio: float
    df: int
    p_value: float
    likelihood_p_value: float
    cramers_v: float | None
    share_expected_over_5: float
    least_expected: float
    large_sample: bool


@dataclass(frozen=True)
class PairAssociation:
    """The association of two attributes, by their numbers."""

    first: int
    second: int
    association: Association


@dataclass(frozen=True)
class AssociationChange:
    """One contingency table before and after; independence is rejected where a p-value is below `significance`."""

    before: Association
    after: Association
    significance: float = 0.05

    @property
    def chi_square_ratio(self) -> float | None:
        """Chi-square after / before; None where it was 0."""
        return self.after.chi_square / self.before.chi_square if self.before.chi_square > 0 else None

    @property
    def v_difference(self) -> float | None:
        """Cramer's V after - before; None where either is undefined. Unlike chi-square it does not grow with n."""
        v = self.before.cramers_v, self.after.cramers_v
        return None if v[0] is None or v[1] is None else v[1] - v[0]

    @property
    def same_verdict(self) -> bool:
        """Whether Pearson's test rejects independence both before and after, or neither."""
        return (self.before.p_value < self.significance) == (self.after.p_value < self.significance)


@dataclass(frozen=True)
class PairChange:
    """The change of the association of two attributes, by their numbers."""

    first: int
    second: int
    change: AssociationChange


def association(table: ArrayLike) -> Association:
    """Return the chi-square statistics of a contingency table of counts.

    >>> found = association([[10, 20], [30, 40]])
    >>> round(found.chi_square, 4), round(found.likelihood_ratio, 4), found.df, round(found.p_value, 4)
    (0.7937, 0.8043, 1, 0.373)
    >>> round(found.cramers_v, 4), found.large_sample
    (0.0891, True)
    """
    from scipy.special import chdtrc  # scipy is slow to import

    observed = _counts(table)
    observed = observed[observed.any(axis=1)][:, observed.any(axis=0)]
    n = float(observed.sum())
    if n == 0:
        return Association(0, 0.0, 0.0, 0, 1.0, 1.0, None, 0.0, 0.0, large_sample=False)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / n
    df = (observed.shape[0] - 1) * (observed.shape[1] - 1)
    chi_square = float(((observed - expected) ** 2 / expected).sum()) if df else 0.0
    seen = observed > 0
    ratio = max(0.0, 2 * float(observed[seen] @ np.log(observed[seen] / expected[seen]))) if df else 0.0
    share, least = float((expected > 5).mean()), float(expected.min())
    return Association(
        records=int(n),
        chi_square=chi_square,
        likelihood_ratio=ratio,
        df=df,
        p_value=float(chdtrc(df, chi_square)) if df else 1.0,
        likelihood_p_value=float(chdtrc(df, ratio)) if df else 1.0,
        cramers_v=float(np.sqrt(chi_square / (n * (min(observed.shape) - 1)))) if df else None,
        share_expected_over_5=share,
        least_expected=least,
        large_sample=df > 0 and share > 0.8 and least > 1,
    )


def pairs(counts: ArrayLike, sizes: Sequence[int]) -> tuple[PairAssociation, ...]:
    """Return the association of every two attributes, from one matrix of co-occurrence counts.

    `counts[v, w]` is the number of records that have both values v and w, with the values of all attributes numbered
    one attribute after another; `sizes` is the number of values of each. Only blocks above the diagonal are read.

    >>> counts = [[3, 0, 3, 0], [0, 2, 0, 2], [3, 0, 3, 0], [0, 2, 0, 2]]
    >>> [(p.first, p.second, round(p.association.cramers_v, 6)) for p in pairs(counts, sizes=[2, 2])]
    [(0, 1, 1.0)]
    """
    matrix, ends = _counts(counts), np.cumsum(sizes)
    if len(sizes) == 0 or min(sizes) < 0 or matrix.shape != (ends[-1], ends[-1]):
        raise DataError(
            f"counts have shape {matrix.shape} and the attributes {list(sizes)} values: "
            "pass a square matrix with one row and one column for each value of each attribute"
        )
    blocks = [slice(end - size, end) for size, end in zip(sizes, ends, strict=True)]
    return tuple(
        PairAssociation(a, b, association(matrix[blocks[a], blocks[b]])) for a, b in combinations(range(len(sizes)), 2)
    )


def compare(before: ArrayLike, after: ArrayLike, significance: float = 0.05) -> AssociationChange:
    """Compare the contingency tables of two attributes before and after perturbation.

    >>> change = compare([[40, 10], [10, 40]], [[30, 20], [20, 30]])
    >>> round(change.chi_square_ratio, 3), round(change.v_difference, 3), change.same_verdict
    (0.111, -0.4, True)
    """
    return AssociationChange(association(before), association(after), _share(significance))


def compare_pairs(
    before: ArrayLike, after: ArrayLike, sizes: Sequence[int], significance: float = 0.05
) -> tuple[PairChange, ...]:
    """Compare every two attributes, from the co-occurrence counts (see `pairs`) of both tables."""
    alpha = _share(significance)
    return tuple(
        PairChange(b.first, b.second, AssociationChange(b.association, a.association, alpha))
        for b, a in zip(pairs(before, sizes), pairs(after, sizes), strict=True)
    )


def _share(significance: float) -> float:
    if not 0 < significance < 1:
        raise DataError(f"significance is {significance}: it must be between 0 and 1, for example 0.05")
    return significance


def _counts(given: ArrayLike) -> Floats:
    try:
        counts = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"the counts are not a table of numbers ({error}): pass rows of equal length") from error
    if counts.ndim != 2:
        raise DataError(f"the counts have {counts.ndim} dimensions: pass a table with rows and columns")
    if not (np.isfinite(counts) & (counts >= 0) & (counts == np.round(counts))).all():
        raise DataError("the counts must be integers of 0 or more: pass numbers of records, not shares")
    return counts
