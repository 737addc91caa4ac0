"""The tables and views that a function is given by name: found as the caller's statement would find them.

A function called from SQL reads on a cursor, which sees neither temporary tables nor what the caller has not committed.
So every result carries a guard: a subquery that runs inside the caller's statement, on the name as the caller gave it,
and stops the statement unless it meets the very records that the function read.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import duckdb
from sqlglot import exp

from sdcdb.connection.identifiers import fold, identifier, name_parts, quoted, table_name
from sdcdb.engines.dialect import text_literal
from sdcdb.errors import DataError, choices

UNSEEN = (
    "temporary tables and views, files and data frames cannot be read by this function: put the rows where every "
    "connection sees them, by ATTACH ':memory:' AS scratch; CREATE TABLE scratch.{name} AS FROM {given}; "
    "and name it 'scratch.{name}'"
)


@dataclass(frozen=True)
class Relation:
    """A table or view: the name as given, its full name, its columns, and whether it is a view."""

    given: str
    database: str
    schema: str
    table: str
    columns: tuple[str, ...]
    is_view: bool

    @property
    def name(self) -> str:
        """The name inside its database: `staff` or `hr.staff`."""
        return table_name(self.schema, self.table)

    @property
    def reference(self) -> exp.Table:
        """The full name, which means the same from every connection."""
        return exp.Table(this=identifier(self.table), db=identifier(self.schema), catalog=identifier(self.database))

    def own(self, name: Any) -> str:
        """Return a column's name as the table spells it."""
        found = next((own for own in self.columns if fold(own) == fold(str(name))), None)
        if found is None:
            raise DataError(f"{self.given!r} has no column {name!r}; {choices(str(name), self.columns)}")
        return found


def use(cursor: duckdb.DuckDBPyConnection, database: str, schema: str) -> None:
    """Let a cursor look names up where the caller's statement does."""
    cursor.execute(f"USE {quoted(exp.Table(this=identifier(schema), db=identifier(database)))}")


def find(cursor: duckdb.DuckDBPyConnection, given: Any, database: str, schema: str) -> Relation:
    """Find a table or view by the name that a statement gives, in the order in which DuckDB looks."""
    if not isinstance(given, str):
        raise DataError(f"a table is given by its name, as a text such as 'staff' or 'hr.staff', not as {given!r}")
    parts = name_parts(given)
    there = cursor.execute("""
        SELECT database_name, schema_name, table_name, false FROM duckdb_tables() WHERE NOT internal AND NOT temporary
        UNION ALL
        SELECT database_name, schema_name, view_name, true FROM duckdb_views() WHERE NOT temporary
    """).fetchall()
    places = {
        1: [(database, schema, *parts)],
        2: [(database, *parts), (parts[0], "main", *parts[1:])],
        3: [parts],
    }[len(parts)]
    known = {tuple(map(fold, row[:3])): row for row in there}
    for place in places:
        if row := known.get(tuple(map(fold, place))):
            owner, within, table, is_view = row
            return Relation(given, owner, within, table, _columns(cursor, owner, within, table), is_view)
    names = [table_name(within, table) for owner, within, table, _ in there if owner == database and within != "sdc"]
    own = quoted(identifier(parts[-1]))
    unseen = UNSEEN.format(name=own, given=quoted(_as_given(given)))
    raise DataError(f"no table or view {given!r}; {choices(given, names)}. Besides, {unseen}")


def _columns(cursor: duckdb.DuckDBPyConnection, database: str, schema: str, table: str) -> tuple[str, ...]:
    rows = cursor.execute(
        "SELECT column_name FROM duckdb_columns() WHERE (database_name, schema_name, table_name) = (?, ?, ?) "
        "ORDER BY column_index",
        [database, schema, table],
    ).fetchall()
    return tuple(name for (name,) in rows)


@dataclass(frozen=True)
class Print:
    """The fingerprint of a relation's records: their number, and a sum of hashes in any order."""

    relation: Relation
    records: int
    hashes: int

    @property
    def guard(self) -> str:
        """The condition that the statement meets the same records."""
        why = text_literal(
            f"{self.relation.given!r} is not the table that the function read: the statement sees changes that are not "
            f"committed, or the table has changed since the statement was prepared, or a temporary table has its name. "
            f"Commit, prepare again, or rename"
        )
        same = f"count(*) = {self.records} AND coalesce({_sum(self.relation)}, 0) = {self.hashes}::HUGEINT"
        source = quoted(_as_given(self.relation.given))
        return f"(SELECT CASE WHEN {same} THEN true ELSE error({why})::BOOLEAN END FROM {source})"


def fingerprint(cursor: duckdb.DuckDBPyConnection, relation: Relation) -> Print:
    """Read the fingerprint on the cursor: one scan."""
    row = cursor.execute(f"SELECT count(*), coalesce({_sum(relation)}, 0) FROM {quoted(relation.reference)}").fetchone()
    records, hashes = row or (0, 0)
    return Print(relation, int(records), int(hashes))


def _sum(relation: Relation) -> str:
    """Hash the columns, and where noise may go by it, the row's number. A HUGEINT holds 2^63 hashes."""
    columns = [quoted(identifier(name)) for name in relation.columns]
    own = any(fold(name) == "rowid" for name in relation.columns)
    numbered = [] if relation.is_view or own else ["rowid"]
    return f"sum(hash({', '.join([*numbered, *columns])}))"


def _as_given(given: str) -> exp.Table:
    parts = [identifier(part) for part in name_parts(given)]
    return exp.Table(
        this=parts[-1], db=parts[-2] if len(parts) > 1 else None, catalog=parts[0] if len(parts) > 2 else None
    )


def guarded(select: str, prints: Iterable[Print]) -> str:
    """Return a SELECT that runs only on the records that were read."""
    conditions = [each.guard for each in prints]
    return f"SELECT * FROM ({select}) WHERE {' AND '.join(conditions)}" if conditions else select
