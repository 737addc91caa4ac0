"""Which confidential values a statement shows directly, rather than as aggregates.

This looks at statements that the gateway's facts do not cover, in any dialect that sqlglot reads. It follows columns
through subqueries and CTEs to the result. Wherever it is not sure, it says so.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.eliminate_ctes import eliminate_ctes
from sqlglot.optimizer.merge_subqueries import merge_subqueries
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, traverse_scope

from sdcdb.gateway.relations import Relations, Restricted

VALUES = (
    exp.ArrayAgg, exp.ArrayUniqueAgg, exp.GroupConcat, exp.ArgMax, exp.ArgMin, exp.First, exp.Last, exp.FirstValue,
    exp.LastValue, exp.NthValue, exp.AnyValue, exp.Mode, exp.Median, exp.Quantile, exp.PercentileCont,
    exp.PercentileDisc, exp.JSONArrayAgg, exp.JSONObjectAgg, exp.Lag, exp.Lead,
)  # fmt: skip
"""Aggregates that return values unchanged. Others, such as a variance, are unsafe but no direct read."""


@dataclass(frozen=True)
class Reading:
    """The restricted tables that a statement names, and the confidential columns whose values its result shows.

    `linked`: other columns of the result say whose they are. `whole`: each value is shown, not only the one that a
    function such as a median picks.
    """

    tables: frozenset[str]
    shown: frozenset[tuple[str, str]]
    linked: bool
    whole: bool = False


def named_tables(tree: exp.Expr, relations: Relations) -> list[Restricted]:
    """Return the restricted tables that a statement names anywhere."""
    found = (relations.find(table.db, table.name) for table in tree.find_all(exp.Table))
    return [relation for relation in found if isinstance(relation, Restricted)]


def reading(tree: exp.Expr, relations: Relations, hidden: Mapping[str, frozenset[str]]) -> Reading:
    """Follow confidential columns to the result of a statement; `hidden` are those of each table."""
    tables = frozenset(table.name for table in named_tables(tree, relations))
    outputs: dict[int, _Output] = {}
    last = _Output({}, linked=False)
    try:
        for scope in traverse_scope(tree):
            last = _output(scope, relations, hidden, outputs)
            outputs[id(scope.expression)] = last
    except (SqlglotError, RecursionError, AttributeError, KeyError):
        return Reading(tables, frozenset(), linked=False)
    shown = frozenset(pair for pairs in last.columns.values() for pair in pairs)
    return Reading(tables, shown, last.linked, _whole(tree))


def _whole(tree: exp.Expr) -> bool:
    """Return whether the result consists of plain columns and lists of them, with nothing computed."""
    return all(
        projection.is_star
        or isinstance(bare := projection.unalias(), exp.Column | exp.Literal)
        or (isinstance(bare, exp.ArrayAgg | exp.GroupConcat) and isinstance(bare.this, exp.Column))
        for query in tree.find_all(exp.Select)
        for projection in query.selects
    )


@dataclass(frozen=True)
class _Output:
    """Of a query's output columns, those that show confidential values, and whether another column names people."""

    columns: Mapping[str, frozenset[tuple[str, str]]]
    linked: bool


def _output(
    scope: Scope, relations: Relations, hidden: Mapping[str, frozenset[str]], outputs: dict[int, _Output]
) -> _Output:
    query = scope.expression
    if isinstance(query, exp.SetOperation):
        sides = [outputs.get(id(side.unnest()), _Output({}, linked=False)) for side in (query.left, query.right)]
        merged: dict[str, frozenset[tuple[str, str]]] = {}
        for position, name in enumerate(n for side in sides for n in side.columns):
            pairs = frozenset[tuple[str, str]]().union(*(side.columns.get(name, frozenset()) for side in sides))
            merged[f"{name} {position}"] = pairs
        return _Output(merged, any(side.linked for side in sides))
    sources = {alias.casefold(): _source(source, relations, hidden, outputs) for alias, source in scope.sources.items()}
    columns: dict[str, frozenset[tuple[str, str]]] = {}
    linked = False
    for position, projection in enumerate(getattr(query, "selects", [])):
        name = (projection.alias_or_name or f"column {position}").casefold()
        if projection.is_star:
            for source in sources.values():
                columns |= {each: pairs for each, pairs in source.columns.items() if pairs}
                linked = linked or source.linked
            continue
        pairs = frozenset(_bare_columns(projection, sources))
        if pairs:
            columns[name] = pairs
        elif any(_names_people(column, sources) for column in _outside_aggregates(projection)):
            linked = True
    return _Output(columns, linked)


@dataclass(frozen=True)
class _Source:
    columns: Mapping[str, frozenset[tuple[str, str]]]
    people: frozenset[str]
    linked: bool


def _source(
    source: object, relations: Relations, hidden: Mapping[str, frozenset[str]], outputs: dict[int, _Output]
) -> _Source:
    if isinstance(source, exp.Table):
        relation = relations.find(source.db, source.name)
        if isinstance(relation, Restricted):
            pairs = {name.casefold(): frozenset({(relation.name, name)}) for name in hidden[relation.name]}
            return _Source(pairs, frozenset(name.casefold() for name in relation.quasi), linked=True)
        return _Source({}, frozenset(), linked=False)
    output = outputs.get(id(source.expression)) if isinstance(source, Scope) else None
    if output is None:
        return _Source({}, frozenset(), linked=False)
    return _Source(output.columns, frozenset(), output.linked)


def _outside_aggregates(tree: exp.Expr) -> Iterator[exp.Column]:
    for column in tree.find_all(exp.Column):
        parent = column.parent
        inside = False
        while parent is not None and parent is not tree.parent:
            if isinstance(parent, exp.AggFunc) and not isinstance(parent, VALUES):
                inside = True
            parent = parent.parent
        if not inside:
            yield column


def _bare_columns(tree: exp.Expr, sources: Mapping[str, _Source]) -> Iterator[tuple[str, str]]:
    for column in _outside_aggregates(tree):
        table, name = column.table.casefold(), column.name.casefold()
        for alias, source in sources.items():
            if table in ("", alias):
                yield from source.columns.get(name, ())


def _names_people(column: exp.Column, sources: Mapping[str, _Source]) -> bool:
    table, name = column.table.casefold(), column.name.casefold()
    return any(table in ("", alias) and (name in source.people or source.linked) for alias, source in sources.items())


def merged(tree: exp.Expr, relations: Relations) -> exp.Expr | None:
    """Merge subqueries and CTEs into the outer query; None when there are none, or it cannot be done."""
    if all(query is tree for query in tree.find_all(exp.Select)):
        return None
    schema: dict[str, object] = {relation.path[1]: dict(relation.columns) for relation in relations.all}
    try:
        named = qualify(tree.copy(), schema=schema, dialect="duckdb", validate_qualify_columns=False)
        return eliminate_ctes(merge_subqueries(named))
    except (SqlglotError, RecursionError, AttributeError, KeyError):
        return None
