"""The Extended Framework (thesis 2007, section 7.2): the Framework, which also keeps correlations of numbers."""

from typing import Literal

from pydantic import Field

from sdcdb.techniques import cgadp, egadp, gadp, rpt
from sdcdb.techniques.families.framework import NumberMethod, Parts, PatternParams, draws_by_part
from sdcdb.techniques.families.leaves import grown_from, training_table
from sdcdb.techniques.families.linear import rules_of, shapes_for
from sdcdb.techniques.framework import similar
from sdcdb.techniques.technique import ColumnSpec, Draws, Engine, Fitted, Kind, Source, Technique, two_draws
from sdcdb.trees.tree import Tree


class ExtendedFramework(PatternParams):
    """Perturb every column, and keep the patterns of a decision tree and the correlations of numbers.

    Give all columns of a view this method, most easily by `all: {method: extended_framework, class: income}`. It
    works as the Framework, except that the numbers of each leaf are redrawn together, by GADP, C-GADP or EGADP, inside
    the ranges that the leaf's path allows (thesis 7.2). Categories are perturbed by CAPT and the class by RPT.

    Leaves should have many more records than there are numeric columns: see `min_cases`.
    """

    method: Literal["extended_framework"]
    numbers: NumberMethod = "gadp"
    """How the numbers of a leaf are drawn: gadp, as in the thesis's experiments, cgadp or egadp."""
    proximity: float = Field(default=0.0, ge=0, lt=1)
    """How much of the original number is kept, from 0 up to, but not including, 1."""


def fit(
    engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: ExtendedFramework
) -> tuple[Fitted, ...]:
    """Grow the tree of the class and those of the categories, and fit every column."""
    parts = Parts.of(table, columns, params)
    training = training_table(engine, table, params.class_, params)
    tree = grown_from(engine, training, params)
    made = drawn(engine, table, parts, tree, params.numbers, params.proximity)
    made += similar(engine, table, parts, params, training)
    if parts.target:
        made.append(rpt.fit_class(engine, table, parts.target, tree))
    return tuple(made)


def drawn(
    engine: Engine, table: Source, parts: Parts, tree: Tree | None, method: NumberMethod, proximity: float
) -> list[Fitted]:
    """Fit GADP, C-GADP or EGADP to the numbers of each leaf, or of the whole table."""
    if not parts.numbers:
        return []
    if method == "cgadp":
        asked = cgadp.Cgadp(method="cgadp", proximity=proximity)
        return [cgadp.fit_columns(engine, table, parts.numbers, (), tree, asked)]
    names = tuple(column.name for column in parts.numbers)
    rules = rules_of(engine, table, parts.numbers, (), tree, proximity, exact=method == "egadp")
    kind = egadp.FittedEgadp if method == "egadp" else gadp.FittedGadp
    return [kind(columns=names, given=(), shapes=shapes_for(parts.numbers, rules), tree=tree, rules=rules)]


TECHNIQUE = Technique(
    "extended_framework",
    Kind.ANY,
    ExtendedFramework,
    Fitted,
    fit,
    joint=True,
    draws=draws_by_part(two_draws, Draws.RANK),
)
