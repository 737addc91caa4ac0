"""CART, grown by scikit-learn and converted to a tree of sdcdb: `learner: cart`.

Every split has two branches: a number up to a threshold or above it, one value of a category or any other.
scikit-learn gets ranks instead of numbers, because it would round them to 32 bits; thresholds are then chosen among
the numbers of the table as C4.5 does. A missing number takes the side that scikit-learn chose for missing numbers, or
the larger one where there were none; a missing category is "any other value".
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import DataError
from sdcdb.trees.fields import LARGEST, Fields
from sdcdb.trees.nodes import Leaf, Node, NumberSplit, ValueSplit
from sdcdb.trees.table import TrainingTable
from sdcdb.trees.tree import DEEPEST, Tree


def grow_cart(
    table: TrainingTable,
    *,
    min_cases: int = 2,
    max_depth: int | None = None,
    criterion: Literal["gini", "entropy"] = "gini",
    alpha: float = 0.0,
    seed: int = 0,
) -> Tree:
    """Grow a tree. `min_cases` is the smallest number of records of a leaf, `alpha` prunes by cost and complexity."""
    from sklearn.tree import DecisionTreeClassifier

    if min_cases < 1 or alpha < 0:
        raise DataError(f"min_cases is {min_cases} and alpha {alpha}: they must be at least 1 and at least 0")
    rows = np.flatnonzero(table.labels() >= 0)
    fields = Fields.of(table)
    wanted, columns = _indicators(fields, rows)
    attributes = tuple(attribute for attribute in table.attributes if attribute.name != table.target)
    none: Node = Leaf(number=0, counts=(0.0,) * len(table.classes), majority=0)
    tree = Tree(target=table.target, classes=table.classes, attributes=attributes, root=none)
    depth = DEEPEST if max_depth is None else min(max_depth, DEEPEST)
    if len(rows) and wanted and depth:
        learner = DecisionTreeClassifier(
            criterion=criterion, min_samples_leaf=min_cases, max_depth=depth, ccp_alpha=alpha, random_state=seed
        )
        found = learner.fit(columns, table.labels()[rows]).tree_
        tree = _rooted(tree, _Conversion(tree, fields, wanted, found).node(0))
    return _counted(tree, table.taken(rows))


def _indicators(fields: Fields, rows: NDArray[np.intp]) -> tuple[list[tuple[int, int]], NDArray[np.float32]]:
    """Return (attribute, code) of each column that scikit-learn gets, and the columns; the code of a number is -1."""
    wanted = [
        (a, code)
        for a, size in enumerate(fields.sizes.tolist())
        for code in (range(size) if size >= 0 else (-1,))
        if size < 0 or size > 1
    ]
    columns = np.empty((len(rows), len(wanted)), np.float32, order="F")
    for place, (a, code) in enumerate(wanted):
        values = fields.values[a, rows]
        columns[:, place] = values == code if code >= 0 else np.where(values < 0, np.nan, values)
    return wanted, columns


class _Conversion:
    """Turns scikit-learn's arrays into nodes."""

    def __init__(self, tree: Tree, fields: Fields, wanted: list[tuple[int, int]], found: Any) -> None:
        self.tree, self.fields, self.wanted, self.found = tree, fields, wanted, found
        self.count = 0
        self.missing = [bool((line < 0).any()) for line in fields.values]

    def node(self, at: int) -> Node:
        """Convert a node and all below."""
        found = self.found
        left, right = int(found.children_left[at]), int(found.children_right[at])
        if left < 0:
            self.count += 1
            return Leaf(number=self.count - 1, counts=(0.0,) * len(self.tree.classes), majority=0)
        a, code = self.wanted[int(found.feature[at])]
        attribute = self.tree.attributes[a]
        if code >= 0:
            yes = self.node(right)
            return ValueSplit(attribute=attribute.name, value=attribute.values[code], yes=yes, no=self.node(left))
        cut = float(found.threshold[at])
        if np.isinf(cut):  # known numbers on one side, missing ones on the other
            threshold = float(np.copysign(LARGEST, cut))
        else:
            threshold, _ = self.fields.threshold(a, int(np.floor(cut)), int(np.floor(cut)) + 1)
        larger = found.n_node_samples[left] >= found.n_node_samples[right]
        goes_left = bool(found.missing_go_to_left[at]) if self.missing[a] else bool(larger)
        side: Literal["left", "right"] = "left" if goes_left else "right"
        branches = {"left": self.node(left), "right": self.node(right)}
        return NumberSplit(attribute=attribute.name, threshold=threshold, **branches, default=side)


def _counted(tree: Tree, table: TrainingTable) -> Tree:
    """Return the tree with the records of each class in each leaf."""
    counts = np.zeros((len(tree.leaves()), max(1, len(tree.classes))))
    np.add.at(counts, (tree.apply(table), table.labels()), 1)

    def fill(node: Node) -> Node:
        if isinstance(node, Leaf):
            line = counts[node.number]
            return Leaf(
                number=node.number, counts=tuple(line[: len(tree.classes)].tolist()), majority=int(line.argmax())
            )
        if isinstance(node, NumberSplit):
            return node.model_copy(update={"left": fill(node.left), "right": fill(node.right)})
        if isinstance(node, ValueSplit):
            return node.model_copy(update={"yes": fill(node.yes), "no": fill(node.no)})
        return node.model_copy(update={"children": tuple(fill(child) for child in node.children)})

    return _rooted(tree, fill(tree.root))


def _rooted(tree: Tree, root: Node) -> Tree:
    """Return a tree with another root: a new one, because a copy would keep the caches of the old one."""
    return Tree(target=tree.target, classes=tree.classes, attributes=tree.attributes, root=root)
