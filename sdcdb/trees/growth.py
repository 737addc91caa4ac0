"""Growing a tree by C4.5's rules, before any pruning."""

from collections.abc import Callable

import numpy as np

from sdcdb.trees.cases import Cases
from sdcdb.trees.draft import Draft
from sdcdb.trees.fields import Fields
from sdcdb.trees.gain import Ints, category_gain, class_counts, number_gain
from sdcdb.trees.tree import DEEPEST

SLACK = 1e-3  # bits: a gain this much below the average still competes (as C4.5 and J48 do)
Progress = Callable[[int, int], None]


class Grower:
    """Grows one tree."""

    def __init__(self, fields: Fields, min_cases: float, max_depth: int | None, progress: Progress | None) -> None:
        self.fields = fields
        self.least = float(min_cases)
        self.deepest = DEEPEST if max_depth is None else min(max_depth, DEEPEST)
        self.progress = progress
        most = int(fields.sizes.max(initial=0))
        self._cells, self._bags, self._sums = np.zeros(most * fields.classes), np.zeros(most), np.zeros(fields.classes)
        self._many: frozenset[int] = frozenset()

    def grow(self, rows: Ints) -> Draft:
        """Grow from these records."""
        # Categories with very many values would dominate the average gain, unless there is nothing else.
        lines = range(len(self.fields.values))
        many = [a for a in lines if not self.fields.is_number[a] and self.fields.sizes[a] >= 0.3 * len(rows)]
        self._many = frozenset() if len(many) == len(lines) else frozenset(many)
        cases = Cases.sorted(rows, self.fields)
        root = self._draft(cases, 0)
        waiting = [(root, cases, 0, frozenset(lines))]
        done = 0.0
        while waiting:
            draft, cases, depth, usable = waiting.pop()
            parts = self._split(draft, cases, depth, usable)
            if not parts:
                done += draft.total
                if self.progress:
                    self.progress(round(done), len(rows))
                continue
            left = usable if self.fields.is_number[draft.attribute] else usable - {draft.attribute}
            for part in parts:
                child = self._draft(part, draft.majority)
                draft.children.append(child)
                waiting.append((child, part, depth + 1, left))
        return root

    def _draft(self, cases: Cases, otherwise: int) -> Draft:
        draft = Draft(np.zeros(0), otherwise)
        draft.count(class_counts(cases.rows, cases.weights, self.fields.labels, self.fields.classes), otherwise)
        return draft

    def _split(self, draft: Draft, cases: Cases, depth: int, usable: frozenset[int]) -> list[Cases]:
        """Choose the node's test and part its cases; return nothing where it stays a leaf."""
        if draft.total < 2 * self.least - 1e-6 or draft.wrong <= 1e-6 or depth >= self.deepest:
            return []
        found = {a: self._measured(a, cases) for a in sorted(usable)}
        valid = {a: result for a, result in found.items() if result[0] >= 0}
        fair = [result[0] for a, result in valid.items() if a not in self._many]
        average, best, ratio = sum(fair) / max(1, len(fair)), -1, 0.0
        for a, result in valid.items() if fair else ():
            if result[0] >= average - SLACK and result[1] > ratio + 1e-6:
                best, ratio = a, result[1]
        if best < 0:
            return []
        draft.attribute = best
        if self.fields.is_number[best]:
            draft.threshold, draft.below = self.fields.threshold(best, *found[best][2:])
        return cases.parted_at(draft, self.fields)

    def _measured(self, a: int, cases: Cases) -> tuple[float, float, int, int]:
        fields = self.fields
        if fields.is_number[a]:
            result: tuple[float, float, int, int] = number_gain(
                cases.rows, cases.weights, fields.labels, cases.order(a), fields.values[a], fields.classes, self.least
            )
            return result
        gain, ratio = category_gain(
            cases.rows, cases.weights, fields.labels, fields.values[a], self._cells, self._bags, self._sums, self.least
        )
        return gain, ratio, -1, -1
