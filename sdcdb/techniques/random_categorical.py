"""Random Categorical, the baseline for CAPT (thesis 2007, section 7.3.1)."""

from typing import Literal

from pydantic import Field

from sdcdb.techniques.families.categories import FittedTransition, category_shape, fitted_rows
from sdcdb.techniques.technique import ColumnSpec, Engine, Kind, Params, Source, Technique, one_draw


class RandomCategorical(Params):
    """Change a value with probability p to any other value of its column, all equally likely.

    The Random Categorical technique of the thesis (7.3.1): it ignores similarity and keeps no pattern.
    """

    method: Literal["random_categorical"]
    p: float = Field(default=0.1, ge=0, le=1)
    """The probability that a value is changed."""


class FittedRandomCategorical(FittedTransition):
    """A column perturbed by Random Categorical."""

    technique: Literal["random_categorical"] = "random_categorical"

    def how(self) -> str:
        """Say what a value that is not kept becomes."""
        return "otherwise it becomes any other, all equally likely"


def fit(
    engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: RandomCategorical
) -> FittedRandomCategorical:
    """Read the values."""
    (column,) = columns
    return fit_column(engine, table, column, params.p)


def fit_column(engine: Engine, table: Source, column: ColumnSpec, p: float) -> FittedRandomCategorical:
    """As `fit`, with the probability as a number."""
    from sdcdb.techniques.families.transition import warner

    shape = category_shape(engine, table, column)
    matrix = fitted_rows(warner(shape.values, 1 - p)) if shape.values else ()
    return FittedRandomCategorical(columns=(column.name,), shape=shape, matrix=matrix)


TECHNIQUE = Technique(
    "random_categorical", Kind.CATEGORY, RandomCategorical, FittedRandomCategorical, fit, draws=one_draw
)
