"""How many parameters a statement has, and their types, as far as the statement tells."""

from collections.abc import Iterable

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sdcdb.connection.identifiers import fold
from sdcdb.gateway.relations import Relations
from sdcdb.gateway.server.postgres.scan import spaced, unqualified
from sdcdb.gateway.server.postgres.types import ARRAYS, KNOWN, Oid, shown

_SPELT = {  # as sqlglot writes types for DuckDB
    "INT": "INTEGER",
    "TEXT": "VARCHAR",
    "REAL": "FLOAT",
    "NUMERIC": "DECIMAL(18,3)",
    "DECIMAL": "DECIMAL(18,3)",
    "TIMESTAMPTZ": "TIMESTAMP WITH TIME ZONE",
    "TIMETZ": "TIME WITH TIME ZONE",
    "JSONB": "JSON",
}
_LIKE_OTHER = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.NullSafeEQ)


def infer(sql: str, relations: Relations) -> list[int]:
    """Return the types of $1, $2, ... in order; text where the statement does not tell.

    >>> infer("SELECT $2::int", Relations(()))
    [25, 23]
    """
    holders = list(_holders(sql))
    found: dict[int, int] = {}
    for number, holder in holders:
        kind = _kind(holder, relations)
        if found.get(number, Oid.TEXT) == Oid.TEXT:
            found[number] = kind
    return [found.get(number, Oid.TEXT) for number in range(1, max(found, default=0) + 1)]


def _holders(sql: str) -> Iterable[tuple[int, exp.Expr]]:
    if "$" not in sql:
        return
    try:
        trees = sqlglot.parse(unqualified(spaced(sql)), read="duckdb")
    except (SqlglotError, RecursionError):
        return
    for tree in trees:
        for node in tree.find_all(exp.Placeholder, exp.Parameter) if tree is not None else ():
            if node.name.isdigit() and 0 < int(node.name) <= 0xFFFF:
                yield int(node.name), node


def _kind(holder: exp.Expr, relations: Relations) -> int:
    parent = holder.parent
    if isinstance(parent, exp.Paren):
        holder, parent = parent, parent.parent
    match parent:
        case exp.Cast() if parent.to.sql("duckdb").upper() == "UINTEGER[]":
            return ARRAYS[Oid.OID]  # as `scan.unqualified` writes oid[]
        case exp.Cast():
            return _named(parent.to.sql("duckdb"))
        case exp.Any():
            return ARRAYS[Oid.TEXT]
        case exp.Limit() | exp.Offset() | exp.Fetch():
            return Oid.INT8
        case exp.Between() | exp.In():
            return _other(parent.this, relations) if parent.this is not holder else Oid.TEXT
        case exp.Binary() if isinstance(parent, _LIKE_OTHER):
            return _other(parent.right if parent.left is holder else parent.left, relations)
        case exp.Tuple() if isinstance(parent.parent, exp.In):
            return _other(parent.parent.this, relations)
    return Oid.TEXT


def _other(node: exp.Expr, relations: Relations) -> int:
    """Return the type of what a parameter is compared with."""
    while isinstance(node, exp.Paren | exp.Sum | exp.Min | exp.Max | exp.Neg):
        node = node.this
    match node:
        case exp.Column():
            wanted = fold(node.name)
            kinds = [each.columns[own] for each in relations.all if (own := each.column(wanted)) is not None]
            return _named(kinds[0]) if kinds else Oid.TEXT
        case exp.Cast():
            return _named(node.to.sql("duckdb"))
        case exp.Count():
            return Oid.INT8
        case exp.Avg():
            return Oid.FLOAT8
        case exp.Literal() if not node.is_string:
            return Oid.INT8 if node.is_int else Oid.FLOAT8
        case exp.Binary():
            return max(_other(node.left, relations), _other(node.right, relations), key=lambda oid: oid != Oid.TEXT)
    return Oid.TEXT


def _named(kind: str) -> int:
    """Return the parameter's type for a type of DuckDB, however it is spelt."""
    plain = kind.split(" COLLATE ", maxsplit=1)[0].upper()
    element = plain.replace("[]", "")  # lists of lists are sent as lists
    found = shown(_SPELT.get(element, element)).oid if element != "OID" else Oid.OID
    return ARRAYS.get(Oid(found), found) if plain.endswith("[]") and found in KNOWN else found
