"""The schema `sdc` inside a database: what was fitted, and which draws belong to which column."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

import duckdb
from sqlglot import exp

from sdcdb.connection.identifiers import fold, identifier, quoted
from sdcdb.engines.duckdb import SCHEMA, enum_name
from sdcdb.engines.expressions import Bits, Lane
from sdcdb.errors import DatabaseError, choices
from sdcdb.techniques.technique import Draws
from sdcdb.version import __version__
from sdcdb.views.packing import packed
from sdcdb.views.plan import Plan


@dataclass(frozen=True)
class Entry:
    """A protected view as the catalogue knows it."""

    plan: Plan
    sdcdb_version: str
    fitted_at: datetime
    kind: str


def prepare(con: duckdb.DuckDBPyConnection) -> None:
    """Create the catalogue where there is none."""
    con.execute(files("sdcdb.schemas").joinpath("catalogue.sql").read_text(encoding="utf-8"))


def exists(con: duckdb.DuckDBPyConnection) -> bool:
    """Tell whether this database has a catalogue."""
    sql = (
        "SELECT 1 FROM duckdb_tables() WHERE database_name = current_database() AND (schema_name, table_name) = (?, ?)"
    )
    return bool(con.execute(sql, [SCHEMA, "plans"]).fetchall())


def kinds(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return every protected view of this database, with whether it is a `view` or a `table`."""
    return dict(con.execute(f"SELECT view_name, kind FROM {SCHEMA}.plans").fetchall()) if exists(con) else {}


def lanes(con: duckdb.DuckDBPyConnection, table: str, needed: Mapping[str, Draws]) -> dict[str, Lane]:
    """Return where the draws of each place (`Row.place`) are, giving new ones free bits. What is given stays given.

    A place that an earlier version gave a lane keeps it: its values must not be drawn a second time.
    """
    sql = f"SELECT place, lane FROM {SCHEMA}.lanes WHERE table_name = ?"
    earlier: dict[str, int] = dict(con.execute(sql, [table]).fetchall())
    sql = f"SELECT place, first_bit, width, half FROM {SCHEMA}.bits WHERE table_name = ?"
    given = {place: Bits(*rest) for place, *rest in con.execute(sql, [table]).fetchall()}
    wanted = {place: draws for place, draws in needed.items() if place not in given and place not in earlier}
    new = packed(list(given.values()), wanted)
    for place, bits in new.items():
        con.execute(f"INSERT INTO {SCHEMA}.bits VALUES (?, ?, ?, ?, ?)", [table, place, *bits])
    given |= new
    return {place: earlier[place] if place in earlier else given[place] for place in needed}


def forget_stored(con: duckdb.DuckDBPyConnection, plan: Plan, keep: Plan) -> None:
    """Drop the tables that a plan had stored and its successor does not use."""
    still = relations(keep)[1]
    for name, table in relations(plan)[1].items():
        if name not in still:
            con.execute(f"DROP TABLE IF EXISTS {quoted(table)}")


def store(con: duckdb.DuckDBPyConnection, plan: Plan, kind: str) -> None:
    """Keep a plan, the lists that its view reads, and the types of their values."""
    for values in plan.coded():
        create_enum(con, values)
    lists = plan.lists()
    con.execute(f"DROP TABLE IF EXISTS {quoted(lists_table(plan.view))}")
    if lists:
        columns = ", ".join(f"? AS {quoted(identifier(name))}" for name in lists)
        con.execute(
            f"CREATE TABLE {quoted(lists_table(plan.view))} AS SELECT {columns}", [list(v) for v in lists.values()]
        )
    con.execute(
        f"INSERT OR REPLACE INTO {SCHEMA}.plans VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            plan.view,
            plan.table,
            plan.model_dump_json(),
            __version__,
            datetime.now(UTC).replace(tzinfo=None),
            plan.rows,
            kind,
        ],
    )


def create_enum(con: duckdb.DuckDBPyConnection, values: tuple[Any, ...]) -> None:
    """Create the ENUM by which values are looked up, unless another view has it already."""
    name = enum_name(values)
    sql = "SELECT 1 FROM duckdb_types() WHERE database_name = current_database() AND schema_name = ? AND type_name = ?"
    if not con.execute(sql, [SCHEMA, name]).fetchall():
        listed = ", ".join("'" + str(value).replace("'", "''") + "'" for value in values)
        con.execute(f"CREATE TYPE {SCHEMA}.{name} AS ENUM ({listed})")


def lists_table(view: str) -> exp.Table:
    """Return the one-row table that holds a view's lists."""
    return stored_table(f"lists of {view}")


def relations(plan: Plan) -> tuple[exp.Table, dict[str, exp.Table]]:
    """Return the table of a plan's lists, and the stored tables that it joins."""
    return lists_table(plan.view), {name: stored_table(name) for each in plan.fitted for name in each.joined()}


def stored_table(name: str) -> exp.Table:
    """Return a table of the catalogue's schema."""
    return exp.Table(this=identifier(name), db=identifier(SCHEMA))


def entry(con: duckdb.DuckDBPyConnection, view: str) -> Entry:
    """Look a protected view up, or say which there are."""
    rows = []
    if exists(con):
        sql = f"SELECT view_name, plan, sdcdb_version, fitted_at, kind FROM {SCHEMA}.plans ORDER BY view_name"
        rows = con.execute(sql).fetchall()
    for name, plan, version, fitted_at, kind in rows:
        if fold(name) == fold(view):
            return Entry(Plan.model_validate_json(plan), version, fitted_at, kind)
    there_is = (
        choices(view, [row[0] for row in rows])
        if rows
        else "there is none yet: `sdcdb protect` or sdc_create_view creates them"
    )
    raise DatabaseError(f"there is no protected view {view!r}; {there_is}")
