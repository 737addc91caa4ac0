"""A table as the learner sees it: one matrix of small integers, codes of categories and ranks of numbers."""

from dataclasses import dataclass

import numpy as np

from sdcdb.trees.draft import Draft
from sdcdb.trees.gain import Floats, Ints
from sdcdb.trees.table import TrainingTable


@dataclass(frozen=True, eq=False)
class Fields:
    """`values` has a row for each attribute but the class: its code or its rank in each record, -1 where missing."""

    values: Ints
    labels: Ints
    classes: int
    sizes: Ints  # values of each category, -1 for numbers
    grids: tuple[Floats, ...]  # the distinct numbers in order, empty for categories

    @classmethod
    def of(cls, table: TrainingTable) -> "Fields":
        """Rank the numbers and collect the codes."""
        used = [(a, c) for a, c in zip(table.attributes, table.columns, strict=True) if a.name != table.target]
        values = np.full((len(used), table.rows), -1, np.int32)
        grids = []
        for line, (attribute, column) in enumerate(used):
            if attribute.kind == "category":
                values[line] = column
                grids.append(np.zeros(0))
            else:
                known = ~np.isnan(column)
                grid, values[line, known] = np.unique(column[known], return_inverse=True)
                grids.append(np.asarray(grid, np.float64))
        sizes = np.array([len(a.values) if a.kind == "category" else -1 for a, _ in used], np.int32)
        return cls(values, table.labels(), len(table.classes), sizes, tuple(grids))

    def threshold(self, attribute: int, below: int, above: int) -> tuple[float, int]:
        """Return the largest number of the table that is not above the middle of two neighbours, and its rank.

        As in C4.5: a rule then uses a number that occurs.
        """
        grid = self.grids[attribute]
        low, high = (np.clip(grid[rank], -LARGEST, LARGEST) for rank in (below, above))  # infinities have no middle
        rank = int(np.searchsorted(grid, low / 2 + high / 2, side="right")) - 1
        rank = max(below, min(rank, above - 1))
        return max(float(grid[rank]), -LARGEST), rank

    def branches(self, draft: Draft) -> int:
        """Return how many branches a node has."""
        size = int(self.sizes[draft.attribute])
        return 2 if size < 0 else size


LARGEST = float(np.finfo(np.float64).max)  # a threshold is finite: JSON has no infinity
