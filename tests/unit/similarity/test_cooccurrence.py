"""Co-occurrence counts: by hand, against one GROUP BY per pair, and for every type that has categories."""

import doctest
from collections.abc import Iterator
from itertools import product
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcdb.datasets import create
from sdcdb.errors import DatabaseError, DataError
from sdcdb.similarity import cooccurrence as module
from sdcdb.similarity.cooccurrence import Cooccurrence, cooccurrence


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        yield con


def by_group_by(con: duckdb.DuckDBPyConnection, found: Cooccurrence, table: str = "t") -> np.ndarray[Any, Any]:
    """Count every pair of columns with a query of its own."""
    where = [{value: block.start + n for n, value in enumerate(values)} for values, block in zip_columns(found)]
    counts = np.zeros_like(found.counts)
    for (a, first), (b, second) in product(enumerate(found.columns), repeat=2):
        rows = con.execute(
            f'SELECT x, y, count(*) FROM (SELECT "{first}" AS x, "{second}" AS y FROM {table}) '
            "WHERE x IS NOT NULL AND y IS NOT NULL GROUP BY x, y"
        ).fetchall()
        for one, other, number in rows:
            counts[where[a][one], where[b][other]] = number
    return counts


def zip_columns(found: Cooccurrence) -> list[tuple[tuple[Any, ...], slice]]:
    return list(zip(found.categories, found.blocks, strict=True))


def test_the_example_of_the_module_runs() -> None:
    assert doctest.testmod(module).failed == 0


def test_bank_clients_are_the_graph_of_the_paper(con: duckdb.DuckDBPyConnection) -> None:
    create(con, "bank")
    found = cooccurrence(con, "bank", ["client", "branch", "product", "advisor"])
    assert found.rows == 7
    assert [len(values) for values in found.categories] == [6, 3, 4, 4]
    assert found.marginal("client")["Mr J. Black"] == 2
    assert found.pair("branch", "product")[found.categories[1].index("Sydney")].tolist() == [1, 0, 1, 1]
    assert (found.counts == by_group_by(con, found, "bank")).all()


