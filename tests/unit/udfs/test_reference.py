"""The reference of SQL functions is complete, and every example on it runs."""

from collections.abc import Iterator

import duckdb
import pytest

from sdcdb.manual.sql_example import example_database
from sdcdb.manual.sql_functions import examples
from sdcdb.udfs.auditing import RESULTS


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with example_database() as connection:
        yield connection


def test_every_function_has_an_example(con: duckdb.DuckDBPyConnection) -> None:
    listed = con.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_name LIKE 'sdc@_%' ESCAPE '@'"
    )
    there = {name for (name,) in listed.fetchall()} - {result.name for result in RESULTS}
    assert set(examples()) == there


@pytest.mark.parametrize("name", examples())
def test_every_example_runs(con: duckdb.DuckDBPyConnection, name: str) -> None:
    for call in examples()[name]:
        assert con.execute(call).fetchall(), call
