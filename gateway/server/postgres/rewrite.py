"""PostgreSQL's SQL about its catalogue, rewritten for the DuckDB that stands in for it."""

from functools import lru_cache
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sdcdb.connection.identifiers import fold
from sdcdb.gateway.server.postgres.frugal import LONGEST, TooMuch, must_be_frugal
from sdcdb.gateway.server.postgres.functions import rewrite_function, unclear
from sdcdb.gateway.server.postgres.lists import text_list
from sdcdb.gateway.server.postgres.problem import Refusal
from sdcdb.gateway.server.postgres.scan import spaced, unqualified

_SCHEMAS = {"pg_catalog": "sdc_pg", "information_schema": "sdc_info"}
_NAMED_BY_NUMBER = {"REGCLASS": "relname", "REGTYPE": "typname", "REGNAMESPACE": "nspname", "REGROLE": "rolname"}
_CATALOGUES = {"REGCLASS": "pg_class", "REGTYPE": "pg_type", "REGNAMESPACE": "pg_namespace", "REGROLE": "pg_roles"}
_TEXTS = {
    "REGPROC",
    "REGPROCEDURE",
    "REGOPERATOR",
    "REGOPER",
    "REGCONFIG",
    "NAME",
    "ACLITEM",
    "PG_NODE_TREE",
    "CSTRING",
}
_CATALOGUE_NUMBERS = {"pg_class": 1259, "pg_type": 1247, "pg_attribute": 1249, "pg_proc": 1255, "pg_database": 1262,
                      "pg_namespace": 2615, "pg_constraint": 2606, "pg_index": 2610, "pg_trigger": 2620,
                      "pg_language": 2612, "pg_cast": 2605, "pg_conversion": 2607, "pg_opclass": 2616,
                      "pg_opfamily": 2753, "pg_rewrite": 2618, "pg_foreign_data_wrapper": 2328,
                      "pg_foreign_server": 1417, "pg_roles": 1260}  # fmt: skip
_FUNCTIONS = {"typinput", "typoutput", "typreceive", "typsend", "typmodin", "typmodout", "typanalyze", "typsubscript"}
_HIDDEN = {"tableoid", "xmin", "xmax", "cmin", "cmax"}
_NAMING = (exp.Concat, exp.DPipe, exp.Placeholder, exp.Parameter)  # what gives a name to look up, not a number
_NUMBERS = {"OID", "XID", "CID"}


_REMEMBERED = 10_000  # characters: a longer statement is rewritten each time


def for_duckdb(statement: str) -> str:
    """Return a statement that DuckDB can run, or refuse one that is not understood."""
    return _remembered(statement) if len(statement) <= _REMEMBERED else _rewritten(statement)


@lru_cache(maxsize=512)
def _remembered(statement: str) -> str:
    return _rewritten(statement)


def _rewritten(statement: str) -> str:
    if len(statement) > LONGEST:
        raise TooMuch("this statement about the catalogue is too large")
    try:
        trees = sqlglot.parse(unqualified(spaced(statement)), read="postgres")
    except (SqlglotError, RecursionError):
        raise unclear() from None
    root = trees[0] if len(trees) == 1 else None
    if not isinstance(root, exp.Query):
        raise unclear()
    must_be_frugal(root)
    try:
        for node in reversed(list(root.walk())):  # what is inside comes first
            _rewrite(node)
        return root.sql("duckdb", comments=False)
    except (SqlglotError, RecursionError, ValueError, AttributeError):
        raise unclear() from None


def _rewrite(node: exp.Expr) -> None:
    match node:
        case exp.Table():
            _table(node)
        case exp.Dot() if isinstance(node.expression, exp.Func) and isinstance(node.this, exp.Identifier | exp.Column):
            node.replace(node.expression)  # pg_catalog.format_type(...)
        case exp.Column() if fold(node.text("db")) in _SCHEMAS or fold(node.text("table")) in _SCHEMAS:
            node.set("db", None)
        case exp.Column() if fold(node.name) in _HIDDEN:
            _hidden(node)
        case exp.Collate():
            node.replace(node.this)
        case exp.Cast():
            _cast(node)
        case exp.Lock():
            node.pop()
        case exp.EQ() | exp.NEQ():
            _compare(node)
        case _:
            rewrite_function(node)


