"""Create the tables of a data set in a database: all of them, or none."""

from typing import SupportsIndex

import duckdb

from sdcdb.connection.transaction import transaction
from sdcdb.datasets.dataset import Dataset
from sdcdb.datasets.registry import DATASETS
from sdcdb.errors import DatabaseError, DataError, choices

MAX_ROWS = 1_000_000_000
"""A few zeros too many should be reported at once, not when the disk is full."""


def create(con: duckdb.DuckDBPyConnection, name: str, rows: int | None = None, seed: int = 1) -> Dataset:
    """Create the tables of the data set `name` in the connection's current database and schema.

    The same name and seed always give the same records, and more `rows` only add records after the first ones.
    All tables are created in one transaction; an existing table is never replaced.
    """
    dataset = DATASETS.get(name)
    if dataset is None:
        raise DatabaseError(f"no data set {name!r}; {choices(name, DATASETS)}")
    queries = dataset.queries(_size(dataset, rows), _whole_number("seed", seed))
    try:
        with transaction(con):
            _refuse_existing(con, dataset)
            for table, query in queries.items():
                con.execute(f"CREATE TABLE {table} AS {query}")
    except duckdb.Error as error:
        raise DatabaseError(f"data set {name!r} was not created: {error}") from error
    return dataset


def _size(dataset: Dataset, rows: int | None) -> int:
    if dataset.rows is None:
        if rows is not None:
            raise DataError(f"data set {dataset.name!r} has a fixed number of records: leave out rows")
        return 0
    size = dataset.rows if rows is None else _whole_number("rows", rows)
    if not 1 <= size <= MAX_ROWS:
        raise DataError(f"rows is {size}: it must be from 1 to {MAX_ROWS}")
    return size


def _whole_number(what: str, value: object) -> int:
    # Both become SQL text, so only a number may pass, whatever the caller's types promise.
    if not isinstance(value, SupportsIndex):
        raise DataError(f"{what} is {value!r}: it must be an integer")
    return value.__index__()


def _refuse_existing(con: duckdb.DuckDBPyConnection, dataset: Dataset) -> None:
    found = con.execute(
        "SELECT table_name FROM information_schema.tables WHERE table_catalog = current_database()"
        " AND table_schema = current_schema() AND list_contains(?, lower(table_name)) ORDER BY table_name",
        [list(dataset.tables)],
    ).fetchall()
    if found:
        names = ", ".join(name for (name,) in found)
        raise DatabaseError(
            f"data set {dataset.name!r} was not created, because the database already has {names}:"
            " drop or rename it, or use another database file"
        )
