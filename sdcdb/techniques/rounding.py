"""Rounding to multiples of a base: to the nearest, or at random without bias."""

from collections.abc import Mapping
from typing import Literal

from sqlglot import exp

from sdcdb.engines.expressions import SPAN, Row, double, real
from sdcdb.errors import DataError
from sdcdb.fields.amount import AmountField
from sdcdb.techniques.families.numbers import NumberShape, at_least, at_most
from sdcdb.techniques.technique import ColumnSpec, Engine, Fitted, Kind, Params, Source, Technique


class Rounding(Params):
    """Round a number to multiples of a base.

    By default to the nearest multiple of `base`, counted from 0, halves up; results outside the domain become the
    domain's end. The salaries in the CAE paper's data (2014, Table 2) are rounded in this way, to 10 K.

    `random: true` rounds up or down at random. The probability of rounding up is the distance to the multiple below
    as a share of the base: the expected value is the value itself, so sums and means are kept, up to chance. If an end
    of the domain is not a multiple of the base, it replaces the multiple outside. Multiples never change.

    Rounding hides only the last digits: a published value reveals the true one to within half a base, or to within a
    base when rounding is random.
    """

    method: Literal["rounding"]
    base: AmountField
    """What to round to: a number in the column's unit, or a share of the domain's width such as `5%`."""
    random: bool = False
    """Round up or down at random, without bias, instead of to the nearest."""


class FittedRounding(Fitted):
    """The base of one column."""

    technique: Literal["rounding"] = "rounding"
    base: float
    at_random: bool
    shape: NumberShape

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:
        """Return the chosen multiple of the base, inside the domain and of the column's type."""
        (column,) = self.columns
        value = double(row.value(column))
        bases = exp.Paren(this=value * real(self._per_unit) if self._per_unit else value / real(self.base))
        whole = double(exp.Floor(this=bases))
        # The fraction to the precision of a draw: 0.29 / 0.01 is 28.999999999999996, but should be 29.
        fraction = exp.Paren(this=(bases.copy() - whole.copy()) * real(SPAN) + real(0.5))
        fraction = exp.Paren(this=double(exp.Floor(this=fraction)) * real(1 / SPAN))
        chosen = (
            self._at_random(whole, fraction, row.uniform(column))
            if self.at_random
            else _up_if(exp.GTE(this=fraction, expression=real(0.5)), whole)
        )
        rounded = chosen / real(self._per_unit) if self._per_unit else chosen * real(self.base)
        return {column: self.shape.fit(exp.Paren(this=rounded), "clip")}

    @property
    def _per_unit(self) -> float:
        """How many bases make 1, if that is an integer above 1: 3 / 10 is 0.3, but 3 x 0.1 is not."""
        per_unit = round(1 / self.base)
        return float(per_unit) if per_unit > 1 and abs(per_unit * self.base - 1) < 1e-12 else 0.0

    def _at_random(self, whole: exp.Expr, fraction: exp.Expr, uniform: exp.Expr) -> exp.Expr:
        """Go up with probability (value - below) / (above - below), all in bases."""
        ends = [end / self.base for end in self.shape.domain or ()]
        if all(map(_whole, ends)):
            return _up_if(uniform < fraction, whole)
        below = at_least(whole, real(ends[0]))
        above = at_most(exp.Paren(this=whole.copy() + real(1)), real(ends[1]))
        part = exp.Paren(this=whole.copy() + fraction - below.copy())
        gap = exp.Paren(this=above.copy() - below.copy())
        return exp.Paren(this=exp.Case().when(uniform * gap < part, above).else_(below))

    def random(self) -> bool:
        """Rounding to the nearest draws nothing."""
        return self.at_random

    def words(self) -> Mapping[str, str]:
        """Explain the rounding."""
        (column,) = self.columns
        how = "at random up or down, without bias," if self.at_random else "to the nearest, halves up,"
        ends = "" if self.shape.domain is None else " inside [{:g}, {:g}]".format(*self.shape.domain)
        return {column: f"it is rounded {how} to multiples of {self.base:g}{ends}"}


def _up_if(condition: exp.Expr, whole: exp.Expr) -> exp.Expr:
    up = exp.Case().when(condition, real(1)).else_(real(0))
    return exp.Paren(this=whole + exp.Paren(this=up))


def fit(_engine: Engine, _table: Source, columns: tuple[ColumnSpec, ...], params: Rounding) -> FittedRounding:
    """Convert the base to the column's unit; its multiples must be possible values of the column."""
    (column,) = columns
    shape = NumberShape.of(column)
    base = shape.amount(params.base, column.name)
    if base <= (shape.step or 0):
        steps = "0" if shape.step is None else f"the step {shape.step:g}"
        raise DataError(f"rounding {column.name!r} to {base:g} changes nothing: use a base above {steps}")
    if shape.step is not None:
        low = shape.domain[0] if shape.domain else 0.0
        if not (_whole(base / shape.step) and _whole(low / shape.step)):
            raise DataError(
                f"multiples of {base:g} do not lie on the grid {low:g}, {low + shape.step:g}, ... of {column.name!r}: "
                f"use a multiple of {shape.step:g}, and a domain that starts at one"
            )
    return FittedRounding(columns=(column.name,), base=base, at_random=params.random, shape=shape)


def _whole(value: float) -> bool:
    return abs(value - round(value)) < 1e-9 * max(1.0, abs(value))


TECHNIQUE = Technique("rounding", Kind.NUMBER, Rounding, FittedRounding, fit)
