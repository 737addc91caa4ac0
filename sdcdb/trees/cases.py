"""The cases of a node, and how they part among its branches.

A case is a record with a weight: 1 at the root, less where a missing value shared it among branches. Each node keeps,
for every number, its cases in sorted order; parting keeps that order, so nothing is sorted twice.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from sdcdb.trees.gain import Floats, Ints

LIGHT = 0.01  # a share of a record lighter than this is not shared further: it takes the largest branch


@dataclass(frozen=True, eq=False)
class Cases:
    """Records with weights; `orders` has a line for each number: positions among `rows`, `lengths` of them."""

    rows: Ints
    weights: Floats
    orders: Ints
    lengths: Ints

    @classmethod
    def all(cls, rows: Ints, ranks: Ints) -> "Cases":
        """Take these records whole, and sort them by each number; rank -1 is missing."""
        orders = np.zeros((len(ranks), len(rows)), np.int32)
        lengths = np.zeros(len(ranks), np.int32)
        for number, line in enumerate(ranks):
            own = line[rows]
            order = np.argsort(own, kind="stable")
            lengths[number] = np.count_nonzero(own >= 0)
            orders[number, : lengths[number]] = order[len(rows) - lengths[number] :]
        return cls(rows, np.ones(len(rows)), orders, lengths)

    def order(self, number: int) -> Ints:
        """Return the cases that have a number, from the least."""
        return self.orders[number, : self.lengths[number]]

    def parted(self, branch: Ints, shares: Floats, default: int) -> "list[Cases]":
        """Part the cases: each takes its branch, or, where that is -1, all branches by their shares."""
        rows, weights, orders, lengths, ends = _part(
            self.rows, self.weights, self.orders, self.lengths, branch, shares, default
        )
        return [
            Cases(rows[a:b], weights[a:b], orders[:, a:b], lengths[position])
            for position, (a, b) in enumerate(zip(ends[:-1], ends[1:], strict=True))
        ]


@njit(cache=True, nogil=True)
def bag_weights(weights: Floats, branch: Ints, branches: int) -> Floats:
    """Return the weight of the cases that take each branch."""
    bags = np.zeros(branches)
    for i in range(len(branch)):
        if branch[i] >= 0:
            bags[branch[i]] += weights[i]
    return bags


@njit(cache=True, nogil=True)
def category_branches(rows: Ints, codes: Ints) -> Ints:
    """Return the code of each case."""
    branch = np.empty(len(rows), np.int32)
    for i in range(len(rows)):
        branch[i] = codes[rows[i]]
    return branch


@njit(cache=True, nogil=True)
def number_branches(rows: Ints, ranks: Ints, below: int) -> Ints:
    """Return 0 for the cases up to a rank, 1 for those above, -1 for missing."""
    branch = np.empty(len(rows), np.int32)
    for i in range(len(rows)):
        rank = ranks[rows[i]]
        branch[i] = -1 if rank < 0 else (0 if rank <= below else 1)
    return branch


@njit(cache=True, nogil=True)
def _part(
    rows: Ints, weights: Floats, orders: Ints, lengths: Ints, branch: Ints, shares: Floats, default: int
) -> tuple[Ints, Floats, Ints, Ints, Ints]:
    branches, numbers = len(shares), len(orders)
    whole = np.zeros(branches, np.int32)  # cases that take one branch
    place = np.empty(len(rows), np.int32)  # of a case among those, or of a shared case among the shared ones
    taken = branch.copy()
    shared = 0
    for i in range(len(rows)):
        if taken[i] < 0 and weights[i] < LIGHT:
            taken[i] = default
        if taken[i] < 0:
            place[i] = shared
            shared += 1
        else:
            place[i] = whole[taken[i]]
            whole[taken[i]] += 1
    ends = np.zeros(branches + 1, np.int32)
    for c in range(branches):
        ends[c + 1] = ends[c] + whole[c] + (shared if shares[c] > 0.0 else 0)
    new_rows, new_weights = np.empty(ends[-1], np.int32), np.empty(ends[-1])
    for i in range(len(rows)):
        if taken[i] >= 0:
            at = ends[taken[i]] + place[i]
            new_rows[at], new_weights[at] = rows[i], weights[i]
        else:
            for c in range(branches):
                if shares[c] > 0.0:
                    at = ends[c] + whole[c] + place[i]
                    new_rows[at], new_weights[at] = rows[i], weights[i] * shares[c]
    new_orders, new_lengths = np.empty((numbers, ends[-1]), np.int32), np.zeros((branches, numbers), np.int32)
    for number in range(numbers):
        for k in range(lengths[number]):
            i = orders[number, k]
            c = taken[i]
            if c >= 0:
                new_orders[number, ends[c] + new_lengths[c, number]] = place[i]
                new_lengths[c, number] += 1
            else:
                for c in range(branches):
                    if shares[c] > 0.0:
                        new_orders[number, ends[c] + new_lengths[c, number]] = whole[c] + place[i]
                        new_lengths[c, number] += 1
    return new_rows, new_weights, new_orders, new_lengths, ends
