"""A tree while it grows and is pruned: nodes that can still change."""

from dataclasses import dataclass, field

import numpy as np

from sdcdb.trees.gain import Floats
from sdcdb.trees.table import TrainingTable
from sdcdb.trees.tree import CategorySplit, Leaf, Node, NumberSplit, Tree


@dataclass
class Draft:
    """A node: the weight of each class, and, unless it is a leaf, its test. Leaves have no children."""

    counts: Floats
    majority: int
    attribute: int = -1
    threshold: float = 0.0
    below: int = -1  # rank of the threshold's lower neighbour
    default: int = 0
    shares: Floats = field(default_factory=lambda: np.zeros(0))
    children: "list[Draft]" = field(default_factory=list)

    @property
    def total(self) -> float:
        """The weight of its cases."""
        return float(self.counts.sum())

    @property
    def wrong(self) -> float:
        """The weight of the cases that a leaf here would get wrong."""
        return self.total - float(self.counts[self.majority])

    def become_leaf(self) -> None:
        """Forget the test."""
        self.attribute, self.children = -1, []


def frozen(root: Draft, table: TrainingTable) -> Tree:
    """Return the tree with its leaves numbered depth first."""
    attributes = table.attributes
    count = 0

    def freeze(draft: Draft) -> Node:
        nonlocal count
        if not draft.children:
            leaf = Leaf(number=count, counts=tuple(_tidy(draft.counts)), majority=draft.majority)
            count += 1
            return leaf
        attribute = attributes[draft.attribute]
        children = tuple(freeze(child) for child in draft.children)
        if attribute.kind == "category":
            return CategorySplit(
                attribute=attribute.name, values=attribute.values, children=children, default=draft.default
            )
        left, right = children
        return NumberSplit(
            attribute=attribute.name, threshold=draft.threshold, left=left, right=right,
            default="right" if draft.default else "left",
        )  # fmt: skip

    used = tuple(attribute for attribute in attributes if attribute.name != table.target)
    return Tree(target=table.target, classes=table.classes, attributes=used, root=freeze(root))


def _tidy(counts: Floats) -> list[float]:
    """Return counts without the dust of sums of shares."""
    return [float(value) for value in np.round(counts, 9)]
