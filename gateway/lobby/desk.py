"""The desk: an empty DuckDB in this process, for statements that only show a few released numbers.

Such a statement chooses, orders and computes with arithmetic on a bounded number of rows; it has no function that could
take long or grow. In a worker it would take a millisecond or two more.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import duckdb
from sqlglot import exp

from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.deadline import deadline
from sdcdb.gateway.lobby.released import Released, view_of, with_literals
from sdcdb.gateway.reading.duckdb_parser import LOCKED
from sdcdb.gateway.reading.reserved import is_released_relation
from sdcdb.gateway.reading.statement import Statement
from sdcdb.gateway.workers.process import Rows

MOST_NODES = 400
MOST_CELLS = 200_000  # rows times members of the SELECT list
_PLAIN = frozenset(
    {
        *(exp.Select, exp.From, exp.Table, exp.TableAlias, exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.Having),
        *(
            exp.Where,
            exp.Column,
            exp.Identifier,
            exp.Literal,
            exp.Boolean,
            exp.Null,
            exp.Paren,
            exp.Alias,
            exp.Distinct,
        ),
        *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.Abs, exp.Round, exp.Floor, exp.Ceil),
        *(exp.GT, exp.GTE, exp.LT, exp.LTE, exp.EQ, exp.NEQ, exp.Between, exp.In, exp.Is, exp.And, exp.Or, exp.Not),
        *(exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Cast, exp.DataType, exp.DataTypeParam),
    }
)


@cache
def _instance() -> duckdb.DuckDBPyConnection:
    """Start the instance, once in a process: it holds nothing from one statement to the next, whoever asks.

    Each statement has a connection of its own. Starting it takes a tenth of the time that opening a gateway takes.
    """
    con = duckdb.connect(config={**LOCKED, "memory_limit": "256MB", "threads": 1, "temp_directory": ""})
    con.execute("SET lock_configuration = true")
    return con


class Desk:
    """Where such statements run. Safe to use from many threads."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    @staticmethod
    def takes(statement: Statement, released: Mapping[str, Released]) -> bool:
        """Tell whether a statement does no more than show released results: its work is bounded by their size."""
        tree = statement.tree
        if not isinstance(tree, exp.Select) or statement.reads or len(released) != 1:
            return False
        source = tree.args.get("from_")
        if source is None or not is_released_relation(source.this.name) or tree.args.get("with_"):
            return False
        (result,) = released.values()
        if len(result.rows) * (len(tree.expressions) + 1) > MOST_CELLS:
            return False
        for number, node in enumerate(tree.walk()):
            if number > MOST_NODES or type(node) not in _PLAIN or (node is not tree and isinstance(node, exp.Select)):
                return False
        return True

    def run(self, statement: Statement, released: Mapping[str, Released], cancellation: Cancellation) -> Rows:
        """Run such a statement."""
        sql = with_literals(statement.tree, released) if statement.tree is not None else None
        cursor = _instance().cursor()
        try:
            if sql is None:
                for name, result in released.items():
                    cursor.register(f"{name} rows", result.rows)
                    cursor.execute(view_of(name, result))
            with deadline(cursor, self._seconds, cancellation):
                ran = cursor.execute(sql or statement.sql())
                rows: list[tuple[Any, ...]] = ran.fetchall()
            shape = ran.description or []
        finally:
            cursor.close()
        return Rows(tuple(c[0] for c in shape), tuple(str(c[1]) for c in shape), tuple(rows))
