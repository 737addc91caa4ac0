"""What a protected view does to the patterns of a class: two trees side by side, accuracies, and entropies.

The indicators of quality of the thesis (2007, chapter 7) and its measure of risk (chapter 8), for a table that has a
class column. Trees are grown on the records compared; a fifth of them, held out, show how well rules generalise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sdcdb.measures.classifier import Accuracies, accuracies, second_classifier
from sdcdb.measures.distribution import Floats
from sdcdb.measures.linkage import KnownEntropies, Linkage, Security, known_entropies, linkage_entropies, security
from sdcdb.measures.reidentification import Draw
from sdcdb.measures.tree_similarity import TreeComparison, compare_trees
from sdcdb.trees.c45 import grow
from sdcdb.trees.table import Attribute, Column, TrainingTable
from sdcdb.trees.tree import Tree

MOST_RECORDS = 30_000  # trees and entropies are computed on a sample of this size
HELD_OUT = 0.2
TARGETS = 200  # records over which entropies are averaged
BINS = 20  # bins of a number's range, through which its noise is seen
COMBINATIONS = 5
BORROWED = 5  # records by which the average of all leaves counts in each leaf
MOST_VALUES = 200  # of a category that a rule may test
LEAST_CASES = 0.002  # share of the records in a branch: patterns are compared, not single records


@dataclass(frozen=True)
class Patterns:
    """The two trees, how similar they are, how well classifiers do, and how uncertain an intruder remains."""

    target: str
    original: Tree
    perturbed: Tree
    similarity: TreeComparison
    accuracies: dict[str, Accuracies]
    """By classifier and the data it was trained on, such as `tree, original`."""
    entropies: tuple[KnownEntropies, ...]
    security: Security | None
    """Of the record entropies when all columns are known: T, the share below H_t, against v (thesis 8.1)."""


@dataclass(frozen=True)
class Thresholds:
    """H_t, in bits, and v: a table is secure when at most a share v of its records has an entropy below H_t.

    By default those of the thesis's example (8.1).
    """

    entropy: float = 2.45
    allowed: float = 0.05


THRESHOLDS = Thresholds()


def patterns(
    before: pd.DataFrame, after: pd.DataFrame, target: str, seed: int = 0, thresholds: Thresholds = THRESHOLDS
) -> Patterns | None:
    """Compare a table, record by record, with its perturbed copy; None where there is nothing to learn."""
    rng = np.random.default_rng(seed)
    known = np.flatnonzero(before[target].notna().to_numpy() & after[target].notna().to_numpy())
    if len(known) > MOST_RECORDS:
        known = np.sort(rng.choice(known, MOST_RECORDS, replace=False))
    if len(known) < 10 or before[target].iloc[known].nunique() < 2:
        return None
    original, perturbed = _tables(before.iloc[known], after.iloc[known], target)
    out = np.zeros(len(known), bool)
    out[rng.choice(len(known), round(HELD_OUT * len(known)), replace=False)] = True
    learnt, testing = original.taken(np.flatnonzero(~out)), original.taken(np.flatnonzero(out))
    shown = perturbed.taken(np.flatnonzero(~out))
    cases = max(2, round(LEAST_CASES * len(known)))

    def tree_of(table: TrainingTable) -> Tree:
        return grow(table, min_cases=cases)

    first, second = tree_of(original), tree_of(perturbed)
    weights = np.bincount(second.apply(perturbed), minlength=len(second.leaves())) / perturbed.rows
    linkage = _linkage(original, perturbed, second, seed)
    return Patterns(
        target=target,
        original=first,
        perturbed=second,
        similarity=compare_trees(first, second, weights.tolist()),
        accuracies={
            f"{name}, {data}": accuracies(learn, table, learnt, testing)
            for name, learn in (("tree", tree_of), ("naive Bayes", second_classifier))
            for data, table in (("original", learnt), ("perturbed", shown))
        },
        entropies=_entropies(linkage, seed) if linkage else (),
        security=_security(linkage, thresholds) if linkage else None,
    )


def _tables(before: pd.DataFrame, after: pd.DataFrame, target: str) -> tuple[TrainingTable, TrainingTable]:
    """Return both tables with one list of values for each category."""
    attributes: list[Attribute] = []
    columns: tuple[list[Column], list[Column]] = ([], [])
    for name in before.columns:
        halves = before[name], after[name]
        number = all(pd.api.types.is_numeric_dtype(h.dtype) and not pd.api.types.is_bool_dtype(h.dtype) for h in halves)
        if number and name != target:
            if _names_records(halves[0]):
                continue
            attributes.append(Attribute(str(name), "number"))
            for place, half in zip(columns, halves, strict=True):
                place.append(half.to_numpy(dtype=np.float64, na_value=np.nan))
            continue
        texts = pd.concat(halves).astype("object")
        codes, values = pd.factorize(texts.map(_text), sort=True)
        if name != target and (len(values) > MOST_VALUES or len(values) == len(before)):
            continue
        attributes.append(Attribute(str(name), "category", tuple(map(str, values))))
        columns[0].append(codes[: len(before)].astype(np.int32))
        columns[1].append(codes[len(before) :].astype(np.int32))
    made = [TrainingTable(tuple(attributes), tuple(half), target) for half in columns]
    return made[0], made[1]


def _text(value: Any) -> str | None:
    return None if value is None or pd.isna(value) else str(value)


def _names_records(column: pd.Series) -> bool:
    """Return whether a column numbers the records: whole numbers, all different."""
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return bool(len(np.unique(values)) == len(values) and (values == np.floor(values)).all())


def _linkage(original: TrainingTable, perturbed: TrainingTable, tree: Tree, seed: int) -> Linkage | None:
    """Return what an intruder has who knows how noise was added (thesis 8.1); None where nothing can be known.

    How noise changes a value is counted from the records themselves, for each leaf of the intruder's tree apart: in the
    Framework noise depends on the leaf. A leaf of few records borrows from all: `BORROWED` records of the average leaf
    are added. Numbers are put into bins of their range, so that they can be counted.
    """
    names = [attribute.name for attribute in original.attributes if attribute.name != original.target]
    if not names:
        return None
    leaves, number = tree.apply(original).astype(np.int64), len(tree.leaves())
    before, after, kernels = [], [], []
    for name in names:
        codes = _binned(original, perturbed, name)
        kernels.append(_kernels(*codes, leaves, number))
        before.append(codes[0])
        after.append(codes[1])
    shares = np.array([leaf.counts for leaf in tree.leaves()]) + 1e-12
    rng = np.random.default_rng(seed)
    chosen = rng.choice(original.rows, min(TARGETS, original.rows), replace=False)
    return Linkage(
        np.column_stack(after), np.column_stack(before)[chosen], tuple(kernels),
        tree.apply(perturbed).astype(np.int64), shares / shares.sum(axis=1, keepdims=True), leaves[chosen],
    )  # fmt: skip


def _kernels(before: Any, after: Any, leaves: Any, number: int) -> tuple[Floats, ...]:
    """Return, for each leaf, how often each value became each other one among the records that reach the leaf."""
    size = int(max(before.max(), after.max())) + 1
    shape = number, size, size
    cells = (leaves * size + before) * size + after
    counts = np.bincount(cells, minlength=number * size * size).reshape(shape).astype(np.float64)
    every = counts.sum(axis=0) + 1e-9
    average = every / every.sum(axis=1, keepdims=True)
    mixed = counts + BORROWED * average
    return tuple(mixed / mixed.sum(axis=2, keepdims=True))


def _entropies(linkage: Linkage, seed: int) -> tuple[KnownEntropies, ...]:
    numbers = _numbers(len(linkage.kernels))
    return known_entropies(linkage, numbers, Draw(combinations=COMBINATIONS, seed=seed))


def _security(linkage: Linkage, thresholds: Thresholds) -> Security:
    entropies = linkage_entropies(linkage, range(len(linkage.kernels))).record
    return security(entropies, thresholds.entropy, thresholds.allowed)


def _numbers(attributes: int) -> Sequence[int]:
    return sorted({number for number in (0, 1, 2, 3, attributes // 2, attributes) if number <= attributes})


def _binned(original: TrainingTable, perturbed: TrainingTable, name: str) -> tuple[Any, Any]:
    """Return an attribute of both tables as codes; a missing value is a value."""
    halves = original.column(name), perturbed.column(name)
    if original.attribute(name).kind == "category":
        return halves[0].astype(np.int64) + 1, halves[1].astype(np.int64) + 1
    known = np.concatenate([half[~np.isnan(half)] for half in halves])
    edges = np.linspace(known.min(), known.max(), BINS + 1)[1:-1] if len(known) else np.zeros(0)
    binned = [np.where(np.isnan(half), 0, np.searchsorted(edges, half, side="right") + 1) for half in halves]
    return binned[0].astype(np.int64), binned[1].astype(np.int64)
