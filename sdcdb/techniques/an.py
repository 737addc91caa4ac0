"""AN, Additive Noise: the true value among other values of the domain (as EAN 2017, section II, describes it)."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

from pydantic import Field
from sqlglot import exp

from sdcdb.engines.expressions import Row, array, ascending, code, each, element, item, number, pick, typed
from sdcdb.errors import DataError, counted
from sdcdb.techniques.ean import MOST, must_hold
from sdcdb.techniques.families.categories import category_shape
from sdcdb.techniques.technique import ColumnSpec, Engine, Fitted, Kind, Params, Source, Technique, Value


class An(Params):
    """Publish the true value among l - 1 other values of the domain.

    Each record carries a list of `l` different values in random order: its own, and l - 1 of the others, every choice
    of them equally likely. So the list alone tells the true one with probability 1/l. It says nothing of what the
    values have in common: a list of three kinds of cancer gives cancer away. `ean` draws from categories to prevent
    that, and is what you want wherever you can name categories.

    The list and its order are fixed by the record, for lists drawn afresh at every read would be intersected. The
    domain is `values`, or the values that the column has. AN as published also generalises the quasi-identifiers; this
    does not. A value that is not in `values` stops the fitting; one that comes later is published as NULL.
    """

    method: Literal["an"]
    l: int = Field(ge=2, strict=True)  # noqa: E741 - the paper's name
    """How many values a record is published with."""
    values: tuple[Value, ...] = ()
    """The domain. Left out, it is taken from the column: then every value that somebody has is seen to be there."""


class FittedAn(Fitted):
    """The domain as texts, and how many values a list has."""

    technique: Literal["an"] = "an"
    type: str
    size: int
    values: tuple[str, ...]

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:
        """Choose from the others by Floyd's algorithm, add the true value, and shuffle by sort keys.

        Floyd: to choose m of N, take for each j from N - m to N - 1 a random number from 0 to j, or j itself when that
        number has been chosen already. Step i takes the column's draw 2i, place i of the list the sort key 2i + 1.
        """
        (column,) = self.columns
        own = code(self._list, row.value(column))
        others, wanted = len(self.values) - 1, self.size - 1
        first = others - wanted
        lists = array([array([pick(row.draw(column, 0), first + 1)])])  # a list of one list, so that `each` can name it
        for step in range(1, wanted):
            drawn = pick(row.draw(column, 2 * step), first + step + 1)
            lists = each(lists, "chosen", partial(_one_more, drawn, first + step))
        keys = ascending(array([row.draw(column, 2 * n + 1) * number(MOST) + number(n + 1) for n in range(self.size)]))

        def skipping_own(other: exp.Expr) -> exp.Expr:
            return exp.Case().when(other >= own.copy(), other.copy() + number(1)).else_(other.copy())

        lists = each(lists, "chosen", lambda chosen: _function("array_append", each(chosen, "n", skipping_own), own))
        lists = each(lists, "places", lambda places: each(keys, "key", partial(self._published, places)))
        unseen = exp.Is(this=own.copy(), expression=exp.null())
        return {column: exp.Case().when(unseen, exp.null()).else_(_function("flatten", lists))}

    def _published(self, places: exp.Expr, key: exp.Expr) -> exp.Expr:
        place = element(places.copy(), exp.Mod(this=key, expression=number(MOST)))
        return typed(item(self._list, place + number(1)), self.type)

    def lists(self) -> Mapping[str, tuple[Any, ...]]:
        """Return the domain."""
        return {self._list: self.values}

    def coded(self) -> tuple[str, ...]:
        """The true value is looked up in the domain."""
        return (self._list,)

    def output_type(self) -> str | None:
        """Return the type of a list."""
        return f"{self.type}[]"

    def words(self) -> Mapping[str, str]:
        """Explain the list."""
        (column,) = self.columns
        return {
            column: f"a list of {self.size} values in random order: the true one and {self.size - 1} others of the "
            f"{len(self.values)} in the domain; the list alone tells the true one with probability 1/{self.size}"
        }

    @property
    def _list(self) -> str:
        return f"{self.columns[0]} an values"


def _one_more(drawn: exp.Expr, instead: int, so_far: exp.Expr) -> exp.Expr:
    """Append the drawn number, or `instead` when it is there already."""
    there = _function("array_contains", so_far, drawn)
    fresh = exp.Case().when(there, number(instead)).else_(drawn.copy())
    return _function("array_append", so_far.copy(), fresh)


def _function(name: str, *arguments: exp.Expr) -> exp.Expr:
    """Call a function that DuckDB and Spark both have by this name."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: An) -> FittedAn:
    """Settle the domain."""
    (column,) = columns
    if params.values:
        values = tuple(dict.fromkeys(engine.texts(column, params.values)))
        must_hold(engine, table, column, values, "none of `values`")
    else:
        values = category_shape(engine, table, column).values
    if len(values) < params.l:
        raise DataError(
            f"the domain of {column.name!r} has {counted(len(values), 'value')}, too few for lists of {params.l}: "
            "give a smaller l, or more values"
        )
    if len(values) > MOST:
        raise DataError(f"{column.name!r} has {len(values):,} values: at most {MOST:,} can be told apart")
    return FittedAn(columns=(column.name,), type=column.type, size=params.l, values=values)


TECHNIQUE = Technique("an", Kind.CATEGORY, An, FittedAn, fit)
