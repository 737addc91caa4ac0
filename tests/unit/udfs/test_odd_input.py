"""Odd input in SQL, as a stranger would write it: each mistake is named in the function's own terms."""

from collections.abc import Iterator

import duckdb
import pytest

import sdcdb

TABLES = """
    CREATE TABLE people AS SELECT i AS id, ['a', 'b', 'c'][1 + i % 3] AS kind, NULL::VARCHAR AS gone,
        'town ' || i % 4 AS town, i % 7 AS n FROM range(100) r(i);
    CREATE TABLE ranges AS FROM (VALUES (1, 2, 30), (2, 3, 50)) v(first_record, last_record, answer);
    CREATE TABLE halves AS FROM (VALUES (1, 2.5, 30)) v(first_record, last_record, answer);
    CREATE TABLE words AS FROM (VALUES (1, 2, 'thirty')) v(first_record, last_record, answer);
    CREATE TABLE sets AS FROM (VALUES ('q1', 'ann', 6), ('q1', 'bob', 6)) v(query, record, answer);
    CREATE TABLE spelled AS FROM (VALUES ('q1', 'ann', 'six')) v(query, record, answer);
    CREATE TABLE lost AS FROM (VALUES ('q1', 'ann', 'nan'::DOUBLE)) v(query, record, answer);
"""


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with sdcdb.register(duckdb.connect()) as connection:
        connection.execute(TABLES)
        options = "{'columns': ['kind', 'gone', 'town'], 'p': 0.8, 'key': 'id', 'seed': 1}"
        connection.execute(f"SELECT sdc_create_view('shown', 'warner', 'people', {options})")
        yield connection


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("FROM sdc_restriction_bounds('ranges', 2, 0, 40)", "about records 2 to 3: there are records 1 to 2"),
        ("FROM sdc_restriction_bounds('ranges', 4, 0, 40, step := 7)", "sum 30 of range 1 is not possible"),
        ("FROM sdc_restriction_bounds('halves', 4, 0, 40)", "last_record of 'halves' must be a whole number"),
        ("FROM sdc_restriction_bounds('words', 4, 0, 40)", "answer of 'words' must be a number, not 'thirty'"),
        ("FROM sdc_bounds('spelled', 0, 4)", "answer of 'spelled' must be a number, not 'six'"),
        ("FROM sdc_bounds('lost', 0, 4)", "answer of 'lost' must be a number, not nan"),
        ("FROM sdc_bounds('sets', 0, 10, step := 4)", "answer 6 of query q1 is not possible for 2 values of 0, 4"),
        ("FROM sdc_bounds('sets', 0, 10, step := 0)", "the step above 0"),
        ("SELECT sdc_noise_belief([3], [[0.75, 0.25], [0.25, 0.75]])", "observed must lie in 1 to 2"),
        ("SELECT sdc_noise_belief([], [[0.75, 0.25], [0.25, 0.75]])", "its value: 1, 2, 3"),
        ("SELECT sdc_noise_belief([1], [[0.75], [0.25, 0.75]])", "rows of the likelihood must be equally long"),
        ("SELECT sdc_noise_belief([1], [[0, 1], [0, 1]])", "published at place 1 cannot come from any value"),
        ("SELECT sdc_noise_belief([1], [[0, 1], [1, 0]], prior := [1, 0])", "published at place 1 cannot come"),
        ("FROM sdc_normal('people', columns := ['n'], sd := 1, step := 0)", "step of 'n' must be a number"),
        ("FROM sdc_normal('people', columns := ['n'], sd := 1, step := -1)", "step of 'n' must be a number"),
        ("FROM sdc_normal('people', columns := ['n'], sd := 1, step := 'x')", "step of 'n' must be a number"),
        ("FROM sdc_kanonymity('ranges', k := 3)", "'ranges' has no quasi-identifier to recode"),
        ("FROM sdc_estimate('shown', 'gone')", "'gone' of 'shown' had no values when the view was made"),
    ],
)
def test_a_mistake_is_named_as_sql_counts_and_spells(con: duckdb.DuckDBPyConnection, asked: str, says: str) -> None:
    with pytest.raises(duckdb.Error, match=f"DataError: sdc_.*{says}"):
        con.execute(asked).fetchall()


def test_what_is_missing_is_said_once(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.Error) as raised:
        con.execute("SELECT sdc_create_view('x', 'warner', 'people', {'columns': ['kind', 'town']})").fetchall()
    assert str(raised.value).count("Field required") == 1


def test_a_category_without_values_is_no_obstacle_to_measuring_others(con: duckdb.DuckDBPyConnection) -> None:
    found = con.execute("FROM sdc_estimate('shown', 'kind')").fetchall()
    assert sum(estimate for _, _, estimate, _ in found) == pytest.approx(100)
    assert len(con.execute("FROM sdc_posterior('shown', 'town')").fetchall()) == 16
    for measure in ("sdc_record_entropy", "sdc_confidential_entropy"):
        assert con.execute(f"SELECT mean FROM {measure}('shown', 'kind', known := 1)").fetchall()[0][0] > 0
