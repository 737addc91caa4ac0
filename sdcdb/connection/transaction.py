"""All or nothing: a transaction that an error, or Ctrl-C, rolls back."""

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from sdcdb.errors import DatabaseError


@contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Commit what happens inside, or undo all of it."""
    if inside_transaction(con):
        raise DatabaseError("the connection is inside a transaction: commit it or roll it back first")
    con.begin()
    try:
        yield
    except BaseException:  # an interrupt, too, must not leave the transaction open
        con.rollback()
        raise
    con.commit()


def inside_transaction(con: duckdb.DuckDBPyConnection) -> bool:
    """Tell whether a transaction is open.

    DuckDB has no question for this, and a second BEGIN would undo the caller's work. Outside a transaction every
    statement is a transaction of its own, with a number of its own.
    """
    first, second = (con.execute("SELECT txid_current()").fetchall() for _ in range(2))
    return first == second
