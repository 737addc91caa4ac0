"""What an intruder believes about each record after a release (CAE paper 2014, section 5 and appendix).

In the paper, p_i of a class of matching records is a mean over these records: each of them could be the person, with
equal probability. So a release is described record by record: `rows` lists the different beliefs that occur, each a
distribution over the domain, and `kinds` says which of them each record has. For sampling, a record in the sample is
known and any other is uniform: the mean is f_i / |Mo| + (|Mo| - |Ms|) / |Mo| / |D|, the paper's formula. For query
restriction the belief is uniform on the values in [L, U] (Algorithm 2). For noise it is Bayes (the printed Algorithm 3
repeats Algorithm 2 and cannot be meant; see `sdcdb.measures.equivocation`).

Values are positions on the domain's grid: 0 to size - 1.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import DataError
from sdcdb.measures.ranges import range_bounds

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Beliefs:
    """Row `kinds[r]` of `rows` is what the release says about record r by itself."""

    kinds: Ints
    rows: Floats


def after_sampling(positions: Ints, size: int, records: int, rng: np.random.Generator) -> Beliefs:
    """Publish a simple random sample of this many records, without replacement."""
    if not 0 <= records <= len(positions):
        raise DataError(f"a sample of {records} from {len(positions)} records: the share must be from 0% to 100%")
    kinds = np.full(len(positions), size)
    chosen = rng.permutation(len(positions))[:records]
    kinds[chosen] = positions[chosen]
    return Beliefs(kinds, np.vstack([np.eye(size), np.full((1, size), 1 / size)]))


def sliding_ranges(n: int, query_size: int) -> tuple[Ints, Ints]:
    """Return the starts and ends of the paper's k = floor(2n/Q) - 1 queries of Q records, each Q/2 after the last.

    >>> [each.tolist() for each in sliding_ranges(9, 4)]
    [[0, 2, 4], [4, 6, 8]]
    """
    if query_size < 2 or query_size % 2:
        raise DataError(f"a query set size of {query_size}: it must be even, and 2 or more")
    if query_size > n:
        raise DataError(f"a query set size of {query_size} among {n} records: it must be at most {n}")
    starts = np.arange(2 * n // query_size - 1) * (query_size // 2)
    return starts, starts + query_size


def after_restriction(positions: Ints, size: int, query_size: int, rng: np.random.Generator) -> Beliefs:
    """Answer the sliding queries over the shuffled records exactly, and spread belief over what they leave possible."""
    n = len(positions)
    order = rng.permutation(n)
    starts, ends = sliding_ranges(n, query_size)
    total = np.concatenate([[0], np.cumsum(positions[order])])
    low, high = range_bounds(starts, ends, total[ends] - total[starts], n, 0, size - 1, step=1)
    first, last = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    first[order], last[order] = np.round(low), np.round(high)
    pairs, kinds = np.unique(first * size + last, return_inverse=True)
    place = np.arange(size)
    inside = (place >= (pairs // size)[:, None]) & (place <= (pairs % size)[:, None])
    return Beliefs(kinds.reshape(-1), inside / inside.sum(axis=1, keepdims=True))


def after_publication(published: Ints, likelihood: Floats, prior: Floats) -> Beliefs:
    """Turn the published column of each record into a belief about its value, by Bayes.

    `likelihood[i, j]` is the probability that value i is published as j; `prior` weighs the values.
    """
    seen, kinds = np.unique(published, return_inverse=True)
    joint = prior[:, None] * likelihood[:, seen]
    total = joint.sum(axis=0)
    if (total <= 0).any():
        raise DataError(
            f"published value number {seen[int((total <= 0).argmax())]} cannot come from any value that the prior "
            "allows: use the uniform prior"
        )
    return Beliefs(kinds.reshape(-1), (joint / total).T.copy())
