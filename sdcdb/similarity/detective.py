"""DETECTIVE and EX-DETECTIVE: which values of a category are similar, and which records (thesis 2007, section 6.4).

DETECTIVE grows a tree that predicts a category from all other columns. Values in the same leaf cannot be distinguished
by a rule: they are similar there. Values of sibling leaves, whose paths differ only in the last test, are similar to a
lesser degree. Similarity holds inside a segment of the table, not everywhere, and is measured by the
product of the two values' numbers of records (6.6.1: 132 x 62 = 8184).

EX-DETECTIVE clusters records: two records belong together when they are in the same leaf of the tree of every chosen
category; within these, numbers are clustered by k-means. A category weighs more the less its tree is pruned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import DataError
from sdcdb.trees.c45 import grow
from sdcdb.trees.nodes import Condition, drawn_together
from sdcdb.trees.table import TrainingTable
from sdcdb.trees.tree import Tree

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Pair:
    """Two values and how similar they are: the product of their numbers of records in the segment."""

    first: str
    second: str
    similarity: float


@dataclass(frozen=True)
class ValueCluster:
    """Values that are similar in a segment: one leaf, or the union of sibling leaves."""

    leaves: tuple[int, ...]
    rule: tuple[str, ...]
    """The tests on the path to the segment; for siblings, the tests they share."""
    counts: tuple[tuple[str, float], ...]
    pairs: tuple[Pair, ...]

    @property
    def records(self) -> float:
        """The number of records in the segment."""
        return sum(count for _, count in self.counts)


@dataclass(frozen=True)
class Detection:
    """The clusters of one column: those within leaves, the stronger ones, and those among siblings."""

    column: str
    tree: Tree
    within: tuple[ValueCluster, ...]
    among: tuple[ValueCluster, ...]

    @property
    def unrelated(self) -> bool:
        """Whether no other column predicts it: its tree is a single leaf."""
        return len(self.tree.leaves()) == 1


def detect(tree: Tree) -> Detection:
    """Find the clusters of the tree's class from its leaves and siblings."""
    leaves, paths = tree.leaves(), tree.paths()
    within = tuple(
        _cluster((leaf.number,), _rule(path), _named(tree, leaf.counts))
        for leaf, path in zip(leaves, paths, strict=True)
        if sum(count > 0 for count in leaf.counts) > 1
    )
    families = {tuple(sorted((leaf.number, *tree.siblings(leaf.number)))) for leaf in leaves}
    among = []
    for family in sorted(family for family in families if len(family) > 1):
        joint = np.sum([leaves[number].counts for number in family], axis=0)
        rule = _rule(paths[family[0]][:-1])
        # Values in one leaf are a cluster of that leaf: among siblings, only pairs across leaves count.
        across = _across([_named(tree, leaves[number].counts) for number in family])
        if across:
            among.append(ValueCluster(family, rule, _named(tree, joint), across))
    return Detection(tree.target, tree, within, tuple(among))


def _rule(path: tuple[Condition, ...]) -> tuple[str, ...]:
    """Return the tests of a path for people: those of one number merged."""
    return tuple(condition.text() for condition in drawn_together(path))


def _named(tree: Tree, counts: Sequence[float]) -> tuple[tuple[str, float], ...]:
    named = [(value, float(count)) for value, count in zip(tree.classes, counts, strict=True) if count > 0]
    return tuple(sorted(named, key=lambda each: -each[1]))


def _cluster(leaves: tuple[int, ...], rule: tuple[str, ...], counts: tuple[tuple[str, float], ...]) -> ValueCluster:
    pairs = [Pair(a, b, m * n) for (a, m), (b, n) in combinations(counts, 2)]
    return ValueCluster(leaves, rule, counts, tuple(sorted(pairs, key=lambda pair: -pair.similarity)))


