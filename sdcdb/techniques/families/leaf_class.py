"""A class redrawn inside each leaf: RPT, PPT and CAPT share a distribution for each leaf."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sdcdb.engines.expressions import Row, integer, item, typed, where
from sdcdb.errors import counted
from sdcdb.techniques.families.categories import CategoryShape, Rows, alias_lists, aliased, rounded_to
from sdcdb.techniques.families.leaves import leaf, present
from sdcdb.techniques.technique import Fitted
from sdcdb.trees.tree import Tree

Counts = NDArray[Any]  # of leaves by values


class FittedLeafDraw(Fitted):
    """A column whose value is drawn from the distribution of the record's leaf, whatever it was."""

    shape: CategoryShape
    tree: Tree
    chances: Rows
    """A row for each leaf, with the probability of each value."""
    bits: int = 32
    """Of the draw that picks a value: the probabilities are multiples of 2^-bits."""

    def drawn_from(self, row: Row) -> Self:
        """Round the probabilities to the bits of their draw."""
        bits = row.width(self.column)
        return self.model_copy(update={"bits": bits, "chances": rounded_to(self.chances, bits)})

    @property
    def column(self) -> str:
        """The column."""
        (column,) = self.columns
        return column

    def lists(self) -> Mapping[str, tuple[Any, ...]]:
        """Return the values, and the alias tables of the leaves one after the other."""
        return alias_lists(self.column, self.shape.values, self.chances, self.bits)

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:
        """Return the value that the draw picks in the leaf."""
        if not self.shape.values:
            return {self.column: typed(exp.null(), self.shape.type)}
        at = integer(leaf(self.tree, row))
        chosen = aliased(row.draw(self.column), at, len(self.shape.values), self.column, self.bits)
        shown = where(present(row.value(self.column)), chosen)
        return {self.column: typed(item(f"{self.column} values", shown), self.shape.type)}

    def null_safe(self) -> bool:
        """A NULL index gives NULL."""
        return True

    def random(self) -> bool:
        """A leaf with one possible value has nothing to draw."""
        return any(0 < chance < 1 for row in self.chances for chance in row)

    def leaves_words(self) -> str:
        """Say how many leaves there are."""
        mixed = sum(max(row, default=1.0) < 1 for row in self.chances)
        return f"{mixed} of {counted(len(self.chances), 'leaf').replace('leafs', 'leaves')} of the tree"


def frequencies(tree: Tree, values: tuple[str, ...], counts: Mapping[tuple[int, str], int]) -> Counts:
    """Return the counts of each leaf and value. An empty leaf has one record of what the tree predicts."""
    place = {value: position for position, value in enumerate(values)}
    table = np.zeros((len(tree.leaves()), len(values)))
    for (at, value), count in counts.items():
        table[at, place[value]] += count
    for at, own in enumerate(tree.leaves()):
        if table[at].sum() == 0 and values:
            table[at, place.get(tree.classes[own.majority], 0) if tree.classes else 0] = 1
    return table


def expected_changes(counts: Counts) -> float:
    """Return the expected number of changes when classes are redrawn inside leaves, given counts by leaf and class.

    For two classes it is eq. 4.1, the sum of 2 m n / (m + n):

    >>> round(expected_changes(np.array([[32, 1], [0, 7], [6, 2]])), 6) == round(2 * 32 / 33 + 2 * 12 / 8, 6)
    True
    """
    totals = counts.sum(axis=1)
    return float((totals - (counts.astype(float) ** 2).sum(axis=1) / np.where(totals > 0, totals, 1)).sum())


def printed_changes(counts: Counts) -> float:
    """Return eq. 4.1 as printed: m records of the majority class, n of all others, 2 m n / (m + n), over all leaves.

    >>> printed_changes(np.array([[50, 30, 20]])), expected_changes(np.array([[50, 30, 20]]))
    (50.0, 62.0)
    """
    totals, most = counts.sum(axis=1).astype(float), counts.max(axis=1).astype(float)
    return float((2 * most * (totals - most) / np.where(totals > 0, totals, 1)).sum())
