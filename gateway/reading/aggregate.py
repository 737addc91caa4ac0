"""What a block computes: each aggregate as one or two basic measures, and the expression that makes it from them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from sdcdb.connection.identifiers import quoted
from sdcdb.errors import Unsupported
from sdcdb.gateway.reading import validated
from sdcdb.gateway.reading.affine import linear
from sdcdb.gateway.reading.resolution import Names

Basic = Literal["rows", "people", "count", "sum", "min", "max", "distinct", "sum_distinct"]
AGGREGATES: dict[type[exp.Expr], str] = {
    exp.Count: "count",
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.Min: "min",
    exp.Max: "max",
}
COUNT_IF_TYPE = "HUGEINT"  # what DuckDB gives to COUNT_IF


@dataclass(frozen=True)
class Measure:
    """A basic measure of each group: of a confidential column, or of an expression of quasi-identifiers.

    `condition` says which records of the group it is about: those that FILTER or a CASE inside the aggregate leaves,
    and for whom the expression is not NULL. `rows` counts them, `people` whose they are.
    """

    kind: Basic
    confidential: str | None = None
    expression: exp.Expr | None = None
    condition: exp.Expr | None = None
    chosen: exp.Expr | None = None
    """The condition without that of having a value, which counts as known of a plain column."""
    plain: bool = False
    """Whether the expression is one column, but for a constant factor and offset: the analyst chose no weights."""

    @property
    def text(self) -> tuple[str, ...]:
        """What makes two measures the same."""
        return (
            self.kind,
            self.confidential or "",
            quoted(self.expression) if self.expression else "",
            quoted(self.condition) if self.condition else "",
            quoted(self.chosen) if self.chosen else "",
        )


Ask = Callable[[Measure], exp.Expr]
"""Adds a measure to the block and returns the released column that holds it."""


def aggregate(node: exp.Expr, names: Names, ask: Ask) -> exp.Expr:
    """Replace an aggregate of the analyst's by an expression over released columns."""
    condition: exp.Expr | None = None
    if isinstance(node, exp.Filter):
        _only(node, {"this", "expression"})
        condition = _condition(node.expression.this, names)
        node = node.this
    if isinstance(node, exp.CountIf):
        _only(node, {"this"})
        both = _both(condition, _condition(node.this, names))
        return exp.cast(ask(Measure("rows", condition=both, chosen=both)), COUNT_IF_TYPE)
    kind = AGGREGATES.get(type(node))
    if kind is None:
        name = node.sql_name() if isinstance(node, exp.Func) else node.key.upper()
        hint = (
            "COUNT_IF(condition)" if isinstance(node, exp.LogicalAnd | exp.LogicalOr) else "COUNT, SUM, AVG, MIN, MAX"
        )
        raise Unsupported(f"{name} is not answered on a restricted table", hint)
    _only(node, {"this", "big_int"} if kind == "count" else {"this"})
    if kind == "count" and node.this is None:  # COUNT() is COUNT(*)
        return ask(Measure("rows", condition=condition, chosen=condition))
    inner = _bare(node.this)
    if not isinstance(inner, exp.Expr):
        raise Unsupported(f"{kind.upper()} is about nothing", f"{kind.upper()}(column)")
    if kind == "count" and isinstance(inner, exp.Star):
        _only(inner, set())
        return ask(Measure("rows", condition=condition, chosen=condition))
    distinct = isinstance(inner, exp.Distinct)
    if isinstance(inner, exp.Distinct):
        _only(inner, {"expressions"})
        if len(inner.expressions) != 1:
            raise Unsupported("DISTINCT takes one expression here", "COUNT(DISTINCT column)")
        inner = _bare(inner.expressions[0])
    if distinct and kind == "count" and names.is_person(inner):
        return ask(Measure("people", condition=condition, chosen=condition))
    if _touches_confidential(inner, names):
        if distinct:
            raise Unsupported("distinct confidential values are not counted", "COUNT(*)")
        inner, condition, zero = _conditional(inner, names, condition)
        if zero and kind != "sum":
            raise Unsupported(f"{kind.upper()} over CASE ... ELSE 0 mixes zeros among the values", "leave ELSE out")
        return _confidential(kind, inner, names, condition, ask)  # ELSE 0 adds nothing to a set with values in it
    return _quasi(kind, inner, names, condition, ask, distinct=distinct)


