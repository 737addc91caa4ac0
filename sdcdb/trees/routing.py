"""Send cases down a subtree without building anything: compiled, on a flattened tree."""

from dataclasses import dataclass

import numpy as np
from numba import njit

from sdcdb.trees.draft import Draft
from sdcdb.trees.gain import Floats, Ints


@dataclass(frozen=True, eq=False)
class Flat:
    """Nodes in a row, siblings next to each other: `first` of them, `counts` of them, their `shares`."""

    attributes: Ints
    below: Ints
    first: Ints
    counts: Ints
    shares: Floats  # of each node, among its siblings

    @classmethod
    def of(cls, root: Draft) -> "Flat":
        """Flatten a subtree."""
        nodes, first, shares = [root], [], [1.0]
        for node in nodes:
            first.append(len(nodes))
            nodes.extend(node.children)
            shares.extend(node.shares.tolist() if node.shares is not None and node.children else ())
        return cls(
            np.array([node.attribute if node.children else -1 for node in nodes], np.int32),
            np.array([node.below for node in nodes], np.int32),
            np.array(first, np.int32),
            np.array([len(node.children) for node in nodes], np.int32),
            np.array(shares),
        )

    def arrays(self) -> tuple[Ints, Ints, Ints, Ints, Floats]:
        """Return the arrays for the compiled loop."""
        return self.attributes, self.below, self.first, self.counts, self.shares


@njit(cache=True, nogil=True)
def leaf_counts(  # noqa: PLR0913, PLR0917 - compiled: it takes arrays
    rows: Ints, weights: Floats, values: Ints, labels: Ints, classes: int, attributes: Ints, below: Ints, first: Ints,
    children: Ints, shares: Floats,
) -> Floats:  # fmt: skip
    """Return the weight of each class that reaches each node; a missing value goes to all branches by their shares."""
    counts = np.zeros((len(attributes), classes))
    node_stack, weight_stack = np.empty(len(attributes) + 1, np.int32), np.empty(len(attributes) + 1)
    for i in range(len(rows)):
        row = rows[i]
        node_stack[0], weight_stack[0], height = 0, weights[i], 1
        while height > 0:
            height -= 1
            node, weight = node_stack[height], weight_stack[height]
            while attributes[node] >= 0:
                value = values[attributes[node], row]
                if value < 0:
                    break
                if below[node] >= 0:
                    value = 0 if value <= below[node] else 1
                node = first[node] + value
            if attributes[node] < 0:
                counts[node, labels[row]] += weight
                continue
            for child in range(first[node], first[node] + children[node]):
                if shares[child] > 0.0:
                    node_stack[height], weight_stack[height] = child, weight * shares[child]
                    height += 1
    return counts
