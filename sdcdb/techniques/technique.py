"""What a technique is: parameters from the policy, fitted on data, compiled to an expression per column.

    policy -> Params -> fit(engine, table, columns, params) -> Fitted -> expressions -> SQL

`Params` and `Fitted` are frozen models; a `Fitted` can be stored as JSON and is all that is kept of the data.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import IntEnum, StrEnum
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.connection.record_key import Key
from sdcdb.engines.dialect import Binding
from sdcdb.engines.duckdb import SCHEMA, DuckDBDialect
from sdcdb.engines.expressions import Row
from sdcdb.errors import DataError
from sdcdb.fields.amount import Amount, AmountField
from sdcdb.fields.strict import Strict


class Kind(StrEnum):
    """What a technique works on."""

    NUMBER = "numbers"
    CATEGORY = "categories"
    ANY = "any column"
    RECORD = "records"


class Draws(IntEnum):
    """The draws a column needs from the digests that all columns share; further draws cost an extra digest."""

    ONE = 1
    TWO = 2
    NORMAL = 3
    """A normal number, half of a pair: two draws make two of them (Box and Muller), for two columns."""
    SMALL = 4
    """One draw of 16 bits: enough for a column of few categories."""
    COARSE_NORMAL = 5
    """A normal number on a grid of so few steps that 40 bits for a pair do where 48 do not fit."""
    RANK = 6
    """A draw without ties, of 64 bits; where they do not fit, 8 of them, and a digest for the records that tie."""


def _value_text(given: Any) -> Any:
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, str | int | float | date):
        return str(given)
    raise PydanticCustomError("value", "must be one value: a text, a number, a date, true or false")


def _share(amount: Amount) -> Amount:
    if not (amount.relative and 0 < amount.value <= 1):
        raise PydanticCustomError("share", "must be a share above 0% and up to 100%, such as '5%'")
    return amount


Value = Annotated[
    str, BeforeValidator(_value_text), WithJsonSchema({"type": ["string", "number", "boolean"]}, mode="validation")
]
"""A value of a column as a policy writes it, kept as text: `Engine.texts` gives it the column's type."""
ShareField = Annotated[
    AmountField, AfterValidator(_share), WithJsonSchema({"type": "string", "pattern": r"^\s*[0-9.]+\s*%$"})
]
"""A share such as `5%`: above zero, up to `100%`."""


class Params(Strict):
    """A technique's parameters as written in the policy. Subclasses add `method: Literal["name"]` and their own."""

    method: str


@dataclass(frozen=True)
class ColumnSpec:
    """A column to perturb: its type in the database, and its domain in the policy."""

    name: str
    type: str
    domain: tuple[float, float] | None = None
    step: float | None = None


@dataclass(frozen=True)
class Source:
    """The table to fit on: its name, the view it is fitted for, its record key, and what makes its draws.

    `columns` are the table's columns other than identifiers, for techniques that use other columns;
    `distinct` says how many different values each column has; `quasi` are the quasi-identifiers that no other method
    of the view changes, `confidential` the confidential columns.
    """

    name: str
    view: str
    key: Key
    subkey: str
    row: Row
    columns: tuple[str, ...] = ()
    distinct: Mapping[str, int] = field(default_factory=dict)
    quasi: tuple[str, ...] = ()
    confidential: tuple[str, ...] = ()
    person: str | None = None
    """The column by which the draws of `row` are keyed where they are a person's."""


