"""The lobby: a second DuckDB, in memory and locked, that holds nothing secret. Analysts' SQL runs here.

It holds public tables, protected views (copied when first asked for), empty stand-ins for restricted tables so that
clients can browse their columns, and, for the life of one statement, that statement's released results.
"""

import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from sdcdb.errors import Denied, Unsupported
from sdcdb.gateway.deadline import deadline
from sdcdb.gateway.native import LOCKED
from sdcdb.gateway.relations import Relation, Relations
from sdcdb.gateway.statement import Statement
from sdcdb.gateway.vault import Vault
from sdcdb.sql import identifier, quoted, table_reference

MOST_ROWS = 1_000_000  # of one result: they are held in memory before they leave


@dataclass(frozen=True)
class Released:
    """A block's results: texts and their types where Arrow has no type of DuckDB's, such as HUGEINT."""

    rows: pa.Table
    types: Mapping[str, str]


@dataclass(frozen=True)
class Rows:
    """What a statement returned."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


class Lobby:
    """The instance, and what has been copied into it."""

    def __init__(self, relations: Relations, vault: Vault, *, memory: str = "2GB", seconds: float = 60.0) -> None:
        self._relations = relations
        self._vault = vault
        self._seconds = seconds
        self._lock = threading.Lock()
        self._copied: set[str] = set()
        self._running: set[duckdb.DuckDBPyConnection] = set()
        self._con = duckdb.connect(config={**LOCKED, "memory_limit": memory})
        for relation in relations.all:
            target = table_reference(relation.name)
            if target.db:
                self._con.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(identifier(target.db))}")
            columns = ", ".join(f"{quoted(identifier(name))} {kind}" for name, kind in relation.columns.items())
            self._con.execute(f"CREATE TABLE {quoted(target)} ({columns})")
        self._con.execute("SET lock_configuration = true")

    def run(self, statement: Statement, released: Mapping[str, Released]) -> Rows:
        """Run a statement over released results. Whatever the engine has to say of an error is not passed on."""
        for name in statement.reads:
            self._copy(name)
        cursor = self._con.cursor()
        self._running.add(cursor)
        try:
            for name, result in released.items():
                cursor.register(f"{name} rows", result.rows)
                cursor.execute(_view(name, result))
            cursor.execute("BEGIN TRANSACTION READ ONLY")
            with deadline(cursor, self._seconds):
                ran = (
                    cursor.execute(statement.sql, statement.params)
                    if statement.params
                    else cursor.execute(statement.sql)
                )
                rows = ran.fetchmany(MOST_ROWS + 1)
            shape = ran.description or []
            if len(rows) > MOST_ROWS:
                raise Denied("size", f"the result has more than {MOST_ROWS:,} rows", "aggregate, or add a LIMIT")
        except Denied:
            raise
        except (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException):
            raise Unsupported("a name, type or function does not fit", "check names and types") from None
        except (
            duckdb.Error,
            OverflowError,
            ValueError,
            TypeError,
            RuntimeError,
        ):  # Python has no such value, or DuckDB
            raise Denied("error", "the statement failed while it ran", "check casts, divisions and sizes") from None
        finally:
            self._running.discard(cursor)
            with suppress(duckdb.Error):
                cursor.execute("ROLLBACK")
            cursor.close()
        return Rows(tuple(c[0] for c in shape), tuple(str(c[1]) for c in shape), tuple(rows))

    def interrupt(self) -> None:
        """Stop every statement that is running."""
        for cursor in list(self._running):
            with suppress(duckdb.Error):  # it may have ended just now
                cursor.interrupt()

    def _copy(self, name: str) -> None:
        """Copy a public table or protected view from the vault, once."""
        with self._lock:
            relation = next(each for each in self._relations.all if each.name == name)
            if name in self._copied or relation.kind == "restricted":
                return
            self._fill(relation)
            self._copied.add(name)

    def _fill(self, relation: Relation) -> None:
        cursor = self._con.cursor()
        try:
            cursor.register("sdc copied", self._vault.read(relation))
            cursor.execute(f'INSERT INTO {quoted(table_reference(relation.name))} SELECT * FROM "sdc copied"')
        finally:
            cursor.close()

    def close(self) -> None:
        """Close the instance."""
        self._con.close()


def _view(name: str, result: Released) -> str:
    columns = ", ".join(
        f"CAST({quoted(identifier(column))} AS {result.types[column]}) AS {quoted(identifier(column))}"
        if column in result.types
        else quoted(identifier(column))
        for column in result.rows.column_names
    )
    target, source = (quoted(identifier(each)) for each in (name, f"{name} rows"))
    return f"CREATE TEMP VIEW {target} AS SELECT {columns or '1'} FROM {source}"
