"""PostgreSQL's functions and operators that DuckDB spells otherwise."""

import re

from sqlglot import exp

from sdcdb.connection.identifiers import fold
from sdcdb.gateway.server.postgres.problem import Refusal

_QUOTING = {"%I": "quote_ident", "%L": "quote_literal"}


def unclear() -> Refusal:
    """Return the refusal of a statement about the catalogue that is not understood."""
    return Refusal("0A000", "this statement is not understood here", "rule: shape", "a plainer SELECT")


def rewrite_function(node: exp.Expr) -> None:
    """Rewrite a function or operator, if it is one of those; refuse what has no counterpart."""
    match node:
        case exp.Operator():
            _operator(node)
        case exp.Format():
            _format(node)
        case exp.Any():
            _any(node)
        case exp.Substring():
            _substring(node)
        case exp.Anonymous() | exp.JSONObject() if fold(node.name) == "json_build_object":
            node.set("this", "json_object")
        case exp.Anonymous() if fold(node.name) == "row_to_json":
            node.set("this", "to_json")
        case exp.JSONArrayAgg():
            node.replace(exp.Anonymous(this="json_group_array", expressions=[node.this.copy()]))


def _operator(node: exp.Operator) -> None:
    """Rewrite `a OPERATOR(pg_catalog.~) b`."""
    sign = str(node.args.get("operator") or "").rsplit(".", 1)[-1].strip()
    left, right = node.this, node.expression
    match sign:
        case "~":
            node.replace(exp.RegexpLike(this=left, expression=right))
        case "~*":
            node.replace(exp.RegexpLike(this=left, expression=right, flag=exp.Literal.string("i")))
        case "!~":
            node.replace(exp.Not(this=exp.RegexpLike(this=left, expression=right)))
        case "=":
            node.replace(exp.EQ(this=left, expression=right))
        case "~~":
            node.replace(exp.Like(this=left, expression=right))
        case _:
            raise unclear()


def _any(node: exp.Any) -> None:
    """`x = ANY(ARRAY(SELECT ...))` is `x = ANY(SELECT ...)`, which DuckDB reads."""
    inner = node.this.unnest() if isinstance(node.this, exp.Paren) else node.this
    if isinstance(inner, exp.Array) and len(inner.expressions) == 1 and isinstance(inner.expressions[0], exp.Query):
        node.set("this", exp.Subquery(this=inner.expressions[0].copy()))


def _substring(node: exp.Substring) -> None:
    """`substring(x FROM 'pattern')` gives what is in the pattern's parentheses."""
    pattern = node.args.get("start")
    if isinstance(pattern, exp.Literal) and pattern.is_string:
        group = exp.Literal.number(1 if "(" in str(pattern.this) else 0)
        node.replace(exp.Anonymous(this="regexp_extract", expressions=[node.this.copy(), pattern.copy(), group]))


def _format(node: exp.Format) -> None:
    """Rewrite `format('%I.%I', a, b)`: what is not a plain template is not understood."""
    template, values = node.this, list(node.expressions)
    if not (isinstance(template, exp.Literal) and template.is_string):
        raise unclear()
    parts: list[exp.Expr] = []
    for piece in re.split(r"(%[sIL%])", str(template.this)):
        if piece in {"%s", "%I", "%L"}:
            if not values:
                raise unclear()
            value = exp.cast(values.pop(0).copy(), "VARCHAR", dialect="duckdb")
            parts.append(value if piece == "%s" else exp.func(_QUOTING[piece], value))
        elif piece:
            parts.append(exp.Literal.string("%" if piece == "%%" else piece))
    node.replace(exp.func("concat", *parts, dialect="duckdb"))
