"""The Random Framework, the baseline for the Framework (thesis 2007, section 7.3.1)."""

from typing import Literal

from sdcdb.fields.amount import AmountField
from sdcdb.techniques import alpt, uniform
from sdcdb.techniques.families.categories import category_shape
from sdcdb.techniques.families.framework import CategoryParams, Parts, draws_by_part
from sdcdb.techniques.families.leaves import grown
from sdcdb.techniques.random_categorical import fit_column
from sdcdb.techniques.technique import ColumnSpec, Engine, Fitted, Kind, Source, Technique, two_draws


class RandomFramework(CategoryParams):
    """Perturb every column and keep no pattern: the baseline for the Framework.

    Numbers get uniform noise over the whole domain (RNAT, thesis 5.4), categories become any other value with
    probability `p` (Random Categorical), and as many classes are changed as the Framework changes, but anywhere (ALPT).
    Use it to see what a pattern-preserving method gains, not to publish.
    """

    method: Literal["random_framework"]
    width: AmountField = uniform.WHOLE
    """Noise lies from -width to +width: the whole domain, |D| - 1, as the thesis says. Its accuracies on WBC, a domain
    of 1 to 10, fit a width of 10 better than one of 9."""


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: RandomFramework) -> tuple[Fitted, ...]:
    """Fit every column by itself."""
    parts = Parts.of(table, columns, params)
    asked = uniform.Uniform(method="uniform", width=params.width)
    made: list[Fitted] = [uniform.fit(engine, table, (column,), asked) for column in parts.numbers]
    return (*made, *scattered(engine, table, parts, params))


def scattered(engine: Engine, table: Source, parts: Parts, params: CategoryParams) -> list[Fitted]:
    """Fit Random Categorical to the categories and ALPT to the class."""
    made: list[Fitted] = [fit_column(engine, table, column, params.p) for column in parts.categories]
    if parts.target:
        tree, shape = grown(engine, table, params.class_, params), category_shape(engine, table, parts.target)
        made.append(alpt.fit_class(engine, table, tree, shape, parts.target.name))
    return made


TECHNIQUE = Technique(
    "random_framework", Kind.ANY, RandomFramework, Fitted, fit, joint=True, draws=draws_by_part(two_draws)
)
