"""The cases of a node, and how they are split among its branches.

A case is a record with a weight: 1 at the root, less where a missing value divided it among branches. Each node keeps,
for every number, its cases in sorted order; splitting keeps that order, so nothing is sorted twice.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from sdcdb.trees.draft import Draft
from sdcdb.trees.fields import Fields
from sdcdb.trees.gain import Floats, Ints, class_counts

LIGHT = 0.01  # a lighter share of a record is not divided further: it takes the largest branch


@dataclass(frozen=True, eq=False)
class Cases:
    """Records with weights; `orders` has a row for each attribute: positions among `rows`, `lengths` of them.

    Rows of categories have length 0, as do all where the order is not needed.
    """

    rows: Ints
    weights: Floats
    orders: Ints
    lengths: Ints

    @classmethod
    def whole(cls, rows: Ints) -> "Cases":
        """Take these records, in no order."""
        return cls(rows, np.ones(len(rows)), np.zeros((0, len(rows)), np.int32), np.zeros(0, np.int32))

    @classmethod
    def sorted(cls, rows: Ints, fields: Fields) -> "Cases":
        """Take these records, and sort them by each number."""
        orders = np.zeros((len(fields.values), len(rows)), np.int32)
        lengths = np.zeros(len(fields.values), np.int32)
        for a in np.flatnonzero(fields.sizes < 0):
            ranks = fields.values[a, rows]
            lengths[a] = known = np.count_nonzero(ranks >= 0)
            orders[a, :known] = np.argsort(ranks, kind="stable")[len(rows) - known :]
        return cls(rows, np.ones(len(rows)), orders, lengths)

    def between(self, start: int, end: int, lengths: Ints) -> "Cases":
        """Return the cases of one branch."""
        return Cases(self.rows[start:end], self.weights[start:end], self.orders[:, start:end], lengths)

    def parted_at(self, draft: Draft, fields: Fields) -> "Parts":
        """Split the cases by a node's test, and let the node keep the branches' shares, which route missing values."""
        branch = branches(self.rows, fields.values[draft.attribute], draft.below)
        bags = _bags(self.weights, branch, fields.branches(draft))
        known = bags.sum()
        if known > 0:
            draft.default, draft.shares = int(bags.argmax()), bags / known
        elif draft.shares is None:
            draft.shares = np.eye(len(bags))[draft.default]
        rows, weights, orders, lengths, ends = _part(
            self.rows, self.weights, self.orders, self.lengths, branch, draft.shares, draft.default
        )
        counts = class_counts(rows, weights, fields.labels, ends, fields.classes)
        return Parts(Cases(rows, weights, orders, lengths), ends, counts)


@dataclass(frozen=True, eq=False)
class Parts:
    """The cases of all branches, one after another, where each ends, and the weight of each class in each."""

    cases: Cases
    ends: Ints
    counts: Floats

    def __getitem__(self, branch: int) -> Cases:
        return self.cases.between(self.ends[branch], self.ends[branch + 1], self.cases.lengths[branch])


@njit(cache=True, nogil=True)
def _bags(weights: Floats, branch: Ints, count: int) -> Floats:
    """Return the weight of the cases that take each branch."""
    bags = np.zeros(count)
    for i in range(len(branch)):
        if branch[i] >= 0:
            bags[branch[i]] += weights[i]
    return bags


@njit(cache=True, nogil=True)
def branches(rows: Ints, values: Ints, below: int) -> Ints:
    """Return the branch of each case: its code, or, with a threshold, 0 up to its rank and 1 above; -1 is missing."""
    branch = np.empty(len(rows), np.int32)
    for i in range(len(rows)):
        value = values[rows[i]]
        branch[i] = value if below < 0 or value < 0 else (0 if value <= below else 1)
    return branch


@njit(cache=True, nogil=True)
def _part(  # noqa: PLR0912 - compiled: arrays, and plain loops
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
