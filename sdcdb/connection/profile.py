"""Profile a table: types, counts, distinct values and ranges, read from the engine in one scan."""

import re
from dataclasses import dataclass
from typing import Any

import duckdb

from sdcdb.connection.identifiers import fold, identifier, name_parts, quoted, table_name, table_reference
from sdcdb.errors import DatabaseError, choices

_WIDTHS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
INTEGERS = frozenset([*_WIDTHS, *(f"U{width}" for width in _WIDTHS), "BIGNUM"])
FLOATS = frozenset(["FLOAT", "DOUBLE"])
_DECIMAL = re.compile(r"DECIMAL\((\d+), ?(\d+)\)")


def digits_of(kind: str) -> tuple[int, int] | None:
    """Return the digits of a DECIMAL and how many of them are decimal places; None of any other type.

    >>> digits_of("DECIMAL(9,2)"), digits_of("DECIMAL(9,2)[]")
    ((9, 2), None)
    """
    found = _DECIMAL.fullmatch(kind)
    return (int(found[1]), int(found[2])) if found else None


def decimals_of(kind: str) -> int | None:
    """Return the number of decimal places of a DECIMAL, otherwise None."""
    digits = digits_of(kind)
    return digits[1] if digits else None


def is_number(kind: str) -> bool:
    """Return whether a type of DuckDB holds numbers; a list of them is none."""
    return kind in INTEGERS or kind in FLOATS or digits_of(kind) is not None


@dataclass(frozen=True)
class ColumnProfile:
    """One column. `distinct` is exact; `low` and `high` are set for finite numbers only."""

    name: str
    type: str
    rows: int
    nulls: int
    distinct: int
    odd: int  # NaN and infinities
    low: float | None
    high: float | None

    @property
    def integer(self) -> bool:
        """Whether the column contains integers."""
        return self.type in INTEGERS

    @property
    def decimals(self) -> int | None:
        """The number of decimal places of a DECIMAL, otherwise None."""
        return decimals_of(self.type)

    @property
    def numeric(self) -> bool:
        """Whether the column contains numbers."""
        return is_number(self.type)

    @property
    def text(self) -> bool:
        """Whether the column contains text."""
        return self.type == "VARCHAR"

    @property
    def unique(self) -> bool:
        """Whether every record has a different value."""
        return self.rows > 1 and self.nulls == 0 and self.distinct == self.rows


@dataclass(frozen=True)
class TableProfile:
    """One table and its columns."""

    name: str
    rows: int
    columns: tuple[ColumnProfile, ...]

    def column(self, name: str) -> ColumnProfile | None:
        """Return the column of this name. Names are compared as DuckDB does, without regard to case."""
        return next((column for column in self.columns if fold(column.name) == fold(name)), None)


def table_names(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the tables of the current database: `staff`, or `hr.staff` outside the schema main."""
    rows = con.execute(
        "SELECT schema_name, table_name FROM duckdb_tables() "
        "WHERE NOT internal AND NOT temporary AND database_name = current_database() AND schema_name <> 'sdc' "
        "ORDER BY ALL"
    ).fetchall()
    return [table_name(schema, table) for schema, table in rows]


def view_names(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the views of the current database, named as `table_names` does."""
    rows = con.execute(
        "SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal AND database_name = current_database()"
    ).fetchall()
    return [table_name(schema, view) for schema, view in rows]


def column_types(con: duckdb.DuckDBPyConnection, table: str) -> dict[str, str]:
    """Return the type of each column of a table or view; if there is no such table, list those there are."""
    names = [*table_names(con), *view_names(con)]
    found = next((name for name in names if fold(name) == fold(table)), None)
    if found is None:
        if len(table.split(".")) > 2 and len(parts := name_parts(table)) > 2:
            raise DatabaseError(
                f"{table!r} is in another database, {parts[0]!r}: a policy is about one database file, so run sdcdb on "
                f"that file, or copy the table here: CREATE TABLE {quoted(identifier(parts[-1]))} AS FROM {table}"
            )
        what = choices(table, names) if names else "the database has no tables"
        raise DatabaseError(f"no table {table!r}; {what}")
    try:
        described = con.execute(f"DESCRIBE SELECT * FROM {quoted(table_reference(found))}").fetchall()
    except (duckdb.CatalogException, duckdb.BinderException) as why:
        raise DatabaseError(
            f"the view {found!r} cannot be read, because a table or column of it is not in this database file "
            f"({str(why).splitlines()[0]}): sdcdb opens one file and attaches no other, so store its records in a table"
        ) from None
    return {name: kind for name, kind, *_ in described}


def profile(con: duckdb.DuckDBPyConnection, table: str) -> TableProfile:
    """Read the profile of `table`."""
    types = column_types(con, table)
    source = quoted(table_reference(table))
    columns = [_Draft(name, kind) for name, kind in types.items()]
    measures = ", ".join(["count(*)", *(column.measures() for column in columns)])
    (row,) = con.execute(f"SELECT {measures} FROM {source}").fetchall()
    rows = int(row[0])
    per_column = [row[1 + 5 * n : 6 + 5 * n] for n in range(len(columns))]
    return TableProfile(table, rows, tuple(c.profiled(rows, v) for c, v in zip(columns, per_column, strict=True)))


@dataclass(frozen=True)
class _Draft:
    name: str
    type: str

    def measures(self) -> str:
        column = quoted(identifier(self.name))
        if ColumnProfile(self.name, self.type, 0, 0, 0, 0, None, None).numeric:
            finite = f"isfinite({column}::DOUBLE)"
            odd = f"count(*) FILTER (WHERE NOT {finite})"
            ends = f"min({column}) FILTER (WHERE {finite})::DOUBLE, max({column}) FILTER (WHERE {finite})::DOUBLE"
        else:
            odd, ends = "0", "NULL, NULL"
        return f"count({column}), count(DISTINCT {column}), {odd}, {ends}"

    def profiled(self, rows: int, values: tuple[Any, ...]) -> ColumnProfile:
        present, distinct, odd, low, high = values
        return ColumnProfile(self.name, self.type, rows, rows - present, distinct, odd, low, high)
