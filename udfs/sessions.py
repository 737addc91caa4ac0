"""The connections that have the `sdc_*` functions. A function called from SQL finds its own by a number.

DuckDB keeps Python functions for a whole database, and does not say which connection is calling. The macros of a
connection are its own, so they pass its number. The connection itself is held weakly: a function that kept it would
keep the database open for ever.
"""

import secrets
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from itertools import count
from threading import Lock

import duckdb

from sdcdb.errors import DataError

REMEMBERED = 16  # results of fitting and measuring that a connection keeps
FRESH = secrets.token_bytes(32)
"""The secret of this process, for noise without a seed: never written anywhere, and another one in every process."""


@dataclass(frozen=True)
class Result:
    """What a function computed: a SELECT, and the tables that were stored for it, as SQL."""

    select: str
    stored: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Session:
    """A connection, and what was last computed for it."""

    connection: "weakref.ref[duckdb.DuckDBPyConnection]"
    results: OrderedDict[Hashable, Result] = field(default_factory=OrderedDict)
    lock: Lock = field(default_factory=Lock)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a second connection to the same database: the first one is busy with the statement that calls."""
        con = self.connection()
        if con is None:
            raise DataError("the connection that has the sdc_* functions is closed: call sdcdb.register on this one")
        return con.cursor()

    def remembered(self, key: Hashable, compute: Callable[[], Result]) -> str:
        """Return the SELECT for this key, computed at most once while it is remembered."""
        with self.lock:
            if key in self.results:
                self.results.move_to_end(key)
                return self.results[key].select
        made = compute()  # outside the lock: it may take long, and another cursor may need another result
        forgotten: list[Result] = []
        with self.lock:
            self.results[key] = made
            while len(self.results) > REMEMBERED:
                forgotten.append(self.results.popitem(last=False)[1])
        if stored := [table for result in forgotten for table in result.stored]:
            with self.cursor() as cursor:
                for table in stored:
                    cursor.execute(f"DROP TABLE IF EXISTS {table}")
        return made.select


_SESSIONS: dict[int, Session] = {}
_NUMBERS = count(1)


def session_number(con: duckdb.DuckDBPyConnection) -> int:
    """Return the number of a connection, giving it one when it has none."""
    for number, session in list(_SESSIONS.items()):
        if session.connection() is con:
            return number
    number = next(_NUMBERS)
    _SESSIONS[number] = Session(weakref.ref(con, lambda _: _SESSIONS.pop(number, None)))
    return number


def session(number: int) -> Session:
    """Return the session of this number."""
    if number not in _SESSIONS:
        raise DataError("the connection that has the sdc_* functions is closed: call sdcdb.register on this one")
    return _SESSIONS[number]
