"""Measures of a release in SQL: equal to Python's, for any name and table, and never tricked into running a name."""

from collections.abc import Iterator
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from support.release_tables import LI_CLASS, LI_SALARY, RECORDS

from sdcdb.measures import unique_records as uniqueness
from sdcdb.measures.anonymity import k_anonymity, l_diversity, t_closeness
from sdcdb.measures.loss import ean_loss, record_loss
from sdcdb.measures.unique_records import population_uniqueness

STAFF = "(VALUES ('f', 30, 5, 1), ('f', 30, 7, 1), ('m', NULL, 5, 2), ('m', NULL, 9, 2), ('m', 41, 9, 3))"


def with_macros(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Create the macros that are SQL alone; those in `lists.sql` call functions of Python."""
    for file in sorted((files("sdcdb.udfs") / "macros").iterdir(), key=lambda file: file.name):
        if file.name != "lists.sql":
            con.execute(file.read_text(encoding="utf-8"))
    return con


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with with_macros(duckdb.connect()) as connection:
        connection.execute(f"CREATE TABLE staff AS FROM {STAFF} AS t(sex, age, salary, n)")
        yield connection


def row(con: duckdb.DuckDBPyConnection, sql: str, *parameters: Any) -> dict[str, Any]:
    cursor = con.execute(sql, list(parameters))
    (values,) = cursor.fetchall()
    return dict(zip([column[0] for column in cursor.description], values, strict=True))


def same(sql: dict[str, Any], python: Any) -> bool:
    """Compare field by field, in order, with the types that fields have."""
    fields = asdict(python)
    assert list(sql) == list(fields)
    assert [type(value) for value in sql.values()] == [type(value) for value in fields.values()]
    return list(sql.values()) == [
        value if value is None else pytest.approx(value, abs=1e-12) for value in fields.values()
    ]


@given(RECORDS, RECORDS)
@settings(deadline=None, max_examples=60)
def test_sql_equals_python(con: duckdb.DuckDBPyConnection, sample: list[Any], population: list[Any]) -> None:
    columns: dict[str, list[Any]] = {}
    for name, records in (("sample", sample), ("population", population)):
        lists = [list(values) for values in zip(*records, strict=True)] or [[], [], []]
        con.execute(
            f'CREATE OR REPLACE TABLE {name} AS SELECT unnest($1::VARCHAR[]) AS "group", '
            "unnest($2::DOUBLE[]) AS n, unnest($3::DOUBLE[]) AS value",
            lists,
        )
        arrays = con.execute(f"FROM {name}").fetchnumpy()
        columns[name] = [arrays["group"], arrays["n"], arrays["value"]]
    known, value = columns["sample"][:2], columns["sample"][2]
    call = "'sample', ['group', 'n']"
    assert same(row(con, f"FROM sdc_k_anonymity({call})"), k_anonymity(known))
    assert same(row(con, f"FROM sdc_l_diversity({call}, 'value')"), l_diversity(known, value))
    assert same(row(con, f"FROM sdc_t_closeness({call}, 'value')"), t_closeness(known, value))
    unordered = t_closeness(known, value, ordered=False)
    assert same(row(con, f"FROM sdc_t_closeness({call}, 'value', ordered := false)"), unordered)
    fifth = uniqueness.uniqueness(known, fraction=0.2)
    assert same(row(con, f"FROM sdc_uniqueness({call}, fraction := 0.2)"), fifth)
    both = population_uniqueness(known, columns["population"][:2])
    assert same(row(con, "FROM sdc_population_uniqueness('sample', 'population', ['group', 'n'])"), both)


def test_sql_equals_python_on_a_larger_table(con: duckdb.DuckDBPyConnection) -> None:
    rng = np.random.default_rng(7)
    con.register("people", pd.DataFrame({"area": rng.geometric(0.01, 50_000), "pay": rng.lognormal(8, 1, 50_000) // 1}))
    arrays = con.execute("FROM people").fetchnumpy()
    sql = row(con, "FROM sdc_t_closeness('people', ['area'], 'pay')")
    assert same(sql, t_closeness([arrays["area"]], arrays["pay"]))


def test_sql_ean_loss_equals_python(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE published AS SELECT i AS n, i % 3 AS age, range(2 + i % 4) AS job FROM range(10) AS t(i)")
    con.execute("INSERT INTO published VALUES (10, 1, NULL)")
    lengths = [2 + i % 4 for i in range(10)]
    assert same(row(con, "FROM sdc_ean_loss('published', 'job', ['age', 'n'])"), ean_loss(lengths, quasi=2))
    con.execute("DELETE FROM published")
    assert same(row(con, "FROM sdc_ean_loss('published', 'job', ['age', 'n'])"), ean_loss([], quasi=2))


def test_sql_losses_are_those_of_the_paper(con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute("SELECT sdc_record_loss(l, [0, 0, 0, 0, 0, 0, 0]) FROM unnest([3, 5, 7, 10]) AS t(l)").fetchall()
    assert [value for (value,) in rows] == pytest.approx(record_loss([3, 5, 7, 10], [0] * 7).tolist())
    losses = row(
        con, "SELECT sdc_record_loss(x[1], x) AS a, sdc_sensitive_loss(NULL) AS b FROM (SELECT [1.0, 0.5] AS x)"
    )
    assert losses == {"a": pytest.approx(0.5), "b": None}


def test_ranks_follow_the_order_of_an_enum(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE grades AS SELECT unnest([1, 1, 2, 2]) AS g, "
                "unnest(['low', 'high', 'high', 'middle'])::ENUM ('low', 'middle', 'high') AS grade")  # fmt: skip
    arrays = con.execute("FROM grades").fetchnumpy()
    sql = row(con, "FROM sdc_t_closeness('grades', ['g'], 'grade')")
    assert same(sql, t_closeness([arrays["g"]], arrays["grade"]))
    assert sql["t"] == t_closeness([[1, 1, 2, 2]], [0, 2, 2, 1]).t


def test_classes_lists_each_class(con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute("FROM sdc_classes('staff', ['sex', 'age']) ORDER BY records, sex").fetchall()
    assert rows == [("m", 41, 1), ("f", 30, 2), ("m", None, 2)]


AWKWARD = ["n", "records", "class", "value", "k", "q1", "q2", "c", "v", "p", "t", "rank", "size", "tbl", "cols", "n1"]


@pytest.mark.parametrize("name", [*AWKWARD, "a b", "naïve", "日本", 'say "x"', "it's", "select", "a.b", "a; --"])
def test_any_column_name_works(con: duckdb.DuckDBPyConnection, name: str) -> None:
    quoted = name.replace('"', '""')
    names = f'"{quoted}", "{quoted} 2", "x {quoted}"'
    con.execute(f"CREATE OR REPLACE TABLE odd AS SELECT * FROM (SELECT sex, age, salary FROM staff) AS t({names})")
    columns = [f"{name} 2", name]
    known: list[list[object]] = [[30, 30, None, None, 41], ["f", "f", "m", "m", "m"]]
    salary = [5, 7, 5, 9, 9]
    assert same(row(con, "FROM sdc_k_anonymity('odd', ?)", columns), k_anonymity(known))
    assert same(row(con, "FROM sdc_l_diversity('odd', ?, ?)", columns, f"x {name}"), l_diversity(known, salary))
    assert same(row(con, "FROM sdc_t_closeness('odd', ?, ?)", columns, f"x {name}"), t_closeness(known, salary))
    assert row(con, "FROM sdc_population_uniqueness('odd', 'odd', ?)", columns)["population_uniques_in_sample"] == 1
    assert sorted(con.execute("FROM sdc_classes('odd', ?)", [[name]]).fetchall()) == [("f", 2), ("m", 3)]


@pytest.mark.parametrize(
    "table", ["staff", "main.staff", "memory.main.staff", "other.staff", '"日本 table"', "it's", "seen", "_sdc_pairs"]
)
def test_any_table_view_or_attached_database_works(con: duckdb.DuckDBPyConnection, table: str) -> None:
    con.execute("ATTACH IF NOT EXISTS ':memory:' AS other; CREATE OR REPLACE VIEW seen AS FROM staff")
    for name in ("other.staff", '"日本 table"', '"it\'s"', "_sdc_pairs"):
        con.execute(f"CREATE TABLE IF NOT EXISTS {name} AS FROM staff")
    assert row(con, "FROM sdc_k_anonymity(?, ['sex', 'age'])", table)["k"] == 1
    assert row(con, "FROM sdc_t_closeness(?, ['sex'], 'salary')", table)["records"] == 5


def test_a_common_table_expression_and_a_data_frame_can_be_measured(con: duckdb.DuckDBPyConnection) -> None:
    assert row(con, "WITH men AS (FROM staff WHERE sex = 'm') FROM sdc_k_anonymity('men', ['sex'])")["k"] == 3
    con.register("frame", pd.DataFrame({"sex": ["f", "m", "m"]}))
    assert row(con, "FROM sdc_k_anonymity('frame', ['sex'])")["k"] == 1


def test_settings_of_the_session_do_not_change_the_numbers() -> None:
    con = with_macros(duckdb.connect())
    con.execute("SET integer_division = true; SET default_order = 'DESC'; SET default_null_order = 'NULLS FIRST'")
    con.register("li", pd.DataFrame({"g": LI_CLASS, "salary": LI_SALARY}))
    for ordered in (True, False):
        sql = row(con, "FROM sdc_t_closeness('li', ['g'], 'salary', ordered := ?)", ordered)
        assert same(sql, t_closeness([LI_CLASS], LI_SALARY, ordered=ordered))
    assert same(row(con, "FROM sdc_l_diversity('li', ['g'], 'salary')"), l_diversity([LI_CLASS], LI_SALARY))
    assert same(row(con, "FROM sdc_uniqueness('li', ['g', 'salary'])"), uniqueness.uniqueness([LI_CLASS, LI_SALARY]))
    assert row(con, "SELECT sdc_record_loss(3, [0, 0]) AS x")["x"] == pytest.approx(2 / 9)


def test_a_read_only_database_can_be_measured_and_is_not_written_to(tmp_path: Path) -> None:
    path = tmp_path / "staff.duckdb"
    with duckdb.connect(path) as con:
        con.execute(f"CREATE TABLE staff AS FROM {STAFF} AS t(sex, age, salary, n)")
    with with_macros(duckdb.connect(path, read_only=True)) as con:
        assert row(con, "FROM sdc_k_anonymity('staff', ['sex', 'age'])")["k"] == 1
        stored = "SELECT count(*) FROM duckdb_functions() WHERE function_name ~ '^_?sdc_' AND database_name <> 'temp'"
        assert con.execute(stored).fetchall() == [(0,)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("sdc_k_anonymity('staff', [])", "name at least one"),
        ("sdc_k_anonymity('staff', NULL)", "name at least one"),
        ("sdc_k_anonymity('staff', ['sex', NULL])", "holds a NULL"),
        ("sdc_k_anonymity('staff', ['sex', 'aeg'])", '"aeg" not found'),
        ("sdc_k_anonymity('stuff', ['sex'])", "stuff does not exist"),
        ("sdc_k_anonymity(NULL, ['sex'])", "give its name"),
        ("sdc_classes('staff', ['aeg'])", '"aeg" not found'),
        ("sdc_l_diversity('staff', [], 'salary')", "name at least one"),
        ("sdc_l_diversity('staff', ['sex'], 'pay')", '"pay" not found'),
        ("sdc_l_diversity('staff', ['sex'], NULL)", "holds a NULL"),
        ("sdc_t_closeness('staff', ['sex'], 'pay')", '"pay" not found'),
        ("sdc_t_closeness('staff', ['sex'], 'salary', ordered := NULL)", "true or false"),
        ("sdc_uniqueness('staff', [])", "name at least one"),
        ("sdc_uniqueness('staff', ['sex'], fraction := 0)", "above 0 and at most 1"),
        ("sdc_uniqueness('staff', ['sex'], fraction := 1.01)", "above 0 and at most 1"),
        ("sdc_uniqueness('staff', ['sex'], fraction := NULL)", "above 0 and at most 1"),
        ("sdc_population_uniqueness('staff', 'staff', [])", "name at least one"),
        ("sdc_population_uniqueness('staff', 'stuff', ['sex'])", "stuff does not exist"),
        ("sdc_population_uniqueness('staff', 'staff', ['q1'])", '"q1" not found'),
        ("sdc_ean_loss('staff', 'salary', ['sex'])", "array_length"),
        ("sdc_ean_loss('staff', 'salary', [])", "name at least one"),
        ("(SELECT sdc_sensitive_loss(0))", "at least 1"),
        ("(SELECT sdc_sensitive_loss('NaN'::DOUBLE))", "at least 1"),
        ("(SELECT sdc_record_loss(3, [0.5, 2]))", "from 0 to 1"),
        ("(SELECT sdc_record_loss(3, [0.5, NULL]))", "from 0 to 1"),
    ],
)
def test_sql_mistakes_are_told(con: duckdb.DuckDBPyConnection, call: str, message: str) -> None:
    with pytest.raises(duckdb.Error, match=message):
        con.execute(f"FROM {call}").fetchall()


ATTACKS = [
    'a"; DROP TABLE staff; --',
    'sex"); DROP TABLE staff; --',
    "staff'); DROP TABLE staff; --",
    "staff; DROP TABLE staff; --",
    '(DELETE FROM staff RETURNING *)',
    'sex") || (SELECT max(salary) FROM staff) || ("sex',
]  # fmt: skip


@pytest.mark.parametrize("text", ATTACKS)
@pytest.mark.parametrize(
    "call",
    [
        "sdc_k_anonymity('staff', [$x])",
        "sdc_k_anonymity($x, ['sex'])",
        "sdc_classes('staff', [$x])",
        "sdc_classes($x, ['sex'])",
        "sdc_l_diversity('staff', ['sex'], $x)",
        "sdc_t_closeness('staff', ['sex'], $x)",
        "sdc_uniqueness('staff', ['sex', $x])",
        "sdc_population_uniqueness('staff', $x, ['sex'])",
        "sdc_population_uniqueness('staff', 'staff', [$x])",
        "sdc_ean_loss('staff', $x, ['sex'])",
        "sdc_ean_loss('staff', 'salary', [$x])",
    ],
)
def test_a_name_is_never_run_as_sql(con: duckdb.DuckDBPyConnection, call: str, text: str) -> None:
    with pytest.raises(duckdb.Error, match=r"not found in FROM clause|does not exist|qualified name"):
        con.execute(f"FROM {call}", {"x": text}).fetchall()
    assert con.execute("SELECT count(*) FROM staff").fetchall() == [(5,)]
