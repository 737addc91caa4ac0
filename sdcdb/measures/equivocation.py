"""What an intruder believes about a confidential value after sampling, query restriction or noise.

The CAE paper (2014), appendix, "Details of Experiments". The intruder's knowledge of a person selects the matching
records; these functions turn what was released about them into p_i, the probability that the person's value is the
i-th value d_i of the domain D. The result is in the order of `domain`, sums to 1, and can be passed to
`sdcdb.measures.cae(domain, p)`. A domain is a list of distinct numbers, in any order; it is public knowledge, not
the values that happen to be in the data.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from sdcdb.errors import DataError
from sdcdb.measures.distribution import Floats, normalise


def after_sampling(sample_values: ArrayLike, matching_in_original: int, domain: ArrayLike) -> Floats:
    """Return p_i = f_i / |Mo| + (|Mo| - |Ms|) / |Mo| * 1 / |D| for a released sample.

    `sample_values` are the confidential values of the |Ms| matching records in the sample, f_i of them equal to d_i;
    `matching_in_original` is |Mo|, which the intruder is assumed to know. If the person is not in the sample, all
    values of the domain are equally likely.

    >>> after_sampling([20, 20, 30], matching_in_original=4, domain=[10, 20, 30, 40]).tolist()
    [0.0625, 0.5625, 0.3125, 0.0625]
    """
    d, sample = _domain(domain), _numbers(sample_values, "sample values")
    if matching_in_original < max(len(sample), 1):
        raise DataError(
            f"{matching_in_original} records match in the original and {len(sample)} in its sample: "
            "count the matching records of the whole table, at least one"
        )
    order = np.argsort(d)
    place = order[np.minimum(np.searchsorted(d, sample, sorter=order), len(d) - 1)]
    if (d[place] != sample).any():
        raise DataError(f"sample value {sample[d[place] != sample][0]:g} is not in the domain: list every value")
    f = np.bincount(place, minlength=len(d))
    return np.asarray(f / matching_in_original + (1 - len(sample) / matching_in_original) / len(d))


def after_restriction(low: ArrayLike, high: ArrayLike, domain: ArrayLike, slack: float | None = None) -> Floats:
    """Return p_i from the bounds that answered queries imply for each matching record (Algorithm 2).

    `low` and `high` are L and U of the matching records. Each record spreads 1 / |Mo| equally over the domain values
    in [L, U]: with a domain of whole numbers that is the paper's 1 / (U - L + 1). Bounds computed by a linear programme
    are rounded, and a domain value exactly on a bound must not be lost: `slack` widens every interval, by
    default by 1e-9 of the largest absolute domain value. Cost: records + domain values, after sorting the domain.

    >>> after_restriction(low=[10, 20], high=[40, 30], domain=[10, 20, 30, 40]).tolist()
    [0.125, 0.375, 0.375, 0.125]
    """
    d, lower, upper = _domain(domain), _numbers(low, "lower bounds"), _numbers(high, "upper bounds")
    if len(lower) != len(upper) or len(lower) == 0:
        raise DataError(f"{len(lower)} lower and {len(upper)} upper bounds: pass one of each per matching record")
    order = np.argsort(d)
    wider = 1e-9 * float(np.abs(d).max()) if slack is None else slack
    first = np.searchsorted(d, lower - wider, side="left", sorter=order)
    stop = np.searchsorted(d, upper + wider, side="right", sorter=order)
    empty = np.flatnonzero(stop <= first)
    if empty.size:
        where = int(empty[0])
        raise DataError(
            f"no domain value lies in [{lower[where]:g}, {upper[where]:g}], the bounds of matching record {where + 1}: "
            "check the domain, or use a larger slack if the bounds are rounded"
        )
    share = 1 / (stop - first)
    n = len(d) + 1
    change = np.bincount(first, share, minlength=n) - np.bincount(stop, share, minlength=n)
    # Running sums leave residues of rounding: a value that no interval covers must have probability 0 exactly.
    covered = np.cumsum(np.bincount(first, minlength=n) - np.bincount(stop, minlength=n))[:-1] > 0
    p = np.empty(len(d))
    p[order] = np.where(covered, np.maximum(np.cumsum(change)[:-1], 0.0), 0.0)
    return normalise(p)


def after_noise(observed: ArrayLike, likelihood: ArrayLike, prior: ArrayLike | None = None) -> Floats:
    """Return p_i from the published, noisy values of the matching records, by Bayes.

    The algorithm printed for noise (Algorithm 3) repeats the one for query restriction: every value within the bounds
    of the noise is equally likely (`bounded_noise`). This one uses how likely each noise is, too: with
    `likelihood[i, j]` the probability, or density, that d_i is published as the j-th
    possible value, each matching record gives p(d_i | j) = prior_i likelihood[i, j] / sum over k of prior_k
    likelihood[k, j], and p is the mean over the records. `observed` lists j of each matching record, counted from 0.
    `prior` weighs the domain values (counts will do); None is uniform, as the paper assumes for sampling. For
    continuous noise, pass a likelihood with one column per record, and 0, 1, 2, ... as `observed`.

    >>> after_noise(observed=[0, 1], likelihood=[[0.75, 0.25], [0.25, 0.75]]).tolist()
    [0.5, 0.5]
    >>> after_noise(observed=[0], likelihood=[[0.75, 0.25], [0.25, 0.75]], prior=[1, 3]).tolist()
    [0.5, 0.5]
    """
    given = _numbers(likelihood, "likelihoods", dimensions=2)
    if given.size == 0 or (given < 0).any():
        raise DataError("the likelihoods must be zero or positive: pass one row per domain value, one column per j")
    weights = np.ones(len(given)) if prior is None else normalise(prior)
    if len(weights) != len(given):
        raise DataError(f"the prior has {len(weights)} values and the likelihood {len(given)} rows: pass one for each")
    codes = np.asarray(observed)
    if codes.ndim != 1 or codes.size == 0 or codes.dtype.kind not in "iu":
        raise DataError("observed must list, for each matching record, the column of the likelihood: 0, 1, 2, ...")
    if codes.min() < 0 or codes.max() >= given.shape[1]:
        raise DataError(f"observed must lie in 0 to {given.shape[1] - 1}: the likelihood has no other column")
    columns, counts = np.unique(codes, return_counts=True)
    joint = weights[:, None] * given[:, columns]
    total = joint.sum(axis=0)
    if (total == 0).any():
        raise DataError(
            f"observed value {columns[total == 0][0]} cannot come from any domain value: "
            "pass the likelihood of the noise that was added, and a prior that allows the value"
        )
    return normalise(joint @ (counts / total))


def binomial_noise(size: int, largest: int) -> Floats:
    """Return the likelihood of the paper's noise for a domain of `size` values at equal steps.

    The noise is Binomial(M, 1/2) - M/2 steps, M = `largest`, an even number ("k% noise": M is k% of |D| - 1, rounded to
    a multiple of 2). The paper does not say what happens at the ends of the domain; here values may leave it by up to
    M/2 steps, so column j is the value j - M/2 steps above the first one.

    >>> binomial_noise(size=2, largest=2).tolist()
    [[0.25, 0.5, 0.25, 0.0], [0.0, 0.25, 0.5, 0.25]]
    """
    if size < 1 or largest < 0 or largest % 2:
        raise DataError(f"size {size} and largest {largest}: size must be at least 1, and largest an even number")
    chances = [math.comb(largest, k) / 2**largest for k in range(largest + 1)]
    likelihood = np.zeros((size, size + largest))
    for row in range(size):
        likelihood[row, row : row + largest + 1] = chances
    return likelihood


def bounded_noise(size: int, largest: int) -> Floats:
    """Return what Algorithm 3 as printed knows of the paper's noise: its bounds, L = y - M/2 and U = y + M/2.

    With it, `after_noise` spreads each matching record over the domain values in [L, U], 1 / (U - L + 1) for each, as
    printed, where the bounds end at the ends of the domain. Columns are those of `binomial_noise`.

    >>> after_noise(observed=[1], likelihood=bounded_noise(size=4, largest=2)).tolist()
    [0.5, 0.5, 0.0, 0.0]
    """
    return (binomial_noise(size, largest) > 0).astype(np.float64)


def _domain(domain: ArrayLike) -> Floats:
    d = _numbers(domain, "domain values")
    if len(d) == 0 or len(np.unique(d)) < len(d):
        raise DataError("the domain must list at least one value, and each value once")
    return d


def _numbers(given: ArrayLike, what: str, dimensions: int = 1) -> Floats:
    try:
        numbers = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"the {what} must be numbers: {error}") from None
    if numbers.ndim != dimensions:
        raise DataError(f"the {what} have {numbers.ndim} dimensions: it must be {dimensions}")
    if np.ma.is_masked(given) or not np.isfinite(numbers).all():
        raise DataError(f"the {what} contain NULL, NaN or infinity: leave those out")
    return numbers
