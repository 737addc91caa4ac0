"""What the rest of a statement does with a block's results, where some of them are not shown.

A suppressed number is NULL in the lobby. COALESCE would make a 0 of it, SUM would leave it out and look exact, a rank
would count past it. So over such a block only rows may be chosen, ordered and shown, and numbers be computed with
arithmetic, which keeps NULL.
"""

from sqlglot import exp

from sdcdb.connection.identifiers import identifier
from sdcdb.gateway.reading.reserved import MERGED, is_released_aggregate, is_released_relation

_ARITHMETIC = (
    *(exp.Column, exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Paren, exp.Alias, exp.Star, exp.Var),
    *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.Abs, exp.Round, exp.Floor, exp.Ceil),
    *(exp.GT, exp.GTE, exp.LT, exp.LTE, exp.EQ, exp.NEQ, exp.Cast, exp.DataType, exp.DataTypeParam),
)
_COMPUTING = (exp.AggFunc, exp.Window, exp.Anonymous, exp.Unnest, exp.Lateral, exp.Values, exp.Pivot, exp.Explode)


def computes_further(root: exp.Query) -> bool:
    """Tell whether a statement does more with released results than show rows of them and keep what is NULL."""
    if any(isinstance(node, _COMPUTING) for node in root.walk()):
        return True
    if any(not isinstance(node, exp.Union) or node.args.get("distinct") for node in root.find_all(exp.SetOperation)):
        return True
    return any(_select_computes(select) for select in root.find_all(exp.Select))


def _select_computes(select: exp.Select) -> bool:
    source = select.args.get("from_")
    is_block = source is not None and isinstance(source.this, exp.Table) and is_released_relation(source.this.name)
    if select.args.get("distinct") or select.args.get("group"):
        return True
    return any(not _keeps_null(each, keys_free=is_block) for each in select.expressions)


def _keeps_null(tree: exp.Expr, *, keys_free: bool) -> bool:
    """Tell whether a member of a SELECT list is NULL wherever a number in it is; keys may be put in other words."""
    if keys_free and not any(is_released_aggregate(column.name) for column in tree.find_all(exp.Column)):
        return True
    for node in tree.walk():
        if isinstance(node, exp.Nullif) and _is_divisor(node):
            continue
        if not isinstance(node, _ARITHMETIC):
            return False
    return True


def _is_divisor(node: exp.Nullif) -> bool:
    """Tell whether this is the divisor of a mean: NULL where the number of records is."""
    return isinstance(node.parent, exp.Div) and node.arg_key == "expression"


def with_marks(root: exp.Query) -> exp.Query | None:
    """Let a statement say which of its rows stand for merged groups; None where its rows are not a block's own."""
    source = root.args.get("from_") if isinstance(root, exp.Select) else None
    if not isinstance(root, exp.Select) or source is None or not is_released_relation(source.this.name):
        return None
    if root.args.get("distinct") or root.args.get("joins"):
        return None
    copy = root.copy()
    copy.append("expressions", exp.alias_(exp.Column(this=identifier(MERGED)), identifier(MERGED)))
    return copy
