"""Joins of a restricted table to the restricted tables that it refers to, by the key that the policy declares.

An inner join leaves out records without a parent; a left join keeps them, with NULL for what the parent would have. No
other join of restricted tables is answered.
"""

from collections.abc import Mapping, Sequence

from sqlglot import exp

from sdcdb.connection.identifiers import fold, identifier
from sdcdb.errors import Unsupported
from sdcdb.gateway.reading.reserved import CELLS
from sdcdb.gateway.references import Parent
from sdcdb.gateway.relations import Reference, Relation, Restricted

Found = tuple[dict[str, Relation], list[exp.Join], list[exp.Expr]]


def with_parents(sources: Mapping[str, Relation], joins: Sequence[exp.Join]) -> Found:
    """Take restricted tables for parents of the one that refers to them.

    Returns the sources with the child first, the joins that are left, and conditions: that there is such a parent.
    """
    restricted = {alias: each for alias, each in sources.items() if isinstance(each, Restricted)}
    if len(restricted) == 1:
        return dict(sources), list(joins), []
    children = [alias for alias, each in restricted.items() if _refers_to_all(each, restricted, alias)]
    if len(children) != 1:
        raise Unsupported(
            "a restricted table is joined to a restricted table",
            "one restricted table in a SELECT, or one with those that the policy says it refers to",
        )
    child, own = children[0], restricted[children[0]]
    left, conditions = list(joins), list[exp.Expr]()
    found: dict[str, Relation] = {}
    first = next(iter(sources))
    for alias, each in restricted.items():
        if alias == child:
            continue
        reference = next(ref for ref in own.refers if ref.parent == each.name)
        join = _of(left, child if alias == first else alias)
        _must_be_by_key(join, reference, child, alias)
        if _is_inner(join, child_joined=alias == first):
            conditions.append(exp.Column(this=identifier(reference.known), table=identifier(CELLS)))
        left.remove(join)
        found[alias] = Parent.of(each, reference)
    # A parent that stands first changes places with the child: with inner joins the order says nothing.
    order = [child, *(alias for alias in sources if alias != child)] if first in found else list(sources)
    return {alias: found.get(alias, sources[alias]) for alias in order}, left, conditions


def _refers_to_all(table: Restricted, restricted: Mapping[str, Restricted], alias: str) -> bool:
    parents = {each.parent for each in table.refers}
    return all(other == alias or each.name in parents for other, each in restricted.items())


def _of(joins: Sequence[exp.Join], alias: str) -> exp.Join:
    found = [join for join in joins if fold(join.this.alias or join.this.name) == alias]
    if len(found) != 1:
        raise Unsupported("this join of restricted tables is not understood", "child JOIN parent USING (key)")
    return found[0]


def _is_inner(join: exp.Join, *, child_joined: bool) -> bool:
    side, kind = (join.args.get("side") or "").upper(), (join.args.get("kind") or "").upper()
    others = {
        name for name, value in join.args.items() if value and name not in {"this", "on", "using", "side", "kind"}
    }
    inner = not side and kind in {"", "INNER"}
    left = side == "LEFT" and kind in {"", "OUTER"} and not child_joined
    if others or not (inner or left):
        raise Unsupported("only inner joins, and left joins that keep the child's records, are answered", "JOIN ... ON")
    return inner


def _must_be_by_key(join: exp.Join, reference: Reference, child: str, parent: str) -> None:
    """Refuse a join by anything but the declared key."""
    wanted = {(child, fold(reference.column)), (parent, fold(reference.key))}
    using, on = join.args.get("using"), join.args.get("on")
    while isinstance(on, exp.Paren):
        on = on.this
    if using and not on:
        names = {fold(each.name) for each in using}
        fine = len(using) == 1 and names == {fold(reference.column)} == {fold(reference.key)}
    else:
        sides = [on.this, on.expression] if isinstance(on, exp.EQ) else []
        fine = len(sides) == 2 and all(isinstance(each, exp.Column) and not each.args.get("db") for each in sides)
        fine = fine and {(fold(each.table), fold(each.name)) for each in sides} == wanted
    if not fine:
        raise Unsupported(
            f"{reference.parent} is joined by the key that the policy declares, and by nothing else",
            f"JOIN {reference.parent} ON {child}.{reference.column} = {parent}.{reference.key}",
        )
