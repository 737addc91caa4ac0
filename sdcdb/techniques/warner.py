"""Randomised response (Warner 1965), for any number of values."""

from typing import Literal

from pydantic import Field

from sdcdb.techniques.families.categories import FittedTransition, category_shape, fitted_rows
from sdcdb.techniques.families.transition import warner
from sdcdb.techniques.technique import ColumnSpec, Engine, Kind, Params, Source, Technique, one_draw


class Warner(Params):
    """Keep each value with probability p, otherwise replace it by any other, all equally likely.

    With two values this is Warner's randomised response. The shares of the original values can be estimated without
    bias from the published ones: `TransitionMatrix.estimate`.
    """

    method: Literal["warner"]
    p: float = Field(ge=0, le=1)
    """The probability that a value is kept."""


class FittedWarner(FittedTransition):
    """The column and its matrix."""

    technique: Literal["warner"] = "warner"

    def how(self) -> str:
        """Say what a value that is not kept becomes."""
        return "otherwise it becomes any other, all equally likely"


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Warner) -> FittedWarner:
    """Read the values; the matrix follows from p."""
    (column,) = columns
    shape = category_shape(engine, table, column)
    rows = fitted_rows(warner(shape.values, params.p)) if shape.values else ()
    return FittedWarner(columns=(column.name,), shape=shape, matrix=rows)


TECHNIQUE = Technique("warner", Kind.CATEGORY, Warner, FittedWarner, fit, draws=one_draw)
