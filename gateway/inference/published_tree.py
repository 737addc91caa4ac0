"""Groups of people whom published data tells apart: a tree over quasi-identifiers, grown on what was published.

Every column is a code per row, in an order in which neighbours are alike (numbers by size). A split puts a run of codes
to one side: of codes without an order of their own, in the order of the mean published value. It is made if the
likelihood ratio of the two sides' histograms, 2 sum O ln(O / E), passes chi-square at one in ten thousand, over all
splits that were looked at (Bonferroni). Growth is best first, and deterministic.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

FEWEST = 10  # published rows in a leaf
LEAVES = 24
LEVEL = 1e-4


@dataclass(frozen=True)
class Published:
    """Rows of published data, alike ones together: codes per column, the coarse bin of the value, and how many."""

    codes: Ints
    bins: Ints
    number: Floats
    ordered: tuple[bool, ...]
    sizes: tuple[int, ...]
    """How many codes each column has."""


@dataclass(frozen=True)
class Split:
    """A column, the codes that go to the left, and by how much the likelihood grows beyond chance."""

    column: int
    left: Flags
    gain: float


@dataclass(eq=False)
class Node:
    """A part of the published rows; a leaf unless it was split."""

    rows: Ints
    best: Split | None
    split: Split | None = None
    below: list["Node"] = field(default_factory=list)


def grow(data: Published) -> Node:
    """Grow the tree."""
    everybody = np.arange(len(data.number))
    root = Node(everybody, _best(data, everybody))
    leaves = [root]
    while len(leaves) < LEAVES:
        node = max(leaves, key=lambda each: each.best.gain if each.best else 0.0)
        if node.best is None:
            break
        left = node.best.left[data.codes[node.rows, node.best.column]]
        node.split = node.best
        node.below = [Node(part, _best(data, part)) for part in (node.rows[left], node.rows[~left])]
        at = leaves.index(node)
        leaves[at : at + 1] = node.below
    return root


def leaves_of(root: Node) -> list[Node]:
    """Return the leaves from left to right."""
    return [leaf for node in root.below for leaf in leaves_of(node)] if root.below else [root]


def place(root: Node, codes: Ints) -> Ints:
    """Return the number of the leaf of each row of codes."""
    found = np.zeros(len(codes), dtype=np.int64)
    numbers = {id(leaf): number for number, leaf in enumerate(leaves_of(root))}

    def descend(node: Node, rows: Ints) -> None:
        if node.split is None:
            found[rows] = numbers[id(node)]
            return
        left = node.split.left[codes[rows, node.split.column]]
        descend(node.below[0], rows[left])
        descend(node.below[1], rows[~left])

    descend(root, np.arange(len(codes)))
    return found


def _best(data: Published, rows: Ints) -> Split | None:
    from scipy.stats import chi2

    bins, number = data.bins[rows], data.number[rows]
    used = np.unique(bins)
    if number.sum() < 2 * FEWEST or len(used) < 2:
        return None
    bins = np.searchsorted(used, bins)
    found: list[tuple[float, int, Flags]] = []
    looked_at = 0
    for column, size in enumerate(data.sizes):
        table = np.zeros((size, len(used)))
        np.add.at(table, (data.codes[rows, column], bins), number)
        totals = table.sum(axis=1)
        here = np.flatnonzero(totals)
        if len(here) < 2:
            continue
        if not data.ordered[column]:
            means = table[here] @ np.arange(len(used)) / totals[here]
            here = here[np.argsort(means, kind="stable")]
        below = np.cumsum(table[here], axis=0)[:-1]
        gains = _ratio(below, table.sum(axis=0))
        sizes = below.sum(axis=1)
        gains[(sizes < FEWEST) | (number.sum() - sizes < FEWEST)] = 0.0
        looked_at += len(gains)
        at = int(np.argmax(gains))
        left = np.zeros(size, dtype=np.bool_)
        left[here[: at + 1]] = True
        if data.ordered[column]:
            left[: here[at] + 1] = True  # codes that were not published here go where their neighbours go
        found.append((float(gains[at]), column, left))
    if not found:
        return None
    gain, column, left = max(found, key=lambda each: each[0])
    beyond = gain - float(chi2.isf(LEVEL / max(looked_at, 1), len(used) - 1))
    return Split(column, left, beyond) if beyond > 0 else None


def _ratio(below: Floats, total: Floats) -> Floats:
    above = total - below
    found = np.zeros(len(below))
    for part in (below, above):
        size = part.sum(axis=1, keepdims=True)
        expected = size * total / total.sum()
        share = np.divide(part, expected, out=np.ones_like(part), where=(part > 0) & (expected > 0))
        found += 2 * (part * np.log(share)).sum(axis=1)
    return found
