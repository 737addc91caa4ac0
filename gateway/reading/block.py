"""A block: a SELECT that reads a restricted table, as frozen facts; and what takes its place in the lobby.

Everything that a block computes counts as disclosed: its aggregates for every group that its WHERE and GROUP BY make,
before HAVING, ORDER BY or LIMIT choose among them. Those stay with the rest of the statement and run in the lobby, on
the released results.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from sdcdb.connection.identifiers import fold, identifier
from sdcdb.errors import Unsupported
from sdcdb.gateway.reading import validated
from sdcdb.gateway.reading.aggregate import Measure, aggregate
from sdcdb.gateway.reading.category import category_of
from sdcdb.gateway.reading.declared_joins import with_parents
from sdcdb.gateway.reading.duckdb_parser import aggregate_names
from sdcdb.gateway.reading.grouping import Grouping, aliases, grouping
from sdcdb.gateway.reading.reserved import released_aggregate, released_group, released_relation
from sdcdb.gateway.reading.resolution import Names
from sdcdb.gateway.references import Parent
from sdcdb.gateway.relations import Relation, Relations, Restricted, unknown

_REWRITTEN = ("having", "qualify", "order", "distinct")
_PARTS = frozenset({"expressions", "from_", "joins", "where", "group", "limit", "offset", "with_", *_REWRITTEN})


@dataclass(frozen=True)
class Join:
    """A public table beside the restricted one; `on` in the vault's names."""

    relation: Relation
    alias: str
    on: exp.Expr
    left: bool


@dataclass(frozen=True)
class Block:
    """The facts of one block."""

    number: int
    names: Names
    joins: tuple[Join, ...]
    where: exp.Expr | None
    grouping: Grouping
    measures: tuple[Measure, ...]
    category: str | None = None
    """The confidential category by whose values it counts."""

    @property
    def table(self) -> Restricted:
        """The restricted table that it reads."""
        return self.names.table

    @property
    def released(self) -> str:
        """The name under which the lobby finds its results."""
        return released_relation(self.number)


Literals = Callable[[exp.Expr], exp.Expr]
"""Replaces subqueries over public tables by the values that they give."""


def block(select: exp.Select, relations: Relations, number: int, literals: Literals) -> Block:
    """Read the facts of a SELECT on a restricted table, and rewrite it in place to read the released results."""
    for name, value in select.args.items():
        if name not in _PARTS and value:
            raise Unsupported(f"this part of a SELECT is not answered: {name.strip('_')}", "a plain SELECT")
    if select.args.get("with_") is not None and select.parent is not None:
        raise Unsupported("this form of SELECT is not understood", "a plain SELECT")
    names, joins, conditions = _sources(select, relations)
    where = select.args.get("where")
    if where is not None:
        conditions.append(exp.Paren(this=validated.condition(literals(_unfolded(where.this, select, names)), names)))
    condition = exp.and_(*conditions) if conditions else None
    groups = grouping(select, names)
    rewriter = _Rewriter(select, names, groups)
    rewriter.run()
    if not groups.grouped and not rewriter.measures:
        raise Unsupported("single records of a restricted table are never shown", "ask for AVG, SUM or COUNT")
    measures = rewriter.measures or [Measure("rows")]
    _replace_source(select, number, where_was=rewriter.having)
    joined = [join.on for join in joins]
    category = category_of(names.table, [condition, *groups.expressions], joined, measures)
    return Block(number, names, joins, condition, groups, tuple(measures), category)


def _sources(select: exp.Select, relations: Relations) -> tuple[Names, tuple[Join, ...], list[exp.Expr]]:
    """Return the names, the joins, and conditions of joins that go with WHERE."""
    given = [(select.args["from_"].this, None), *((join.this, join) for join in select.args.get("joins") or [])]
    sources: dict[str, Relation] = {}
    using: set[str] = set()
    for table, join in given:
        relation, alias = _source(table, relations)
        if alias in sources:
            raise Unsupported("two tables of a SELECT have the same name", "give one of them an alias")
        sources[alias] = relation
        using |= {fold(name.name) for name in (join.args.get("using") or [])} if join is not None else set()
    written = [join for _, join in given if join is not None]
    sources, written, known = with_parents(sources, written)
    names = Names(sources, frozenset(using))
    joins = [_join(join, names, list(sources)) for join in written]
    if isinstance(next(iter(sources.values())), Restricted):
        return names, tuple(joins), known
    # A public table stands first. Inner joins read the same in any order, with their conditions behind.
    if any(join.left for join in joins):
        raise Unsupported("an outer join must keep the restricted table's records", "restricted LEFT JOIN public")
    public = [(alias, source) for alias, source in sources.items() if not isinstance(source, Restricted | Parent)]
    crossed = (Join(source, names.alias(alias), exp.true(), left=False) for alias, source in public)
    return names, tuple(crossed), [*known, *(join.on for join in joins)]


