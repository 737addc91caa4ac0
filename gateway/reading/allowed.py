"""The allow-list: which expressions of quasi-identifiers may choose and group records.

Everything here is total or fails without regard to confidential values, has no side effects, and is fast on any input.
Each kind of node is listed with the arguments that it may carry; a node, an argument or a type that is not listed is
refused. Names are resolved before this looks at a tree: every column in it is one that a predicate may use.
"""

from sqlglot import exp

from sdcdb.errors import Unsupported

_TWO = frozenset({"this", "expression"})
_ONE = frozenset({"this"})

ALLOWED: dict[type[exp.Expr], frozenset[str]] = {
    exp.Column: frozenset({"this", "table"}),
    exp.Identifier: frozenset({"this", "quoted"}),
    exp.Literal: frozenset({"this", "is_string"}),
    exp.Null: frozenset(),
    exp.Boolean: _ONE,
    exp.Paren: _ONE,
    exp.Tuple: frozenset({"expressions"}),
    # Comparisons and logic
    **dict.fromkeys(
        (exp.And, exp.Or, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is, exp.NullSafeEQ, exp.NullSafeNEQ),
        _TWO,
    ),
    exp.Not: _ONE,
    exp.Between: frozenset({"this", "low", "high"}),
    exp.In: frozenset({"this", "expressions"}),
    exp.Like: frozenset({"this", "expression", "negate"}),
    exp.ILike: frozenset({"this", "expression", "negate"}),
    exp.Case: frozenset({"this", "ifs", "default"}),
    exp.If: frozenset({"this", "true", "false"}),
    exp.Coalesce: frozenset({"this", "expressions"}),
    exp.Nullif: _TWO,
    # Arithmetic; DuckDB's division by zero is NULL
    **dict.fromkeys((exp.Add, exp.Sub, exp.Mul, exp.Mod, exp.IntDiv), _TWO),
    exp.Div: frozenset({"this", "expression", "typed", "safe"}),
    exp.Neg: _ONE,
    exp.Abs: _ONE,
    exp.Sign: _ONE,
    exp.Ceil: _ONE,
    exp.Floor: _ONE,
    exp.Round: frozenset({"this", "decimals"}),
    exp.Sqrt: _ONE,
    exp.Ln: _ONE,
    exp.Greatest: frozenset({"this", "expressions", "ignore_nulls"}),
    exp.Least: frozenset({"this", "expressions", "ignore_nulls"}),
    # Text
    exp.Lower: _ONE,
    exp.Upper: _ONE,
    exp.Length: _ONE,
    exp.Substring: frozenset({"this", "start", "length"}),
    exp.Left: _TWO,
    exp.Right: _TWO,
    exp.Trim: frozenset({"this", "expression"}),
    exp.Concat: frozenset({"expressions", "safe", "coalesce"}),
    exp.DPipe: frozenset({"this", "expression", "safe"}),
    exp.StartsWith: _TWO,
    exp.EndsWith: _TWO,
    exp.Contains: frozenset({"this", "expression", "json_scope"}),
    exp.StrPosition: frozenset({"this", "substr"}),
    # Dates
    exp.Extract: _TWO,
    exp.Year: _ONE,
    exp.Month: _ONE,
    exp.Day: _ONE,
    exp.Quarter: _ONE,
    exp.Week: _ONE,
    exp.DayOfWeek: _ONE,
    exp.DateTrunc: frozenset({"this", "unit"}),
    exp.TimestampTrunc: frozenset({"this", "unit"}),
    exp.Var: _ONE,
    exp.Interval: frozenset({"this", "unit"}),
    # Casts, to plain types only
    exp.Cast: frozenset({"this", "to"}),
    exp.TryCast: frozenset({"this", "to", "safe", "requires_string"}),
    exp.DataType: frozenset({"this", "expressions", "nested"}),
    exp.DataTypeParam: _ONE,
}
_UNITS = frozenset(
    {
        *("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"),
        *("YEARS", "QUARTERS", "MONTHS", "WEEKS", "DAYS", "HOURS", "MINUTES", "SECONDS"),
        *("DOW", "ISODOW", "DOY", "DECADE", "CENTURY", "YEARWEEK", "ISOYEAR", "EPOCH"),
    }
)
_T = exp.DataType.Type
_TYPES = frozenset(
    {
        *(_T.TINYINT, _T.SMALLINT, _T.INT, _T.BIGINT, _T.UTINYINT, _T.USMALLINT, _T.UINT, _T.UBIGINT, _T.INT128),
        *(_T.DOUBLE, _T.FLOAT, _T.DECIMAL, _T.VARCHAR, _T.TEXT, _T.BOOLEAN, _T.DATE, _T.TIMESTAMP),
    }
)
DEEPEST = 200  # levels of nesting; an honest predicate has ten


def check(tree: exp.Expr) -> None:
    """Refuse the expression unless every part of it is on the list."""
    pending: list[tuple[exp.Expr, int]] = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        arguments = ALLOWED.get(type(node))
        if arguments is None or depth > DEEPEST:
            raise _refused(node)
        for name, value in node.args.items():
            if value is None or value is False or value == []:
                continue
            if name not in arguments:
                raise _refused(node)
            children = value if isinstance(value, list) else [value]
            pending.extend((child, depth + 1) for child in children if isinstance(child, exp.Expr))
        if isinstance(node, exp.DataType) and node.this not in _TYPES:
            raise Unsupported("a cast is to a type that predicates may not use", "cast to a number, text or date")
        if isinstance(node, exp.Var) and str(node.this).upper() not in _UNITS:
            raise _refused(node)


def _refused(node: exp.Expr) -> Unsupported:
    return Unsupported(
        f"{node.key.upper()} may not be used to choose or group records of a restricted table",
        "comparisons, IN, BETWEEN, LIKE, CASE, arithmetic, and plain text and date functions",
    )
