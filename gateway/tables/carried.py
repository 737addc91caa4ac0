"""Rows on their way from one DuckDB to another: through Arrow, as text where Arrow would change the values."""

import re
from collections.abc import Mapping

import duckdb
import pyarrow as pa

from sdcdb.connection.collations import types_with_collations
from sdcdb.connection.identifiers import identifier, quoted

_AS_TEXT = re.compile(r"\b(UHUGEINT|BIT|TIME WITH TIME ZONE)\b")
_COLLATED = re.compile(r"VARCHAR COLLATE (.+)")


def read_arrow(
    cursor: duckdb.DuckDBPyConnection, sql: str, order: str = "", *, collated: bool = False
) -> tuple[pa.Table, dict[str, str]]:
    """Run a query; return its rows, and DuckDB's types of them, to which `cast_back` casts.

    `collated` says that a text in it may have a collation: to look is not free.
    """
    if collated:
        types = types_with_collations(cursor, sql)
    else:
        bound = cursor.sql(sql)
        types = {name: str(kind) for name, kind in zip(bound.columns, bound.types, strict=True)}
    return cursor.sql(f"{to_carry(sql, types)} {order}").to_arrow_table(), types


def to_carry(sql: str, types: Mapping[str, str]) -> str:
    """Return the query with those columns as text that Arrow would not keep."""
    texts = [name for name, kind in types.items() if _AS_TEXT.search(kind)]
    if not texts:
        return sql
    replaced = ", ".join(f"CAST({_name(name)} AS VARCHAR) AS {_name(name)}" for name in texts)
    return f"SELECT * REPLACE ({replaced}) FROM ({sql})"


def cast_back(name: str, kind: str) -> str:
    """Return the SQL that gives a carried column its type again.

    >>> cast_back("a", "HUGEINT"), cast_back("a", "VARCHAR COLLATE nocase")
    ('CAST("a" AS HUGEINT) AS "a"', '(CAST("a" AS VARCHAR) COLLATE nocase) AS "a"')
    """
    collated = _COLLATED.fullmatch(kind)
    if collated:
        return f"(CAST({_name(name)} AS VARCHAR) COLLATE {collated.group(1)}) AS {_name(name)}"
    return f"CAST({_name(name)} AS {kind}) AS {_name(name)}"


def _name(name: str) -> str:
    return quoted(identifier(name))
