"""The catalogue that clients browse: a DuckDB in memory with stand-ins for PostgreSQL's system tables.

It holds names, types and roles of what analysts may name, and no data at all. Nothing that runs here is a question, so
nothing of it is in the ledger.
"""

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import duckdb

from sdcdb.errors import Denied
from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.deadline import deadline
from sdcdb.gateway.relations import Relations
from sdcdb.gateway.server.postgres.catalogue_tables import build, literal
from sdcdb.gateway.server.postgres.frugal import MOST_BYTES, TooMuch, size_of
from sdcdb.gateway.server.postgres.problem import Refusal
from sdcdb.gateway.server.postgres.results import Result, from_rows
from sdcdb.gateway.server.postgres.rewrite import for_duckdb
from sdcdb.gateway.server.postgres.types import ARRAYS, Oid, Shown, shown
from sdcdb.gateway.server.service import Service
from sdcdb.gateway.server.turns import Turns

SECONDS = 10.0
MOST_ROWS = 100_000
_PORTION = 64
_LONGEST_PARAMETER = 10_000
_MOST_IDLE = 16  # cursors that are kept for the next statement
_MOST_KEPT = 256  # results of constants
_AT_ONCE = 16  # statements that run together
_AT_ONCE_PER_USER = 2  # so that nobody's slow ones hold up somebody else's
_MOST_WAITING = 1_000
_CONSTANT = re.compile(r"SELECT\s+(?:\d{1,9}|'[^'\\]{0,50}'|TRUE|FALSE|NULL)(?:\s+AS\s+\w{1,63})?", re.IGNORECASE)
_FLAGS = frozenset(
    {
        *("relkind", "relpersistence", "relreplident", "typtype", "typcategory", "typdelim", "typalign", "typstorage"),
        *("attidentity", "attgenerated", "attstorage", "attalign", "contype", "prokind", "provolatile", "deptype"),
        *("kind", "elemdelim"),  # as asyncpg calls them
    }
)


class Catalogue:
    """Answers what clients ask about names and types. Built anew when the relations change."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.turns = Turns(_AT_ONCE, _AT_ONCE_PER_USER, _MOST_WAITING)
        """The threads for its statements, which users take turns to have."""
        self._lock = threading.Lock()
        self._con: duckdb.DuckDBPyConnection | None = None
        self._built: Relations | None = None
        self._idle: list[tuple[str, duckdb.DuckDBPyConnection]] = []  # cursors, and the user that each knows

        self._kept: dict[str, Result] = {}

    @property
    def relations(self) -> Relations:
        """What analysts may name now."""
        return self._service.relations

    def prepare(self) -> None:
        """Build the instance now, so that the first client need not wait for it."""
        with self._lock:
            self._current()

    def kept(self, statement: str) -> Result | None:
        """Return the result of a constant, such as the SELECT 1 of pools that wonder whether we are there."""
        return self._kept.get(statement)

    def run(self, statement: str, params: Sequence[Any] | None, user: str, cancellation: Cancellation) -> Result:
        """Run a statement about the catalogue. What the engine says of an error is not passed on."""
        sql = for_duckdb(statement)
        if any(size_of(each) > _LONGEST_PARAMETER for each in params or ()):
            raise TooMuch("a parameter is too long for a statement about the catalogue")
        with self._cursor(user) as cursor:
            rows, found = self._fetch(cursor, sql, params, cancellation)
        result = from_rows([c[0] for c in found], [str(c[1]) for c in found], rows)
        result = replace(result, kinds=tuple(_numbered(c[0], str(c[1])) for c in found))
        if not params and len(self._kept) < _MOST_KEPT and _CONSTANT.fullmatch(statement):
            self._kept[statement] = result
        return result

    def shape(self, statement: str, count: int, cancellation: Cancellation) -> Result:
        """Return the columns of a question, without rows, from tables of the same columns that hold nothing."""
        with self._cursor("") as cursor:
            rows, _ = self._fetch(cursor, f"DESCRIBE {statement}", [None] * count or None, cancellation)
        return from_rows([row[0] for row in rows], [str(row[1]) for row in rows], ())

    def close(self) -> None:
        """Let what runs end, and close the instance."""
        self.turns.close()
        with self._lock:
            self._discard()

    def _fetch(
        self, cursor: duckdb.DuckDBPyConnection, sql: str, params: Sequence[Any] | None, cancellation: Cancellation
    ) -> tuple[list[tuple[Any, ...]], list[Any]]:
        try:
            with deadline(cursor, SECONDS, cancellation):
                ran = cursor.execute(sql, list(params)) if params else cursor.execute(sql)
                rows = _fetch_some(ran)
        except Denied:
            why = "was cancelled" if cancellation.cancelled else "took too long"
            raise Refusal("57014", f"the statement {why}") from None
        except (duckdb.Error, RuntimeError, ValueError, TypeError, OverflowError):
            raise Refusal(
                "0A000", "this statement is not understood here", "rule: shape", "check names, types and functions"
            ) from None
        return rows, list(ran.description or [])

    @contextmanager
    def _cursor(self, user: str) -> Iterator[duckdb.DuckDBPyConnection]:
        """Lend a cursor that knows its user. One that met an error is not lent again."""
        with self._lock:
            con = self._current()
            known = next((each for each in reversed(self._idle) if each[0] == user), None)
            if known is not None:
                self._idle.remove(known)
        cursor = con.cursor() if known is None else known[1]
        try:
            if known is None:
                cursor.execute(f"SET VARIABLE sdc_user = {literal(user)}")
            yield cursor
        except BaseException:
            cursor.close()
            raise
        with self._lock:
            if self._con is con:
                self._idle.append((user, cursor))
            late = cursor if self._con is not con else self._idle.pop(0)[1] if len(self._idle) > _MOST_IDLE else None
        if late is not None:
            late.close()

    def _current(self) -> duckdb.DuckDBPyConnection:
        """Return the instance for what may be named now. The lock is held."""
        wanted = self._service.relations
        if self._con is None or self._built is not wanted:
            self._discard()
            self._con = build(wanted, self._service.path.stem)
            self._built = wanted
        return self._con

    def _discard(self) -> None:
        for _, cursor in self._idle:
            cursor.close()
        self._idle.clear()
        if self._con is not None:
            self._con.close()
            self._con = None


def _fetch_some(cursor: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    """Fetch rows a few at a time, and stop at too many or too large ones."""
    rows: list[tuple[Any, ...]] = []
    held = 0
    while portion := cursor.fetchmany(_PORTION):
        rows += portion
        held += sum(size_of(row) for row in portion)
        if len(rows) > MOST_ROWS or held > MOST_BYTES:
            raise Refusal("54000", "the result has too many rows, or too large ones")
    return rows


def _numbered(name: str, kind: str) -> Shown:
    """Return a type of the catalogue: numbers of objects are PostgreSQL's `oid`, and flags its one-byte `"char"`."""
    if name in _FLAGS and kind == "VARCHAR":
        return Shown(Oid.CHAR)
    if kind == "UINTEGER":
        return Shown(Oid.OID)
    return Shown(ARRAYS[Oid.OID], Oid.OID) if kind == "UINTEGER[]" else shown(kind)
