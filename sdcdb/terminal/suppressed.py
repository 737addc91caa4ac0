"""Which values of an answer were suppressed.

A suppressed group keeps its keys and has NULL for its aggregates. Other NULLs may appear too: the keys of subtotals,
a MIN of nothing. In a plain SELECT, the select list distinguishes keys from aggregates. In a statement that computes
with aggregates (a CTE, a subquery) this is not visible from outside, and every NULL may be a suppressed value.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sdcdb.gateway.answer import Answer


def hidden(answer: Answer, sql: str) -> frozenset[tuple[int, int]]:
    """Return the row and column of every suppressed value of an answer."""
    if answer.verdict.kind != "suppress":
        return frozenset()
    columns = _aggregates(sql, len(answer.columns))
    if columns is None:
        return frozenset(_nulls(answer.rows, range(len(answer.columns))))
    return frozenset(_nulls([row if _all_null(row, columns) else () for row in answer.rows], columns))


def _nulls(rows: Sequence[Sequence[Any]], columns: Sequence[int]) -> Iterator[tuple[int, int]]:
    for n, row in enumerate(rows):
        yield from ((n, at) for at in columns if row and row[at] is None)


def _all_null(row: Sequence[Any], columns: Sequence[int]) -> bool:
    return all(row[at] is None for at in columns)


def _aggregates(sql: str, width: int) -> list[int] | None:
    """Return which columns of a plain SELECT contain aggregates; None when the statement is not a plain SELECT."""
    try:
        tree = sqlglot.parse_one(sql, read="duckdb")
    except (SqlglotError, RecursionError):
        return None
    while isinstance(tree, exp.SetOperation | exp.Subquery):
        tree = tree.this
    if not isinstance(tree, exp.Select) or tree.find(exp.CTE) or len(tree.expressions) != width:
        return None
    source = tree.args.get("from_")
    if source is None or not isinstance(source.this, exp.Table):
        return None
    found = [n for n, each in enumerate(tree.expressions) if each.find(exp.AggFunc) and not each.find(exp.Window)]
    return found or None
