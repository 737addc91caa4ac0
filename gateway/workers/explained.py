"""Joins, looked at before they run: how many pairs of rows would DuckDB's own plan compare?"""

import json
from typing import Any

import duckdb

_PAIRWISE = ("CROSS_PRODUCT", "NESTED_LOOP_JOIN", "BLOCKWISE_NL_JOIN", "POSITIONAL_JOIN")


def multiplies(cursor: duckdb.DuckDBPyConnection, sql: str, params: Any, most: int) -> bool:
    """Tell whether a join of the statement compares every row of one side with every row of the other, too many."""
    text = f"EXPLAIN (FORMAT json) {sql}"
    try:
        rows = (cursor.execute(text, params) if params else cursor.execute(text)).fetchall()
        plans = json.loads(rows[0][1])
    except (duckdb.ParserException, ValueError, LookupError):  # a statement that has no plan, such as SHOW
        return False
    return any(_pairs(plan)[1] > most for plan in plans)


def _pairs(root: dict[str, Any]) -> tuple[int, int]:
    """Return how many rows come out of a step of the plan, and the most pairs that one below or at it compares."""
    order, stack = [], [root]
    while stack:
        node = stack.pop()
        order.append(node)
        stack += node.get("children", [])
    found: dict[int, tuple[int, int]] = {}
    for node in reversed(order):
        below = [found[id(child)] for child in node.get("children", [])]
        product = 1
        for rows, _ in below:
            product *= max(rows, 1)
        pairwise = node.get("name", "").strip() in _PAIRWISE and len(below) > 1
        estimate = _estimate(node)
        rows = estimate if estimate is not None else product if pairwise else max((r for r, _ in below), default=1)
        found[id(node)] = rows, max([product if pairwise else 0, *(most for _, most in below)])
    return found[id(root)]


def _estimate(node: dict[str, Any]) -> int | None:
    text = str(node.get("extra_info", {}).get("Estimated Cardinality", "")).lstrip("~ ")
    return int(text) if text.isdigit() else None
