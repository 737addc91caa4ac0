"""The foreign keys that a database declares: which column holds the key of which table."""

from collections.abc import Mapping

import duckdb

from sdcdb.connection.identifiers import fold, table_reference

Path = tuple[str, str]
"""Schema and name of a table, folded."""


def foreign_keys(con: duckdb.DuckDBPyConnection, table: str) -> Mapping[str, tuple[Path, str]]:
    """Return, for each column that is a foreign key by itself, the table and the column meant, all names folded."""
    schema, name = path_of(table)
    rows = con.execute(
        "SELECT constraint_column_names, referenced_table, referenced_column_names FROM duckdb_constraints() "
        "WHERE constraint_type = 'FOREIGN KEY' AND database_name = current_database() AND lower(schema_name) = ? "
        "AND lower(table_name) = ?",
        [schema, name],
    ).fetchall()
    return {
        fold(columns[0]): ((schema, fold(parent)), fold(keys[0]))  # a foreign key stays in its schema
        for columns, parent, keys in rows
        if len(columns) == 1
    }


def path_of(table: str) -> Path:
    """Return the schema and the name of a table, folded."""
    own = table_reference(table)
    return fold(own.db or "main"), fold(own.name)
