"""What tools write around groups that are there already, taken away: every row of it is a group of its own.

    SELECT dept, SUM(n) FROM (SELECT dept, COUNT(*) AS n FROM staff GROUP BY dept) AS t GROUP BY dept
    -> SELECT dept, CAST(n AS HUGEINT) FROM (SELECT dept, COUNT(*) AS n FROM staff GROUP BY dept) AS t

    SELECT DISTINCT dept FROM staff
    -> SELECT dept FROM staff GROUP BY dept

Whoever groups by all keys of the groups inside computes nothing further, so groups that are not shown do not matter to
the others. Values and types stay those of the statement as it was written; anything else is left alone.
"""

import re

from sqlglot import exp

from sdcdb.connection.identifiers import fold
from sdcdb.gateway.relations import Relations, Restricted

_SAME = (exp.Min, exp.Max, exp.AnyValue)
_OUTER = frozenset({"expressions", "from_", "group", "order", "limit", "offset"})
_SUMMED = (exp.Count, exp.Sum, exp.Avg)  # whose sum has a type that is known here
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")
_DISTINCT = frozenset({"expressions", "from_", "where", "order", "limit", "offset", "distinct", "joins"})


def regroup(root: exp.Expr, relations: Relations) -> None:
    """Take needless groups away in a tree, in place."""
    for select in list(root.find_all(exp.Select)):
        if _lists_values(select, relations):
            select.set("distinct", None)
            select.set("group", exp.Group(expressions=[each.unalias().copy() for each in select.expressions]))
        elif (found := _inner(select)) is not None:
            _take_away(select, found)


def _lists_values(select: exp.Select, relations: Relations) -> bool:
    """Tell whether this is SELECT DISTINCT over columns of a restricted table."""
    distinct = select.args.get("distinct")
    if distinct is None or distinct.args.get("on") or _others(select, _DISTINCT):
        return False
    source = select.args["from_"].this if select.args.get("from_") else None
    if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
        return False
    if not isinstance(relations.find(source.db, source.name), Restricted):
        return False
    return all(isinstance(each.unalias(), exp.Column) and not each.is_star for each in select.expressions)


def _inner(select: exp.Select) -> exp.Select | None:
    """Return the groups inside a SELECT that reads them and nothing else."""
    source = select.args["from_"].this if select.args.get("from_") else None
    if not select.args.get("group") or _others(select, _OUTER) or not isinstance(source, exp.Subquery):
        return None
    alias = source.args.get("alias")
    if any(value for name, value in source.args.items() if name not in {"this", "alias"} and value):
        return None
    inner = source.this
    named = alias is not None and alias.args.get("columns")
    return inner if isinstance(inner, exp.Select) and inner.args.get("group") and not named else None


def _take_away(select: exp.Select, inner: exp.Select) -> None:
    listed = {fold(each.alias_or_name): each.unalias() for each in inner.expressions}
    keys = _keys(inner, list(listed.items()))
    if keys is None or len(listed) < len(inner.expressions):
        return
    own = [_key(each, select) for each in _plain_groups(select) or ()]
    if not own or None in own or set(own) != keys:
        return
    shown = [_shown(each, listed, keys) for each in select.expressions]
    labels = keys | {fold(each.alias_or_name) for each in select.expressions}
    order = select.args.get("order")
    ordered = order is None or all(
        isinstance(each.this, exp.Literal) or (isinstance(each.this, exp.Column) and fold(each.this.name) in labels)
        for each in order.expressions
    )
    if ordered and None not in shown:
        select.set("group", None)
        select.set("expressions", shown)


def _shown(part: exp.Expr, listed: dict[str, exp.Expr], keys: set[str]) -> exp.Expr | None:
    """Return a member of the SELECT list without its aggregate, under the same name; None where that is not known."""
    inside = part.unalias()
    if isinstance(inside, exp.Column):
        return part.copy() if fold(inside.name) in keys and not part.is_star else None
    if not isinstance(inside, exp.AggFunc) or (value := _value(inside, listed)) is None:
        return None
    if isinstance(part, exp.Alias):
        return exp.Alias(this=value, alias=part.args["alias"].copy())
    column = inside.this
    plain = not column.table and _PLAIN.fullmatch(column.name)
    return exp.alias_(value, f"{inside.sql_name().lower()}({column.name})", quoted=True) if plain else None


def _plain_groups(select: exp.Select) -> list[exp.Expr] | None:
    group = select.args["group"]
    more = any(value for name, value in group.args.items() if name != "expressions" and value)
    return None if more else list(group.expressions)


def _keys(inner: exp.Select, listed: list[tuple[str, exp.Expr]]) -> set[str] | None:
    """Return the names of the keys; None if one of them is not in the SELECT list."""
    found = set()
    for each in _plain_groups(inner) or ():
        if isinstance(each, exp.Literal):
            at = int(each.name) - 1 if each.is_int else -1
            name = listed[at][0] if 0 <= at < len(listed) else None
        else:
            same = [name for name, value in listed if value == each]
            alias = fold(each.name) if isinstance(each, exp.Column) and not each.table else None
            name = same[0] if same else alias if alias in dict(listed) else None
        if name is None:
            return None
        found.add(name)
    return found or None


def _key(node: exp.Expr, select: exp.Select) -> str | None:
    """Return the column inside that a key of the outer SELECT is, by its name or by its place in the list."""
    if isinstance(node, exp.Literal):
        at = int(node.name) - 1 if node.is_int else -1
        node = select.expressions[at].unalias() if 0 <= at < len(select.expressions) else node
    return fold(node.name) if isinstance(node, exp.Column) else None


def _value(node: exp.AggFunc, listed: dict[str, exp.Expr]) -> exp.Expr | None:
    """Return what an aggregate of one value is, in its type; None where that is not known."""
    column = node.this
    if not isinstance(column, exp.Column) or fold(column.name) not in listed:
        return None
    if any(value for name, value in node.args.items() if name != "this" and value):
        return None
    inside = listed[fold(column.name)]
    if isinstance(node, _SAME):
        return column.copy()
    if not isinstance(node, exp.Sum | exp.Avg) or not isinstance(inside, _SUMMED):
        return None
    if isinstance(node, exp.Avg):
        return exp.cast(column.copy(), "DOUBLE", dialect="duckdb")
    return exp.cast(column.copy(), "HUGEINT", dialect="duckdb") if isinstance(inside, exp.Count) else column.copy()


def _others(select: exp.Select, known: frozenset[str]) -> bool:
    return any(value for name, value in select.args.items() if name not in known and value)
