"""Categories that change by a transition matrix: common to PRAM, Warner, VICUS and Random.

The sampler is the alias method in whole numbers: with u uniform on 0 .. 2^b - 1 and K values, p = u x K picks the
place i = p >> b, and its remainder p & (2^b - 1) decides between the value i and its alias. A column of few values has
b = 16, and its matrix is rounded to multiples of 2^-16, so that it is the one that the view applies; others have
b = 32. The tables are lists, one row of K after another, and the row of a value is its code. There is no CASE, in
which DuckDB would recompute everything.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Self

import numpy as np
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.engines.expressions import Row, code, flag, integer, item, number, typed
from sdcdb.errors import DataError
from sdcdb.fields.strict import Strict
from sdcdb.techniques.families.transition import TransitionMatrix, alias_tables, given, rounded_rows
from sdcdb.techniques.technique import ColumnSpec, Engine, Fitted, Source

Rows = tuple[tuple[float, ...], ...]
MOST = 2_000  # values: a larger matrix would be too large


class CategoryShape(Strict):
    """A column's type, and its values as texts in order."""

    type: str
    values: tuple[str, ...]


class FittedTransition(Fitted):
    """A column whose values change by a matrix; row i of the matrix says what value i becomes."""

    shape: CategoryShape
    matrix: Rows
    bits: int = 32
    """Of the draw that picks a value: the probabilities are multiples of 2^-bits."""

    def drawn_from(self, row: Row) -> Self:
        """Round the matrix to the bits of its draw."""
        bits = row.width(self.column)
        return self.model_copy(update={"bits": bits, "matrix": rounded_to(self.matrix, bits)})

    @property
    def column(self) -> str:
        """The column."""
        (column,) = self.columns
        return column

    def transition(self) -> TransitionMatrix:
        """Return the matrix with the methods that measures use."""
        return given(self.shape.values, self.matrix)

    def lists(self) -> Mapping[str, tuple[Any, ...]]:
        """Return the values and the alias tables."""
        return alias_lists(self.column, self.shape.values, self.matrix, self.bits)

    def coded(self) -> tuple[str, ...]:
        """Values are looked up among the values."""
        return (self._list("values"),) if self.shape.values else ()

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:
        """Return the value picked by the draw; a value that fitting has not seen becomes NULL."""
        if not self.shape.values:
            return {self.column: typed(exp.null(), self.shape.type)}
        text = exp.cast(row.value(self.column), "VARCHAR")
        at = integer(code(self._list("values"), text))
        chosen = aliased(row.draw(self.column), at, len(self.shape.values), self.column, self.bits)
        # An unknown value has the code NULL, hence the index NULL, hence the item NULL.
        return {self.column: typed(item(self._list("values"), chosen), self.shape.type)}

    def null_safe(self) -> bool:
        """NULL has no code either."""
        return bool(self.shape.values)

    def random(self) -> bool:
        """A single value cannot change."""
        return len(self.shape.values) > 1

    def words(self) -> Mapping[str, str]:
        """Say how likely a value is kept, and what it may become."""
        if not self.shape.values:
            return {self.column: "it had no values when fitted, so every value becomes NULL"}
        kept = [row[i] for i, row in enumerate(self.matrix)]
        low, high = min(kept), max(kept)
        share = f"{low:.1%}" if high - low < 5e-4 else f"{low:.1%} to {high:.1%}"
        changed = len(self.shape.values) - 1
        return {self.column: f"each of {changed + 1} values is kept with probability {share}, {self.how()}"}

    def how(self) -> str:
        """Say what a value that is not kept becomes."""
        return "otherwise it becomes another, by the given matrix"

    def _list(self, name: str) -> str:
        return f"{self.column} {name}"


def rounded_to(rows: Rows, bits: int) -> Rows:
    """Return probabilities in multiples of 2^-bits; 32 bits are as good as all, and leave them as they are."""
    if bits >= 32 or not rows:
        return rows
    return tuple(tuple(row) for row in rounded_rows(np.array(rows), bits).tolist())


def aliased(draw: exp.Expr, at: exp.Expr, size: int, column: str, bits: int) -> exp.Expr:
    """Return the position, counted from 1, that a draw picks by row `at`, counted from 0, of a column's alias lists."""
    scaled = exp.Paren(this=draw * number(size))
    place = exp.Paren(this=exp.BitwiseRightShift(this=scaled, expression=number(bits)))
    rest = exp.Paren(this=exp.BitwiseAnd(this=scaled.copy(), expression=number(2**bits - 1)))
    row = exp.Paren(this=at * number(size) + number(1))  # by itself: DuckDB computes it once for each code, not record
    index = place + row
    threshold, move = item(f"{column} thresholds", index), item(f"{column} moves", index.copy())
    return place.copy() + number(1) + flag(rest >= threshold) * move


@lru_cache(maxsize=64)
def alias_lists(column: str, values: tuple[str, ...], rows: Rows, bits: int) -> dict[str, tuple[Any, ...]]:
    """Return the lists of a column: its values, and of all rows the thresholds and how far the alias is from the place.

    A plan asks for them several times.
    """
    if not values:
        return {}
    tables = alias_tables(np.array(rows), bits)
    moves = tables.aliases - np.arange(len(values))
    lists = {"values": values, "thresholds": tables.thresholds.ravel().tolist(), "moves": moves.ravel().tolist()}
    return {f"{column} {name}": tuple(own) for name, own in lists.items()}


def category_shape(engine: Engine, table: Source, column: ColumnSpec) -> CategoryShape:
    """Read the values of a column, as texts, in order."""
    name = quoted(identifier(column.name))
    source = quoted(table_reference(table.name))
    rows = engine.query(
        f"SELECT DISTINCT CAST({name} AS VARCHAR) FROM {source} WHERE {name} IS NOT NULL ORDER BY 1 LIMIT {MOST + 1}"
    )
    if len(rows) > MOST:
        raise DataError(f"{column.name!r} has more than {MOST:,} values: use a method for numbers, or group the values")
    return CategoryShape(type=column.type, values=tuple(text for (text,) in rows))


def fitted_rows(matrix: TransitionMatrix) -> Rows:
    """Return the matrix as plain rows."""
    return tuple(tuple(row) for row in matrix.matrix.tolist())
