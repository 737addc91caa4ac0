"""A decision tree: frozen, kept as JSON in a plan, applied to columns in Python, and turned into SQL elsewhere.

The words are those of the thesis (2007), chapter 5: an attribute tested on the path to a leaf is influential for it
(LINFA), one that is not is innocent (LINNA), and one tested nowhere in the tree is total innocent (TINNA).
"""

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import DataError
from sdcdb.fields.strict import Strict
from sdcdb.trees.nodes import (
    CategorySplit,
    Condition,
    Leaf,
    Node,
    NumberSplit,
    Split,
    ValueSplit,
    conditions,
    drawn_together,
)
from sdcdb.trees.table import Attribute, Column, TrainingTable

__all__ = ["CategorySplit", "Condition", "Leaf", "Node", "NumberSplit", "Split", "Tree", "ValueSplit", "conditions"]

Ints = NDArray[np.int32]
DEEPEST = 60  # levels of splits: what JSON and SQL parsers can nest, and more than people can read


class Tree(Strict):
    """A tree that predicts `target`. `attributes` are those that it was grown from, without the class."""

    target: str
    classes: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    root: Node

    @cached_property
    def _walked(self) -> tuple[tuple[Leaf, tuple[Condition, ...], tuple[int, ...]], ...]:
        """Return each leaf with its path and the numbers of the leaves that share its parent."""
        return tuple(_walk(self.root, (), ()))

    def leaves(self) -> tuple[Leaf, ...]:
        """Return the leaves in order of their numbers, which is depth first."""
        return tuple(leaf for leaf, _, _ in self._walked)

    def paths(self) -> tuple[tuple[Condition, ...], ...]:
        """Return, for each leaf, the tests from the root to it."""
        return tuple(path for _, path, _ in self._walked)

    def rules(self) -> tuple[tuple[Condition, ...], ...]:
        """Return, for each leaf, its path with the tests of one number merged, in order of first test."""
        return tuple(drawn_together(path) for path in self.paths())

    def siblings(self, leaf: int) -> tuple[int, ...]:
        """Return the other leaves whose path differs only in the last node: those with the same parent."""
        return tuple(number for number in self._walked[leaf][2] if number != leaf)

    def influential(self, leaf: int) -> frozenset[str]:
        """Return the attributes tested on the path to a leaf (LINFA)."""
        return frozenset(condition.attribute for condition in self._walked[leaf][1])

    def innocent(self, leaf: int) -> frozenset[str]:
        """Return the attributes not tested on the path to a leaf (LINNA)."""
        return frozenset(attribute.name for attribute in self.attributes) - self.influential(leaf)

    def tested(self) -> frozenset[str]:
        """Return the attributes tested anywhere in the tree."""
        return self._tested

    @cached_property
    def _tested(self) -> frozenset[str]:
        return frozenset(condition.attribute for path in self.paths() for condition in path)

    def total_innocent(self) -> frozenset[str]:
        """Return the attributes tested nowhere in the tree (TINNA)."""
        return frozenset(attribute.name for attribute in self.attributes) - self.tested()

    def ranges(self, leaf: int, attribute: str, domain: tuple[float, float]) -> tuple[float, float]:
        """Return what is left of a number's domain on the path to a leaf.

        The lower end is not itself allowed where it comes from a test (`attribute > low`); the domain's own ends are.
        """
        low, high = domain
        for condition in self._walked[leaf][1]:
            if condition.attribute == attribute and condition.kind == "number":
                low, high = max(low, condition.low), min(high, condition.high)
        return low, high

    def apply(self, table: TrainingTable | Mapping[str, Column]) -> Ints:
        """Return the number of the leaf of each record.

        Codes of a mapping are those of the tree's own attributes; a table's codes are read as the texts they stand for.
        """
        columns = table if isinstance(table, Mapping) else _recoded(self, table)
        absent = sorted(self.tested() - set(columns))
        if absent:
            raise DataError(f"the tree tests {', '.join(absent)}, which the table does not have")
        rows = table.rows if isinstance(table, TrainingTable) else max((len(c) for c in columns.values()), default=0)
        numbers = np.zeros(rows, np.int32)
        values = {attribute.name: attribute.values for attribute in self.attributes}
        waiting: list[tuple[Node, NDArray[np.intp] | slice]] = [(self.root, slice(None))]
        while waiting:
            node, at = waiting.pop()
            if isinstance(node, Leaf):
                numbers[at] = node.number
                continue
            branch = _branch(node, columns[node.attribute][at], values[node.attribute])
            for position, child in enumerate(node.branches()):
                inside = np.flatnonzero(branch == position)
                if len(inside):
                    waiting.append((child, inside if isinstance(at, slice) else at[inside]))
        return numbers

    def predict(self, table: TrainingTable | Mapping[str, Column]) -> Ints:
        """Return the code of the predicted class of each record."""
        majority = np.array([leaf.majority for leaf in self.leaves()], np.int32)
        predicted: Ints = majority[self.apply(table)]
        return predicted

    def depth(self) -> int:
        """Return the number of tests on the longest path."""
        return max(len(path) for path in self.paths())

    def text(self) -> str:
        """Return the rules, one leaf per line."""
        from sdcdb.trees.text import rules_text

        return rules_text(self)


def _walk(
    node: Node, path: tuple[Condition, ...], near: tuple[int, ...]
) -> Iterator[tuple[Leaf, tuple[Condition, ...], tuple[int, ...]]]:
    if isinstance(node, Leaf):
        yield node, path, near
        return
    beside = tuple(child.number for child in node.branches() if isinstance(child, Leaf))
    for condition, child in zip(conditions(node), node.branches(), strict=True):
        yield from _walk(child, (*path, condition), beside)


def _branch(node: Split, codes: Column, values: tuple[str, ...]) -> NDArray[np.intp]:
    """Return the position of the branch that each record takes; `values` are the attribute's."""
    if isinstance(node, CategorySplit):
        return np.where(codes < 0, node.default, codes).astype(np.intp)
    if isinstance(node, ValueSplit):
        return np.asarray(codes != values.index(node.value), np.intp)
    right = codes > node.threshold  # NaN is not
    if node.default == "right":
        right |= np.isnan(codes)
    return right.astype(np.intp)


def _recoded(tree: Tree, table: TrainingTable) -> dict[str, Column]:
    """Return the tested columns in the tree's own codes; a value that the tree does not know is missing."""
    columns: dict[str, Column] = {}
    for attribute in tree.attributes:
        if attribute.name not in tree.tested():
            continue
        own = table.attribute(attribute.name)
        if own.kind != attribute.kind:
            raise DataError(f"{own.name!r} is a {attribute.kind} in the tree and a {own.kind} in the table")
        column = table.column(attribute.name)
        if attribute.kind == "category" and own.values != attribute.values:
            place = {value: code for code, value in enumerate(attribute.values)}
            codes = np.array([*(place.get(value, -1) for value in own.values), -1], np.int32)
            column = codes[column]
        columns[attribute.name] = column
    return columns
