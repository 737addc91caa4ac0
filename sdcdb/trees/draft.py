"""A tree while it grows and is pruned: nodes that can still change."""

from dataclasses import dataclass, field

import numpy as np

from sdcdb.trees.gain import Floats
from sdcdb.trees.nodes import CategorySplit, Leaf, Node, NumberSplit
from sdcdb.trees.table import TrainingTable
from sdcdb.trees.tree import Tree


@dataclass(slots=True)
class Draft:
    """A node: the weight of each class, and, unless it is a leaf, its test. Leaves have no children."""

    counts: Floats
    total: float
    majority: int
    attribute: int = -1  # position among the attributes, the class left out
    threshold: float = 0.0
    below: int = -1  # the threshold's rank; -1 for a category
    default: int = 0
    shares: Floats | None = None
    children: "list[Draft]" = field(default_factory=list)

    @classmethod
    def each(cls, counts: Floats, otherwise: int) -> "list[Draft]":
        """Return a leaf for each row of counts; one without cases predicts what its parent does."""
        totals, largest = counts.sum(axis=1).tolist(), counts.argmax(axis=1).tolist()
        return [
            cls(line, total, most if total > 0 else otherwise)
            for line, total, most in zip(counts, totals, largest, strict=True)
        ]

    @property
    def wrong(self) -> float:
        """The weight of the cases that a leaf here would get wrong."""
        return self.total - float(self.counts[self.majority])

    def become_leaf(self) -> None:
        """Forget the test."""
        self.attribute, self.children = -1, []

    def become(self, other: "Draft") -> None:
        """Take the test and the children of another node."""
        self.attribute, self.threshold, self.below = other.attribute, other.threshold, other.below
        self.default, self.shares, self.children = other.default, other.shares, other.children


def frozen(root: Draft, table: TrainingTable) -> Tree:
    """Return the tree with its leaves numbered depth first."""
    attributes = tuple(attribute for attribute in table.attributes if attribute.name != table.target)
    count = 0

    def freeze(draft: Draft) -> Node:
        nonlocal count
        if not draft.children:
            counts = tuple(np.round(draft.counts, 9).tolist())  # without rounding errors of summed shares
            leaf = Leaf(number=count, counts=counts, majority=draft.majority)
            count += 1
            return leaf
        attribute = attributes[draft.attribute]
        children = tuple(freeze(child) for child in draft.children)
        if attribute.kind == "category":
            return CategorySplit(
                attribute=attribute.name, values=attribute.values, children=children, default=draft.default
            )
        left, right = children
        side = "right" if draft.default else "left"
        return NumberSplit(attribute=attribute.name, threshold=draft.threshold, left=left, right=right, default=side)

    return Tree(target=table.target, classes=table.classes, attributes=attributes, root=freeze(root))
