"""Values as SQL literals: parameters, and what subqueries over public tables give."""

from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from math import isfinite
from types import NoneType
from typing import Any
from uuid import UUID

from sqlglot import exp

from sdcdb.errors import Unsupported

_PLAIN = frozenset({NoneType, bool, int, float, Decimal, str, bytes, date, datetime, time, timedelta, UUID})
_DEEPEST = 20
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


def must_be_plain(params: Any) -> None:
    """Refuse parameters that are not plain values. Types count exactly: a subclass can be anything inside."""
    if type(params) not in {NoneType, list, tuple, dict}:
        raise Unsupported("parameters are a list of values, or names with values", "[value, ...] or {name: value}")
    pending: list[tuple[Any, int]] = [(params, 0)]
    while pending:
        value, depth = pending.pop()
        if type(value) is dict:
            if depth > _DEEPEST or any(type(key) is not str for key in value):
                raise Unsupported("a parameter is not plain values under names", "{name: value}")
            pending += [(each, depth + 1) for each in value.values()]
        elif type(value) in {list, tuple}:
            if depth > _DEEPEST:
                raise Unsupported("a parameter is nested too deep", "a flat list")
            pending += [(each, depth + 1) for each in value]
        elif type(value) not in _PLAIN:
            raise Unsupported(
                f"a parameter of type {type(value).__name__} is not understood",
                "plain numbers, texts, dates, true, false: int(value) or str(value) makes one",
            )
        elif type(value) is str and any(_unspeakable(character) for character in value):
            raise Unsupported("a parameter holds a character that SQL texts cannot", "plain text")


def literal(value: Any) -> exp.Expr:
    """Write a value as SQL. Types count exactly: a subclass of a plain type is refused."""
    must_be_plain([value])
    if value is None:
        return exp.null()
    if type(value) is bool:
        return exp.Boolean(this=value)
    if type(value) in {int, Decimal, float}:
        return _number(value)
    if type(value) is datetime and value.tzinfo is None:
        return exp.cast(exp.Literal.string(value.isoformat(sep=" ")), "TIMESTAMP")
    if type(value) is date:
        return exp.cast(exp.Literal.string(value.isoformat()), "DATE")
    if type(value) is str:
        return exp.Literal.string(value)
    raise Unsupported(
        f"a parameter of type {type(value).__name__} is not understood here",
        "numbers, texts, dates, true, false; a time without a zone",
    )


def _number(value: float | Decimal) -> exp.Expr:
    """Write a number in the type that DuckDB gives to such a parameter: 0.5 alone would be a DECIMAL."""
    if not _ordinary(value):
        raise Unsupported("a parameter is too large, too small, or no number", "an ordinary number")
    text = f"{value:f}" if isinstance(value, Decimal) else repr(value)
    if type(value) is float and "e" not in text:
        text += "e0"
    bare = exp.Literal.number(text.lstrip("-"))
    return exp.Paren(this=exp.Neg(this=bare)) if text.startswith("-") else bare


def _ordinary(value: Decimal | float) -> bool:
    """Tell whether DuckDB reads the number as it is written: 128 bits, and no text of millions of digits."""
    if isinstance(value, int):
        return abs(value) < 10**38
    if isinstance(value, Decimal):
        return value.is_finite() and (not value or -38 < value.adjusted() < 38) and len(value.as_tuple().digits) < 77
    return isfinite(value) and (value == 0 or 1e-38 < abs(value) < 1e38)


def _unspeakable(character: str) -> bool:
    return character == "\0" or 0xD800 <= ord(character) < 0xE000
