"""A limit on how long one query may run: DuckDB has none, so one watching thread interrupts cursors that are late."""

import atexit
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb

from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.rules.table import denied


@dataclass(eq=False)
class _Watched:
    cursor: duckdb.DuckDBPyConnection
    until: float
    late: bool = False


class _Watch:
    """The thread, started with the first query; it sleeps until the earliest deadline."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._watched: set[_Watched] = set()
        self._started = self._ending = False
        self._sleeping_until = 0.0

    def add(self, watched: _Watched) -> None:
        with self._changed:
            self._watched.add(watched)
            if not self._started:
                self._started = True
                thread = threading.Thread(target=self._run, name="sdcdb deadline", daemon=True)
                thread.start()
                atexit.register(self._end, thread)  # a thread that outlives the interpreter keeps DuckDB's types alive
            elif watched.until < self._sleeping_until:
                self._changed.notify()

    def remove(self, watched: _Watched) -> None:
        with self._changed:  # once it is out of here, it is not interrupted any more
            self._watched.discard(watched)

    def _run(self) -> None:
        with self._changed:
            while not self._ending:
                now = time.monotonic()
                self._stop_late(now)
                waiting = [watched.until for watched in self._watched if not watched.late]
                self._sleeping_until = min(waiting, default=now + 3600)
                self._changed.wait(self._sleeping_until - now)

    def _end(self, thread: threading.Thread) -> None:
        with self._changed:
            self._ending = True
            self._changed.notify()
        thread.join()

    def _stop_late(self, now: float) -> None:
        """Interrupt those that are late: in a function of its own, so that the sleeping thread holds no cursor."""
        for watched in self._watched:
            if watched.until <= now and not watched.late:
                watched.late = True
                watched.cursor.interrupt()


_WATCH = _Watch()


@contextmanager
def deadline(
    cursor: duckdb.DuckDBPyConnection, seconds: float, cancellation: Cancellation | None = None
) -> Iterator[None]:
    """Stop what the cursor is doing after so many seconds, or when it is cancelled; the query counts as refused."""
    watched = _Watched(cursor, time.monotonic() + seconds)
    handle = cancellation or Cancellation()
    _WATCH.add(watched)
    try:
        with handle.stopping(cursor.interrupt):
            yield
    except duckdb.Error:
        if watched.late:
            raise denied("time") from None
        handle.check()
        raise
    finally:
        _WATCH.remove(watched)
