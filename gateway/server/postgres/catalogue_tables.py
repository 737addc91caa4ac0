"""The tables behind the catalogue: an instance in memory, filled with names, types and roles, and no data at all."""

import csv
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import duckdb
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.gateway.reading.duckdb_parser import LOCKED
from sdcdb.gateway.relations import Relations
from sdcdb.gateway.server.postgres.settings import Settings
from sdcdb.gateway.server.postgres.types import Oid, shown
from sdcdb.gateway.server.shown import show_tables
from sdcdb.version import __version__

FIRST = 16_384  # where PostgreSQL's own numbers end
_MAIN = 2200
_OWN = {
    1259: "pg_class",
    1247: "pg_type",
    1249: "pg_attribute",
    1255: "pg_proc",
    1262: "pg_database",
    2606: "pg_constraint",
    2610: "pg_index",
    2615: "pg_namespace",
    2620: "pg_trigger",
}
_FORMATTED = {
    Oid.BOOL: "boolean",
    Oid.CHAR: '"char"',
    Oid.INT2: "smallint",
    Oid.INT4: "integer",
    Oid.INT8: "bigint",
    Oid.FLOAT4: "real",
    Oid.FLOAT8: "double precision",
    Oid.VARCHAR: "character varying",
    Oid.BPCHAR: "character",
    Oid.TIME: "time without time zone",
    Oid.TIMETZ: "time with time zone",
    Oid.TIMESTAMP: "timestamp without time zone",
    Oid.TIMESTAMPTZ: "timestamp with time zone",
}


def build(relations: Relations, database: str) -> duckdb.DuckDBPyConnection:
    """Build the instance for what may be named. Nothing in it can be configured or reached from outside."""
    con = duckdb.connect(config={**LOCKED, "threads": 1, "memory_limit": "256MB"})
    con.execute("SET GLOBAL preserve_insertion_order = true")
    for schema, file in (("sdc_pg", "pg_catalog.txt"), ("sdc_info", "information_schema.txt")):
        con.execute(f"CREATE SCHEMA {schema}")
        for name, columns in _tables(file):
            con.execute(f"CREATE TABLE {schema}.{name} ({columns})")
    _fill(con, relations, database)
    for name in ("current_database", "current_catalog"):
        con.execute(f"CREATE MACRO {name}() AS {literal(database)}")
    for statement in _text("catalogue.sql").split(";\n"):
        if statement.strip():
            con.execute(statement)
    for relation in relations.all:
        target = table_reference(relation.name)
        if target.db:
            con.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(identifier(target.db))}")
        listed = ", ".join(f"{quoted(identifier(name))} {kind}" for name, kind in relation.columns.items())
        con.execute(f"CREATE TABLE {quoted(target)} ({listed})")
    con.execute("SET lock_configuration = true")
    return con


def literal(text: str) -> str:
    """Return a text as a literal of SQL."""
    return exp.Literal.string(text).sql("duckdb")


def _tables(file: str) -> Iterator[tuple[str, str]]:
    for line in _text(file).splitlines():
        name, _, columns = line.partition(": ")
        listed = ", ".join(f'"{part.split(" ")[0]}" {part.split(" ", 1)[1]}' for part in columns.split(", "))
        yield name, listed


def _text(name: str) -> str:
    return files("sdcdb.gateway.server.postgres").joinpath(name).read_text(encoding="utf-8")


def _insert(con: duckdb.DuckDBPyConnection, table: str, **values: Any) -> None:
    """Add a row; columns that are not named hold NULL."""
    names = ", ".join(f'"{name}"' for name in values)
    con.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(values))})", list(values.values()))


