"""The best global recoding: one level per attribute, found in the lattice of all combinations of levels.

The loss of a node is what its cells lose on average; records of classes that are too small count as lost altogether.
No node can lose less than its levels do by themselves, plus the records that two of its attributes alone already
single out (a class of two attributes holds every class of more: the subset property of Incognito, LeFevre et al. 2005).
Nodes are looked at in the order of this bound, and the search ends where it passes the best node found: the result is
the optimum, as in OLA (El Emam et al. 2009) and Flash (Kohlmayer et al. 2012), with most nodes never counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sdcdb.techniques.families.crowds import Bools, Crowd, Floats, Ints, Targets, satisfied

MOST_NODES = 1_000_000
MOST_COUNTED = 3_000


@dataclass(frozen=True)
class Attribute:
    """One attribute: the code of each distinct record, and per level the class and the loss of each code."""

    codes: Ints
    classes: tuple[Ints, ...]
    losses: tuple[Floats, ...]

    def cost(self, weights: Floats) -> Floats:
        """Return the mean loss of each level."""
        share = np.bincount(self.codes, weights, minlength=len(self.losses[0])) / weights.sum()
        return np.array([float(share @ loss) for loss in self.losses])


@dataclass(frozen=True)
class Best:
    """The levels that lose least, which distinct records they leave out, and how hard it was to find."""

    levels: tuple[int, ...]
    left_out: Bools
    loss: float
    nodes: int
    counted: int
    proved: bool
    """Whether every other node was shown to be no better."""


def nodes_of(attributes: Sequence[Attribute]) -> int:
    """Return the size of the lattice."""
    return int(np.prod([len(each.classes) for each in attributes], dtype=np.float64))


def search(
    attributes: Sequence[Attribute],
    crowd: Crowd,
    targets: Targets,
    most_left_out: float,
    *,
    costs: Sequence[Floats] | None = None,
    lost: float = 1.0,
) -> Best | None:
    """Find the levels with the least loss that leave out at most this share of the records; None if there are none.

    `costs` replaces the mean loss of each attribute's levels by another additive measure, and `lost` the loss of a
    record that is left out.
    """
    heights = [len(each.classes) for each in attributes]
    total = float(crowd.weights.sum())
    levels = np.indices(heights, dtype=np.int8).reshape(len(heights), -1)
    given = [each.cost(crowd.weights) / len(attributes) for each in attributes] if costs is None else costs
    base = sum((cost[level] for cost, level in zip(given, levels, strict=True)), np.zeros(levels.shape[1]))
    out = _left_out_by_pairs(attributes, crowd.weights, targets.k, levels) / total
    most = sum(
        (np.array([loss.max() for loss in a.losses])[level] for a, level in zip(attributes, levels, strict=True)),
        np.zeros(levels.shape[1]),
    )
    bound = base + (out * np.maximum(0.0, lost - most / len(attributes)) if costs is None else 0.0)
    order = np.flatnonzero(out <= most_left_out + 1e-12)
    order = order[np.argsort(bound[order], kind="stable")]
    best: Best | None = None
    for counted, node in enumerate(order):
        if best is not None and (bound[node] >= best.loss - 1e-12 or counted >= MOST_COUNTED):
            proved = bool(bound[node] >= best.loss - 1e-12)
            return Best(best.levels, best.left_out, best.loss, levels.shape[1], counted, proved)
        chosen = tuple(int(level) for level in levels[:, node])
        classes = numbered([a.classes[level][a.codes] for a, level in zip(attributes, chosen, strict=True)])
        left = ~satisfied(classes, crowd, targets, crowd)[classes]
        share = float(crowd.weights[left].sum()) / total
        if share > most_left_out + 1e-12:
            continue
        loss = float(base[node])
        if costs is None:
            own = np.mean([a.losses[level][a.codes] for a, level in zip(attributes, chosen, strict=True)], axis=0)
            loss += float((crowd.weights[left] * (lost - own[left])).sum()) / total
        if best is None or loss < best.loss - 1e-12:
            best = Best(chosen, left, loss, levels.shape[1], counted + 1, proved=True)
    return best and Best(best.levels, best.left_out, best.loss, levels.shape[1], len(order), proved=True)


def numbered(columns: Sequence[Ints]) -> Ints:
    """Number the combinations of several codes, from 0."""
    found = np.zeros(len(columns[0]), np.int64)
    many = 1
    for codes in columns:
        size = int(codes.max(initial=0)) + 1
        if many * size > 2**62:
            _, found = np.unique(found, return_inverse=True)
            found = found.reshape(-1)
            many = int(found.max(initial=0)) + 1
        found = found * size + codes
        many *= size
    _, found = np.unique(found, return_inverse=True)
    return found.reshape(-1)


def _left_out_by_pairs(attributes: Sequence[Attribute], weights: Floats, k: int, levels: NDArray[np.int8]) -> Floats:
    """Return, per node, the most records that one or two attributes at its levels single out."""
    found = np.zeros(levels.shape[1])
    pairs = combinations(range(len(attributes)), 2) if len(attributes) > 1 else [(0, 0)]
    for i, j in pairs:
        first, second = attributes[i], attributes[j]
        together, inverse = np.unique(first.codes * len(second.losses[0]) + second.codes, return_inverse=True)
        counts = np.bincount(inverse.reshape(-1), weights)
        a, b = together // len(second.losses[0]), together % len(second.losses[0])
        out = np.empty((len(first.classes), len(second.classes)))
        for one, upper in enumerate(first.classes):
            for other, lower in enumerate(second.classes):
                classes = upper[a] * (int(lower.max()) + 1) + lower[b]
                _, inside = np.unique(classes, return_inverse=True)
                sizes = np.bincount(inside.reshape(-1), counts)
                out[one, other] = sizes[sizes < k].sum()
        found = np.maximum(found, out[levels[i], levels[j]])
    return found
