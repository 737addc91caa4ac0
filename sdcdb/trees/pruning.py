"""Pessimistic pruning: a leaf's training errors are taken as a sample, and their upper confidence limit counts.

Quinlan (1993), chapter 4, in the form of release 8: from the leaves up, a subtree is replaced by a leaf, or by its
largest branch ("raising"), where that is expected to be wrong no more often (to within a tenth of a case).
"""

import math
from statistics import NormalDist

import numpy as np
from numba import njit

from sdcdb.trees.cases import Cases
from sdcdb.trees.draft import Draft
from sdcdb.trees.fields import Fields
from sdcdb.trees.gain import Floats, Ints
from sdcdb.trees.routing import Flat, leaf_counts

NEAR = 0.1  # cases: an alternative this much worse is still preferred, being simpler
SAME = 1e-3  # cases: a subtree no better than this on its own training cases is a leaf


def added_errors(total: float, wrong: float, confidence: float) -> float:
    """Return by how much the upper limit of the errors exceeds those seen, `wrong` among `total`.

    With none wrong, the rate p at which (1 - p)^total = confidence; from one on, the normal approximation of the
    binomial with continuity correction (Wilson's limit); in between, the line between the two.

    >>> round(added_errors(6, 0, 0.25), 3)  # 6 x 0.206, the example of Quinlan's book
    1.238
    """
    added: float = _added(float(total), float(wrong), confidence, NormalDist().inv_cdf(1 - confidence))
    return added


@njit(cache=True, nogil=True)
def _added(total: float, wrong: float, confidence: float, z: float) -> float:
    if total <= 0.0:
        return 0.0
    if wrong < 1.0:
        none = total * (1 - math.pow(confidence, 1 / total))
        return none if wrong <= 1e-9 else none + wrong * (_limit(total, 1.0, z) - none)
    return _limit(total, wrong, z)


@njit(cache=True, nogil=True)
def _limit(total: float, wrong: float, z: float) -> float:
    if wrong + 0.5 >= total:
        return max(total - wrong, 0.0)
    rate = (wrong + 0.5) / total
    spread = math.sqrt(rate / total - rate * rate / total + z * z / (4 * total * total))
    return (rate + z * z / (2 * total) + z * spread) / (1 + z * z / total) * total - wrong


@njit(cache=True, nogil=True)
def expected_errors(counts: Floats, confidence: float, z: float) -> float:
    """Return the errors that leaves with these counts, one per row, are expected to make."""
    errors = 0.0
    for leaf in range(len(counts)):
        total = counts[leaf].sum()
        if total > 0.0:
            wrong = max(0.0, total - counts[leaf].max())
            errors += wrong + _added(total, wrong, confidence, z)
    return errors


def collapse(draft: Draft) -> float:
    """Replace subtrees that are no better on their training cases than a leaf; return the cases that are wrong."""
    if not draft.children:
        return draft.wrong
    wrong = sum(collapse(child) for child in draft.children)
    if wrong >= draft.wrong - SAME:
        draft.become_leaf()
        return draft.wrong
    return wrong


class Pruner:
    """Prunes one tree."""

    def __init__(self, fields: Fields, confidence: float) -> None:
        self.fields = fields
        self.confidence = confidence
        self.z = NormalDist().inv_cdf(1 - confidence)

    def prune(self, draft: Draft, cases: Cases) -> float:
        """Prune below a node and then at it; return the expected errors of what is left."""
        as_leaf = float(expected_errors(draft.counts[np.newaxis], self.confidence, self.z))
        if not draft.children:
            return as_leaf
        parts = cases.parted_at(draft, self.fields)
        as_tree = sum(self.prune(child, parts[branch]) for branch, child in enumerate(draft.children))
        largest = draft.children[draft.default]
        as_branch = self._expected_of(largest, cases)
        if as_leaf <= as_tree + NEAR and as_leaf <= as_branch + NEAR:
            draft.become_leaf()
            return as_leaf
        if as_branch <= as_tree + NEAR:
            draft.become(largest)
            self._refill(draft, cases)
            return self.prune(draft, cases)
        return as_tree

    def _expected_of(self, draft: Draft, cases: Cases) -> float:
        """Return the expected errors of a subtree if all these cases reached it."""
        counts: Floats = leaf_counts(
            cases.rows, cases.weights, self.fields.values, self.fields.labels, self.fields.classes,
            *Flat.of(draft).arrays(),
        )  # fmt: skip
        return float(expected_errors(counts, self.confidence, self.z))  # an inner node counts nothing

    def _refill(self, draft: Draft, cases: Cases) -> None:
        """Count again what reaches each node below."""
        if not draft.children:
            return
        parts = cases.parted_at(draft, self.fields)
        for branch, fresh in enumerate(Draft.each(parts.counts, draft.majority)):
            fresh.become(draft.children[branch])
            draft.children[branch] = fresh
            self._refill(fresh, parts[branch])


def pruned(root: Draft, rows: Ints, fields: Fields, confidence: float) -> None:
    """Prune a tree that was grown from these records."""
    collapse(root)
    Pruner(fields, confidence).prune(root, Cases.whole(np.asarray(rows, np.int32)))
