"""EAN, Enhanced Additive Noise: l-sensitive category diversity for one sensitive attribute (EAN 2017, section IV)."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.connection.profile import column_types
from sdcdb.engines.expressions import Row, array, ascending, code, each, item, number, pick, typed
from sdcdb.errors import DataError, choices
from sdcdb.fields.strict import incoherent
from sdcdb.techniques.technique import ColumnSpec, Engine, Fitted, Kind, Params, Source, Technique, Value

MOST = 2**16  # values: a sort key is a draw of 32 bits, then the value's place in 16


class Ean(Params):
    """Publish the true value among one random value from each other category.

    You put the values of the column into l categories; a category is what must not be learnt, such as a group of
    diseases. Each record is published with a list of l values: its own, and one drawn uniformly from each other
    category, shuffled (Algorithms 2 and 3). So each value of the list belongs to a different category (Definition 1),
    and from the list alone the true one can be guessed with probability 1/l. Quasi-identifiers stay exact: the loss of
    a record with n of them is (l - 1) / l / (n + 1), eqs. (1) and (2).

    A record always gets the same list in the same order: lists that differ between reads could be intersected. All l!
    orders of the categories are equally likely, whatever the value. An intruder who knows how frequent values are can
    guess better than 1/l: a value counts with its frequency times the size of its category, so put values of about
    equal frequency into a category. The table should be static, as in the paper: when the value of a record changes,
    the change shows in its list. Fitting fails on a value without a category; a value that is added later is published
    as NULL.
    """

    method: Literal["ean"]
    categories: dict[str, tuple[Value, ...]] = Field(default_factory=dict)
    """The values of each category, every value of the column in exactly one: `{cancer: [lymphoma, leukemia], ...}`."""
    file: str | None = None
    """Instead of `categories`: a text file with one category per line, values separated by commas (Algorithm 1)."""

    @model_validator(mode="after")
    def _coherent(self) -> Self:
        if self.file is not None:
            incoherent(
                self, [(("file",), "cannot be combined with categories: remove one of them")] if self.categories else []
            )
        else:
            incoherent(self, ((("categories",), problem) for problem in _problems(self.categories)))
        return self


class FittedEan(Fitted):
    """The categories, with their values as texts."""

    technique: Literal["ean"] = "ean"
    type: str
    categories: dict[str, tuple[str, ...]]

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:
        """Draw a value and a sort key for every category, sort, then put the true value in its category's place.

        Category c takes the column's draws 2c and 2c + 1. Nothing before the last step looks at the value.
        """
        (column,) = self.columns
        keys, start = [], 0
        for place, values in enumerate(self.categories.values()):
            drawn = pick(row.draw(column, 2 * place), len(values)) + number(start)
            keys.append(row.draw(column, 2 * place + 1) * number(MOST) + drawn)
            start += len(values)
        own = code(self._list("values"), row.value(column))

        def published(key: exp.Expr) -> exp.Expr:
            drawn = exp.Mod(this=key, expression=number(MOST))
            category, owned = (item(self._list("categories"), at.copy() + number(1)) for at in (drawn, own))
            chosen = exp.Case().when(category.eq(owned), own.copy()).else_(drawn)
            return typed(item(self._list("values"), chosen + number(1)), self.type)

        unseen = exp.Is(this=own.copy(), expression=exp.null())
        shuffled = each(ascending(array(keys)), "key", published)
        return {column: exp.Case().when(unseen, exp.null()).else_(shuffled)}

    def lists(self) -> Mapping[str, tuple[Any, ...]]:
        """Return all values, one category after the other, and the category of each."""
        numbered = [(value, n) for n, values in enumerate(self.categories.values()) for value in values]
        values, categories = zip(*numbered, strict=True)
        return {self._list("values"): values, self._list("categories"): categories}

    def coded(self) -> tuple[str, ...]:
        """The true value is looked up among the values."""
        return (self._list("values"),)

    def output_type(self) -> str | None:
        """Return the type of a list."""
        return f"{self.type}[]"

    def words(self) -> Mapping[str, str]:
        """Explain the list."""
        (column,) = self.columns
        size = len(self.categories)
        return {
            column: f"a list of {size} values in random order: the true one and a random one from each of the other "
            f"{size - 1} categories; the list alone reveals the true one with probability 1/{size}"
        }

    def _list(self, what: str) -> str:
        return f"{self.columns[0]} ean {what}"


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Ean) -> FittedEan:
    """Check the categories against the values of the column."""
    (column,) = columns
    given = params.categories if params.file is None else read_categories(Path(params.file))
    categories = {name: engine.texts(column, values) for name, values in given.items()}
    for problem in _problems(categories):
        raise DataError(f"the categories of {column.name!r}: {problem}")
    must_hold(engine, table, column, [value for values in categories.values() for value in values], "no category")
    return FittedEan(columns=(column.name,), type=column.type, categories=categories)


def must_hold(engine: Engine, table: Source, column: ColumnSpec, values: Sequence[str], where: str) -> None:
    """Refuse a column that contains other values."""
    name = f"CAST({quoted(identifier(column.name))} AS VARCHAR)"
    rows = engine.query(
        f"SELECT {name} FROM {quoted(table_reference(table.name))} WHERE {name} NOT IN (SELECT unnest(?)) "
        "GROUP BY ALL ORDER BY ALL LIMIT 6",
        [list(values)],
    )
    if rows:
        some = ", ".join(repr(text) for (text,) in rows[:5]) + (", ..." if len(rows) > 5 else "")
        raise DataError(f"{column.name!r} has values that are in {where}: {some}; add each of them")


def read_categories(file: Path) -> dict[str, tuple[str, ...]]:
    """Read a categorisation file (Algorithm 1): one category per line, values separated by commas.

    Put a value with a comma in double quotes. Categories are named by their numbers. Empty lines are skipped.
    """
    try:
        text = file.expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise DataError(f"cannot read the categories from {file}: check the path, and that it is a text file") from None
    lines = [line for line in text.splitlines() if line.strip()]
    rows = csv.reader(lines, skipinitialspace=True)
    return {str(n): tuple(value.strip() for value in row) for n, row in enumerate(rows, start=1)}


def verify(con: Any, view: str, column: str, categories: Mapping[str, Sequence[Any]]) -> int:
    """Count the records of a published table that violate l-sensitive category diversity (Definition 1); it must be 0.

    The list of a record must contain l values, each from a different one of the l categories. A record without a list
    publishes nothing and violates nothing.
    """
    kinds = {name.casefold(): kind for name, kind in column_types(con, view).items()}
    kind = kinds.get(column.casefold())
    if kind is None or not kind.endswith("[]"):
        raise DataError(f"{view!r} has no list column {column!r}; {choices(column, kinds)}")
    numbered = [(n, str(value)) for n, values in enumerate(categories.values()) for value in values]
    name = quoted(identifier(column))
    known = f"SELECT unnest(?::INTEGER[]) AS category, unnest(?::VARCHAR[])::{kind[:-2]} AS v"
    found = f"SELECT count(DISTINCT category) FROM (SELECT unnest(r.{name}) AS v) JOIN known USING (v)"
    ((broken,),) = con.execute(
        f"WITH known AS ({known}) SELECT count(*) FROM {quoted(table_reference(view))} AS r "
        f"WHERE r.{name} IS NOT NULL AND (len(r.{name}) <> ? OR ({found}) <> ?)",
        [[n for n, _ in numbered], [value for _, value in numbered], len(categories), len(categories)],
    ).fetchall()
    return int(broken)


def _problems(categories: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield what is wrong with a categorisation."""
    if len(categories) < 2:
        yield "needs at least two categories: {name: [value, value], other: [value]}"
    home: dict[str, str] = {}
    for name, values in categories.items():
        if not values:
            yield f"the category {name!r} is empty: add values, or remove it"
        for value in values:
            if value in home:
                yield f"{value!r} is in {home[value]!r} and in {name!r}: put each value into one category, once"
            home[value] = name
    if len(home) > MOST:
        yield f"{len(home):,} values, and at most {MOST:,} are supported"


TECHNIQUE = Technique("ean", Kind.CATEGORY, Ean, FittedEan, fit)