@dataclass(frozen=True)
class Engine:
    """The database that fitting queries for counts, moments and quantiles, never for the whole table."""

    con: Any  # duckdb.DuckDBPyConnection; Any keeps the maths importable without it
    tell: Callable[[str], None] = lambda _: None
    """Called with what is in progress, to show it to the user."""

    def query(self, sql: str, parameters: list[Any] | None = None) -> list[tuple[Any, ...]]:
        """Run a query and return its rows."""
        rows: list[tuple[Any, ...]] = self.con.execute(sql, parameters or []).fetchall()
        return rows

    def store(self, name: str, query: str) -> None:
        """Keep the rows of a query, keyed by record, as a table of the schema `sdc` that `SDC_JOINED` can refer to.

        For techniques that are by nature about groups of records. The name must contain the view's name.
        """
        self.con.execute(f"CREATE OR REPLACE TABLE {self.reference(name)} AS {query}")

    def reference(self, name: str) -> str:
        """Return the table in which `store` kept rows, as SQL."""
        return f"{SCHEMA}.{quoted(identifier(name))}"

    def texts(self, column: ColumnSpec, values: Iterable[str]) -> tuple[str, ...]:
        """Return values of the policy as they read in the column: `1.50` is `1.5` in a DOUBLE."""
        given = list(values)
        rows = self.query(
            f"SELECT CAST(TRY_CAST(v AS {column.type}) AS VARCHAR) FROM (SELECT unnest(CAST(? AS VARCHAR[])) AS v)",
            [given],
        )
        for text, (own,) in zip(given, rows, strict=True):
            if own is None:
                raise DataError(f"{text!r} cannot be a value of {column.name!r}, which is {column.type}")
        return tuple(own for (own,) in rows)

    def sql(self, expression: exp.Expr, table: Source) -> str:
        """Render an expression over the table's rows, its draws included. Its alias is `expressions.TABLE`."""
        return DuckDBDialect().render(expression, Binding(table.key, table.subkey, {}, person=table.person))


class Fitted(Strict):
    """A technique fitted to some columns. Subclasses add what fitting found and say how a value is changed."""

    technique: str
    columns: tuple[str, ...]
    scope: str = ""
    """Which draws it uses: the method and a digest of its parameters. Set by `protect`."""

    def drawn_from(self, row: Row) -> Self:  # noqa: ARG002 - for subclasses
        """Return what was fitted in a form that suits the draws of the row, such as their number of bits."""
        return self

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:
        """Return the perturbed value of each column as an expression of the row. NULL is kept by the view."""
        raise NotImplementedError

    def lists(self) -> Mapping[str, tuple[Any, ...]]:
        """Return the lists that the expressions refer to by name."""
        return {}

    def coded(self) -> tuple[str, ...]:
        """Return the names of the lists in which values are looked up."""
        return ()

    def joined(self) -> tuple[str, ...]:
        """Return the names of tables, keyed by record, that fitting stored and the expressions refer to."""
        return ()

    def condition(self, row: Row) -> exp.Expr | None:  # noqa: ARG002 - for subclasses
        """Return the condition for a record to be published; None publishes every record."""
        return None

    def null_safe(self) -> bool:
        """Return whether the expressions map NULL to NULL by themselves; otherwise the view does."""
        return False

    def random(self) -> bool:
        """Return whether another secret gives other values. Rounding, for example, draws nothing."""
        return True

    def may_suppress(self) -> bool:
        """Return whether a value may become NULL."""
        return False

    def output_type(self) -> str | None:
        """Return the type of the output where it is not that of the column."""
        return None

    def words(self) -> Mapping[str, str]:
        """Explain for each column what happens to it, and with which probabilities."""
        raise NotImplementedError


Needs = Callable[[ColumnSpec, Any], Draws]
"""The draws a column needs with some parameters."""


def one_draw(_column: ColumnSpec, _params: Params) -> Draws:
    """Request a single draw, such as one that picks a category."""
    return Draws.ONE


def two_draws(_column: ColumnSpec, _params: Params) -> Draws:
    """Request two draws, the first of which may be used alone."""
    return Draws.TWO


def rank_draw(_column: ColumnSpec, _params: Params) -> Draws:
    """Request a draw that puts records in order."""
    return Draws.RANK


Fit = Callable[[Engine, Source, tuple[ColumnSpec, ...], Any], Fitted | tuple[Fitted, ...]]
"""A joint technique may return one Fitted per column."""


@dataclass(frozen=True)
class Technique:
    """A technique: its name in the policy, its parameters, what fitting makes, and how.

    `joint` techniques are fitted at once on all columns that use them with the same parameters. `draws` says which
    draws a column needs from the digests that all columns share. `among_records` techniques put records together, or
    choose among them: they take each record for a person.
    """

    name: str
    kind: Kind
    params: type[Params]
    fitted: type[Fitted]
    fit: Fit
    joint: bool = False
    draws: Needs = two_draws
    among_records: bool = False
    moves: bool = False
    """Whether it only moves or removes values of a column: it may then hold numbers that nothing can be added to."""

    @property
    def summary(self) -> str:
        """The first sentence of its manual."""
        return (self.params.__doc__ or "").strip().split("\n")[0]
