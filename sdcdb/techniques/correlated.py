"""Additive noise with the correlations of the data (Kim 1986; thesis 2007, section 3.2.1)."""

import math
from collections.abc import Mapping
from itertools import combinations_with_replacement
from typing import Any, Literal

from pydantic import field_validator
from pydantic_core import PydanticCustomError
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.engines.expressions import Row, double, real
from sdcdb.errors import DataError
from sdcdb.fields.amount import Amount, AmountField
from sdcdb.techniques.families.numbers import Boundary, NumberShape
from sdcdb.techniques.technique import ColumnSpec, Engine, Fitted, Kind, Params, Source, Technique


class Correlated(Params):
    """Add noise with the correlations of the data to several numbers.

    All columns of a view that use this method with the same parameters get their noise together: normal, with mean 0
    and covariance d S, where S is the covariance of the data and d is `share` (Y = X + e, Kim 1986). Means and
    correlations are kept, and every variance and covariance becomes (1 + d) times that of the data.

    `restore: true` adds Kim's linear transformation, m + (Y - m) / sqrt(1 + d) with m the mean of the data: it removes
    the factor, so that means and covariances are those of the data, up to chance.

    Fitting computes the means and covariances, each over the records that have both values. Where NULLs make these
    inconsistent, the nearest possible correlations are used. A column with a single value has no variance and stays as
    it is. Rounding to a grid adds step^2/12 to a variance. Values that leave the domain stop at its end (`clip`), which
    disturbs moments least; `reflect` folds back and `wrap` continues at the other end.
    """

    method: Literal["correlated"]
    share: AmountField
    """d: the covariance of the noise as a share of that of the data, `0.1` or `10%`."""
    restore: bool = False
    """Restore the means and covariances of the data."""
    boundary: Boundary = "clip"
    """What happens at the ends of the domain: wrap, clip or reflect."""

    @field_validator("share")
    @classmethod
    def _some_noise(cls, share: Amount) -> Amount:
        if share.value <= 0:
            raise PydanticCustomError("share", "must be above 0: 0 would publish the values as they are")
        return share


class FittedCorrelated(Fitted):
    """The noise of all columns: a lower triangular matrix times their standard normals."""

    technique: Literal["correlated"] = "correlated"
    share: float
    restore: bool
    means: tuple[float, ...]
    factor: tuple[tuple[float, ...], ...]
    """Row j: the coefficients of column j for the normals of columns 0 to j, the Cholesky factor of d S."""
    boundary: Boundary
    shapes: tuple[NumberShape, ...]

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:
        """Return value + noise, moved back towards the mean where asked, in the shape of the column."""
        normals = [row.normal(column) for column in self.columns]
        return {
            column: self._noisy(number, double(row.value(column)), normals)
            for number, column in enumerate(self.columns)
        }

    def _noisy(self, number: int, value: exp.Expr, normals: list[exp.Expr]) -> exp.Expr:
        for part, normal in zip(self.factor[number], normals, strict=False):
            if part:
                value = exp.Add(
                    this=value, expression=exp.Mul(this=real(part), expression=exp.Paren(this=normal.copy()))
                )
        if self.restore:
            mean, shrink = real(self.means[number]), real(1 / math.sqrt(1 + self.share))
            value = mean + exp.Paren(this=value - mean.copy()) * shrink
        return self.shapes[number].fit(exp.Paren(this=value), self.boundary)

    def random(self) -> bool:
        """Without variance in the data there is no noise."""
        return any(part for parts in self.factor for part in parts)

    def words(self) -> Mapping[str, str]:
        """Explain the noise."""
        return dict(zip(self.columns, map(self._words, range(len(self.columns))), strict=True))

    def _words(self, number: int) -> str:
        sd = math.hypot(*self.factor[number])
        if sd == 0:
            return "unchanged: it has a single value, and the noise is a share of its variance"
        others = ", ".join(repr(name) for name in self.columns if name != self.columns[number])
        like = f", with the correlations of the data with {others}," if others else ""
        moments = (
            "mean and covariances are restored"
            if self.restore
            else f"covariances are {1 + self.share:.4g} times those of the data"
        )
        shape = self.shapes[number].words(self.boundary)
        return f"normal noise with standard deviation {sd:.4g}{like} is added; {moments}; {shape}"


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Correlated) -> FittedCorrelated:
    """Query means and covariances at once, and compute the triangular root."""
    values = [f"{quoted(identifier(column.name))}::DOUBLE" for column in columns]
    wanted = [
        *(f"avg({x})" for x in values),
        *(f"covar_samp({x}, {y})" for x, y in combinations_with_replacement(values, 2)),
    ]
    ((*found,),) = engine.query(f"SELECT {', '.join(wanted)} FROM {quoted(table_reference(table.name))}")
    numbers = [0.0 if each is None else float(each) for each in found]
    if not all(map(math.isfinite, numbers)):
        names = ", ".join(column.name for column in columns)
        raise DataError(f"the covariances of {names} are too large for a DOUBLE: use another unit, or normal noise")
    factor = _root(numbers[len(columns) :], len(columns), params.share.value)
    shrink = 1 / math.sqrt(1 + params.share.value) if params.restore else 1.0
    sizes = [math.hypot(*parts) * shrink for parts in factor]
    return FittedCorrelated(
        columns=tuple(column.name for column in columns),
        share=params.share.value,
        restore=params.restore,
        means=tuple(map(_steady, numbers[: len(columns)])),
        factor=factor,
        boundary=params.boundary,
        shapes=tuple(NumberShape.of(column).for_noise(size) for column, size in zip(columns, sizes, strict=True)),
    )


def _root(upper: list[float], size: int, share: float) -> tuple[tuple[float, ...], ...]:
    """Return lower triangular rows L with L L' = share S. S is given by rows from the diagonal on.

    Pairs with NULLs may give an S that no data can have; negative eigenvalues of the correlations are then set to 0.
    """
    import numpy as np

    covariance = np.zeros((size, size))
    covariance[np.triu_indices(size)] = upper
    covariance += np.triu(covariance, 1).T
    sd = np.sqrt(np.diag(covariance))
    varies = sd > 0
    scale = np.where(varies, sd, 1.0)
    eigenvalues, vectors = np.linalg.eigh(covariance / np.outer(scale, scale) + np.diag(~varies))
    root = vectors * np.sqrt(np.clip(eigenvalues, 0, None))
    root /= np.linalg.norm(root, axis=1, keepdims=True)
    lower: Any = np.linalg.qr(root.T).R.T
    lower *= np.where(np.diag(lower) < 0, -1, 1)
    lower[np.abs(lower) < 1e-7] = 0  # what is left of columns that depend on each other
    rows = lower * (math.sqrt(share) * sd)[:, None]
    return tuple(tuple(_steady(part) for part in row[: n + 1]) for n, row in enumerate(rows.tolist()))


def _steady(value: float) -> float:
    """Round to 12 digits: threads sum in any order, and a refit must not differ in the last digits."""
    return float(f"{value:.12g}")


TECHNIQUE = Technique("correlated", Kind.NUMBER, Correlated, FittedCorrelated, fit, joint=True)
