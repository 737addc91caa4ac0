"""Grow a tree by C4.5's rules, before pruning."""

from collections.abc import Callable

import numpy as np

from sdcdb.trees.cases import Cases
from sdcdb.trees.draft import Draft
from sdcdb.trees.fields import Fields
from sdcdb.trees.gain import Flags, Ints, best_split, class_counts, xlogx_table
from sdcdb.trees.tree import DEEPEST

Progress = Callable[[int, int], None]


class Grower:
    """Grows one tree."""

    def __init__(self, fields: Fields, min_cases: float, max_depth: int | None, progress: Progress | None) -> None:
        self.fields = fields
        self.least = float(min_cases)
        self.deepest = DEEPEST if max_depth is None else min(max_depth, DEEPEST)
        self.progress = progress
        most = int(fields.sizes.max(initial=0))
        self._space = np.zeros(most * fields.classes), np.zeros(most), np.zeros(fields.classes)
        self._table = xlogx_table(len(fields.labels))
        self._many = np.zeros(len(fields.sizes), np.bool_)

    def grow(self, rows: Ints) -> Draft:
        """Grow from these records."""
        # Categories with very many values would dominate the average gain, unless there is nothing else.
        many = self.fields.sizes >= 0.3 * len(rows)
        self._many = np.zeros_like(many) if many.all() else many
        cases = Cases.sorted(rows, self.fields)
        ends = np.array([0, len(rows)], np.int32)
        (root,) = Draft.each(class_counts(rows, cases.weights, self.fields.labels, ends, self.fields.classes), 0)
        waiting = [(root, cases, 0, np.ones(len(many), np.bool_))]
        done = 0.0
        while waiting:
            draft, cases, depth, usable = waiting.pop()
            if not self._may_split(draft, depth) or not self._choose(draft, cases, usable):
                done += draft.total
                if self.progress:
                    self.progress(round(done), len(rows))
                continue
            if draft.below < 0:
                usable = usable.copy()
                usable[draft.attribute] = False
            parts = cases.parted_at(draft, self.fields)
            draft.children = Draft.each(parts.counts, draft.majority)
            for branch, child in enumerate(draft.children):
                if self._may_split(child, depth + 1):
                    waiting.append((child, parts[branch], depth + 1, usable))
                else:
                    done += child.total
        return root

    def _may_split(self, draft: Draft, depth: int) -> bool:
        return draft.total >= 2 * self.least - 1e-6 and draft.wrong > 1e-6 and depth < self.deepest

    def _choose(self, draft: Draft, cases: Cases, usable: Flags) -> bool:
        """Choose the node's test, if there is one."""
        fields = self.fields
        draft.attribute, below, above = best_split(
            cases.rows, cases.weights, fields.labels, fields.values, cases.orders, cases.lengths, fields.sizes, usable,
            self._many, self._space, self._table, self.least,
        )  # fmt: skip
        if below >= 0:
            draft.threshold, draft.below = fields.threshold(draft.attribute, below, above)
        return draft.attribute >= 0
