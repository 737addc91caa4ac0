"""A decision tree: frozen, kept as JSON in a plan, applied to columns in Python, and turned into SQL elsewhere.

The words are those of the thesis (2007), chapter 5: an attribute tested on the path to a leaf is influential for it
(LINFA), one that is not is innocent (LINNA), and one tested nowhere in the tree is total innocent (TINNA).
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from sdcdb.errors import DataError
from sdcdb.policy.strict import Strict
from sdcdb.trees.table import Attribute, AttributeKind, Column, TrainingTable

Ints = NDArray[np.int32]
DEEPEST = 60  # levels of splits: what JSON and SQL readers can nest, and more than a rule that a person reads


class Leaf(Strict):
    """An end of the tree: the records of each class that it was grown from, and the class that it predicts.

    Counts are not always whole: a record with a missing value is shared among branches. A branch that no record took
    has counts of zero and predicts the majority of its parent.
    """

    node: Literal["leaf"] = "leaf"
    number: int
    counts: tuple[float, ...]
    majority: int

    @property
    def total(self) -> float:
        """The number of records."""
        return math.fsum(self.counts)

    @property
    def minority(self) -> tuple[int, ...]:
        """The other classes that it holds records of."""
        return tuple(code for code, count in enumerate(self.counts) if count > 0 and code != self.majority)

    @property
    def errors(self) -> float:
        """The number of records of other classes."""
        return self.total - self.counts[self.majority] if self.counts else 0.0


class CategorySplit(Strict):
    """One branch for each value of a category. A missing or unseen value takes the branch at position `default`."""

    node: Literal["category"] = "category"
    attribute: str
    values: tuple[str, ...]
    children: tuple["Node", ...]
    default: int

    def branches(self) -> tuple["Node", ...]:
        """Return the children in order."""
        return self.children


class NumberSplit(Strict):
    """Two branches: left for numbers up to the threshold. A missing number takes the side `default`."""

    node: Literal["number"] = "number"
    attribute: str
    threshold: float
    left: "Node"
    right: "Node"
    default: Literal["left", "right"]

    def branches(self) -> tuple["Node", ...]:
        """Return left and right."""
        return self.left, self.right


Node = Annotated[Leaf | CategorySplit | NumberSplit, Field(discriminator="node")]


@dataclass(frozen=True)
class Condition:
    """One test on the path to a leaf: a category has `value`, or a number is above `low` and at most `high`."""

    attribute: str
    kind: AttributeKind
    value: str | None = None
    low: float = -math.inf
    high: float = math.inf

    def text(self) -> str:
        """Write it for a person."""
        if self.kind == "category":
            return f"{self.attribute} = {self.value}"
        if math.isinf(self.low):
            return f"{self.attribute} <= {self.high:.12g}"
        if math.isinf(self.high):
            return f"{self.attribute} > {self.low:.12g}"
        return f"{self.low:.12g} < {self.attribute} <= {self.high:.12g}"


class Tree(Strict):
    """A tree that predicts `target`. `attributes` are those that it was grown from, the class not among them."""

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
        """Return, for each leaf, its path with the tests of one number drawn together, in order of first test."""
        return tuple(_drawn_together(path) for path in self.paths())

    def siblings(self, leaf: int) -> tuple[int, ...]:
        """Return the other leaves whose path differs in the last node only: those with the same parent."""
        return tuple(number for number in self._walked[leaf][2] if number != leaf)

    def influential(self, leaf: int) -> frozenset[str]:
        """Return the attributes tested on the path to a leaf (LINFA)."""
        return frozenset(condition.attribute for condition in self.paths()[leaf])

    def innocent(self, leaf: int) -> frozenset[str]:
        """Return the attributes not tested on the path to a leaf (LINNA)."""
        return frozenset(attribute.name for attribute in self.attributes) - self.influential(leaf)

    def tested(self) -> frozenset[str]:
        """Return the attributes tested anywhere in the tree."""
        return frozenset(condition.attribute for path in self.paths() for condition in path)

    def total_innocent(self) -> frozenset[str]:
        """Return the attributes tested nowhere in the tree (TINNA)."""
        return frozenset(attribute.name for attribute in self.attributes) - self.tested()

    def ranges(self, leaf: int, attribute: str, domain: tuple[float, float]) -> tuple[float, float]:
        """Return what is left of a number's domain on the path to a leaf.

        The lower end is not itself allowed where it comes from a test (`attribute > low`); the domain's own ends are.
        """
        low, high = domain
        for condition in self.paths()[leaf]:
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
        waiting: list[tuple[Node, NDArray[np.intp] | slice]] = [(self.root, slice(None))]
        while waiting:
            node, at = waiting.pop()
            if isinstance(node, Leaf):
                numbers[at] = node.number
                continue
            branch = _branch(node, columns[node.attribute][at])
            for position, child in enumerate(node.branches()):
                inside = np.flatnonzero(branch == position)
                if len(inside):
                    waiting.append((child, inside if isinstance(at, slice) else at[inside]))
        return numbers

    def predict(self, table: TrainingTable | Mapping[str, Column]) -> Ints:
        """Return the code of the predicted class of each record."""
        majority = np.array([leaf.majority for leaf in self.leaves()], np.int32)
        return np.asarray(majority[self.apply(table)], np.int32)

    def depth(self) -> int:
        """Return the number of tests on the longest path."""
        return max(len(path) for path in self.paths())

    def text(self) -> str:
        """Return the rules, one leaf a line."""
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


def conditions(node: CategorySplit | NumberSplit) -> tuple[Condition, ...]:
    """Return the test that each branch stands for."""
    if isinstance(node, CategorySplit):
        return tuple(Condition(node.attribute, "category", value) for value in node.values)
    return (
        Condition(node.attribute, "number", high=node.threshold),
        Condition(node.attribute, "number", low=node.threshold),
    )


def _drawn_together(path: tuple[Condition, ...]) -> tuple[Condition, ...]:
    merged: dict[str, Condition] = {}
    for condition in path:
        before = merged.get(condition.attribute, condition)
        merged[condition.attribute] = Condition(
            condition.attribute, condition.kind, condition.value,
            max(before.low, condition.low), min(before.high, condition.high),
        )  # fmt: skip
    return tuple(merged.values())


def _branch(node: CategorySplit | NumberSplit, values: Column) -> NDArray[np.intp]:
    """Return the position of the branch that each value takes."""
    if isinstance(node, CategorySplit):
        return np.where(values < 0, node.default, values).astype(np.intp)
    right = values > node.threshold  # NaN is not
    if node.default == "right":
        right |= np.isnan(values)
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
