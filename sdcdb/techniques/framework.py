"""The Framework (thesis 2007, section 7.1): noise for every column that keeps the patterns of a decision tree."""

from typing import Literal

from sdcdb.techniques import capt, rpt
from sdcdb.techniques.families.framework import NoiseParams, Parts, PatternParams, draws_by_part
from sdcdb.techniques.families.grain import points_bits
from sdcdb.techniques.families.leaf_noise import FittedLeafNoise, leaf_noise_draws, noise_shape, ranges_of
from sdcdb.techniques.families.leaves import grown_from, training_table
from sdcdb.techniques.technique import ColumnSpec, Draws, Engine, Fitted, Kind, Source, Technique
from sdcdb.trees.table import TrainingTable


class Framework(NoiseParams):
    """Perturb every column, and keep the patterns that a decision tree finds for a class.

    Give all columns of a view this method, most easily by `all: {method: framework, class: income}`. A tree that
    predicts the class is grown (thesis 7.1). Then

    - a number gets normal noise: where the leaf's path tests it, inside the range that the path allows (LINFAPT), and
      elsewhere in the whole domain (LINNAPT). Numbers need a domain in the policy;
    - a category becomes one that its own tree finds similar (CAPT), with probability `p` for values of siblings;
    - the class is shuffled inside each leaf, so that its counts stay exact (RPT).

    Every record stays in its leaf, so the rules of the tree hold for the perturbed table as for the original.
    Correlations of numbers are not kept: see `extended_framework`.
    """

    method: Literal["framework"]


class FittedFramework(FittedLeafNoise):
    """The numbers of a view perturbed by the Framework; its categories and class are those of CAPT and RPT."""

    technique: Literal["framework"] = "framework"


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Framework) -> tuple[Fitted, ...]:
    """Grow the tree of the class and those of the categories, and determine the noise of every column."""
    parts = Parts.of(table, columns, params)
    shapes = tuple(noise_shape(column, params.sd.value) for column in parts.numbers)
    training = training_table(engine, table, params.class_, params)
    tree = grown_from(engine, training, params)
    ranges = tuple(
        ranges_of(tree, column, shape, params.sd.value, "framework", innocent=True, influential=True)
        for column, shape in zip(parts.numbers, shapes, strict=True)
    )
    made: list[Fitted] = []
    if parts.numbers:
        names = tuple(column.name for column in parts.numbers)
        places = points_bits(params.sd.value)
        made.append(FittedFramework(columns=names, shapes=shapes, tree=tree, ranges=ranges, places=places))
    made += similar(engine, table, parts, params, training)
    if parts.target:
        made.append(rpt.fit_class(engine, table, parts.target, tree))
    return tuple(made)


def similar(
    engine: Engine, table: Source, parts: Parts, params: PatternParams, training: TrainingTable
) -> list[Fitted]:
    """Fit CAPT to every category; the table is read once for all their trees."""
    asked = capt.Capt(method="capt", p=params.p, siblings=params.siblings, unrelated=params.unrelated)
    known = {attribute.name for attribute in training.attributes}
    made: list[Fitted] = []
    for column in parts.categories:
        own = (
            training.aimed(column.name) if column.name in known else training_table(engine, table, column.name, params)
        )
        made.append(capt.fit_tree(engine, table, column, asked, grown_from(engine, own, params)))
    return made


TECHNIQUE = Technique(
    "framework",
    Kind.ANY,
    Framework,
    FittedFramework,
    fit,
    joint=True,
    draws=draws_by_part(leaf_noise_draws, Draws.RANK),
)
