"""The key of a record: `rowid`, one column, or several columns that name a record together."""

from sqlglot import exp

from sdcdb.connection.identifiers import fold, identifier, quoted

ROWID = "rowid"
Key = str | tuple[str, ...]
STORED = "sdc key"  # the column in which a stored table holds a key of several columns


def key_columns(key: Key) -> tuple[str, ...]:
    """Return the columns that a key is made of; `rowid` counts as one.

    >>> key_columns("id"), key_columns(("patient", "visit"))
    (('id',), ('patient', 'visit'))
    """
    return (key,) if isinstance(key, str) else key


def key_expression(key: Key, table: str | None = None) -> exp.Expr:
    """Return a key as one expression: a column, or a text that no other combination of values has.

    Each part goes with its length before it, so ('1', '23') and ('12', '3') differ. A part that is NULL makes it NULL.

    >>> key_expression(("a", "b"), "t").sql("duckdb")
    'LENGTH(CAST(t."a" AS TEXT)) || \\':\\' || CAST(t."a" AS TEXT) || LENGTH(CAST(t."b" AS TEXT)) || \\':\\' || \
CAST(t."b" AS TEXT)'
    """
    columns = [
        exp.Column(this=identifier(name), table=identifier(table) if table else None) for name in key_columns(key)
    ]
    if isinstance(key, str):
        return columns[0]
    whole: exp.Expr | None = None
    for column in columns:
        text = exp.cast(column, "VARCHAR")
        for part in (exp.Length(this=text), exp.Literal.string(":"), text.copy()):
            whole = part if whole is None else exp.DPipe(this=whole, expression=part, safe=True)
    return exp.Paren(this=whole)


def key_sql(key: Key, table: str | None = None) -> str:
    """Return a key as SQL for DuckDB, of the columns of `table` where that is given, as it is."""
    if isinstance(key, str):
        name = key if key == ROWID else quoted(identifier(key))
        return f"{table}.{name}" if table else name
    return quoted(key_expression(key, table))


def stored_name(key: Key) -> str:
    """Return the name of the column in which a stored table holds the key."""
    return key if isinstance(key, str) else STORED


def is_key(name: str, key: Key | None) -> bool:
    """Tell whether a column alone is the key.

    >>> is_key("ID", "id"), is_key("id", ("id", "day"))
    (True, False)
    """
    return isinstance(key, str) and fold(name) == fold(key)


def key_words(key: Key) -> str:
    """Return a key for a message.

    >>> key_words("id"), key_words(("patient", "visit"))
    ("'id'", "('patient', 'visit')")
    """
    return repr(key)
