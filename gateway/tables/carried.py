"""Rows on their way from one DuckDB to another: through Arrow, as text where Arrow would change the values."""

import re
from collections.abc import Mapping

import duckdb
import pyarrow as pa

from sdcdb.connection.identifiers import identifier, quoted

_AS_TEXT = re.compile(r"\b(UHUGEINT|BIT|TIME WITH TIME ZONE)\b")


def read_arrow(cursor: duckdb.DuckDBPyConnection, sql: str, order: str = "") -> tuple[pa.Table, dict[str, str]]:
    """Run a query; return its rows, and DuckDB's types of them, to which `cast_back` casts."""
    types = types_of(cursor, sql)
    return cursor.sql(f"{to_carry(sql, types)} {order}").to_arrow_table(), types


def types_of(cursor: duckdb.DuckDBPyConnection, sql: str) -> dict[str, str]:
    """Return DuckDB's types of the columns of a query."""
    bound = cursor.sql(sql)
    return {name: str(kind) for name, kind in zip(bound.columns, bound.types, strict=True)}


def to_carry(sql: str, types: Mapping[str, str]) -> str:
    """Return the query with those columns as text that Arrow would not keep."""
    texts = [name for name, kind in types.items() if _AS_TEXT.search(kind)]
    if not texts:
        return sql
    replaced = ", ".join(f"CAST({_name(name)} AS VARCHAR) AS {_name(name)}" for name in texts)
    return f"SELECT * REPLACE ({replaced}) FROM ({sql})"


def cast_back(name: str, kind: str) -> str:
    """Return the SQL that gives a carried column its type again."""
    return f"CAST({_name(name)} AS {kind}) AS {_name(name)}"


def _name(name: str) -> str:
    return quoted(identifier(name))
