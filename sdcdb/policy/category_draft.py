"""Shares of a category that its owner could declare public: rounded, and of every value."""

import json

import duckdb

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.fields.category_shares import MOST, NULL

FEWEST = 400  # people, of whom shares can be told at all


def propose_shares(con: duckdb.DuckDBPyConnection, table: str, column: str) -> str | None:
    """Return the shares of a category as a policy writes them; None for a table too small, or a column of many values.

    Shares are rounded to half a percent, and none is below that: how many people have a rare value does not show.
    """
    value, source = quoted(identifier(column)), quoted(table_reference(table))
    rows = con.execute(
        f"SELECT CAST({value} AS VARCHAR), count(*) AS n FROM {source} GROUP BY 1 ORDER BY n DESC, 1 LIMIT {MOST + 1}"
    ).fetchall()
    people = sum(number for _, number in rows)
    if people < FEWEST or not 2 <= len(rows) <= MOST or sum(number > 1 for _, number in rows) < len(rows) / 2:
        return None
    halves = [max(1, round(200 * number / people)) for _, number in rows]
    halves[0] += 200 - sum(halves)
    if halves[0] <= 0:
        return None
    parts = (f"{_key(text)}: {half / 2:g}%" for (text, _), half in zip(rows, halves, strict=True))
    return f"{{{', '.join(parts)}}}"


def _key(text: str | None) -> str:
    return NULL if text is None else json.dumps(text, ensure_ascii=False)
