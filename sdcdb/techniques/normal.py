"""Additive normal noise (thesis 2007, section 3.2.1)."""

from collections.abc import Mapping
from typing import Literal

from sqlglot import exp

from sdcdb.engines.expressions import Row, double, real
from sdcdb.fields.amount import AmountField
from sdcdb.techniques.families.numbers import Boundary, NumberShape, normal_draws
from sdcdb.techniques.technique import ColumnSpec, Engine, Fitted, Kind, Params, Source, Technique


class Normal(Params):
    """Add normal noise to a number.

    The noise has mean 0 and standard deviation `sd`: a number in the column's unit, or a share of the domain's width.
    The result is moved back into the domain: `wrap` continues at the other end as in LINNAPT (thesis 5.2), `clip` stops
    at the end, `reflect` folds back. Integers stay integers, and values stay on the grid.
    """

    method: Literal["normal"]
    sd: AmountField
    """Standard deviation: a number in the column's unit, or a share of the domain's width such as `10%`."""
    boundary: Boundary = "wrap"
    """What happens at the ends of the domain: wrap, clip or reflect."""


class FittedNormal(Fitted):
    """The noise of one column."""

    technique: Literal["normal"] = "normal"
    sd: float
    boundary: Boundary
    shape: NumberShape

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:
        """Return value + sd x z, in the shape of the column."""
        (column,) = self.columns
        noisy = double(row.value(column)) + real(self.sd) * exp.Paren(this=row.normal(column))
        return {column: self.shape.fit(exp.Paren(this=noisy), self.boundary)}

    def words(self) -> Mapping[str, str]:
        """Explain the noise."""
        (column,) = self.columns
        return {column: f"normal noise with standard deviation {self.sd:g} is added; {self.shape.words(self.boundary)}"}


def fit(_engine: Engine, _table: Source, columns: tuple[ColumnSpec, ...], params: Normal) -> FittedNormal:
    """Convert the standard deviation to the column's unit."""
    (column,) = columns
    shape = NumberShape.of(column)
    sd = shape.amount(params.sd, column.name)
    return FittedNormal(columns=(column.name,), sd=sd, boundary=params.boundary, shape=shape.for_noise(sd))


TECHNIQUE = Technique("normal", Kind.NUMBER, Normal, FittedNormal, fit, draws=normal_draws)
