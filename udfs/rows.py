"""Rows that Python computed, as a SELECT with typed columns: what a table function hands back to DuckDB.

>>> select_rows((Field("n", "BIGINT"), Field("why", "VARCHAR")), [(1, "it's")])
'SELECT "n"::BIGINT AS "n", "why"::VARCHAR AS "why" FROM (VALUES (1, \\'it\\'\\'s\\')) AS "sdc rows"("n", "why")'
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.engines.dialect import text_literal
from sdcdb.errors import InternalError


@dataclass(frozen=True)
class Field:
    """A column of a result: its name and its type."""

    name: str
    type: str


def fields(listed: str) -> tuple[Field, ...]:
    """Read columns from one line: `leaf BIGINT, rule VARCHAR[]`. Types with a comma in them cannot be written so."""
    return tuple(Field(*each.split(" ", 1)) for each in listed.split(", "))


def select_rows(columns: Sequence[Field], rows: Iterable[Sequence[Any]]) -> str:
    """Return the rows as SQL. Values are literals of their own, so no text in them can become SQL."""
    names = [quoted(identifier(column.name)) for column in columns]
    typed = ", ".join(f"{name}::{column.type} AS {name}" for name, column in zip(names, columns, strict=True))
    values = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
    if not values:
        return f"SELECT {typed} FROM (SELECT {', '.join(f'NULL AS {name}' for name in names)}) WHERE false"
    return f'SELECT {typed} FROM (VALUES {values}) AS "sdc rows"({", ".join(names)})'


def as_text(value: Any) -> str:
    r"""Write a value of a column as DuckDB does when it casts it to text.

    >>> as_text(True), as_text(b"\x00a"), as_text(1.5)
    ('true', '\\x00a', '1.5')
    """
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return "".join(chr(byte) if 32 <= byte < 127 and byte not in b"\\'\"" else f"\\x{byte:02X}" for byte in value)
    return str(value)


def literal(value: Any) -> str:
    """Write a value as an SQL literal."""
    if value is None:
        return "NULL"
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return f"'{float(value)!r}'::DOUBLE"  # a text reads NaN and infinities, and never as a DECIMAL
    if isinstance(value, str | date | datetime | Decimal):
        return text_literal(str(value))
    if isinstance(value, Mapping):
        return f"map {{{', '.join(f'{literal(key)}: {literal(each)}' for key, each in value.items())}}}"
    if isinstance(value, Sequence | np.ndarray | set | frozenset):
        return f"[{', '.join(map(literal, value))}]"
    raise InternalError(f"a {type(value).__name__} in a result has no literal")
