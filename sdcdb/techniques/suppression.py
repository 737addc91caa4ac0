"""Local suppression of random, listed or rare values."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, Self

from pydantic import Field, model_validator
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.engines.expressions import SPAN, Row, code, number, typed
from sdcdb.errors import DataError, counted
from sdcdb.fields.strict import incoherent
from sdcdb.techniques.technique import (
    ColumnSpec,
    Engine,
    Fitted,
    Kind,
    Params,
    ShareField,
    Source,
    Technique,
    Value,
)

MOST = 2**16  # values that are not rare: a column with more is hardly a category


class Suppression(Params):
    """Suppress values: at random, listed ones, or rare ones.

    `share` suppresses that share of the values at random, `values` those listed, and `rare: 5` those that occur fewer
    than five times in the table; use one or several. A suppressed value becomes NULL, or `replace`, such as `other`.
    `share` always picks the same records; each is picked independently, so that the share is right on average.

    Fitting decides what is rare, and values it has not seen often enough count as rare: new values are suppressed too.
    If only one value is suppressed, an intruder who knows all values of the column can infer it: list a second one in
    `values`, or add a `share`.
    """

    method: Literal["suppression"]
    share: ShareField | None = None
    """The share of values to suppress at random, such as `5%`."""
    values: tuple[Value, ...] = ()
    """Values to suppress wherever they occur."""
    rare: int | None = Field(default=None, ge=2, strict=True)
    """Suppress values that occur fewer than this many times."""
    replace: Value | None = None
    """What to publish instead of NULL; it must be of the column's type."""

    @model_validator(mode="after")
    def _coherent(self) -> Self:
        if self.share is None and not self.values and self.rare is None:
            incoherent(self, [((), "suppresses nothing: set share, values or rare")])
        return self


class FittedSuppression(Fitted):
    """What is suppressed. Values are texts."""

    technique: Literal["suppression"] = "suppression"
    type: str
    below: int
    """Values whose draw is below this are suppressed."""
    values: tuple[str, ...]
    """Values that are suppressed wherever they occur."""
    rare: int | None
    frequent: tuple[str, ...]
    """With `rare`, the values that are not."""
    rare_records: int
    replace: str | None

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:
        """Return the value, or its replacement where one of the conditions holds."""
        (column,) = self.columns
        instead = exp.null() if self.replace is None else exp.Literal.string(self.replace)
        suppressed = exp.or_(*self._conditions(row, column))
        return {column: exp.Case().when(suppressed, typed(instead, self.type)).else_(row.value(column))}

    def _conditions(self, row: Row, column: str) -> Iterator[exp.Expr]:
        if self.below:
            yield row.draw(column) < number(self.below)
        if self.values:
            yield exp.Is(this=code(self._list("values"), row.value(column)), expression=exp.null()).not_()
        if self.frequent:
            yield exp.Is(this=code(self._list("frequent"), row.value(column)), expression=exp.null())
        elif self.rare is not None:
            yield exp.true()

    def lists(self) -> Mapping[str, tuple[Any, ...]]:
        """Return the listed values and those that are not rare."""
        found = {"values": self.values, "frequent": self.frequent}
        return {self._list(name): values for name, values in found.items() if values}

    def coded(self) -> tuple[str, ...]:
        """Values are looked up in both."""
        return tuple(self.lists())

    def random(self) -> bool:
        """Only `share` is drawn, and only if it leaves something to draw."""
        return 0 < self.below < SPAN and (self.rare is None or len(self.frequent) > 0)

    def may_suppress(self) -> bool:
        """Without a replacement, values become NULL."""
        return self.replace is None

    def words(self) -> Mapping[str, str]:
        """Explain what is suppressed."""
        (column,) = self.columns
        what = []
        if self.below:
            what.append(f"a random {self.below / SPAN:.4g} of all values")
        if self.values:
            what.append("the values " + ", ".join(self.values[:10]) + (", ..." if len(self.values) > 10 else ""))
        if self.rare is not None:
            what.append(f"values that occur fewer than {self.rare} times ({counted(self.rare_records, 'record')})")
        return {column: f"{' and '.join(what)} become {'NULL' if self.replace is None else self.replace}"}

    def _list(self, what: str) -> str:
        return f"{self.columns[0]} suppression {what}"


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Suppression) -> FittedSuppression:
    """Find the frequent values."""
    (column,) = columns
    frequent, rare_records = _frequent(engine, table, column, params.rare)
    return FittedSuppression(
        columns=(column.name,),
        type=column.type,
        below=round(params.share.value * SPAN) if params.share else 0,
        values=tuple(dict.fromkeys(engine.texts(column, params.values))),
        rare=params.rare,
        frequent=frequent,
        rare_records=rare_records,
        replace=None if params.replace is None else engine.texts(column, [params.replace])[0],
    )


def _frequent(engine: Engine, table: Source, column: ColumnSpec, rare: int | None) -> tuple[tuple[str, ...], int]:
    """Return the values that occur often enough, and how many records have others."""
    if rare is None:
        return (), 0
    name = quoted(identifier(column.name))
    counts = (
        f"SELECT CAST({name} AS VARCHAR) AS v, count(*) AS n FROM {quoted(table_reference(table.name))} "
        f"WHERE {name} IS NOT NULL GROUP BY v"
    )
    found = engine.query(f"SELECT v FROM ({counts}) WHERE n >= {rare} ORDER BY v LIMIT {MOST + 1}")
    if len(found) > MOST:
        raise DataError(f"{column.name!r} has more than {MOST:,} values that are not rare: round or group them first")
    ((records,),) = engine.query(f"SELECT coalesce(sum(n), 0)::BIGINT FROM ({counts}) WHERE n < {rare}")
    return tuple(value for (value,) in found), records


TECHNIQUE = Technique("suppression", Kind.ANY, Suppression, FittedSuppression, fit, moves=True)