def _confidential(kind: str, inner: exp.Expr, names: Names, condition: exp.Expr | None, ask: Ask) -> exp.Expr:
    form = linear(inner)
    found = names.find(form.column) if form.column is not None else None
    if found is None or not names.confidential(found):
        raise Unsupported("an aggregate mixes confidential and other columns", "one confidential column at a time")
    column = names.table.confidential[found[1]].name
    if kind not in names.table.limits.aggregates:
        raise Unsupported(
            f"{kind.upper()} of {column!r} is not allowed by the policy", ", ".join(names.table.limits.aggregates)
        )

    def basic(what: Basic) -> exp.Expr:
        return ask(Measure(what, confidential=column, condition=condition, chosen=condition))

    def typed(found: exp.Expr) -> exp.Expr:
        return _as_double(exp.Paren(this=found)) if inner.find(exp.Cast) else found  # DOUBLE is the only cast

    if kind == "count":
        return basic("count")
    if kind == "sum":
        return typed(form.apply(basic("sum"), basic("count") if form.offset else None))
    if kind == "avg":
        mean = _as_double(basic("sum")) / exp.Nullif(this=basic("count"), expression=exp.Literal.number(0))
        return form.apply(exp.Paren(this=mean))
    extreme = kind if form.factor > 0 else {"min": "max", "max": "min"}[kind]
    return typed(form.apply(basic("min" if extreme == "min" else "max")))


def _quasi(
    kind: str, tree: exp.Expr, names: Names, condition: exp.Expr | None, ask: Ask, *, distinct: bool
) -> exp.Expr:
    """Measure an expression of quasi-identifiers. Whoever has no value is not in the set that the answer is about."""
    inner = validated.expression(tree, names)
    plain, chosen = _plain(tree), condition
    if not isinstance(inner, exp.Literal | exp.Boolean):
        present = exp.Is(this=exp.Paren(this=inner.copy()), expression=exp.Not(this=exp.null()))
        condition = _both(condition, exp.Paren(this=present))
    if not plain:
        chosen = condition

    def basic(what: Basic) -> exp.Expr:
        return ask(Measure(what, expression=inner, condition=condition, chosen=chosen, plain=plain))

    if distinct and kind in {"count", "sum"}:
        return basic("distinct" if kind == "count" else "sum_distinct")
    if distinct and kind == "avg":
        raise Unsupported("AVG(DISTINCT ...) is not answered", "SUM(DISTINCT column) / COUNT(DISTINCT column)")
    if kind == "count":
        return ask(Measure("rows", condition=condition, chosen=chosen))
    if kind == "avg":
        rows = ask(Measure("rows", condition=condition, chosen=chosen))
        records = exp.Nullif(this=rows, expression=exp.Literal.number(0))
        return exp.Paren(this=_as_double(basic("sum")) / records)
    return basic("sum" if kind == "sum" else "min" if kind == "min" else "max")


def _as_double(total: exp.Expr) -> exp.Expr:
    """Cast to DOUBLE. From the type's name, sqlglot would parse it each time."""
    return exp.Cast(this=total, to=exp.DataType(this=exp.DataType.Type.DOUBLE, nested=False))


def _plain(tree: exp.Expr) -> bool:
    try:
        return linear(tree).column is not None
    except Unsupported:
        return False


def _both(first: exp.Expr | None, second: exp.Expr) -> exp.Expr:
    return second if first is None else exp.and_(first, second)


def _conditional(inner: exp.Expr, names: Names, condition: exp.Expr | None) -> tuple[exp.Expr, exp.Expr | None, bool]:
    """Read CASE WHEN condition THEN value [ELSE NULL or 0] END as a value with a condition; tell whether ELSE is 0."""
    if isinstance(inner, exp.If):
        inner = exp.Case(ifs=[exp.If(this=inner.this, true=inner.args["true"])], default=inner.args.get("false"))
    if not isinstance(inner, exp.Case):
        return inner, condition, False
    _only(inner, {"ifs", "default"})
    default = inner.args.get("default")
    zero = isinstance(default, exp.Literal) and not default.is_string and str(default.this) == "0"
    if len(inner.args["ifs"]) != 1 or not (default is None or isinstance(default, exp.Null) or zero):
        raise Unsupported("CASE around a confidential column has one WHEN here", "one aggregate for each WHEN")
    branch = inner.args["ifs"][0]
    _only(branch, {"this", "true"})
    here = _condition(branch.this, names)
    return _bare(branch.args["true"]), _both(condition, here), zero


def _condition(tree: exp.Expr, names: Names) -> exp.Expr:
    return exp.Paren(this=validated.condition(tree, names))


def _touches_confidential(tree: exp.Expr, names: Names) -> bool:
    found = [names.find(column) for column in tree.find_all(exp.Column)]
    return any(pair is not None and names.confidential(pair) for pair in found)


def _bare(tree: exp.Expr) -> exp.Expr:
    while isinstance(tree, exp.Paren):
        tree = tree.this
    return tree


def _only(node: exp.Expr, arguments: set[str]) -> None:
    """Refuse a node that carries more than these arguments."""
    for name, value in node.args.items():
        if name not in arguments and value is not None and value is not False and value != []:
            raise Unsupported(f"{node.key.upper()} has a part that is not answered: {name}", "leave it out")
