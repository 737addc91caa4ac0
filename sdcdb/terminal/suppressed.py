"""Which values of an answer were suppressed.

A marked group keeps its keys and has NULL for its aggregates; the row of merged groups has NULL for its keys. Other
NULLs can stand beside them: the keys of subtotals, a MIN of nothing. Where the statement is a plain SELECT, its list
tells keys from aggregates. Where it works on aggregates further (a CTE, a subquery), this cannot be told from outside,
and every NULL may be one that was suppressed.
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
    if answer.merged:
        return frozenset(_nulls(_only_merged(answer), range(len(answer.columns))))
    columns = _aggregates(sql, len(answer.columns))
    if columns is None:
        return frozenset(_nulls(answer.rows, range(len(answer.columns))))
    return frozenset(_nulls([row if _all_null(row, columns) else () for row in answer.rows], columns))


def _only_merged(answer: Answer) -> list[Sequence[Any]]:
    return [row if n in answer.merged else () for n, row in enumerate(answer.rows)]


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
