"""Which tables of people or events the records of another one refer to: by declared foreign keys, names and values."""

from collections.abc import Sequence

import duckdb

from sdcdb.connection.identifiers import fold, identifier, quoted, table_reference
from sdcdb.policy.evidence import Understood
from sdcdb.policy.foreign_keys import foreign_keys, path_of
from sdcdb.policy.models import Role

NEARLY_ALL = 0.9
"""The share of a column's values that are keys of a table: records may be left of people who are not in it."""


def find_references(con: duckdb.DuckDBPyConnection, child: Understood, tables: Sequence[Understood]) -> dict[str, str]:
    """Return the tables that columns of a table refer to, which must be identifiers, and not all of the key."""
    declared = foreign_keys(con, child.profile.name)
    found = {}
    for column in child.profile.columns:
        if column.name == child.key or child.guesses[column.name].role is not Role.IDENTIFIER:
            continue
        for parent in tables:
            if parent is child or parent.public is not None or not parent.key:
                continue
            meant = declared.get(fold(column.name)) == (path_of(parent.profile.name), fold(parent.key))
            alike = child.referred.get(column.name) == parent.profile.name
            if (meant or alike) and _refers(con, child, column.name, parent):
                found[column.name] = parent.profile.name
                break
    return found


def _refers(con: duckdb.DuckDBPyConnection, child: Understood, column: str, parent: Understood) -> bool:
    """Tell whether nearly all values of a column are keys of a table."""
    mine, key = quoted(identifier(column)), quoted(identifier(str(parent.key)))
    row = con.execute(
        f"SELECT avg((CAST(v AS VARCHAR) IN (SELECT CAST({key} AS VARCHAR) FROM "
        f"{quoted(table_reference(parent.profile.name))}))::INT) FROM (SELECT DISTINCT {mine} AS v FROM "
        f"{quoted(table_reference(child.profile.name))} WHERE {mine} IS NOT NULL)"
    ).fetchone()
    return row is not None and row[0] is not None and row[0] >= NEARLY_ALL
