"""AN, Additive Noise: the true value among other values of the domain (as described in EAN 2017, section II)."""

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

    Each record is published with a list of `l` different values in random order: its own and l - 1 others, every choice
    of them equally likely. From the list alone, the true value can be guessed with probability 1/l. AN ignores what the
    values have in common: a list of three kinds of cancer reveals cancer. `ean` draws from categories to prevent that;
    prefer it wherever you can name categories.

    A record always gets the same list in the same order: lists that differ between reads could be intersected. The
    domain is `values`, or else the values in the column. AN as published also generalises the quasi-identifiers; sdcdb
    does not. Fitting fails on a value that is not in `values`; a value that is added later is published as NULL.
    """

    method: Literal["an"]
    l: int = Field(ge=2, strict=True)  # noqa: E741 - the paper's name
    """The number of values in each list."""
    values: tuple[Value, ...] = ()
    """The domain. By default the values in the column, which shows that somebody has each of them."""


class FittedAn(Fitted):
    """The domain as texts, and the number of values in a list."""

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
        lists = array([array([pick(row.draw(column, 0), first + 1)])])  # wrapped in a list, so that `each` can name it
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
            f"{len(self.values)} in the domain; the list alone reveals the true one with probability 1/{self.size}"
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
    """Determine the domain."""
    (column,) = columns
    if params.values:
        values = tuple(dict.fromkeys(engine.texts(column, params.values)))
        must_hold(engine, table, column, values, "none of `values`")
    else:
        values = category_shape(engine, table, column).values
    if len(values) < params.l:
        raise DataError(
            f"the domain of {column.name!r} has {counted(len(values), 'value')}, too few for lists of {params.l}: "
            "use a smaller l, or list more values"
        )
    if len(values) > MOST:
        raise DataError(f"{column.name!r} has {len(values):,} values, and at most {MOST:,} are supported")
    return FittedAn(columns=(column.name,), type=column.type, size=params.l, values=values)


TECHNIQUE = Technique("an", Kind.CATEGORY, An, FittedAn, fit)
