"""Weights of all records for all targets at once, attribute by attribute instead of pair by pair.

The weight of a record seen as o for a target with the values t is the product of M_a[t_a, o_a] over the known
attributes. Its sum over records, for every possible t, is the table of counts of o, multiplied along each axis by that
attribute's matrix. The sum of weight x log2(weight) is computed alongside: with A the counts multiplied so far and B
the sum of A's logarithms,

    A' = M A,   B' = M B + (M log2 M) A.

The cost depends on the sizes of the domains, not on the number of records.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdcdb.measures.distribution import Floats

MOST = 2**24  # numbers in memory at once
PAIRS = 8.0  # what one pair of a target and a record costs, in multiplications of a matrix product


def worthwhile(shapes: Sequence[tuple[int, int]], channels: int, pairs: int) -> bool:
    """Return whether contracting is cheaper than going through this many pairs of targets and records."""
    size, cost = (channels + 1) * math.prod(float(seen) for _, seen in shapes), 0.0
    for values, seen in shapes:
        if size > MOST:
            return False
        cost += size * values
        size *= values / seen
    return size <= MOST and cost < PAIRS * pairs * (len(shapes) + channels)


def contract(observed: NDArray[np.int64], counted: Floats, matrices: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Return, for every combination of original values, the weighted sums of each channel and of weight x log2(weight).

    `observed` are distinct combinations of seen values, `counted` what is summed over their records, one column per
    channel, of which the first is their number.

    >>> keep = np.array([[0.5, 0.5], [0.0, 1.0]])
    >>> sums, logs = contract(np.array([[0], [1]]), np.array([[2.0], [2.0]]), [keep])
    >>> sums[0].tolist(), logs.tolist()  # a target with 0: four records of 1/2; one with 1: two records of 1
    ([2.0, 2.0], [-2.0, 0.0])
    """
    table = np.zeros((counted.shape[1], *(matrix.shape[1] for matrix in matrices)))
    table[(slice(None), *observed.T)] = counted.T
    logs = np.zeros_like(table[0])
    for (
        matrix
    ) in matrices:  # the first axis of the counts is removed and comes back last: after a round all are in place
        own = matrix * np.log2(matrix, out=np.zeros_like(matrix), where=matrix > 0)
        logs = np.tensordot(logs, matrix, axes=(0, 1)) + np.tensordot(table[0], own, axes=(0, 1))
        table = np.tensordot(table, matrix, axes=(1, 1))
    return table, logs
