"""The lobby: a second DuckDB, in memory and locked, that holds nothing secret. Analysts' SQL runs here.

It holds public tables and protected views (copied when first asked for, and when they changed; in the order of their
values, so that no order and no rowid of the raw table shows), empty stand-ins for restricted tables so that
clients can browse their columns, and, for the life of one statement, that statement's released results.

A statement that needs nothing but a few released numbers runs at the desk: an instance of one thread with nothing in
it, where it takes half the time.
"""

import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.errors import Denied, Unsupported
from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.deadline import deadline
from sdcdb.gateway.lobby.released import Released, with_literals
from sdcdb.gateway.reading.duckdb_parser import LOCKED
from sdcdb.gateway.reading.reserved import COPIED
from sdcdb.gateway.reading.statement import Statement
from sdcdb.gateway.relations import Relation, Relations
from sdcdb.gateway.rules.table import MOST_ROWS, denied
from sdcdb.gateway.tables.carried import cast_back
from sdcdb.gateway.tables.fingerprint import sign
from sdcdb.gateway.tables.vault import Vault


@dataclass(frozen=True)
class Rows:
    """What a statement returned."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


class Lobby:
    """The instance, and what has been copied into it."""

    def __init__(
        self, relations: Relations, vault: Vault, path: Path | None, *, memory: str = "2GB", seconds: float = 60.0
    ) -> None:
        self._path = path
        self._relations = relations
        self._vault = vault
        self._seconds = seconds
        self._lock = threading.Lock()
        self._copied: dict[str, Any] = {}  # and a sign of what each was when it was copied
        self._con = duckdb.connect(config={**LOCKED, "memory_limit": memory})
        for relation in relations.all:
            target = table_reference(relation.name)
            if target.db:
                self._con.execute(f"CREATE SCHEMA IF NOT EXISTS {_quoted(target.db)}")
            columns = ", ".join(f"{_quoted(name)} {kind}" for name, kind in relation.columns.items())
            self._con.execute(f"CREATE TABLE {quoted(target)} ({columns})")
        self._desk = duckdb.connect(config={**LOCKED, "memory_limit": memory, "threads": 1})
        for con in (self._con, self._desk):
            con.execute("SET lock_configuration = true")

    def run(
        self, statement: Statement, released: Mapping[str, Released], cancellation: Cancellation | None = None
    ) -> Rows:
        """Run a statement over released results. Whatever the engine has to say of an error is not passed on."""
        for name in statement.reads:
            self._copy(name)
        sql = with_literals(statement.tree, released) if statement.tree is not None else None
        alone = sql is not None and not statement.reads  # a SELECT that was rendered from a tree, over literals
        cursor = (self._desk if alone else self._con).cursor()
        try:
            for name, result in released.items() if sql is None else ():
                cursor.register(f"{name} rows", result.rows)
                cursor.execute(_view(name, result))
            if not alone:
                cursor.execute("BEGIN TRANSACTION READ ONLY")
            with deadline(cursor, self._seconds, cancellation):
                text = sql or statement.sql()
                ran = cursor.execute(text, statement.params) if statement.params else cursor.execute(text)
                rows = ran.fetchmany(MOST_ROWS + 1)
            shape = ran.description or []
            if len(rows) > MOST_ROWS:
                raise denied("rows")
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
            raise denied("error") from None
        finally:
            if not alone:
                with suppress(duckdb.Error):
                    cursor.execute("ROLLBACK")
            cursor.close()
        return Rows(tuple(c[0] for c in shape), tuple(str(c[1]) for c in shape), tuple(rows))

    def _copy(self, name: str) -> None:
        """Copy a public table or protected view from the vault, and again when the database has changed."""
        with self._lock:
            relation = next(each for each in self._relations.all if each.name == name)
            if relation.kind == "restricted":
                return
            seen = self._sign(relation)
            if name not in self._copied or self._copied[name] != seen:
                self._fill(relation)
                self._copied[name] = seen

    def _sign(self, relation: Relation) -> Any:
        """Return what changes with the relation. A protected view of a database in memory is copied once."""
        if self._path is not None:
            return sign(self._path)
        return self._vault.digest(relation) if relation.kind == "public" else None

    def _fill(self, relation: Relation) -> None:
        cursor = self._con.cursor()
        target = quoted(table_reference(relation.name))
        columns = ", ".join(cast_back(column, kind) for column, kind in relation.columns.items())
        try:
            cursor.register(COPIED, self._vault.read(relation))
            cursor.execute("BEGIN")  # whoever is reading sees all of the old rows or all of the new
            cursor.execute(f"DELETE FROM {target}")
            cursor.execute(f"INSERT INTO {target} SELECT {columns} FROM {_quoted(COPIED)}")
            cursor.execute("COMMIT")
        finally:
            cursor.close()

    def close(self) -> None:
        """Close the instances."""
        self._con.close()
        self._desk.close()


def _quoted(name: str) -> str:
    return quoted(identifier(name))


def _view(name: str, result: Released) -> str:
    columns = ", ".join(cast_back(column, kind) for column, kind in result.types.items())
    target, source = (_quoted(each) for each in (name, f"{name} rows"))
    return f"CREATE TEMP VIEW {target} AS SELECT {columns or '1'} FROM {source}"
