"""What to try instead of a denied statement, as statements ready to be asked.

They follow from the words of the statement and from what may be named: never from the data, so that a suggestion tells
nothing that its reader could not have thought of.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sdcdb.connection.identifiers import fold
from sdcdb.gateway.relations import Relation, Relations

MOST = 4
_WIDER = 5  # by which a single number becomes a range


@dataclass(frozen=True)
class Suggestion:
    """What it changes, in words, and the statement."""

    words: str
    sql: str


def suggest(sql: str, relations: Relations, views: Mapping[str, tuple[str, ...]]) -> list[Suggestion]:
    """Return statements that are more likely to be answered; `views` are the protected views of each table."""
    try:
        tree = sqlglot.parse_one(sql, read="duckdb")
    except (SqlglotError, RecursionError, ValueError):
        return []
    if not isinstance(tree, exp.Select):
        return []
    found = [*_coarser(tree), *_wider(tree), *_without_condition(tree), *_from_view(tree, relations, views)]
    return [each for n, each in enumerate(found) if each.sql not in {other.sql for other in found[:n]}][:MOST]


def _coarser(tree: exp.Select) -> Iterator[Suggestion]:
    """Yield the statement grouped by all but its last column."""
    group = tree.args.get("group")
    keys = group.expressions if group is not None else []
    if group is None or len(keys) < 2 or any(group.args.get(kind) for kind in ("rollup", "cube", "grouping_sets")):
        return
    last = keys[-1]
    merged = tree.copy()
    merged.set("group", exp.Group(expressions=[key.copy() for key in keys[:-1]]))
    merged.set("expressions", [each for each in merged.expressions if each.unalias() != last])
    order = merged.args.get("order")
    if order is not None:
        kept = [each for each in order.expressions if each.this != last]
        merged.set("order", exp.Order(expressions=kept) if kept else None)
    yield Suggestion(f"merge groups: leave out {last.sql('duckdb')}", _text(merged))


def _wider(tree: exp.Select) -> Iterator[Suggestion]:
    """Yield the statement with its last range of numbers, or its last number, made wider."""
    where = tree.args.get("where")
    ranges = list(where.find_all(exp.Between, exp.EQ)) if where is not None else []
    for found in ranges:
        low, high = (
            (found.args["low"], found.args["high"]) if isinstance(found, exp.Between) else [found.expression] * 2
        )
        ends = _number(low), _number(high)
        if not isinstance(found.this, exp.Column) or ends[0] is None or ends[1] is None:
            continue
        by = max(_WIDER, round((ends[1] - ends[0]) / 2))
        wider = exp.Between(
            this=found.this.copy(), low=exp.Literal.number(ends[0] - by), high=exp.Literal.number(ends[1] + by)
        )
        changed = tree.copy()
        twin = next(each for each in changed.args["where"].find_all(exp.Between, exp.EQ) if each == found)
        twin.replace(wider)
        yield Suggestion(f"a wider range of {found.this.sql('duckdb')}", _text(changed))
        return


def _without_condition(tree: exp.Select) -> Iterator[Suggestion]:
    """Yield the statement without the last of several conditions."""
    where = tree.args.get("where")
    if where is None or not isinstance(where.this, exp.And):
        return
    changed = tree.copy()
    changed.args["where"].set("this", where.this.this.copy())
    yield Suggestion(f"without the condition {where.this.expression.sql('duckdb')}", _text(changed))


def _from_view(tree: exp.Select, relations: Relations, views: Mapping[str, tuple[str, ...]]) -> Iterator[Suggestion]:
    """Yield the statement on a protected view that has every column it names."""
    columns = {fold(column.name) for column in tree.find_all(exp.Column)}
    for table in tree.find_all(exp.Table):
        known = relations.find(table.db, table.name)
        for name in views.get(known.name, ()) if known is not None and known.kind == "restricted" else ():
            view = relations.find("", name)
            if view is not None and _has(view, columns, relations, tree):
                changed = tree.copy()
                for each in list(changed.find_all(exp.Table)):
                    if each == table:
                        alias = each.alias_or_name
                        each.replace(exp.to_table(name, dialect="duckdb").as_(alias, quoted=False, table=True))
                yield Suggestion(f"from {name}, the protected view: perturbed values, any question", _text(changed))
                return


def _has(view: Relation, columns: set[str], relations: Relations, tree: exp.Select) -> bool:
    others = [relations.find(table.db, table.name) for table in tree.find_all(exp.Table)]
    elsewhere = {fold(c) for each in others if each is not None and each.kind != "restricted" for c in each.columns}
    aliases = {fold(each.alias) for each in tree.expressions if isinstance(each, exp.Alias)}
    return columns - elsewhere - aliases <= {fold(column) for column in view.columns}


def _number(node: exp.Expr) -> int | None:
    text = node.name if isinstance(node, exp.Literal) and not node.is_string else ""
    return int(text) if text.isdigit() else None


def _text(tree: exp.Expr) -> str:
    return tree.sql(dialect="duckdb", pretty=True)
