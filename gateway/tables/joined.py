"""Joins of cells to public tables, bounded before they run: how many pairs of rows can they make?

A join on equal columns makes, for each cell, at most as many pairs as rows of the public table share their values of
those columns. Any other join makes as many as the public table has rows.
"""

import duckdb
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.gateway.reading.block import Block, Join
from sdcdb.gateway.rules.table import denied
from sdcdb.gateway.tables.cells import Cells

MOST_PAIRS = 20_000_000


def must_not_multiply(cursor: duckdb.DuckDBPyConnection, block: Block, cells: Cells) -> None:
    """Refuse a block whose joins could make too many pairs."""
    pairs = max(cells.size, 1)
    conditions = [*(join.on for join in block.joins if not join.left), *([block.where] if block.where else [])]
    for join in block.joins:
        pairs *= _most_partners(cursor, join, [join.on] if join.left else conditions)
        if pairs > MOST_PAIRS:
            raise denied("joins")


def _most_partners(cursor: duckdb.DuckDBPyConnection, join: Join, conditions: list[exp.Expr]) -> int:
    """Return the most rows of a public table that one row beside it can be paired with."""
    name = quoted(table_reference(join.relation.name))
    keys = sorted({key for condition in conditions for key in _equal_columns(condition, join.alias)})
    if not keys:
        sql = f"SELECT count(*) FROM {name}"
    else:
        listed = ", ".join(quoted(identifier(key)) for key in keys)
        sql = f"SELECT max(n) FROM (SELECT count(*) AS n FROM {name} GROUP BY {listed})"
    (found,) = cursor.execute(sql).fetchone() or (0,)
    return max(int(found or 0), 1)


def _equal_columns(condition: exp.Expr, alias: str) -> set[str]:
    """Return the columns of a table that the condition sets equal to a column of another one."""
    found: set[str] = set()
    for term in _terms(condition):
        if isinstance(term, exp.EQ):
            sides = [_bare(term.this), _bare(term.expression)]
            for own, other in (sides, sides[::-1]):
                if isinstance(own, exp.Column) and own.table == alias and _elsewhere(other, alias):
                    found.add(own.name)
    return found


def _elsewhere(tree: exp.Expr, alias: str) -> bool:
    return not any(column.table == alias for column in tree.find_all(exp.Column))


def _terms(condition: exp.Expr) -> list[exp.Expr]:
    """Return the terms of a conjunction."""
    found, pending = [], [condition]
    while pending:
        node = _bare(pending.pop())
        if isinstance(node, exp.And):
            pending += [node.this, node.expression]
        else:
            found.append(node)
    return found


def _bare(tree: exp.Expr) -> exp.Expr:
    while isinstance(tree, exp.Paren):
        tree = tree.this
    return tree
