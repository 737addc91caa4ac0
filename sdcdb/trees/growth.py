"""Growing a tree by C4.5's rules, before any pruning."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdcdb.trees.cases import Cases, bag_weights, category_branches, number_branches
from sdcdb.trees.draft import Draft
from sdcdb.trees.gain import Floats, Ints, category_gain, class_counts, number_gain
from sdcdb.trees.table import TrainingTable
from sdcdb.trees.tree import DEEPEST

SLACK = 1e-3  # bits: a gain this much below the average still competes (as C4.5 and J48 do)
LEAST = -float(np.finfo(np.float64).max)  # a threshold that parts minus infinity from numbers; JSON has no infinity
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Fields:
    """The table as the learner sees it: codes and ranks by attribute, and the labels of the class."""

    labels: Ints
    classes: int
    attributes: tuple[int, ...]  # positions in the table, the class left out
    is_number: tuple[bool, ...]  # by position in the table
    codes: dict[int, Ints]  # of categories
    sizes: dict[int, int]
    lines: dict[int, int]  # of numbers: their line in `ranks`
    ranks: Ints
    grids: tuple[Floats, ...]  # the distinct numbers of each line

    @classmethod
    def of(cls, table: TrainingTable) -> "Fields":
        """Rank the numbers and collect the codes."""
        codes, sizes, lines, ranks, grids = {}, {}, {}, [], []
        for position, (attribute, column) in enumerate(zip(table.attributes, table.columns, strict=True)):
            if attribute.name == table.target:
                continue
            if attribute.kind == "category":
                codes[position] = np.ascontiguousarray(column, np.int32)
                sizes[position] = len(attribute.values)
            else:
                grid, rank = _ranked(np.asarray(column, np.float64))
                lines[position] = len(ranks)
                ranks.append(rank)
                grids.append(grid)
        stacked = np.stack(ranks) if ranks else np.zeros((0, table.rows), np.int32)
        used = tuple(sorted([*codes, *lines]))
        numbers = tuple(attribute.kind == "number" for attribute in table.attributes)
        return cls(table.labels(), len(table.classes), used, numbers, codes, sizes, lines, stacked, tuple(grids))

    def branches(self, draft: Draft, rows: Ints) -> Ints:
        """Return the branch that each record takes at a node; -1 where its value is missing."""
        if self.is_number[draft.attribute]:
            return np.asarray(number_branches(rows, self.ranks[self.lines[draft.attribute]], draft.below))
        return np.asarray(category_branches(rows, self.codes[draft.attribute]))


class Grower:
    """Grows one tree."""

    def __init__(self, fields: Fields, min_cases: float, max_depth: int | None, progress: Progress | None) -> None:
        self.fields = fields
        self.least = float(min_cases)
        self.deepest = DEEPEST if max_depth is None else min(max_depth, DEEPEST)
        self.progress = progress
        most = max(fields.sizes.values(), default=0)
        self._cells, self._bags, self._sums = np.zeros(most * fields.classes), np.zeros(most), np.zeros(fields.classes)
        self.many: frozenset[int] = frozenset()

    def grow(self, rows: Ints) -> Draft:
        """Grow from these records."""
        # Categories with very many values would dominate the average gain, unless there is nothing else.
        many = frozenset(a for a, size in self.fields.sizes.items() if size >= 0.3 * len(rows))
        self.many = frozenset() if len(many) == len(self.fields.attributes) else many
        root = self._draft(rows, np.ones(len(rows)), 0)
        waiting = [(root, Cases.all(rows, self.fields.ranks), 0, frozenset[int]())]
        done, size = 0.0, len(rows)
        while waiting:
            draft, cases, depth, used = waiting.pop()
            parts = self._split(draft, cases, depth, used)
            if not parts:
                done += draft.total
                if self.progress:
                    self.progress(round(done), size)
                continue
            below = used if self.fields.is_number[draft.attribute] else used | {draft.attribute}
            for part in parts:
                child = self._draft(part.rows, part.weights, draft.majority)
                draft.children.append(child)
                waiting.append((child, part, depth + 1, below))
        return root

    def _draft(self, rows: Ints, weights: Floats, otherwise: int) -> Draft:
        counts = np.asarray(class_counts(rows, weights, self.fields.labels, self.fields.classes))
        return Draft(counts, int(counts.argmax()) if len(rows) else otherwise)

    def _split(self, draft: Draft, cases: Cases, depth: int, used: frozenset[int]) -> list[Cases]:
        """Choose the node's test and part its cases; return nothing where it stays a leaf."""
        if draft.total < 2 * self.least - 1e-6 or draft.wrong <= 1e-6 or depth >= self.deepest:
            return []
        found = {a: self._measured(a, cases) for a in self.fields.attributes if a not in used}
        valid = {a: result for a, result in found.items() if result[0] >= 0}
        fair = [result[0] for a, result in valid.items() if a not in self.many]
        if not fair:
            return []
        average, best, ratio = sum(fair) / len(fair), -1, 0.0
        for a, result in valid.items():
            if result[0] >= average - SLACK and result[1] > ratio + 1e-6:
                best, ratio = a, result[1]
        if best < 0:
            return []
        draft.attribute = best
        if self.fields.is_number[best]:
            below, above = found[best][2:]
            draft.threshold, draft.below = _threshold(self.fields.grids[self.fields.lines[best]], below, above)
        return part_cases(draft, cases, self.fields)

    def _measured(self, attribute: int, cases: Cases) -> tuple[float, float, int, int]:
        fields = self.fields
        if fields.is_number[attribute]:
            line = fields.lines[attribute]
            result: tuple[float, float, int, int] = number_gain(
                cases.rows, cases.weights, fields.labels, cases.order(line), fields.ranks[line], fields.classes,
                self.least,
            )  # fmt: skip
            return result
        gain, ratio = category_gain(
            cases.rows, cases.weights, fields.labels, fields.codes[attribute], self._cells, self._bags, self._sums,
            self.least,
        )  # fmt: skip
        return gain, ratio, -1, -1


def part_cases(draft: Draft, cases: Cases, fields: Fields) -> list[Cases]:
    """Part the cases by a node's test; the branches' shares of the cases decide about missing values."""
    branch = fields.branches(draft, cases.rows)
    count = 2 if fields.is_number[draft.attribute] else fields.sizes[draft.attribute]
    bags = np.asarray(bag_weights(cases.weights, branch, count))
    known = bags.sum()
    draft.default = int(bags.argmax())
    draft.shares = bags / known if known > 0 else np.eye(count)[draft.default]
    return cases.parted(branch, draft.shares, draft.default)


def _threshold(grid: Floats, below: int, above: int) -> tuple[float, int]:
    """Return the largest number of the whole table that is not above the middle of two neighbours, and its rank."""
    middle = grid[below] / 2 + grid[above] / 2
    rank = int(np.searchsorted(grid, middle, side="right")) - 1 if np.isfinite(middle) else below
    rank = max(below, min(rank, above - 1))
    return max(float(grid[rank]), LEAST), rank


def _ranked(column: Floats) -> tuple[Floats, NDArray[np.int32]]:
    known = ~np.isnan(column)
    grid, inverse = np.unique(column[known], return_inverse=True)
    ranks = np.full(len(column), -1, np.int32)
    ranks[known] = inverse
    return grid, ranks
