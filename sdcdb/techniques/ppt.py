"""PPT, the Probabilistic Perturbation Technique (thesis 2007, section 4.2)."""

from collections.abc import Mapping
from typing import Literal

from sdcdb.techniques.families.categories import category_shape
from sdcdb.techniques.families.leaf_class import FittedLeafDraw, frequencies
from sdcdb.techniques.families.leaves import TreeParams, grown, leaf_counts
from sdcdb.techniques.technique import ColumnSpec, Engine, Kind, Source, Technique, one_draw


class Ppt(TreeParams):
    """Redraw the class in each leaf of a decision tree, with the frequencies of the leaf.

    A tree that predicts the column from the others is grown. Every record of a leaf gets a class with the probability
    that the class has in the leaf (thesis 4.2, PPT, for any number of classes). Unlike in RPT, the counts of a leaf are
    kept only in expectation, so that an intruder does not know them. The expected number of changes is that of RPT (eq.
    4.1). Records in a leaf with one class keep it.
    """

    method: Literal["ppt"]


class FittedPpt(FittedLeafDraw):
    """A class drawn by leaf."""

    technique: Literal["ppt"] = "ppt"

    def words(self) -> Mapping[str, str]:
        """Explain the draw."""
        return {self.column: f"redrawn with the frequencies of the record's leaf, in {self.leaves_words()}"}


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Ppt) -> FittedPpt:
    """Grow the tree and count classes per leaf."""
    (column,) = columns
    tree, shape = grown(engine, table, column.name, params), category_shape(engine, table, column)
    found = frequencies(tree, shape.values, leaf_counts(engine, table, tree, column.name))
    shares = found / found.sum(axis=1, keepdims=True) if shape.values else found
    return FittedPpt(
        columns=(column.name,), shape=shape, tree=tree, chances=tuple(tuple(row) for row in shares.tolist())
    )


TECHNIQUE = Technique("ppt", Kind.CATEGORY, Ppt, FittedPpt, fit, draws=one_draw)