def _fill(con: duckdb.DuckDBPyConnection, relations: Relations, database: str) -> None:
    con.execute("SET VARIABLE sdc_user = ''")
    _fill_types(con)
    for oid, name in ((11, "pg_catalog"), (_MAIN, "main"), (13000, "information_schema")):
        _insert(con, "sdc_pg.pg_namespace", oid=oid, nspname=name, nspowner=10)
        _insert(con, "sdc_info.schemata", catalog_name=database, schema_name=name, schema_owner="owner")
    _insert(con, "sdc_pg.pg_am", oid=2, amname="heap", amtype="t", amhandler="heap_tableam_handler")
    _insert(con, "sdc_pg.pg_tablespace", oid=1663, spcname="pg_default", spcowner=10)
    _insert(con, "sdc_pg.pg_collation", oid=100, collname="default", collnamespace=11, collowner=10, collprovider="d",
            collisdeterministic=True, collencoding=-1)  # fmt: skip
    _insert(con, "sdc_pg.pg_language", oid=14, lanname="sql", lanowner=10, lanispl=False, lanpltrusted=True)
    _insert(con, "sdc_pg.pg_database", oid=1, datname=database, datdba=10, encoding=6, datlocprovider="c",
            datistemplate=False, datallowconn=True, datconnlimit=-1, dattablespace=1663, datcollate="C",
            datctype="C", datfrozenxid=1, datminmxid=1)  # fmt: skip
    for name, setting in Settings("").all():
        _insert(con, "sdc_pg.pg_settings", name=name, setting=setting, category="", context="user", vartype="string",
                source="default", boot_val=setting, reset_val=setting, pending_restart=False)  # fmt: skip
    schemas = {"main": _MAIN}
    for number, (relation, table) in enumerate(zip(relations.all, show_tables(relations), strict=True)):
        schema = table_reference(relation.name).db or "main"
        if schema not in schemas:
            schemas[schema] = 15_000 + len(schemas)
            _insert(con, "sdc_pg.pg_namespace", oid=schemas[schema], nspname=schema, nspowner=10)
            _insert(con, "sdc_info.schemata", catalog_name=database, schema_name=schema, schema_owner="owner")
        _fill_table(con, FIRST + number, table, (database, schema, schemas[schema]))
    for oid, name in _OWN.items():
        _insert(con, "sdc_pg.pg_class", **_class(oid, name, 11, "r", 0))
    con.execute("DROP TABLE sdc_pg.pg_roles")
    con.execute(
        "CREATE VIEW sdc_pg.pg_roles AS SELECT getvariable('sdc_user')::VARCHAR AS rolname, false AS rolsuper, "
        "true AS rolinherit, false AS rolcreaterole, false AS rolcreatedb, true AS rolcanlogin, "
        "false AS rolreplication, -1 AS rolconnlimit, '********' AS rolpassword, NULL::TIMESTAMPTZ AS rolvaliduntil, "
        "false AS rolbypassrls, NULL::VARCHAR[] AS rolconfig, 10::UINTEGER AS oid"
    )
    con.execute("DROP TABLE sdc_pg.pg_user")
    con.execute(
        "CREATE VIEW sdc_pg.pg_user AS SELECT rolname AS usename, oid AS usesysid, false AS usecreatedb, "
        "false AS usesuper, false AS userepl, false AS usebypassrls, '********' AS passwd, "
        "NULL::TIMESTAMPTZ AS valuntil, NULL::VARCHAR[] AS useconfig FROM sdc_pg.pg_roles"
    )
    con.execute(f"CREATE MACRO version() AS 'PostgreSQL 15.4 (sdcdb {__version__})'")


