"""Data swapping (Dalenius and Reiss 1982) and rank swapping (Moore 1996)."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.connection.profile import column_types, is_number
from sdcdb.connection.record_key import key_sql, stored_name
from sdcdb.engines.expressions import SPAN, TABLE, Row, joined, real
from sdcdb.errors import DataError, choices
from sdcdb.fields.amount import Amount, AmountField, parse
from sdcdb.techniques.technique import ColumnSpec, Engine, Fitted, Kind, Params, ShareField, Source, Technique

LEAST = 3  # ranks in a block: blocks of three or more can always be divided so that nobody is left alone


class Swapping(Params):
    """Exchange values between similar records.

    Records are paired at random and exchange their values of this column. `within` names columns in which partners must
    agree: `within: [region, sex]`. `range` is rank swapping, for numbers and dates: the values are sorted, divided into
    blocks of neighbours, and exchanged inside a block, so that the ranks of partners differ by at most the range. With
    both, ranks are counted inside a class. With neither, any two records may be partners.

    The values of the column stay the same, but on other records: every count, mean and quantile, also by class, is
    exact. With `share` below 100% the other records keep their value; so does a record that is alone in its class, and
    a record may receive a value equal to its own. NULLs are not exchanged.

    Pairs depend on the draws of the records: they are the same at every refit of the same table. Fitting sorts the
    table in SQL and stores the exchanged values in the schema `sdc`, keyed by record; a record that is inserted later
    is published as NULL until the next fit.
    """

    method: Literal["swapping"]
    within: tuple[str, ...] = ()
    """Columns in which partners must agree."""
    range: AmountField | None = None
    """How far the ranks of partners may differ: a share of the records such as `5%`, or a number; at least 2."""
    share: ShareField = Field(default=parse("100%"))
    """The share of the records that exchange their value."""


class FittedSwapping(Fitted):
    """What was done; the exchanged values are in a stored table."""

    technique: Literal["swapping"] = "swapping"
    stored: str
    within: tuple[str, ...]
    range: str | None
    share: str
    changed: int
    """Records whose value changed."""
    of: int

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:  # noqa: ARG002 - the stored table has it all
        """Return the value that fitting gave to the record."""
        (column,) = self.columns
        return {column: joined(self.stored, column)}

    def joined(self) -> tuple[str, ...]:
        """Return the table of exchanged values."""
        return (self.stored,)

    def random(self) -> bool:
        """Where nothing could be exchanged, another secret does not help."""
        return self.changed > 0

    def words(self) -> Mapping[str, str]:
        """Explain who exchanges with whom."""
        (column,) = self.columns
        alike = f" with the same {', '.join(self.within)}" if self.within else ""
        near = f", at most {self.range} away in rank" if self.range else ""
        return {
            column: f"{self.share} of the records exchange their value with another record{alike}{near}; "
            f"{self.changed:,} of {self.of:,} now have another value, and every count of values is exact"
        }


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Swapping) -> FittedSwapping:
    """Pair the records and store what each of them publishes."""
    (column,) = columns
    within = _within(engine, table, column, params)
    stored = f"swapping of {table.view}: {column.name}"
    engine.store(stored, _query(engine, table, column, within, params))
    key, value = quoted(identifier(stored_name(table.key))), quoted(identifier(column.name))
    ((changed, of),) = engine.query(
        f"SELECT count(*) FILTER (s.{value} <> {TABLE}.{value}), count(*) "
        f"FROM {engine.reference(stored)} AS s "
        f"JOIN {quoted(table_reference(table.name))} AS {TABLE} ON s.{key} = {key_sql(table.key, TABLE)}"
    )
    return FittedSwapping(
        columns=(column.name,),
        stored=stored,
        within=within,
        range=None if params.range is None else f"{params.range}" + " of the records" * params.range.relative,
        share=str(params.share),
        changed=changed,
        of=of,
    )


def _within(engine: Engine, table: Source, column: ColumnSpec, params: Swapping) -> tuple[str, ...]:
    """Return the columns of the class as the table spells them."""
    known = {name.casefold(): name for name in column_types(engine.con, table.name)}
    for name in params.within:
        if name.casefold() not in known or name.casefold() == column.name.casefold():
            others = [other for other in known.values() if other != column.name]
            raise DataError(f"{column.name!r} cannot be swapped within {name!r}; {choices(name, others)}")
    ordered = is_number(column.type) or column.type.startswith(("DATE", "TIME"))
    if params.range is not None and not ordered:
        raise DataError(f"{column.name!r} is {column.type}: a range of ranks is for numbers and dates; use `within`")
    return tuple(known[name.casefold()] for name in params.within)


def _query(engine: Engine, table: Source, column: ColumnSpec, within: tuple[str, ...], params: Swapping) -> str:
    """Return the query that gives every record the value it publishes.

    In each block of m records, ordered by draw, the first 2 x pairs exchange with their neighbour. The number of pairs
    is share x m / 2, rounded up or down at random so that it is right on average in small blocks too. When all
    records take part and m is odd, the last three rotate their values.
    """
    first, then = (engine.sql(table.row.draw(column.name, n), table) for n in (0, 1))
    classes = [f"{TABLE}.{quoted(identifier(name))} AS w{n}" for n, name in enumerate(within)]
    own = [f"w{n}" for n in range(len(within))]
    key, value = key_sql(table.key, TABLE), f"{TABLE}.{quoted(identifier(column.name))}"
    share, everybody = quoted(real(params.share.value)), params.share.value == 1
    by_class, by_block = (f"PARTITION BY {', '.join([*own, *more, '0'])}" for more in ([], ["b"]))
    return f"""
        WITH drawn AS (
            SELECT {", ".join([f"{key} AS k", f"{value} AS v", f"{first} AS u", f"{then} AS s", *classes])}
            FROM {quoted(table_reference(table.name))} AS {TABLE} WHERE {value} IS NOT NULL
        ), ranked AS (
            SELECT *, row_number() OVER ({by_class} ORDER BY v, u, s, k) - 1 AS r, count(*) OVER ({by_class}) AS n
            FROM drawn
        ), blocks AS (
            SELECT *, {_block(params.range)} AS b FROM ranked
        ), placed AS (
            SELECT *, row_number() OVER ({by_block} ORDER BY u, s, k) AS p, count(*) OVER ({by_block}) AS m,
                first_value(s) OVER ({by_block} ORDER BY u, s, k) / {SPAN}e0 AS luck
            FROM blocks
        ), paired AS (
            SELECT *, 2 * least(m // 2, floor({share} * m / 2 + luck)::BIGINT) AS last,
                {everybody} AND m % 2 = 1 AND m > 1 AND p > m - 3 AS round
            FROM placed
        ), moved AS (
            SELECT *, CASE
                WHEN round THEN CASE WHEN p = m THEN -2 ELSE 1 END
                WHEN p > last THEN 0
                WHEN p % 2 = 1 THEN 1 ELSE -1
            END AS step FROM paired
        )
        SELECT k AS {quoted(identifier(stored_name(table.key)))}, CASE step
            WHEN 0 THEN v
            WHEN 1 THEN lead(v) OVER ({by_block} ORDER BY p)
            WHEN -1 THEN lag(v) OVER ({by_block} ORDER BY p)
            ELSE lag(v, 2) OVER ({by_block} ORDER BY p)
        END AS {quoted(identifier(column.name))} FROM moved
    """


def _block(most: Amount | None) -> str:
    """Return the block of rank r among n: blocks of equal size, as few as keep ranks within the range."""
    if most is None:
        return "0"
    apart = f"floor({quoted(real(most.value))}" + (" * n)" if most.relative else ")")
    return f"r * ceil(n / greatest({LEAST}, {apart} + 1))::BIGINT // n"


TECHNIQUE = Technique("swapping", Kind.ANY, Swapping, FittedSwapping, fit, among_records=True, moves=True)
