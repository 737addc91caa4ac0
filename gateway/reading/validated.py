"""Expressions of quasi-identifiers as the vault may run them: names resolved, parts allowed, conditions BOOLEAN."""

from collections.abc import Iterator

from sqlglot import exp

from sdcdb.errors import Unsupported
from sdcdb.gateway.reading import allowed
from sdcdb.gateway.reading.resolution import Names

_T = exp.DataType.Type
_TRUTHS = (
    *(exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is, exp.Boolean),
    *(exp.NullSafeEQ, exp.NullSafeNEQ, exp.Between, exp.In, exp.Like, exp.ILike, exp.SimilarTo),
    *(exp.StartsWith, exp.EndsWith, exp.Contains),
)


def expression(tree: exp.Expr, names: Names) -> exp.Expr:
    """Return the expression in the vault's names, or refuse it."""
    resolved = names.resolved(tree)
    allowed.check(resolved)
    for condition in _conditions(resolved):
        _must_be_boolean(condition, names)
    return resolved


def condition(tree: exp.Expr, names: Names) -> exp.Expr:
    """Return a condition in the vault's names; refuse a text or a number in the place of one."""
    resolved = expression(tree, names)
    _must_be_boolean(resolved, names)
    return resolved


def _conditions(tree: exp.Expr) -> Iterator[exp.Expr]:
    """Yield every part of an expression that is used as a condition."""
    for node in tree.walk():
        if isinstance(node, exp.And | exp.Or):
            yield from (node.this, node.expression)
        elif isinstance(node, exp.Not) or (isinstance(node, exp.If) and not _compared(node)):
            yield node.this


def _compared(branch: exp.If) -> bool:
    """Tell whether WHEN gives a value to compare with, as in CASE sex WHEN 'F'."""
    return isinstance(branch.parent, exp.Case) and branch.parent.this is not None


def _must_be_boolean(tree: exp.Expr, names: Names) -> None:
    if not _is_boolean(tree, names):
        raise Unsupported(
            "a condition is not true or false: DuckDB would cast it", "compare it: dept = 'Sales', active = 1"
        )


def _is_boolean(tree: exp.Expr, names: Names) -> bool:
    if isinstance(tree, exp.Paren | exp.Escape):
        return _is_boolean(tree.this, names)
    if isinstance(tree, _TRUTHS):
        return True
    if isinstance(tree, exp.Anonymous):
        return str(tree.this).lower() in {"prefix", "suffix", "isfinite"}
    if isinstance(tree, exp.Cast):  # TRY_CAST too
        return bool(tree.to.this is _T.BOOLEAN)
    if isinstance(tree, exp.Column):
        return names.type_of(tree) == "BOOLEAN"
    branches = _branches(tree)
    return bool(branches) and all(isinstance(each, exp.Null) or _is_boolean(each, names) for each in branches)


def _branches(tree: exp.Expr) -> list[exp.Expr]:
    """Return the values that an expression chooses among."""
    if isinstance(tree, exp.Case):
        found = [branch.args["true"] for branch in tree.args["ifs"]] + [tree.args.get("default")]
    elif isinstance(tree, exp.If):
        found = [tree.args["true"], tree.args.get("false")]
    elif isinstance(tree, exp.Coalesce):
        found = [tree.this, *tree.expressions]
    else:
        found = []
    return [each for each in found if each is not None]
