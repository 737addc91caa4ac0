"""All or nothing: a transaction that is rolled back by an error or by Ctrl-C."""

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from sdcdb.errors import DatabaseError


@contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Commit what happens inside the block, or undo all of it."""
    if inside_transaction(con):
        raise DatabaseError("the connection is inside a transaction: commit it or roll it back first")
    con.begin()
    try:
        yield
    except BaseException:  # an interrupt must not leave the transaction open either
        con.rollback()
        raise
    con.commit()


def inside_transaction(con: duckdb.DuckDBPyConnection) -> bool:
    """Return whether a transaction is open.

    DuckDB has no function for this, and a second BEGIN would undo the caller's work. Outside a transaction, every
    statement is its own transaction with its own number.
    """
    first, second = (con.execute("SELECT txid_current()").fetchall() for _ in range(2))
    return first == second
