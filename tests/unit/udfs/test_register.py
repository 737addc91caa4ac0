"""The SQL functions from a plain `duckdb.connect()`, as a user would call them."""

import math
from pathlib import Path

import duckdb
import pytest

import sdcdb

EXAMPLE = "[1, 3, 8, 9], [0.15, 0.1, 0.7, 0.05]"


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    return sdcdb.register(duckdb.connect())


def one(con: duckdb.DuckDBPyConnection, expression: str) -> object:
    row = con.execute(f"SELECT {expression}").fetchone()
    assert row is not None
    return row[0]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("sdc_entropy([0.5, 0.25, 0.25])", 1.5),
        ("sdc_disclosure_risk([0.25, 0.25, 0.25, 0.25])", 0.5),
        ("sdc_disclosure_risk([1])", math.inf),
        (f"sdc_h({EXAMPLE}, 6)", 0.610),
        (f"(sdc_cae({EXAMPLE})).area", 6.5144),
        ("(sdc_cae([50000, 107000], [0.5, 0.5])).area", 57000.0),
        ("(sdc_cae([77000, 80000], [0.5, 0.5])).area", 3000.0),
        (f"(sdc_cae_curve({EXAMPLE})[2]).h", 1.054),
        (f"len(sdc_cae_curve({EXAMPLE}))", 6),
        ("sdc_normalise([1, 3])[2]", 0.75),
    ],
)
def test_the_papers_numbers_in_sql(con: duckdb.DuckDBPyConnection, expression: str, expected: float) -> None:
    assert one(con, expression) == pytest.approx(expected, abs=5e-4)


def test_aggregates_read_naturally(con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute("""
        SELECT dept, sdc_cae(list(v), list(p)) AS cae
        FROM (VALUES ('a', 1, 0.5), ('b', 7, 1.0), ('a', 3, 0.5)) t(dept, v, p) GROUP BY dept ORDER BY dept
    """).fetchall()
    assert rows == [("a", {"h0": 1.0, "area": 2.0, "eps_max": 2.0}), ("b", {"h0": 0.0, "area": 0.0, "eps_max": 0.0})]


@pytest.mark.parametrize(
    "expression",
    [
        "sdc_entropy(NULL)",
        "sdc_entropy([0.5, NULL])",
        "sdc_disclosure_risk(NULL)",
        "sdc_cae(NULL, [1.0])",
        "sdc_cae([1, 2], [NULL, 1.0])",
        "sdc_cae_curve([1], NULL)",
        "sdc_h([1], [1.0], NULL)",
        "sdc_normalise(NULL)",
    ],
)
def test_null_in_null_out(con: duckdb.DuckDBPyConnection, expression: str) -> None:
    assert one(con, expression) is None


def test_nulls_stay_in_their_row(con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute(
        "SELECT sdc_entropy(CASE i % 3 WHEN 0 THEN NULL WHEN 1 THEN [1.0] ELSE [0.5, 0.5] END) FROM range(9000) t(i)"
    ).fetchall()
    assert [value for (value,) in rows] == [None, 0.0, 1.0] * 3000


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("sdc_cae([1, 2], [0.4, 0.4])", "sdc_cae: the probabilities sum to 0.8"),
        ("sdc_entropy([1.5, -0.5])", "sdc_entropy: negative probabilities"),
        ("sdc_h([1, 'nan'::DOUBLE], [0.5, 0.5], 1)", "NaN or infinity"),
        ("sdc_h([1], [1.0], -1)", "eps must be zero or positive"),
        ("sdc_cae([], [])", "at least one"),
        ("sdc_cae([1], [0.5, 0.5])", "1 values but 2 probabilities"),
    ],
)
def test_errors_name_the_function_and_the_cure(con: duckdb.DuckDBPyConnection, expression: str, says: str) -> None:
    with pytest.raises(duckdb.InvalidInputException, match=says):
        one(con, expression)


def test_registering_twice_and_on_cursors_is_harmless(con: duckdb.DuckDBPyConnection) -> None:
    sdcdb.register(con)
    cursor = sdcdb.register(con.cursor())
    assert one(cursor, "sdc_entropy([0.5, 0.5])") == 1.0
    con.execute("CREATE TABLE t AS SELECT 1 AS a")
    assert cursor.execute("SELECT k FROM sdc_k_anonymity('t', ['a'])").fetchone() == (1,)


def test_a_read_only_database_is_left_untouched(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute("CREATE TABLE t AS SELECT i % 2 AS a FROM range(10) t(i)")
    before = path.read_bytes()
    with duckdb.connect(str(path), read_only=True) as con:
        sdcdb.register(con)
        assert con.execute("SELECT k FROM sdc_k_anonymity('t', ['a'])").fetchone() == (5,)
    assert path.read_bytes() == before


def test_large_groups(con: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT sdc_cae(list(i), list(1/500)) FROM range(500) t(i)"
    row = con.execute(sql).fetchone()
    assert row is not None
    assert row[0]["h0"] == pytest.approx(math.log2(500))
