"""The best global recoding: one level per attribute, found in the lattice of all combinations of levels.

The loss of a node is what its cells lose on average; records of classes that are too small count as lost altogether.
No node can lose less than its levels do by themselves, plus the records that two of its attributes alone already
single out (a class of two attributes holds every class of more: the subset property of Incognito, LeFevre et al. 2005).
Where one node leaves out too many records, so do all below it (predictive tagging, as in OLA, El Emam et al. 2009, and
Flash, Kohlmayer et al. 2012). Nodes are looked at in the order of the bound, and the search ends where it passes the
best node found: the result is the optimum, with most nodes never counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from sdcdb.techniques.families.crowds import Bools, Crowd, Floats, Ints, Targets, satisfied

MOST_NODES = 1_000_000
MOST_COUNTED = 3_000
PATHS = 60  # through a large lattice, to find where it begins to be good


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
    lattice = _Lattice(attributes, crowd, targets, most_left_out * total + 1e-6, tuple(heights))
    hopeless = lattice.hopeless()
    order = np.flatnonzero((out <= most_left_out + 1e-12) & ~hopeless)
    order = order[np.argsort(bound[order], kind="stable")]
    best: Best | None = None
    for node in order:
        done = best is not None and bound[node] >= best.loss - 1e-12
        if best is not None and (done or lattice.counted >= MOST_COUNTED):
            return Best(best.levels, best.left_out, best.loss, levels.shape[1], lattice.counted, proved=done)
        if hopeless[node]:
            continue
        chosen = tuple(int(level) for level in levels[:, node])
        left = lattice.left_out(chosen)
        if not lattice.few(left):
            lattice.mark_below(chosen, hopeless)
            continue
        loss = float(base[node])
        if costs is None:
            own = np.mean([a.losses[level][a.codes] for a, level in zip(attributes, chosen, strict=True)], axis=0)
            loss += float((crowd.weights[left] * (lost - own[left])).sum()) / total
        if best is None or loss < best.loss - 1e-12:
            best = Best(chosen, left, loss, levels.shape[1], lattice.counted, proved=True)
    return best and Best(best.levels, best.left_out, best.loss, levels.shape[1], lattice.counted, proved=True)


class _Lattice:
    """Counts nodes, and remembers how many it counted."""

    def __init__(
        self, attributes: Sequence[Attribute], crowd: Crowd, targets: Targets, most: float, heights: tuple[int, ...]
    ) -> None:
        self.attributes, self.crowd, self.targets, self.most, self.heights = attributes, crowd, targets, most, heights
        self.counted = 0
        entropies = targets.t is not None or (targets.l is not None and targets.entropy)
        # A class may only grow by a step up, and then stays good. Entropies of mixed classes may fall.
        self.monotone = not entropies and all(map(_nested, attributes))

    def left_out(self, levels: tuple[int, ...]) -> Bools:
        """Return which distinct records a node leaves out."""
        self.counted += 1
        classes = numbered([a.classes[level][a.codes] for a, level in zip(self.attributes, levels, strict=True)])
        return ~satisfied(classes, self.crowd, self.targets, self.crowd)[classes]

    def few(self, left: Bools) -> bool:
        """Tell whether that is few enough."""
        return float(self.crowd.weights[left].sum()) <= self.most

    def hopeless(self) -> Bools:
        """Walk some paths through the lattice and mark all nodes below the highest that leaves out too many."""
        found = np.zeros(int(np.prod(self.heights)), np.bool_)
        if not self.monotone or len(found) < 10 * PATHS:
            return found
        draw = np.random.default_rng(0)
        for _ in range(PATHS):
            steps = draw.permutation(np.repeat(np.arange(len(self.heights)), np.array(self.heights) - 1))
            low, high = 0, len(steps)  # the bottom leaves out too many, or nothing is to be marked; the top does not
            while high - low > 1:
                middle = (low + high) // 2
                node = tuple(np.bincount(steps[:middle], minlength=len(self.heights)).tolist())
                if found[np.ravel_multi_index(node, self.heights)] or not self.few(self.left_out(node)):
                    low = middle
                    self.mark_below(node, found)
                else:
                    high = middle
        return found

    def mark_below(self, levels: tuple[int, ...], hopeless: Bools) -> None:
        """Mark a node that leaves out too many, and all below it."""
        if self.monotone:
            hopeless.reshape(self.heights)[tuple(slice(level + 1) for level in levels)] = True


def _nested(each: Attribute) -> bool:
    """Tell whether each level only joins classes of the one below."""
    for below, above in pairwise(each.classes):
        if len(np.unique(below * (int(above.max()) + 1) + above)) > len(np.unique(below)):
            return False
    return True


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