def _fill_types(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE sdc_pg.formatted (oid UINTEGER, shown VARCHAR)")
    functions: set[str] = set()
    for row in csv.DictReader(_text("pg_type.csv").splitlines()):
        oid, element = int(row["oid"]), int(row["typelem"])
        _insert(con, "sdc_pg.pg_type", oid=oid, typname=row["typname"], typnamespace=11, typowner=10,
                typlen=int(row["typlen"]), typbyval=row["typbyval"] == "t", typtype=row["typtype"],
                typcategory=row["typcategory"], typispreferred=row["typispreferred"] == "t", typisdefined=True,
                typdelim=",", typrelid=0, typelem=element, typarray=int(row["typarray"]), typinput=row["typinput"],
                typoutput=row["typoutput"], typreceive=row["typreceive"],
                typsend=row["typsend"], typsubscript=row["typsubscript"], typnotnull=False,
                typbasetype=0, typtypmod=-1, typndims=0,
                typcollation=100 if row["typcategory"] == "S" else 0)  # fmt: skip
        base = _FORMATTED.get(oid if element == 0 else element)  # type: ignore[call-overload]
        plain = base or row["typname"].removeprefix("_")
        functions.update(row[each] for each in ("typinput", "typoutput", "typreceive", "typsend"))
        con.execute(
            "INSERT INTO sdc_pg.formatted VALUES (?, ?)", [oid, plain + ("[]" if row["typname"][0] == "_" else "")]
        )
    for number, name in enumerate(sorted(functions)):  # some clients tell lists by the function that reads them
        _insert(con, "sdc_pg.pg_proc", oid=14_000 + number, proname=name, pronamespace=11, proowner=10, prolang=12,
                prokind="f", provolatile="i", proretset=False, pronargs=1, prorettype=0, proacl=None)  # fmt: skip


def _class(oid: int, name: str, schema: int, kind: str, columns: int) -> dict[str, Any]:
    return {
        "oid": oid, "relname": name, "relnamespace": schema, "reltype": 0, "reloftype": 0, "relowner": 10, "relam": 2,
        "relfilenode": 0, "reltablespace": 0, "relpages": 0, "reltuples": -1, "relallvisible": 0, "reltoastrelid": 0,
        "relhasindex": False, "relisshared": False, "relpersistence": "p", "relkind": kind, "relnatts": columns,
        "relchecks": 0, "relhasrules": False, "relhastriggers": False, "relhassubclass": False,
        "relrowsecurity": False, "relforcerowsecurity": False, "relispopulated": True, "relreplident": "d",
        "relispartition": False, "relrewrite": 0, "relfrozenxid": 0, "relminmxid": 0,
    }  # fmt: skip


def _fill_table(con: duckdb.DuckDBPyConnection, oid: int, table: Any, place: tuple[str, str, int]) -> None:
    database, schema, schema_oid = place
    name = table_reference(table.name).name
    view = table.kind == "protected"
    _insert(con, "sdc_pg.pg_class", **_class(oid, name, schema_oid, "v" if view else "r", len(table.columns)))
    _insert(
        con, "sdc_pg.pg_description", objoid=oid, classoid=1259, objsubid=0, description=f"{table.kind}: {table.use}"
    )
    kind = {"table_type": "VIEW" if view else "BASE TABLE", "is_insertable_into": "NO", "is_typed": "NO"}
    _insert(con, "sdc_info.tables", table_catalog=database, table_schema=schema, table_name=name, **kind)
    if view:
        _insert(con, "sdc_info.views", table_catalog=database, table_schema=schema, table_name=name, is_updatable="NO")
        _insert(con, "sdc_pg.pg_views", schemaname=schema, viewname=name, viewowner="owner")
    else:
        _insert(con, "sdc_pg.pg_tables", schemaname=schema, tablename=name, tableowner="owner", hasindexes=False,
                hasrules=False, hastriggers=False, rowsecurity=False)  # fmt: skip
    for number, column in enumerate(table.columns, start=1):
        found = shown(column.type.split(" COLLATE ")[0])
        _insert(con, "sdc_pg.pg_attribute", attrelid=oid, attname=column.name, atttypid=found.oid, attstattarget=-1,
                attlen=found.size, attnum=number, attndims=int(found.element is not None), attcacheoff=-1,
                atttypmod=found.modifier, attbyval=False, attalign="i", attstorage="p", attcompression="",
                attnotnull=False, atthasdef=False, atthasmissing=False, attidentity="", attgenerated="",
                attisdropped=False, attislocal=True, attinhcount=0,
                attcollation=100 if found.oid == Oid.TEXT else 0)  # fmt: skip
        said = f"{column.role}: {column.use}"
        _insert(con, "sdc_pg.pg_description", objoid=oid, classoid=1259, objsubid=number, description=said)
        typed = con.execute("SELECT shown FROM sdc_pg.formatted WHERE oid = ?", [found.oid]).fetchone()
        named = con.execute("SELECT typname FROM sdc_pg.pg_type WHERE oid = ?", [found.oid]).fetchone()
        _insert(con, "sdc_info.columns", table_catalog=database, table_schema=schema, table_name=name,
                column_name=column.name, ordinal_position=number, is_nullable="YES",
                data_type=typed[0] if typed else "text", udt_catalog=database, udt_schema="pg_catalog",
                udt_name=named[0] if named else "text", is_identity="NO", is_generated="NEVER", is_updatable="NO",
                dtd_identifier=str(number), is_self_referencing="NO")  # fmt: skip
