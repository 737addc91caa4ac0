"""CAPT, the Categorical Attributes Perturbation Technique (DETECTIVE 2005; thesis 2007, section 6.5)."""

from collections.abc import Mapping
from typing import Literal

import numpy as np
from pydantic import Field

from sdcdb.techniques.families.categories import category_shape
from sdcdb.techniques.families.leaf_class import Counts, FittedLeafDraw, frequencies
from sdcdb.techniques.families.leaves import TreeParams, grown, leaf_counts
from sdcdb.techniques.random_categorical import FittedRandomCategorical, fit_column
from sdcdb.techniques.technique import ColumnSpec, Engine, Kind, Source, Technique, one_draw
from sdcdb.trees.tree import Leaf, Tree


class Capt(TreeParams):
    """Change a category to one that DETECTIVE finds similar among similar records.

    A tree is grown that predicts the column from all others. Values in the same leaf are similar there; values in
    sibling leaves, whose paths differ only in the last test, are similar to a lesser degree. With probability `p` a
    record takes the majority value of a sibling leaf; otherwise its value is redrawn with the frequencies of its own
    leaf (thesis 6.5). A leaf without siblings only does the latter, and a leaf with one value and no siblings keeps it.
    `siblings` sets whether p is divided among the siblings equally or by their numbers of records.

    A column whose tree is a single leaf is unrelated to all others. With probability `unrelated` its values become any
    other value, all equally likely.
    """

    method: Literal["capt"]
    p: float = Field(default=0.1, ge=0, le=1)
    """The probability of taking a sibling's majority value."""
    siblings: Literal["equal", "proportional"] = "equal"
    """How p is divided among several siblings: equally, or by their numbers of records."""
    unrelated: float = Field(default=0.1, ge=0, le=1)
    """The probability that a value changes in a column that is unrelated to all others."""


class FittedCapt(FittedLeafDraw):
    """A column perturbed by CAPT."""

    technique: Literal["capt"] = "capt"
    p: float

    def words(self) -> Mapping[str, str]:
        """Explain the draw."""
        how = "redrawn with the frequencies of the record's leaf in a tree that predicts it"
        return {
            self.column: f"{how}, or with probability {self.p:g} the majority value of a sibling leaf; it may change "
            f"in {self.leaves_words()}"
        }


def fit(
    engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Capt
) -> FittedCapt | FittedRandomCategorical:
    """Grow the tree of the column and determine the distribution of each leaf."""
    (column,) = columns
    return fit_tree(engine, table, column, params, grown(engine, table, column.name, params))


def fit_tree(
    engine: Engine, table: Source, column: ColumnSpec, params: Capt, tree: Tree
) -> FittedCapt | FittedRandomCategorical:
    """As `fit`, with an existing tree."""
    shape = category_shape(engine, table, column)
    if isinstance(tree.root, Leaf):
        return fit_column(engine, table, column, params.unrelated)
    counts = frequencies(tree, shape.values, leaf_counts(engine, table, tree, column.name))
    rows = chances(tree, counts, params.p, params.siblings)
    return FittedCapt(
        columns=(column.name,), shape=shape, tree=tree, chances=tuple(tuple(r) for r in rows.tolist()), p=params.p
    )


def chances(tree: Tree, counts: Counts, p: float, split: Literal["equal", "proportional"]) -> Counts:
    """Return the probability of each value in each leaf (thesis 6.5); `counts` has a row for each leaf."""
    own = counts / counts.sum(axis=1, keepdims=True)
    majority, sizes = counts.argmax(axis=1), counts.sum(axis=1)
    made = np.empty_like(own)
    for at in range(len(counts)):
        near = list(tree.siblings(at))
        moved = np.zeros(counts.shape[1])
        if near:
            weights = np.ones(len(near)) if split == "equal" else sizes[near]
            np.add.at(moved, majority[near], p * weights / weights.sum())
        made[at] = moved + (1 - moved.sum()) * own[at]
    return np.asarray(made)


TECHNIQUE = Technique("capt", Kind.CATEGORY, Capt, FittedCapt, fit, draws=one_draw)
