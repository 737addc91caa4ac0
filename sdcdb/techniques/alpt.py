"""ALPT, the All Leaves Probabilistic Perturbation Technique (thesis 2007, section 4.2)."""

from typing import Literal

import numpy as np

from sdcdb.techniques.families.categories import CategoryShape, FittedTransition, category_shape
from sdcdb.techniques.families.leaf_class import expected_changes, frequencies, printed_changes
from sdcdb.techniques.families.leaves import TreeParams, grown, leaf_counts
from sdcdb.techniques.technique import ColumnSpec, Engine, Kind, Source, Technique, one_draw
from sdcdb.trees.tree import Tree

Changes = Literal["printed", "as_rpt"]


class Alpt(TreeParams):
    """Change as many classes as RPT and PPT do, but anywhere: a baseline that keeps no pattern.

    Each class is changed with probability p = E(N) / N, where E(N) is the expected number of changes of RPT and PPT on
    the same tree (eq. 4.1) and N the number of records. A changed class o becomes the class c with probability
    R_c / (N - R_o), where R counts the records of each class (thesis 4.2, end).

    The thesis uses 2 m n / (m + n) for E(N) even where a leaf has several minority classes, n records in all. RPT and
    PPT then change more, m + n - (m^2 + n_1^2 + ...) / (m + n) on average, which equals it for one minority class:
    in a leaf of 50, 30 and 20 records 62, not 50. `changes` says which is used.
    """

    method: Literal["alpt"]
    changes: Changes = "printed"
    """E(N): `printed`, by eq. 4.1; or `as_rpt`, as many changes as RPT and PPT make with several minority classes."""


class FittedAlpt(FittedTransition):
    """The matrix for all records."""

    technique: Literal["alpt"] = "alpt"
    expected_changes: float

    def random(self) -> bool:
        """Where every leaf has one class, nothing is changed."""
        return self.expected_changes > 0

    def how(self) -> str:
        """Say what a value that is not kept becomes."""
        return f"otherwise it becomes another by its frequency; about {self.expected_changes:,.0f} records change"


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Alpt) -> FittedAlpt:
    """Grow the tree, and spread its changes over all records."""
    (column,) = columns
    tree = grown(engine, table, column.name, params)
    shape = category_shape(engine, table, column)
    return fit_class(engine, table, tree, shape, column.name, params.changes)


def fit_class(
    engine: Engine, table: Source, tree: Tree, shape: CategoryShape, column: str, asked: Changes = "printed"
) -> FittedAlpt:
    """As `fit`, with an existing tree."""
    counts = leaf_counts(engine, table, tree, column)
    total = sum(counts.values())
    if not total:
        return FittedAlpt(columns=(column,), shape=shape, matrix=(), expected_changes=0.0)
    found = frequencies(tree, shape.values, counts)
    changes = printed_changes(found) if asked == "printed" else expected_changes(found)
    sizes = np.array([sum(n for (_, text), n in counts.items() if text == value) for value in shape.values])
    matrix = np.eye(len(sizes))
    if len(sizes) > 1:
        matrix = changes / total * sizes / (total - sizes)[:, None]
        np.fill_diagonal(matrix, 0)
        np.fill_diagonal(matrix, 1 - matrix.sum(axis=1))
    rows = tuple(tuple(row) for row in matrix.tolist())
    return FittedAlpt(columns=(column,), shape=shape, matrix=rows, expected_changes=changes)


TECHNIQUE = Technique("alpt", Kind.CATEGORY, Alpt, FittedAlpt, fit, draws=one_draw)
