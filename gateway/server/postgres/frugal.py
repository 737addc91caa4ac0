"""What a statement about the catalogue may not do: make much out of little.

The catalogue is small and lies in the server's own process, so a statement that blows up texts or rows there costs
everybody. Whoever wants `repeat` or `range` asks without a system table, which is a question: it runs in a process of
its own, within the limits of one.
"""

from sqlglot import exp

from sdcdb.connection.identifiers import fold
from sdcdb.gateway.server.postgres.problem import Refusal

LONGEST = 60_000  # characters of a statement
LONGEST_TEXT = 1_000  # of a literal, but for lists, which are taken apart
LONGEST_REPLACEMENT = 20
MOST_REPLACED = 8  # functions that put a text in the place of another
MOST_JOINED = 40  # operators that put texts together
MOST_TABLES = 40
MOST_BYTES = 16_000_000  # of a result
_AMPLIFIES = {
    *("range", "generate_series", "list_resize", "array_resize", "printf", "bar", "replicate", "list_transform"),
    *(
        "list_reduce",
        "reduce",
        "apply",
        "list_apply",
        "array_apply",
        "sleep_ms",
        "pg_sleep",
        "repeat_row",
        "test_all_types",
    ),
}
_KINDS = (exp.Repeat, exp.Pad, exp.Lambda, exp.Space)
_SERIES = (exp.GenerateSeries, exp.ExplodingGenerateSeries)
LONGEST_SERIES = 100  # numbers; psql and JDBC count the columns of a key with one
_REPLACES = (exp.Replace, exp.RegexpReplace, exp.Translate)


class TooMuch(Refusal):
    """A statement about the catalogue that could make much out of little."""

    def __init__(self, what: str) -> None:
        super().__init__("54000", what, hint="ask without a system table: then it is a question")


def must_be_frugal(root: exp.Query) -> None:
    """Refuse a statement that could make much out of little."""
    tables = joined = replaced = 0
    for node in root.walk():
        tables += isinstance(node, exp.Table)
        joined += isinstance(node, exp.DPipe) or (len(node.expressions) if isinstance(node, exp.Concat) else 0)
        replaced += isinstance(node, _REPLACES)
        amplifies = isinstance(node, exp.Anonymous) and fold(node.name) in _AMPLIFIES
        if isinstance(node, _KINDS) or amplifies or (isinstance(node, _SERIES) and not _brief(node)):
            raise TooMuch("this function is not answered beside system tables")
        if isinstance(node, _REPLACES) and not _short(node.args.get("replacement") or node.args.get("to")):
            raise TooMuch("only a short replacement is answered beside system tables")
        if _is_text(node) and len(str(node.this)) > LONGEST_TEXT and not _is_list(node):
            raise TooMuch("a text is too long for a statement about the catalogue")
    if tables > MOST_TABLES or joined > MOST_JOINED or replaced > MOST_REPLACED:
        raise TooMuch("this statement about the catalogue is too large")


def size_of(value: object) -> int:
    """Return about how many bytes a value takes."""
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, dict):
        return sum(size_of(each) for each in value.values())
    return sum(size_of(each) for each in value) if isinstance(value, list | tuple) else 8


def _short(node: exp.Expr | None) -> bool:
    return node is None or (_is_text(node) and len(str(node.this)) <= LONGEST_REPLACEMENT)


def _brief(node: exp.Expr) -> bool:
    """Tell whether a series counts to a small number, or through a list of the catalogue."""
    start, end = node.args.get("start"), node.args.get("end")
    if node.args.get("step") is not None or not _small(start):
        return False
    if isinstance(end, exp.Anonymous) and fold(end.name) == "array_upper" and end.expressions:
        items = end.expressions[0]
        return isinstance(items.this if isinstance(items, exp.Cast) else items, exp.Column | exp.CurrentSchemas)
    return _small(end)


def _small(node: exp.Expr | None) -> bool:
    return isinstance(node, exp.Literal) and node.is_int and int(str(node.this)) <= LONGEST_SERIES


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.is_string


def _is_list(node: exp.Expr) -> bool:
    return isinstance(node.parent, exp.Cast) and str(node.this).startswith("{")
