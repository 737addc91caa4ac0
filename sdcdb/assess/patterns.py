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
from sdcdb.measures.linkage import KnownEntropies, Linkage, known_entropies
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


def patterns(before: pd.DataFrame, after: pd.DataFrame, target: str, seed: int = 0) -> Patterns | None:
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
        entropies=_entropies(original, perturbed, second, seed),
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


def _entropies(original: TrainingTable, perturbed: TrainingTable, tree: Tree, seed: int) -> tuple[KnownEntropies, ...]:
    """Average the uncertainty of an intruder (thesis 8.1).

    How noise changes a value is counted from the records themselves: the intruder is assumed to know it. Numbers are
    put into bins of their range, so that they can be counted.
    """
    names = [attribute.name for attribute in original.attributes if attribute.name != original.target]
    before, after, kernels = [], [], []
    for name in names:
        codes = _binned(original, perturbed, name)
        size = int(max(codes[0].max(), codes[1].max())) + 1
        counts = np.bincount(codes[0] * size + codes[1], minlength=size * size).reshape(size, size) + 1e-9
        kernels.append(counts / counts.sum(axis=1, keepdims=True))
        before.append(codes[0])
        after.append(codes[1])
    if not names:
        return ()
    shares = np.array([leaf.counts for leaf in tree.leaves()]) + 1e-12
    rng = np.random.default_rng(seed)
    chosen = rng.choice(original.rows, min(TARGETS, original.rows), replace=False)
    linkage = Linkage(
        np.column_stack(after), np.column_stack(before)[chosen], tuple(kernels),
        tree.apply(perturbed).astype(np.int64), shares / shares.sum(axis=1, keepdims=True),
        np.zeros(len(chosen), np.int64),
    )  # fmt: skip
    return known_entropies(linkage, _numbers(len(names)), Draw(combinations=COMBINATIONS, seed=seed))


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