def _across(family: list[tuple[tuple[str, float], ...]]) -> tuple[Pair, ...]:
    found: dict[tuple[str, str], float] = {}
    for one, other in combinations(family, 2):
        for a, m in one:
            for b, n in other:
                if a != b:
                    key = (min(a, b), max(a, b))
                    found[key] = found.get(key, 0.0) + m * n
    pairs = [Pair(a, b, similarity) for (a, b), similarity in found.items()]
    return tuple(sorted(pairs, key=lambda pair: -pair.similarity))


@dataclass(frozen=True)
class RecordClusters:
    """The cluster of each record, and the sizes of the clusters, largest first. Cluster -1 is none."""

    labels: Ints
    sizes: tuple[int, ...]
    leaves: tuple[tuple[int, ...], ...]
    """For each cluster, its leaf in the tree of each category; clusters of numbers share them."""


def record_clusters(
    table: TrainingTable, categories: Mapping[str, float], numbers: Sequence[str] = (), clusters: int = 3,
    smallest: int = 2, seed: int = 0,
) -> RecordClusters:  # fmt: skip
    """Cluster records by EX-DETECTIVE (thesis 6.4.7).

    `categories` gives a weight from 0 to 1 to each category: 0 prunes its tree to one leaf, so that it plays no role;
    1 does not prune; in between, it is twice the confidence of pruning. `numbers` are clustered by k-means inside, in
    at most `clusters` clusters. Fewer than `smallest` records do not form a cluster.
    """
    if not categories and not numbers:
        raise DataError("record clusters need at least one category or number")
    leaves = [_leaves(table, name, weight) for name, weight in categories.items()]
    joint = np.column_stack(leaves) if leaves else np.zeros((table.rows, 1), np.int64)
    _, label = np.unique(joint, axis=0, return_inverse=True)
    label = label.reshape(-1)
    if numbers:
        label = _inside(np.column_stack([table.column(name) for name in numbers]), label, clusters, smallest, seed)
    found, first, label, count = np.unique(label, return_index=True, return_inverse=True, return_counts=True)
    kept = sorted((n for n in range(len(found)) if count[n] >= smallest), key=lambda n: -count[n])
    place = np.full(len(found), -1, np.int64)
    place[kept] = np.arange(len(kept))
    where = tuple(tuple(int(leaf) for leaf in joint[first[n]]) if leaves else () for n in kept)
    return RecordClusters(place[label], tuple(int(count[n]) for n in kept), where)


def _leaves(table: TrainingTable, name: str, weight: float) -> Ints:
    if not 0 <= weight <= 1:
        raise DataError(f"the weight of {name!r} is {weight}: it must be from 0 (no role) to 1 (no pruning)")
    if weight == 0:
        return np.zeros(table.rows, np.int64)
    aimed = table.aimed(name)
    tree = grow(aimed, prune=False) if weight == 1 else grow(aimed, confidence=weight / 2)
    return tree.apply(aimed).astype(np.int64)


def _inside(points: NDArray[Any], label: Ints, clusters: int, smallest: int, seed: int) -> Ints:
    """Split clusters of records by k-means on standardised numbers; one that is missing or infinite counts as mean."""
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    there = np.isfinite(points)
    many = np.maximum(there.sum(axis=0), 1)
    largest = np.abs(np.where(there, points, 0.0)).max(axis=0, initial=0.0)
    points = np.where(there, points, 0.0) / np.where(largest > 0, largest, 1.0)  # sums of large numbers overflow
    centred = np.where(there, points - points.sum(axis=0) / many, 0.0)
    spread = np.sqrt((centred**2).sum(axis=0) / many)
    scaled = centred / np.where(spread > 0, spread, 1.0)
    made = np.zeros(len(label), np.int64)
    with threadpool_limits(1):  # clusters are small: threads would wait for each other, thousands of times
        for group in range(int(label.max(initial=-1)) + 1):
            own = np.flatnonzero(label == group)
            parts = min(clusters, len(own) // smallest, len(np.unique(scaled[own], axis=0)))
            if parts > 1:
                made[own] = KMeans(parts, n_init=4, random_state=seed).fit_predict(scaled[own])
    return np.asarray(label * max(clusters, 1) + made)
