"""LINFAPT, the Leaf Influential Attribute Perturbation Technique (thesis 2007, section 5.3)."""

from typing import Literal

from sdcdb.fields.amount import Amount
from sdcdb.techniques.families.grain import points_bits
from sdcdb.techniques.families.leaf_noise import FittedLeafNoise, leaf_noise_draws, noise_shape, ranges_of
from sdcdb.techniques.families.leaves import ClassParams, grown
from sdcdb.techniques.technique import ColumnSpec, Engine, Kind, ShareField, Source, Technique


class Linfapt(ClassParams):
    """Add noise to a number in the leaves of a decision tree that test it, inside the range that the path allows.

    A tree that predicts the class is grown. A column tested on the path to a leaf is influential there. In these
    leaves, normal noise is added with a standard deviation of `sd` times the size of the range that the tests allow,
    and values that leave the range wrap around in it (thesis 5.3): every record stays in its leaf. In leaves that do
    not test the column, values are unchanged: use `linnapt` for these, or `framework` for all.

    The size of a range from 1 to 10 with step 1 is 10, the number of its values; without steps it is the width. All
    columns of a view that use this method with the same parameters share one tree.
    """

    method: Literal["linfapt"]
    sd: ShareField = Amount(0.3333, relative=True)
    """The standard deviation of the noise as a share of the range's size."""


class FittedLinfapt(FittedLeafNoise):
    """Noise in the leaves where a column is influential."""

    technique: Literal["linfapt"] = "linfapt"


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Linfapt) -> FittedLinfapt:
    """Grow the tree and determine the noise in each leaf."""
    shapes = tuple(noise_shape(column, params.sd.value) for column in columns)
    tree = grown(engine, table, params.class_, params)
    return FittedLinfapt(
        columns=tuple(column.name for column in columns),
        shapes=shapes,
        tree=tree,
        places=points_bits(params.sd.value),
        ranges=tuple(
            ranges_of(tree, column, shape, params.sd.value, "linfapt", innocent=False, influential=True)
            for column, shape in zip(columns, shapes, strict=True)
        ),
    )


TECHNIQUE = Technique("linfapt", Kind.NUMBER, Linfapt, FittedLinfapt, fit, joint=True, draws=leaf_noise_draws)
