"""A limit on how long one query may run: DuckDB has none, so a timer interrupts the cursor."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from sdcdb.errors import Denied


@contextmanager
def deadline(cursor: duckdb.DuckDBPyConnection, seconds: float) -> Iterator[None]:
    """Stop what the cursor is doing after so many seconds; the query then counts as refused."""
    late = threading.Event()

    def stop() -> None:
        late.set()
        cursor.interrupt()

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    except duckdb.Error:
        if late.is_set():
            raise Denied("time", "the statement took too long and was stopped", "ask for less at once") from None
        raise
    finally:
        timer.cancel()