def _table(node: exp.Table) -> None:
    schema, name = fold(node.db), fold(node.name)
    if schema in _SCHEMAS:
        node.set("db", exp.to_identifier(_SCHEMAS[schema]))
    elif not schema and name.startswith("pg_") and isinstance(node.this, exp.Identifier):
        node.set("db", exp.to_identifier("sdc_pg"))
    if isinstance(node.this, exp.Func):
        node.set("db", None)
    node.set("catalog", None)


def _hidden(node: exp.Column) -> None:
    """Columns that every row of PostgreSQL has: `tableoid` is the number of its table; the others say nothing here."""
    scope = node.find_ancestor(exp.Select)
    wanted, name = fold(node.text("table")), fold(node.name)
    for table in scope.find_all(exp.Table) if scope is not None else ():
        number = _CATALOGUE_NUMBERS.get(fold(table.name), 0 if fold(table.name).startswith("pg_") else None)
        if number is not None and wanted in {"", fold(table.alias_or_name)}:
            value: exp.Expr = exp.Literal.number(number if name == "tableoid" else 1)
            value = exp.cast(value, "UINTEGER", dialect="duckdb")
            node.replace(exp.alias_(value, name) if isinstance(node.parent, exp.Select) else value)
            return


def _cast(node: exp.Cast) -> None:
    """Rewrite casts to types that number or name objects."""
    wanted = node.to.sql("postgres").upper().removeprefix("PG_CATALOG.").strip('"')
    array = wanted.endswith("[]")
    plain = wanted.removesuffix("[]")
    if array and isinstance(node.this, exp.Literal) and node.this.is_string and str(node.this.this).startswith("{"):
        items = text_list(str(node.this.this), str)
        node.set("this", exp.Array(expressions=[exp.Null() if each is None else _texts(each) for each in items]))
    if plain in _NUMBERS and not array and _names_function(node.this):
        raise Refusal("42883", "there is no function of this name to look at")
    if plain in _NUMBERS:
        node.set("to", exp.DataType.build("UINTEGER[]" if array else "UINTEGER", dialect="duckdb"))
    elif plain in _TEXTS or plain == "CHAR":
        node.meta["function"] = plain in {"REGPROC", "REGPROCEDURE"}
        node.set("to", exp.DataType.build("VARCHAR[]" if array else "VARCHAR", dialect="duckdb"))
    elif plain in _CATALOGUES:
        _by_name_or_number(node, plain)


def _texts(item: str | list[Any]) -> exp.Expr:
    return exp.Literal.string(item) if isinstance(item, str) else exp.Array(expressions=[_texts(each) for each in item])


def _names_function(node: exp.Expr) -> bool:
    """Tell whether this is `'name'::regproc`, whose number is wanted."""
    return (
        isinstance(node, exp.Cast)
        and isinstance(node.this, exp.Literal)
        and node.this.is_string
        and node.meta.get("function", False)
    )


def _compare(node: exp.EQ | exp.NEQ) -> None:
    """A function's number is its name here: `typreceive <> 0` asks whether there is one."""
    for column, other in ((node.left, node.right), (node.right, node.left)):
        function = isinstance(column, exp.Column) and fold(column.name) in _FUNCTIONS
        if function and isinstance(other, exp.Literal) and not other.is_string:
            other.replace(exp.Literal.string("-"))
        elif function and isinstance(other, exp.Column) and fold(other.name) == "oid":
            other.set("this", exp.to_identifier("proname"))  # a row of pg_proc


def _by_name_or_number(node: exp.Cast, kind: str) -> None:
    """`'staff'::regclass` is a number; `oid::regclass` is shown as a name."""
    table, column = _CATALOGUES[kind], _NAMED_BY_NUMBER[kind]
    value = node.this
    text = isinstance(value, exp.Literal) and value.is_string and not str(value.this).isdigit()
    text = text or isinstance(value.unnest(), _NAMING)
    sought = exp.func("parse_name", value.copy()) if text else exp.cast(value.copy(), "UINTEGER", dialect="duckdb")
    found = exp.column("oid" if text else column, table="sdc_found")
    where = exp.EQ(this=exp.column(column if text else "oid", table="sdc_found"), expression=sought)
    source = exp.Table(
        this=exp.to_identifier(table),
        db=exp.to_identifier("sdc_pg"),
        alias=exp.TableAlias(this=exp.to_identifier("sdc_found")),
    )
    lookup = exp.select(exp.func("any_value", found)).from_(source).where(where)
    node.replace(exp.Subquery(this=lookup))