def _source(table: exp.Expr, relations: Relations) -> tuple[Relation, str]:
    if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
        raise Unsupported(
            "a restricted table may stand beside public tables only", "join the aggregate's result instead"
        )
    for name, value in table.args.items():
        if name not in {"this", "db", "alias"} and value:
            raise Unsupported(f"a table is named with more than its name: {name}", "a plain table name")
    alias = table.args.get("alias")
    if alias is not None and alias.args.get("columns"):
        raise Unsupported("an alias renames columns", "AS alias, without a list of columns")
    relation = relations.find(table.db, table.name)
    if relation is None:
        raise unknown(table.name, relations)
    if relation.kind == "protected":
        raise Unsupported("a protected view is joined to its restricted table's kind", "use one or the other")
    return relation, fold(alias.name if alias is not None else table.name)


def _join(join: exp.Join, names: Names, order: list[str]) -> Join:
    for name, value in join.args.items():
        if name not in {"this", "on", "using", "side", "kind"} and value:
            raise Unsupported(f"this join is not understood: {name}", "JOIN ... ON, or USING")
    side, kind = (join.args.get("side") or "").upper(), (join.args.get("kind") or "").upper()
    crossed = kind in {"", "CROSS"} and not side and not join.args.get("on") and not join.args.get("using")
    kinds = {"", "INNER", "OUTER"}
    if not crossed and (side not in {"", "LEFT"} or kind not in kinds or (kind == "OUTER" and side != "LEFT")):
        raise Unsupported("only inner and left joins to public tables are answered", "JOIN ... ON")
    alias = fold(join.this.alias or join.this.name)
    left = side == "LEFT"
    if isinstance(names.sources[alias], Restricted) and left:
        raise Unsupported("an outer join must keep the restricted table's records", "restricted LEFT JOIN public")
    condition = exp.true() if crossed else join.args.get("on")  # of a comma, the condition stands in WHERE
    if condition is None:
        condition = _using(join, names, order[: order.index(alias)], alias)
    shown = alias if not isinstance(names.sources[alias], Restricted) else order[0]
    return Join(names.sources[shown], names.alias(shown), validated.condition(condition, names), left)


def _using(join: exp.Join, names: Names, before: list[str], alias: str) -> exp.Expr:
    if not join.args.get("using"):
        raise Unsupported("a join has no condition", "JOIN ... ON, or USING")
    terms = []
    for name in join.args["using"]:
        others = [other for other in before if names.sources[other].column(name.name) is not None]
        if len(others) != 1:
            raise Unsupported(f"USING ({name.name}) is not clear", "JOIN ... ON table.column = table.column")
        sides = [exp.Column(this=identifier(name.name), table=identifier(each)) for each in (others[0], alias)]
        terms.append(exp.EQ(this=sides[0], expression=sides[1]))
    return exp.and_(*terms)


def _unfolded(tree: exp.Expr, select: exp.Select, names: Names) -> exp.Expr:
    """Put in what aliases of the SELECT list stand for: DuckDB lets WHERE use them."""
    meant = aliases(select)
    if not meant:
        return tree
    copy = exp.Paren(this=tree.copy())
    for column in list(copy.find_all(exp.Column)):
        if not column.table and fold(column.name) in meant and names.find(column) is None:
            column.replace(exp.Paren(this=meant[fold(column.name)].copy()))
    return copy


