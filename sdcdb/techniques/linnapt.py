"""LINNAPT, the Leaf Innocent Attribute Perturbation Technique (thesis 2007, section 5.2)."""

from typing import Literal

from sdcdb.fields.amount import Amount
from sdcdb.techniques.families.grain import points_bits
from sdcdb.techniques.families.leaf_noise import FittedLeafNoise, leaf_noise_draws, noise_shape, ranges_of
from sdcdb.techniques.families.leaves import ClassParams, grown
from sdcdb.techniques.technique import ColumnSpec, Engine, Kind, ShareField, Source, Technique


class Linnapt(ClassParams):
    """Add noise to a number in the leaves of a decision tree that do not test it.

    A tree that predicts the class is grown. A column that is not tested on the path to a leaf is innocent there: it
    plays no role in the rule. In these leaves, normal noise is added with a standard deviation of `sd` times the size
    of the domain, and values that leave the domain wrap around in it (thesis 5.2). In leaves whose path tests the
    column, values are unchanged: use `linfapt` for these, or `framework` for all.

    The size of a domain from 1 to 10 with step 1 is 10, the number of its values; without steps it is the width. All
    columns of a view that use this method with the same parameters share one tree.
    """

    method: Literal["linnapt"]
    sd: ShareField = Amount(0.3333, relative=True)
    """The standard deviation of the noise as a share of the domain's size."""


class FittedLinnapt(FittedLeafNoise):
    """Noise in the leaves where a column is innocent."""

    technique: Literal["linnapt"] = "linnapt"


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Linnapt) -> FittedLinnapt:
    """Grow the tree and determine the noise in each leaf."""
    shapes = tuple(noise_shape(column, params.sd.value) for column in columns)
    tree = grown(engine, table, params.class_, params)
    return FittedLinnapt(
        columns=tuple(column.name for column in columns),
        shapes=shapes,
        tree=tree,
        places=points_bits(params.sd.value),
        ranges=tuple(
            ranges_of(tree, column, shape, params.sd.value, "linnapt", innocent=True, influential=False)
            for column, shape in zip(columns, shapes, strict=True)
        ),
    )


TECHNIQUE = Technique("linnapt", Kind.NUMBER, Linnapt, FittedLinnapt, fit, joint=True, draws=leaf_noise_draws)
