"""Pessimistic pruning: what a leaf got wrong in training is taken as a sample, and its upper confidence limit counts.

Quinlan (1993), chapter 4, in the form of release 8: from the leaves up, a subtree is replaced by a leaf, or by its
largest branch ("raising"), where that is expected to be wrong no more often (to within a tenth of a case).
"""

from statistics import NormalDist

import numpy as np

from sdcdb.trees.cases import Cases
from sdcdb.trees.draft import Draft
from sdcdb.trees.fields import Fields
from sdcdb.trees.gain import Floats, Ints, class_counts
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
    if total <= 0:
        return 0.0
    if wrong < 1:
        none = total * (1 - confidence ** (1 / total))
        return none if wrong == 0 else none + wrong * (added_errors(total, 1.0, confidence) - none)
    if wrong + 0.5 >= total:
        return max(total - wrong, 0.0)
    z = NormalDist().inv_cdf(1 - confidence)
    rate = (wrong + 0.5) / total
    spread = (rate / total - rate * rate / total + z * z / (4 * total * total)) ** 0.5
    limit = (rate + z * z / (2 * total) + z * spread) / (1 + z * z / total)
    return limit * total - wrong


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

    def prune(self, draft: Draft, cases: Cases) -> float:
        """Prune below a node and then at it; return the errors expected of what is left."""
        as_leaf = self._expected(draft.counts)
        if not draft.children:
            return as_leaf
        parts = cases.parted_at(draft, self.fields)
        as_tree = sum(self.prune(child, part) for child, part in zip(draft.children, parts, strict=True))
        largest = draft.children[draft.default]
        as_branch = self._expected_of(largest, cases)
        if as_leaf <= as_tree + NEAR and as_leaf <= as_branch + NEAR:
            draft.become_leaf()
            return as_leaf
        if as_branch <= as_tree + NEAR:
            draft.become(largest)
            self._refill(draft, cases, draft.majority)
            return self.prune(draft, cases)
        return as_tree

    def _expected(self, counts: Floats) -> float:
        total = float(counts.sum())
        wrong = max(0.0, total - float(counts.max(initial=0.0)))
        return wrong + added_errors(total, 0.0 if wrong < 1e-9 else wrong, self.confidence)

    def _expected_of(self, draft: Draft, cases: Cases) -> float:
        """Return the errors expected of a subtree if all these cases came to it."""
        flat = Flat.of(draft)
        counts: Floats = leaf_counts(
            cases.rows, cases.weights, self.fields.values, self.fields.labels, self.fields.classes, *flat.arrays()
        )
        return sum(self._expected(line) for line in counts[flat.attributes < 0])

    def _refill(self, draft: Draft, cases: Cases, otherwise: int) -> None:
        """Count anew what comes to each node."""
        draft.count(class_counts(cases.rows, cases.weights, self.fields.labels, self.fields.classes), otherwise)
        if draft.children:
            for child, part in zip(draft.children, cases.parted_at(draft, self.fields), strict=True):
                self._refill(child, part, draft.majority)


def pruned(root: Draft, rows: Ints, fields: Fields, confidence: float) -> None:
    """Prune a tree that was grown from these records."""
    collapse(root)
    Pruner(fields, confidence).prune(root, Cases.whole(np.asarray(rows, np.int32)))
