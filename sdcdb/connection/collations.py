"""The collations of texts: DuckDB names them nowhere but in the definition of a table."""

import re

import duckdb
import sqlglot
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted

_SHAPE = "sdc shape"
_COLLATE = re.compile(r"\bCOLLATE\b", re.IGNORECASE)


def types_with_collations(con: duckdb.DuckDBPyConnection, sql: str) -> dict[str, str]:
    """Return the types of a query's columns as a table would declare them: `VARCHAR COLLATE nocase`."""
    bound = con.sql(sql)
    types = {name: str(kind) for name, kind in zip(bound.columns, bound.types, strict=True)}
    if "VARCHAR" not in types.values():
        return types
    shape = quoted(identifier(_SHAPE))
    cursor = con.cursor()  # temporary tables are the cursor's own
    try:
        cursor.execute(f"CREATE TEMP TABLE {shape} AS SELECT * FROM ({sql}) LIMIT 0")
        row = cursor.execute("SELECT sql FROM duckdb_tables() WHERE temporary AND table_name = ?", [_SHAPE]).fetchone()
    finally:
        cursor.close()
    definition = str(row[0]) if row else ""
    if not _COLLATE.search(definition):
        return types
    for column in sqlglot.parse_one(definition, read="duckdb").find_all(exp.ColumnDef):
        found = column.find(exp.CollateColumnConstraint, exp.Collate)
        if found is not None and types.get(column.name) == "VARCHAR":
            types[column.name] = f"VARCHAR COLLATE {_collation(found)}"
    return types


def _collation(node: exp.Expr) -> str:
    name = node.this if isinstance(node, exp.CollateColumnConstraint) else node.args["expression"]
    return str(name.sql("duckdb"))
