"""Values as SQL literals: parameters, and what subqueries over public tables give."""

from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from typing import Any

from sqlglot import exp

from sdcdb.errors import Unsupported

Read = Callable[[exp.Expr], Sequence[Any]]
"""Runs a query over public tables and returns the values of its only column."""


def put_in_values(condition: exp.Expr, read: Read) -> exp.Expr:
    """Replace subqueries in a condition by the values that they give."""
    root = exp.Paren(this=condition)
    for node in list(root.find_all(exp.In)):
        query = node.args.get("query")
        if query is not None:
            values = read(query.this if isinstance(query, exp.Subquery) else query)
            node.replace(exp.In(this=node.this, expressions=[literal(v) for v in values]) if values else exp.false())
    for inner in list(root.find_all(exp.Subquery)):
        values = read(inner.this)
        if len(values) > 1:
            raise Unsupported("a subquery in a condition gives more than one value", "IN (SELECT ...)")
        inner.replace(literal(values[0]) if values else exp.null())
    found: exp.Expr = root.this
    return found


def literal(value: Any) -> exp.Expr:
    """Write a value as SQL."""
    if value is None:
        return exp.null()
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, str) and not value.isprintable() and any(_unspeakable(c) for c in value):
        raise Unsupported("a parameter holds a character that SQL texts cannot", "plain text")
    if isinstance(value, int | Decimal | float) and not _ordinary(value):
        raise Unsupported("a parameter is too large, too small, or no number", "an ordinary number")
    if isinstance(value, int | Decimal | float):
        text = f"{value:f}" if isinstance(value, Decimal) else repr(value)
        bare = exp.Literal.number(text.lstrip("-"))
        return exp.Paren(this=exp.Neg(this=bare)) if text.startswith("-") else bare
    if isinstance(value, datetime):
        return exp.cast(exp.Literal.string(value.isoformat(sep=" ")), "TIMESTAMP")
    if isinstance(value, date):
        return exp.cast(exp.Literal.string(value.isoformat()), "DATE")
    if isinstance(value, str):
        return exp.Literal.string(value)
    raise Unsupported(
        f"a parameter of type {type(value).__name__} is not understood", "numbers, texts, dates, true, false"
    )


def _ordinary(value: Decimal | float) -> bool:
    """Tell whether DuckDB reads the number as it is written: 128 bits, and no text of millions of digits."""
    if isinstance(value, int):
        return abs(value) < 10**38
    if isinstance(value, Decimal):
        return value.is_finite() and (not value or -38 < value.adjusted() < 38) and len(value.as_tuple().digits) < 77
    return isfinite(value) and (value == 0 or 1e-38 < abs(value) < 1e38)


def _unspeakable(character: str) -> bool:
    return character == "\0" or 0xD800 <= ord(character) < 0xE000
