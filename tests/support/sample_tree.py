"""A small tree with every kind of split and leaf."""

import numpy as np

from sdcdb.trees.nodes import CategorySplit, Leaf, NumberSplit
from sdcdb.trees.table import Attribute
from sdcdb.trees.tree import Tree


def leaf(number: int, *counts: float) -> Leaf:
    return Leaf(number=number, counts=counts, majority=int(np.argmax(counts)))


TREE = Tree(
    target="risk",
    classes=("low", "high"),
    attributes=(
        Attribute("age", "number", whole=True),
        Attribute("city", "category", ("A", "B", "C")),
        Attribute("income", "number"),
        Attribute("sex", "category", ("f", "m")),
    ),
    root=NumberSplit(
        attribute="age",
        threshold=40,
        left=CategorySplit(
            attribute="city", values=("A", "B", "C"), children=(leaf(0, 5, 1), leaf(1, 0, 3), leaf(2, 0, 0)), default=0
        ),
        right=NumberSplit(attribute="age", threshold=60, left=leaf(3, 4, 0), right=leaf(4, 1, 8), default="right"),
        default="left",
    ),
)
