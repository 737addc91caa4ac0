"""What the database knows beside the restricted tables: other tables, views on restricted tables, and functions."""

import re
from dataclasses import dataclass

import duckdb

from sdcdb.auditor.reading.catalogues import FUNCTIONS, READ_BY_NAME
from sdcdb.connection.identifiers import fold
from sdcdb.gateway.relations import Relations

Path = tuple[str, str]
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Surroundings:
    """Relations by schema and name, folded; functions by name."""

    open: frozenset[Path]
    """Tables and views that hold nothing confidential."""
    views: frozenset[str]
    """Names of views and macros that read a restricted table, directly or through others."""
    functions: frozenset[str]

    def is_open(self, schema: str, name: str) -> bool:
        """Tell whether a relation is known to hold nothing confidential; without a schema, wherever it is."""
        if schema:
            return (schema, name) in self.open or (schema in ("public", "dbo") and ("main", name) in self.open)
        return any(own == name for _, own in self.open)


def surroundings(con: duckdb.DuckDBPyConnection, relations: Relations) -> Surroundings:
    """Read the catalogue of the database."""
    tables = con.execute("SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal").fetchall()
    views = con.execute("SELECT schema_name, view_name, sql FROM duckdb_views() WHERE NOT internal").fetchall()
    macros = con.execute(
        "SELECT function_name, coalesce(macro_definition, '') FROM duckdb_functions() "
        "WHERE NOT internal AND function_type IN ('macro', 'table_macro')"
    ).fetchall()
    protected = {relation.path for relation in relations.all if relation.kind == "protected"}
    defined = [
        (fold(str(name)), str(sql)) for schema, name, sql in views if (fold(schema), fold(name)) not in protected
    ]
    defined += [(fold(str(name)), str(sql)) for name, sql in macros]
    reading = {relation.path[1] for relation in relations.restricted()}
    own = set(reading)
    while more := {name for name, sql in defined if name not in reading and _mentions(sql, reading)}:
        reading |= more
    restricted = {relation.path for relation in relations.restricted()}
    every = {(fold(schema), fold(name)) for schema, name, *_ in [*tables, *views]} | protected
    known = con.execute("SELECT DISTINCT function_name FROM duckdb_functions() WHERE internal").fetchall()
    functions = {fold(str(name)) for (name,) in known} | FUNCTIONS | {fold(str(name)) for name, _ in macros}
    derived = reading - own
    return Surroundings(
        frozenset(path for path in every if path not in restricted and path[1] not in derived),
        frozenset(derived),
        frozenset(functions - READ_BY_NAME - derived),
    )


def _mentions(sql: str, names: set[str]) -> bool:
    """Tell whether a definition contains one of these names, or reads one from a text."""
    words = {fold(word) for word in _WORD.findall(sql)}
    return bool(words & READ_BY_NAME) or any(name in words or name in fold(sql) for name in names)
