"""Where the parts of a tree are drawn: the root at the left, leaves in rows at the right, as wide as their texts."""

from collections.abc import Sequence
from dataclasses import dataclass

from sdcdb.trees.nodes import Leaf, Node, conditions
from sdcdb.trees.text import amount
from sdcdb.trees.tree import Tree

ROW = 26.0  # height of a leaf
LETTER = 6.7  # width of a letter at 12 pixels, on average
LONGEST = 30  # letters of a label; the whole text is in its tooltip
GAP = 26.0  # between a box and the label of a branch
BAR = 44.0  # the bar of class shares in a leaf


@dataclass(frozen=True)
class Box:
    """A node to draw: its place, its label, and the branch that leads to it. `leaf` is None for a test."""

    x: float
    y: float
    width: float
    label: str
    title: str
    branch: str
    parent: int | None
    leaf: Leaf | None
    faint: bool = False


@dataclass(frozen=True)
class Layout:
    """All boxes, parents first, and the size of the picture."""

    boxes: tuple[Box, ...]
    width: float
    height: float


@dataclass
class _Item:
    label: str
    title: str
    branch: str
    parent: int | None
    depth: int
    leaf: Leaf | None
    faint: bool
    y: float = 0.0

    @property
    def width(self) -> float:
        return letters(self.label) + 18 + (BAR + 10 if self.leaf and not self.faint else 0)


def short(text: str) -> str:
    """Cut a label to what fits."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def letters(text: str) -> float:
    """Return about how wide a text is."""
    return len(text) * LETTER


def layout(tree: Tree) -> Layout:
    """Place all nodes. Branches of one node that no record took are drawn as one, faintly."""
    items: list[_Item] = []
    rows = _place(tree, tree.root, "", None, items, 0)
    deepest = max(item.depth for item in items)
    columns, widest, right = [], [], 16.0
    for depth in range(deepest + 1):
        here = [item for item in items if item.depth == depth]
        right += max((letters(item.branch) for item in here), default=0.0) + (GAP if depth else 0.0)
        columns.append(right)
        right += max(item.width for item in here) + GAP / 2
        widest.append(max((item.width for item in here if item.leaf), default=0.0))
    boxes = tuple(
        Box(
            columns[i.depth],
            i.y,
            widest[i.depth] if i.leaf else i.width,
            i.label,
            i.title,
            i.branch,
            i.parent,
            i.leaf,
            i.faint,
        )
        for i in items
    )
    return Layout(boxes, max(right + 10, 420.0), rows * ROW + 20)


def _place(tree: Tree, node: Node, branch: str, parent: int | None, items: list[_Item], row: int) -> int:
    """Add a node and all below it; return the first row that is still free."""
    depth = 0 if parent is None else items[parent].depth + 1
    number = len(items)
    if isinstance(node, Leaf):
        name = tree.classes[node.majority] if tree.classes else "nothing"
        counts = ", ".join(
            f"{value}: {amount(count)}" for value, count in zip(tree.classes, node.counts, strict=True) if count
        )
        label = f"{node.number}: {short(name)}, {amount(node.total)}"
        items.append(_Item(label, f"leaf {node.number}: {counts}", branch, parent, depth, node, faint=False))
        items[number].y = (row + 0.5) * ROW
        return row + 1
    items.append(_Item(short(node.attribute), node.attribute, branch, parent, depth, None, faint=False))
    pairs = [
        (_test(test.text(), node.attribute), child)
        for test, child in zip(conditions(node), node.branches(), strict=True)
    ]
    empty = [text for text, child in pairs if isinstance(child, Leaf) and child.total == 0]
    first = len(items)
    for text, child in pairs:
        if text not in empty or len(empty) == 1:
            row = _place(tree, child, short(text), number, items, row)
    if len(empty) > 1:
        label, title = f"{len(empty)} values without records", ", ".join(text.removeprefix("= ") for text in empty)
        items.append(_Item(label, title, "", number, depth + 1, None, faint=True, y=(row + 0.5) * ROW))
        row += 1
    below: Sequence[_Item] = [item for item in items[first:] if item.parent == number]
    items[number].y = (below[0].y + below[-1].y) / 2
    return row


def _test(text: str, attribute: str) -> str:
    """Return a branch's test without the attribute, which stands in the box."""
    return text.removeprefix(attribute).strip()
