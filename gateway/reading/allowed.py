"""The allow-list: which expressions of quasi-identifiers may choose and group records.

Everything here is total or fails without regard to confidential values, has no side effects, and is fast on any input.
Each kind of node is listed with the arguments that it may carry; a node, an argument or a type that is not listed is
refused. Names are resolved before this looks at a tree: every column in it is one that a predicate may use.
"""

from typing import TypeGuard

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
    exp.Escape: _TWO,
    exp.SimilarTo: _TWO,
    exp.Case: frozenset({"this", "ifs", "default"}),
    exp.If: frozenset({"this", "true", "false"}),
    exp.Coalesce: frozenset({"this", "expressions"}),
    exp.Nullif: _TWO,
    # Arithmetic; where DuckDB fails, so does the whole statement
    **dict.fromkeys((exp.Add, exp.Sub, exp.Mul, exp.Mod, exp.IntDiv, exp.Pow), _TWO),
    **dict.fromkeys((exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor), _TWO),
    exp.Div: frozenset({"this", "expression", "typed", "safe"}),
    exp.Neg: _ONE,
    exp.Abs: _ONE,
    exp.Sign: _ONE,
    exp.Ceil: _ONE,
    exp.Floor: _ONE,
    exp.Round: frozenset({"this", "decimals"}),
    exp.Sqrt: _ONE,
    exp.Ln: _ONE,
    exp.Exp: _ONE,
    exp.Trunc: _ONE,
    exp.Greatest: frozenset({"this", "expressions", "ignore_nulls"}),
    exp.Least: frozenset({"this", "expressions", "ignore_nulls"}),
    # Text
    exp.Lower: _ONE,
    exp.Upper: _ONE,
    exp.Length: _ONE,
    exp.Substring: frozenset({"this", "start", "length"}),
    exp.Left: _TWO,
    exp.Right: _TWO,
    exp.Trim: frozenset({"this", "expression", "position"}),
    exp.Replace: frozenset({"this", "expression", "replacement"}),
    exp.Reverse: _ONE,
    exp.Ascii: _ONE,
    exp.SplitPart: frozenset({"this", "delimiter", "part_index"}),
    exp.ConcatWs: frozenset({"expressions", "safe", "coalesce"}),
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
    **dict.fromkeys((exp.DayOfWeek, exp.DayOfWeekIso, exp.DayOfMonth, exp.DayOfYear, exp.WeekOfYear), _ONE),
    **dict.fromkeys((exp.Dayname, exp.Monthname, exp.LastDay, exp.Hour, exp.Minute, exp.Second, exp.TimeToUnix), _ONE),
    exp.UnixToTime: frozenset({"this", "scale"}),  # EPOCH_MS
    exp.DateDiff: frozenset({"this", "expression", "unit", "date_part_boundary"}),
    exp.DateFromParts: frozenset({"year", "month", "day"}),
    exp.TimestampFromParts: frozenset({"year", "month", "day", "hour", "min", "sec"}),
    exp.TimeToStr: frozenset({"this", "format"}),
    exp.DateBin: _TWO,
    exp.Anonymous: frozenset({"this", "expressions"}),
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
        *("DOW", "ISODOW", "DOY", "DECADE", "CENTURY", "YEARWEEK", "ISOYEAR", "EPOCH", "DAYOFWEEK", "DAYOFYEAR"),
    }
)
_NAMED = {  # functions that sqlglot does not know, and how many arguments they take
    **dict.fromkeys(
        ("weekday", "yearweek", "isoyear", "century", "decade", "millennium", "era", "isfinite", "even"), 1
    ),
    **dict.fromkeys(("epoch_us", "epoch_ns"), 1),
    **dict.fromkeys(("prefix", "suffix", "date_part", "datepart"), 2),
    **dict.fromkeys(("date_sub", "datesub"), 3),
}
_WITH_UNIT = frozenset({"date_part", "datepart", "date_sub", "datesub"})
_REFUSED_WORDS: dict[type[exp.Expr], tuple[str, str]] = {
    **dict.fromkeys(
        (exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentTime),
        ("today's date would make the same question another one tomorrow", "write the date: DATE '2026-01-31'"),
    ),
    **dict.fromkeys(
        (exp.RegexpLike, exp.RegexpExtract, exp.RegexpReplace, exp.Glob),
        ("regular expressions may not be used on a restricted table", "LIKE, ILIKE, SIMILAR TO, contains()"),
    ),
    **dict.fromkeys(
        (exp.Bracket, exp.StructExtract, exp.Dot),
        ("parts of a list or struct may not be used", "ask the owner to make the field a column"),
    ),
    exp.Pad: ("texts may not be made longer", "compare the text itself"),
    exp.DateAdd: ("DATE_ADD is not understood", "date + INTERVAL 1 MONTH"),
    exp.Any: ("ANY is not understood", "IN (1, 2, 3)"),
    exp.Exists: ("EXISTS may not be used to choose records of a restricted table", "IN (SELECT ... FROM public table)"),
}
_T = exp.DataType.Type
_TYPES = frozenset(
    {
        *(_T.TINYINT, _T.SMALLINT, _T.INT, _T.BIGINT, _T.UTINYINT, _T.USMALLINT, _T.UINT, _T.UBIGINT, _T.INT128),
        *(_T.DOUBLE, _T.FLOAT, _T.DECIMAL, _T.VARCHAR, _T.TEXT, _T.BOOLEAN, _T.DATE, _T.TIME, _T.UUID),
        *(_T.TIMESTAMP, _T.TIMESTAMPNTZ, _T.TIMESTAMP_S, _T.TIMESTAMP_MS, _T.TIMESTAMP_NS),
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
        _check_one(node)


def _check_one(node: exp.Expr) -> None:
    """Refuse what depends on more than the kind of a node."""
    if isinstance(node, exp.DataType) and node.this not in _TYPES:
        raise Unsupported("a cast is to a type that predicates may not use", "cast to a number, text, date or time")
    if isinstance(node, exp.Var) and str(node.this).upper() not in _UNITS:
        raise _refused(node)
    if isinstance(node, exp.Anonymous) and not _is_known(node):
        raise _refused(node)
    if isinstance(node, exp.SimilarTo) and not _is_text(node.expression):
        raise Unsupported("the pattern of SIMILAR TO is not a text", "SIMILAR TO 'A|B'")
    if isinstance(node, exp.TimeToStr) and not _is_text(node.args["format"]):
        raise Unsupported("the format of a date is not a text", "strftime(date, '%Y-%m')")
    if isinstance(node, exp.Replace):
        old, new = node.expression, node.args.get("replacement")
        if not (_is_text(old) and _is_text(new) and len(str(new.this)) <= len(str(old.this)) > 0):
            raise Unsupported("replace() takes two texts here, the second not longer", "replace(dept, 'Sales', 'S')")


def _is_known(node: exp.Anonymous) -> bool:
    name = str(node.this).lower()
    if _NAMED.get(name) != len(node.expressions):
        return False
    unit = node.expressions[0]
    return name not in _WITH_UNIT or (_is_text(unit) and str(unit.this).upper() in _UNITS)


def _is_text(node: exp.Expr | None) -> TypeGuard[exp.Literal]:
    return isinstance(node, exp.Literal) and bool(node.is_string)


def _refused(node: exp.Expr) -> Unsupported:
    if type(node) in _REFUSED_WORDS:
        return Unsupported(*_REFUSED_WORDS[type(node)])
    name = (
        str(node.this)
        if isinstance(node, exp.Anonymous)
        else node.sql_name()
        if isinstance(node, exp.Func)
        else node.key
    )
    return Unsupported(
        f"{name.upper()} may not be used to choose or group records of a restricted table",
        "comparisons, IN, BETWEEN, LIKE, CASE, arithmetic, and plain text and date functions",
    )
