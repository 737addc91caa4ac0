"""The Random Extended Framework, the baseline for the Extended Framework (thesis 2007, section 7.3.1)."""

from typing import Literal

from pydantic import Field

from sdcdb.techniques.extended_framework import drawn
from sdcdb.techniques.families.framework import CategoryParams, NumberMethod, Parts, draws_by_part
from sdcdb.techniques.random_framework import scattered
from sdcdb.techniques.technique import ColumnSpec, Engine, Fitted, Kind, Source, Technique, two_draws


class RandomExtendedFramework(CategoryParams):
    """Perturb every column, keeping correlations of numbers and no other pattern: a baseline.

    Numbers are redrawn over the whole table, by GADP unless `numbers` says otherwise; categories become any other
    value with probability `p` (Random Categorical), and classes change anywhere (ALPT). It is the
    Extended Framework without leaves (thesis 7.3.1).
    """

    method: Literal["random_extended_framework"]
    numbers: NumberMethod = "gadp"
    """How the numbers are drawn: gadp, as in the thesis's experiments, cgadp or egadp."""
    proximity: float = Field(default=0.0, ge=0, lt=1)
    """How much of the original numbers is kept. The thesis gives none; its accuracies for GADP on WBC fit 0.5."""


def fit(
    engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: RandomExtendedFramework
) -> tuple[Fitted, ...]:
    """Fit the numbers together and all other columns by themselves."""
    parts = Parts.of(table, columns, params)
    made = drawn(engine, table, parts, None, params.numbers, params.proximity)
    return (*made, *scattered(engine, table, parts, params))


TECHNIQUE = Technique(
    "random_extended_framework",
    Kind.ANY,
    RandomExtendedFramework,
    Fitted,
    fit,
    joint=True,
    draws=draws_by_part(two_draws),
)
