"""Multiplicative noise in both forms of Kim and Winkler (2003; thesis 2007, section 3.2.2)."""

import math
from collections.abc import Mapping
from typing import Literal, Self

from pydantic import model_validator
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.engines.expressions import Row, double, real
from sdcdb.errors import DataError
from sdcdb.fields.amount import AmountField
from sdcdb.fields.strict import incoherent
from sdcdb.techniques.families.numbers import Boundary, NumberShape, clip, normal_draws
from sdcdb.techniques.technique import ColumnSpec, Engine, Fitted, Kind, Params, Source, Technique

LARGEST_DIRECT = 1 / 3  # so that clipping, at three deviations or more, removes less than 0.5% of the variance
LARGEST_LOG = 2.0


class Multiplicative(Params):
    """Multiply a number by noise, so that large values change more than small ones.

    `form: direct` multiplies by e = 1 + `sd` z, with z standard normal (y = x e, thesis 3.2.2, first form). e has mean
    1, so means are kept; it is clipped to 0 to 2, so signs are kept. Variances grow: E y^2 = (1 + sd^2) E x^2. `sd`
    may be up to 33%.

    `form: log` adds normal noise to the logarithm and takes the antilog (second form), that is y = x exp(s z). As a
    number, `sd` is s itself. As a share, it is a share of the standard deviation of ln|x| in the data: the papers'
    constant c is its square, so their c = 0.01 is `10%`. As in the papers, the noise has mean 0 in logarithms: medians
    are kept, and means grow by exp(s^2/2). Each column gets its own noise: covariances of logarithms are not kept.

    In both forms, zero stays zero and signs are kept: where zero itself is a secret, use additive noise. Integers stay
    integers, so small ones hardly ever change. Values that leave the domain stop at its end (`clip`), are folded back
    (`reflect`) or continue at the other end (`wrap`); the papers do not say.
    """

    method: Literal["multiplicative"]
    form: Literal["direct", "log"] = "direct"
    """direct: multiply by noise with mean 1. log: add normal noise to the logarithm."""
    sd: AmountField
    """direct: standard deviation of the factor, `0.1` or `10%`. log: the same of the noise in natural logarithms as a
    number, or as a share of the standard deviation of the data's logarithms."""
    boundary: Boundary = "clip"
    """What happens at the ends of the domain: wrap, clip or reflect."""

    @model_validator(mode="after")
    def _coherent(self) -> Self:
        largest = LARGEST_DIRECT if self.form == "direct" else LARGEST_LOG
        if self.sd.value <= 0:
            incoherent(self, [(("sd",), "must be above 0: 0 would publish the values as they are")])
        elif self.sd.value > largest and not (self.form == "log" and self.sd.relative):
            hint = "; form: log takes more" if self.form == "direct" else ""
            incoherent(self, [(("sd",), f"must be at most {largest:.4g} for form: {self.form}{hint}")])
        return self


class FittedMultiplicative(Fitted):
    """The noise of one column."""

    technique: Literal["multiplicative"] = "multiplicative"
    form: Literal["direct", "log"]
    sd: float
    """Of the factor (direct) or of its natural logarithm (log)."""
    boundary: Boundary
    shape: NumberShape

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:
        """Return value x factor, in the shape of the column."""
        (column,) = self.columns
        noise = real(self.sd) * exp.Paren(this=row.normal(column))
        if self.form == "direct":
            factor: exp.Expr = exp.Paren(this=real(1) + clip(noise, real(-1), real(1)))
        else:
            factor = exp.Exp(this=noise)
        noisy = double(row.value(column)) * factor
        return {column: self.shape.fit(exp.Paren(this=noisy), self.boundary)}

    def random(self) -> bool:
        """A column of a single magnitude has no spread of logarithms."""
        return self.sd > 0

    def words(self) -> Mapping[str, str]:
        """Explain the noise."""
        (column,) = self.columns
        if self.form == "direct":
            noise = f"it is multiplied by normal noise with mean 1 and standard deviation {self.sd:.4g}"
        else:
            noise = (
                f"it is multiplied by exp(s z), z standard normal, s = {self.sd:.4g}: "
                f"the mean grows by {math.expm1(self.sd**2 / 2):.2%}"
            )
        return {column: f"{noise}; zero stays zero; {self.shape.words(self.boundary)}"}


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Multiplicative) -> FittedMultiplicative:
    """Find the spread of the logarithms where `sd` is a share of it."""
    (column,) = columns
    sd = params.sd.value
    if params.form == "log" and params.sd.relative:
        value = f"{quoted(identifier(column.name))}::DOUBLE"
        source = quoted(table_reference(table.name))
        ((spread,),) = engine.query(f"SELECT stddev_samp(ln(abs({value}))) FROM {source} WHERE {value} <> 0")
        sd *= spread or 0.0
        if sd > LARGEST_LOG:
            raise DataError(
                f"{params.sd} of the spread of ln {column.name} is {sd:.3g}, a factor of {math.exp(sd):.3g}: "
                f"use a share of at most {LARGEST_LOG / (spread or 1):.0%}"
            )
    shape = NumberShape.of(column).for_factor()
    # Threads sum in any order: a refit must not differ in the last digits.
    return FittedMultiplicative(
        columns=(column.name,), form=params.form, sd=float(f"{sd:.12g}"), boundary=params.boundary, shape=shape
    )


TECHNIQUE = Technique("multiplicative", Kind.NUMBER, Multiplicative, FittedMultiplicative, fit, draws=normal_draws)