class _Rewriter:
    """Replaces aggregates and group expressions by released columns, wherever a SELECT has them."""

    def __init__(self, select: exp.Select, names: Names, groups: Grouping) -> None:
        self.select, self.names, self.groups = select, names, groups
        self.aliases = aliases(select)
        self.measures: list[Measure] = []
        self.having: exp.Expr | None = None

    def run(self) -> None:
        listed = [self._named(each) for each in self.select.expressions]
        if not listed:
            raise Unsupported("there is no SELECT list", "SELECT COUNT(*) FROM ...")
        changed = {
            part: self._ordered(node) if part == "order" else self._children(node)
            for part in _REWRITTEN
            if (node := self.select.args.get(part)) is not None
        }
        self.select.set("expressions", listed)
        for part, node in changed.items():
            self.select.set(part, node)
        having = changed.get("having")
        self.having = having.this if having is not None else None

    def _named(self, expression: exp.Expr) -> exp.Expr:
        """Rewrite a member of the SELECT list; it keeps the name that DuckDB would give it."""
        if isinstance(expression, exp.Alias):
            return exp.alias_(self._rewritten(expression.this), expression.args["alias"].copy())
        if isinstance(expression, exp.Column):
            return exp.alias_(self._rewritten(expression), expression.name, quoted=True)
        name = _plain_name(expression) or expression.sql("duckdb").lower().replace("count(*)", "count_star()")
        return exp.alias_(self._rewritten(expression), name, quoted=True)

    def _rewritten(self, node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Subquery | exp.Query | exp.Exists):
            raise Unsupported("a subquery stands inside a SELECT on a restricted table", "put it beside, in a CTE")
        if isinstance(node, exp.Window):
            return self._window(node)
        if isinstance(node, exp.Grouping | exp.GroupingId):
            return self._level(node)
        if isinstance(node, exp.Filter | exp.AggFunc) or type(node).__name__.endswith("Agg"):
            return exp.Paren(this=aggregate(node, self.names, self._ask))
        if isinstance(node, exp.Anonymous) and fold(node.name) in aggregate_names():
            # Left alone, it would run in the lobby, over groups instead of records.
            raise Unsupported(f"{node.name.upper()} is not answered on a restricted table", "COUNT, SUM, AVG, MIN, MAX")
        if isinstance(node, exp.Star | exp.Dot):
            raise Unsupported("columns of a restricted table are not shown", "ask for AVG, SUM or COUNT")
        position = self._position(node)
        if position is not None:
            return exp.Column(this=identifier(released_group(position)))
        if isinstance(node, exp.Column):
            return self._alias(node)
        return self._children(node)

    def _level(self, node: exp.Expr) -> exp.Expr:
        positions = [self._position(each) for each in node.expressions]
        if not positions or None in positions:
            raise Unsupported("GROUPING takes expressions of GROUP BY", "GROUPING(dept) ... GROUP BY ROLLUP (dept)")
        return self.groups.level([n for n in positions if n is not None])

    def _ordered(self, node: exp.Expr) -> exp.Expr:
        """Rewrite ORDER BY. A name alone is first of all an alias of the SELECT list, as in DuckDB."""
        copy = node.copy()
        for member in copy.expressions:
            key = member.this if isinstance(member, exp.Ordered) else member
            if not (isinstance(key, exp.Column) and not key.table and fold(key.name) in self.aliases):
                member.replace(self._rewritten(member))
        return copy

    def _window(self, node: exp.Window) -> exp.Expr:
        """A window runs over released rows: what it computes on is rewritten, its own function is not an aggregate."""
        copy = node.copy()
        function = copy.this
        filtered = function.this if isinstance(function, exp.Filter) else function
        filtered.replace(self._children(filtered))
        for name in ("partition_by", "order", "spec"):
            part = copy.args.get(name)
            for member in part if isinstance(part, list) else [part]:
                if isinstance(member, exp.Expr):
                    member.replace(self._rewritten(member))
        return copy

    def _children(self, node: exp.Expr) -> exp.Expr:
        copy = node.copy()
        for name, value in list(copy.args.items()):
            if isinstance(value, exp.Expr):
                copy.set(name, self._rewritten(value))
            elif isinstance(value, list):
                copy.set(name, [self._rewritten(v) if isinstance(v, exp.Expr) else v for v in value])
        return copy

    def _position(self, node: exp.Expr) -> int | None:
        if not self.groups.expressions or node.find(exp.Column, exp.Literal) is None or node.find(exp.AggFunc):
            return None
        try:
            resolved = self.names.resolved(node)
        except Unsupported:  # not an expression of columns that may group; whatever it is, it is looked at elsewhere
            return None
        return self.groups.position(resolved)

    def _alias(self, column: exp.Column) -> exp.Expr:
        """A column that is left must be an alias of the SELECT list."""
        if not column.table and fold(column.name) in self.aliases and self.names.find(column) is None:
            return column.copy()
        found = self.names.find(column)
        if found is None:
            raise Unsupported(f"there is no column {column.name!r} that may be used", "a column of the table")
        what = "is confidential" if self.names.confidential(found) else "does not group"
        raise Unsupported(
            f"{found[1]!r} {what}, so it may stand inside an aggregate only", "AVG, SUM, COUNT, or GROUP BY it"
        )

    def _ask(self, measure: Measure) -> exp.Expr:
        for position, own in enumerate(self.measures):
            if own.text == measure.text:
                return exp.Column(this=identifier(released_aggregate(position)))
        self.measures.append(measure)
        return exp.Column(this=identifier(released_aggregate(len(self.measures) - 1)))


def _plain_name(expression: exp.Expr) -> str | None:
    """Return the name of the most frequent members of a SELECT list, such as sum(salary), without rendering them."""
    inner = expression.this
    if expression.args.get("expressions"):
        return None
    if type(expression) is exp.Count and type(inner) is exp.Star and not any(inner.args.values()):
        return "count_star()"
    if type(expression) in {exp.Sum, exp.Avg} and type(inner) is exp.Column and list(inner.args) == ["this"]:
        return f"{expression.key}({inner.name.lower()})" if not inner.this.args.get("quoted") else None
    return None


def _replace_source(select: exp.Select, number: int, where_was: exp.Expr | None) -> None:
    """Let the SELECT read the released results; what was HAVING now chooses among them as WHERE."""
    for part in ("joins", "where", "group", "having"):
        select.set(part, None)
    select.set("from_", exp.From(this=exp.Table(this=identifier(released_relation(number)))))
    if where_was is not None:
        select.set("where", exp.Where(this=where_was))
