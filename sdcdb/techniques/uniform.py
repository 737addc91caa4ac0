"""Additive uniform noise; with its default width, RNAT (thesis 2007, section 5.4)."""

from collections.abc import Mapping
from typing import Literal

from sqlglot import exp

from sdcdb.engines.expressions import Row, double, real
from sdcdb.errors import DataError
from sdcdb.fields.amount import Amount, AmountField
from sdcdb.techniques.families.numbers import Boundary, NumberShape
from sdcdb.techniques.technique import ColumnSpec, Engine, Fitted, Kind, Params, Source, Technique

WHOLE = Amount(1.0, relative=True)
MANY = 2**16  # steps: each then has at least 2^15 of the 2^32 draws, and all have nearly equally many


class Uniform(Params):
    """Add uniform noise to a number.

    The noise is uniform from -`width` to +`width`: a whole number of steps for a column on a grid, any number
    otherwise. By default, `width` is 100% of the domain's width, |D| - 1 in the thesis: this is the Random Noise
    Addition Technique (RNAT, thesis 5.4), which keeps the domain and no pattern. On a grid of |D| values it keeps a
    value with probability 1/(2|D| - 1) and changes it to each other value with twice that.

    The result is moved back into the domain: `wrap` continues from the last value at the first, as in RNAT; `clip`
    stops at the end, `reflect` folds back. Integers stay integers, and values stay on the grid.
    """

    method: Literal["uniform"]
    width: AmountField = WHOLE
    """The largest noise: a number in the column's unit, or a share of the domain's width such as `10%`."""
    boundary: Boundary = "wrap"
    """What happens at the ends of the domain: wrap, clip or reflect."""


class FittedUniform(Fitted):
    """The noise of one column."""

    technique: Literal["uniform"] = "uniform"
    width: float
    """In the column's unit; a whole number of steps where there are steps."""
    boundary: Boundary
    shape: NumberShape
    fine: bool = False
    """Whether the number of steps comes from 53 bits and not from 32, which many steps would outnumber."""

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:
        """Return value + noise, in the shape of the column."""
        (column,) = self.columns
        noisy = double(row.value(column)) + exp.Paren(this=self._noise(row, column))
        return {column: self.shape.fit(exp.Paren(this=noisy), self.boundary)}

    def _noise(self, row: Row, column: str) -> exp.Expr:
        step = self.shape.step
        if step is None:
            return real(2 * self.width) * row.fine_uniform(column) - real(self.width)
        steps = round(self.width / step)
        uniform = row.fine_uniform(column) if self.fine else row.uniform(column)
        drawn = double(exp.Floor(this=real(2 * steps + 1) * uniform)) - real(steps)
        return exp.Paren(this=drawn) * real(step)

    def words(self) -> Mapping[str, str]:
        """Explain the noise."""
        (column,) = self.columns
        noise = f"uniform noise from -{self.width:g} to {self.width:g} is added"
        return {column: f"{noise}; {self.shape.words(self.boundary)}"}


def fit(_engine: Engine, _table: Source, columns: tuple[ColumnSpec, ...], params: Uniform) -> FittedUniform:
    """Convert the width to the column's unit, on its grid."""
    (column,) = columns
    shape = NumberShape.of(column)
    width = shape.amount(params.width, column.name)
    shape = shape.for_noise(width)
    if shape.step is not None:
        width = round(width / shape.step) * shape.step
    if width <= 0:
        steps = "" if shape.step is None else f" in steps of {shape.step:g}"
        raise DataError(f"a width of {params.width} adds no noise to {column.name!r}{steps}: use a larger one")
    fine = shape.step is not None and width / shape.step > MANY
    return FittedUniform(columns=(column.name,), width=width, boundary=params.boundary, shape=shape, fine=fine)


TECHNIQUE = Technique("uniform", Kind.NUMBER, Uniform, FittedUniform, fit)
