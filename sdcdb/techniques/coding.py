"""Top and bottom coding: extreme values become one value."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.engines.expressions import Row, double, real, typed
from sdcdb.errors import DataError
from sdcdb.fields.amount import Amount
from sdcdb.fields.strict import Strict, incoherent
from sdcdb.techniques.families.numbers import NumberShape
from sdcdb.techniques.technique import ColumnSpec, Engine, Fitted, Kind, Params, Source, Technique

FEWEST = 10  # fewest records whose mean may be published: the default of `min_set`


def _threshold(given: Any) -> Amount:
    if isinstance(given, Amount):
        return given
    text = str(given).strip()
    share = text.endswith("%")
    try:
        value = float(text[:-1]) / 100 if share else float(text)
    except ValueError:
        value = math.nan
    if isinstance(given, bool) or not math.isfinite(value) or (share and not 0 < value < 1):
        raise PydanticCustomError(
            "threshold",
            "must be a number in the column's unit, or a quantile of the data such as '99%'; not {given}",
            {"given": repr(given)},
        )
    return Amount(value, share)


Threshold = Annotated[
    Amount,
    BeforeValidator(_threshold),
    PlainSerializer(str),
    WithJsonSchema(
        {"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^\s*[0-9.]+([eE][+-]?[0-9]+)?\s*%$"}]}
    ),
]


class Coding(Params):
    """Replace all extreme values of a number by one value.

    Values above `top` become the threshold itself, or with `replace: mean` the mean of the values above it; values
    below `bottom` likewise. People are recognised by extreme values; all other values stay exactly as they are, so
    this alone does not protect them.

    A threshold is a number in the column's unit, or a quantile computed by fitting: `top: 99%` is the smallest value
    that 99% of the values do not exceed, `bottom: 5%` the smallest that 5% do not exceed. On a grid, thresholds are
    moved inwards onto it, and means to its nearest point. The mean preserves the sum of the column, but the mean of
    very few records reveals too much about each: below ten records (the default of `min_set`), the threshold is used.
    """

    method: Literal["coding"]
    top: Threshold | None = None
    """Values above this are coded: a number, or a quantile such as `99%`."""
    bottom: Threshold | None = None
    """Values below this are coded: a number, or a quantile such as `1%`."""
    replace: Literal["threshold", "mean"] = "threshold"
    """What coded values become: the threshold, or the mean of the values beyond it."""

    @model_validator(mode="after")
    def _coherent(self) -> Self:
        top, bottom = self.top, self.bottom
        if top is None and bottom is None:
            incoherent(self, [((), "needs top, bottom or both")])
        elif top is not None and bottom is not None and top.relative == bottom.relative and bottom.value >= top.value:
            incoherent(self, [(("bottom",), f"must be below top, {top}; it is {bottom}")])
        return self


class Code(Strict):
    """A threshold, what values beyond it become, and how many there were when fitting."""

    threshold: float
    becomes: float
    records: int


class FittedCoding(Fitted):
    """The codes of one column; None where nothing is coded."""

    technique: Literal["coding"] = "coding"
    top: Code | None
    bottom: Code | None
    shape: NumberShape

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:
        """Return the code beyond a threshold, otherwise the value."""
        (column,) = self.columns
        value, coded = row.value(column), exp.Case()
        if self.top is not None:
            above = exp.GT(this=double(value.copy()), expression=real(self.top.threshold))
            coded = coded.when(above, typed(real(self.top.becomes), self.shape.type))
        if self.bottom is not None:
            below = exp.LT(this=double(value.copy()), expression=real(self.bottom.threshold))
            coded = coded.when(below, typed(real(self.bottom.becomes), self.shape.type))
        return {column: coded.else_(value) if coded.args.get("ifs") else value}

    def random(self) -> bool:
        """Nothing is drawn."""
        return False

    def words(self) -> Mapping[str, str]:
        """Explain the codes."""
        (column,) = self.columns
        ends = (("above", self.top), ("below", self.bottom))
        said = [
            f"values {side} {code.threshold:g} become {code.becomes:g} ({code.records:,} of them when fitted)"
            for side, code in ends
            if code is not None
        ]
        return {column: "; ".join(said) or "unchanged: there were no values to find a threshold in"}


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Coding) -> FittedCoding:
    """Find the thresholds, and what is beyond them."""
    (column,) = columns
    shape = NumberShape.of(column)
    values = _Values(engine, quoted(table_reference(table.name)), column.name, shape)
    top, bottom = (values.code(params, end) for end in ("top", "bottom"))
    if top is not None and bottom is not None and bottom.threshold > top.threshold:
        raise DataError(
            f"the bottom of {column.name!r}, {bottom.threshold:g}, is above its top, {top.threshold:g}: change one"
        )
    return FittedCoding(columns=(column.name,), top=top, bottom=bottom, shape=shape)


@dataclass(frozen=True)
class _Values:
    """Queries of fitting about the column."""

    engine: Engine
    source: str
    column: str
    shape: NumberShape

    def code(self, params: Coding, end: str) -> Code | None:
        """Determine the threshold of one end, and what is beyond it."""
        threshold = self._threshold(getattr(params, end), end)
        if threshold is None:
            return None
        sign = ">" if end == "top" else "<"
        sql = f"SELECT count(*), avg({self._value}) FROM {self.source} WHERE {self._value} {sign} ?"
        ((records, mean),) = self.engine.query(sql, [threshold])
        use_mean = params.replace == "mean" and records >= FEWEST
        return Code(threshold=threshold, becomes=self._on_grid(mean) if use_mean else threshold, records=records)

    @property
    def _value(self) -> str:
        return f"{quoted(identifier(self.column))}::DOUBLE"

    def _threshold(self, asked: Amount | None, end: str) -> float | None:
        if asked is None:
            return None
        if asked.relative:
            ((found,),) = self.engine.query(f"SELECT quantile_disc({self._value}, {asked.value!r}) FROM {self.source}")
        else:
            found = asked.value
            if self.shape.domain is not None and not self.shape.domain[0] <= found <= self.shape.domain[1]:
                low, high = self.shape.domain
                raise DataError(f"{end} {found:g} is outside the domain [{low:g}, {high:g}] of {self.column!r}")
        return None if found is None else self._on_grid(found, 0.0 if end == "top" else 1.0)

    def _on_grid(self, value: float, lift: float = 0.5) -> float:
        """Return the point of the grid at or below (lift 0), at or above (1), or nearest to (0.5) a value."""
        if self.shape.step is None:
            return float(f"{value:.12g}") if lift == 0.5 else value  # threads sum a mean in any order
        low = self.shape.domain[0] if self.shape.domain else 0.0
        steps = (value - low) / self.shape.step
        steps = round(steps) if abs(steps - round(steps)) < 1e-6 else math.floor(steps + lift)
        return low + steps * self.shape.step


TECHNIQUE = Technique("coding", Kind.NUMBER, Coding, FittedCoding, fit)