def test_a_missing_value_counts_for_no_pair(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS FROM (VALUES ('a', 1), ('a', NULL), (NULL, 1), (NULL, NULL)) AS v(x, y)")
    found = cooccurrence(con, "t", ["x", "y"])
    assert found.categories == (("a",), (1,))
    assert found.rows == 4
    assert found.counts.tolist() == [[2, 1], [1, 2]]


@given(
    st.lists(st.tuples(*[st.sampled_from([None, *"abcde"])] * 2, *[st.integers(-3, 3) | st.none()] * 2), max_size=40),
    st.sampled_from([1, 40, 256]),
)
@settings(deadline=None, max_examples=40)
def test_equals_one_group_by_per_pair(rows: list[tuple[Any, ...]], joint: int) -> None:
    with duckdb.connect() as con, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_JOINT", joint)
        con.execute("CREATE TABLE t (a VARCHAR, b VARCHAR, c INTEGER, d BIGINT)")
        if rows:
            con.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
        found = cooccurrence(con, "t", ["a", "b", "c", "d"])
        assert found.rows == len(rows)
        assert (found.counts == by_group_by(con, found)).all()


@pytest.mark.parametrize(
    "values",
    [
        "('x'), (''), ('it''s'), ('a\\b'), ('naïve ☃'), ('A'), ('a')",
        "(true), (false)",
        "(-9223372036854775808), (9223372036854775807), (0)",
        "(170141183460469231731687303715884105727::HUGEINT), (1)",
        "(DATE '0044-03-15 (BC)'), (DATE '2024-02-29'), (DATE '1970-01-01')",
        "(TIMESTAMP '2024-01-01 12:00:00.000001'), (TIMESTAMP '2024-01-01 12:00:00')",
        "(TIME '12:00'), (TIME '13:00')",
        "(1.10::DECIMAL(9, 2)), (-1)",
        "(1.5::DOUBLE), (0.1), (1e300)",
        "('f47ac10b-58cc-4372-a567-0e02b2c3d479'::UUID), ('00000000-0000-0000-0000-000000000000')",
        "('b'::ENUM('c', 'b', 'a')), ('c'), ('a')",
        "(200::UTINYINT), (0), (255)",
    ],
)
def test_any_type_that_compares(con: duckdb.DuckDBPyConnection, values: str) -> None:
    con.execute(f"CREATE TABLE t AS SELECT x, i % 2 = 0 AS even FROM (VALUES {values}) AS v(x), range(5) AS r(i)")
    found = cooccurrence(con, "t", ["x", "even"])
    ordered = con.execute("SELECT DISTINCT x FROM t ORDER BY x").fetchall()
    assert found.categories[0] == tuple(value for (value,) in ordered)
    assert found.pair("x", "even").tolist() == [[2, 3]] * len(ordered)


def test_zeros_of_both_signs_are_one_category(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT unnest(['-0.0'::DOUBLE, 0.0, 1.0]) AS x")
    assert cooccurrence(con, "t", ["x"]).marginal("x") == {0.0: 2, 1.0: 1}


def test_names_that_need_quotes(con: duckdb.DuckDBPyConnection) -> None:
    con.execute('CREATE SCHEMA "größe"; CREATE TABLE "größe"."my table" ("Straße ""7""" VARCHAR, "select" INTEGER)')
    con.execute("""INSERT INTO "größe"."my table" VALUES ('a', 1), ('b', 1)""")
    found = cooccurrence(con, "größe.my table", ['STRASSE "7"'.replace("SS", "ß"), "SELECT"])
    assert found.columns == ('STRAßE "7"', "SELECT")
    assert found.pair('STRAßE "7"', "SELECT").tolist() == [[1], [1]]


def test_sees_the_transaction_and_the_schema_of_the_caller(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE SCHEMA hr; CREATE TABLE hr.t (x INTEGER); USE memory.hr; BEGIN; INSERT INTO t VALUES (1)")
    assert cooccurrence(con, "hr.t", ["x"]).marginal("x") == {1: 1}
    con.execute("ROLLBACK")


def test_an_unfinished_result_is_no_obstacle(con: duckdb.DuckDBPyConnection) -> None:
    create(con, "bank")
    con.execute("FROM range(100000)").fetchone()
    assert cooccurrence(con, "bank", ["client"]).rows == 7
    con.execute("CREATE TABLE later (x INTEGER)")


def test_views_and_many_batches(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE VIEW v AS SELECT i % 7 AS x, (i % 300)::VARCHAR AS y FROM range(120000) AS r(i)")
    found = cooccurrence(con, "v", ["x", "y"])
    assert found.rows == 120_000
    assert found.marginal("y")["17"] == 400
    assert (found.counts == by_group_by(con, found, "v")).all()


def test_no_records_no_categories(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t (x VARCHAR, y DATE)")
    found = cooccurrence(con, "t", ["x", "y"])
    assert (found.rows, found.categories, found.counts.shape) == (0, ((), ()), (0, 0))


def test_a_column_of_nulls_has_no_categories(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT NULL::INTEGER AS x, 'a' AS y FROM range(3)")
    found = cooccurrence(con, "t", ["x", "y"])
    assert found.categories == ((), ("a",))
    assert found.counts.tolist() == [[3]]


def test_wrong_columns_and_tables_say_what_there_is(con: duckdb.DuckDBPyConnection) -> None:
    create(con, "bank")
    with pytest.raises(DataError, match=r"no column 'clint'; allowed: .*did you mean 'client'"):
        cooccurrence(con, "bank", ["clint"])
    with pytest.raises(DataError, match="named twice"):
        cooccurrence(con, "bank", ["client", "Client"])
    with pytest.raises(DataError, match="at least one column"):
        cooccurrence(con, "bank", [])
    with pytest.raises(DataError, match="at least one column"):
        cooccurrence(con, "bank", "client")
    with pytest.raises(DatabaseError, match="no table 'bnak'; allowed: bank"):
        cooccurrence(con, "bnak", ["client"])
    with pytest.raises(DataError, match="column 'branch' was not counted"):
        cooccurrence(con, "bank", ["client"]).marginal("branch")


def test_an_absurd_number_of_values_is_refused(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT i % 6000 AS x, i AS id FROM range(20000) AS r(i)")
    with pytest.raises(DataError, match=r"column 'id' has too many different values.*method for numbers, or group"):
        cooccurrence(con, "t", ["x", "id"])


def test_a_value_that_no_category_has_is_never_dropped_in_silence(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT unnest([INTERVAL '30 days', INTERVAL '1 month']) AS x")
    with pytest.raises(DatabaseError, match="written differently"):
        cooccurrence(con, "t", ["x"])
    assert con.execute("SELECT 1").fetchall() == [(1,)]
