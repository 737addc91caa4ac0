"""The data sets: reproducible, true to their papers, and created whole or not at all."""

import doctest
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sdcdb.datasets
from sdcdb.datasets import DATASETS, create
from sdcdb.datasets.staff import SALARY_RANGE
from sdcdb.errors import DatabaseError, DataError

ROWS = 50_000
GENERATED = ("credit_risk", "customer_status", "staff")


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    """All data sets, the generated ones with 50,000 records. Tests only read it."""
    with duckdb.connect() as con:
        create(con, "bank")
        for name in GENERATED:
            create(con, name, rows=ROWS)
        yield con


@pytest.fixture
def empty() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        yield con


def records(name: str, rows: int, seed: int = 1, threads: int = 2) -> list[tuple[Any, ...]]:
    with duckdb.connect(config={"threads": threads}) as con:
        create(con, name, rows, seed)
        return con.execute(f"SELECT * FROM {name} ORDER BY id").fetchall()


def value(con: duckdb.DuckDBPyConnection, sql: str) -> Any:
    row = con.execute(sql).fetchone()
    assert row is not None
    return row[0]


def tables(con: duckdb.DuckDBPyConnection) -> list[str]:
    return [name for (name,) in con.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()]


def columns(con: duckdb.DuckDBPyConnection, table: str) -> list[str]:
    return [column[0] for column in con.execute(f"DESCRIBE {table}").fetchall()]


# Every data set


def test_the_example_of_the_package_runs() -> None:
    assert doctest.testmod(sdcdb.datasets).failed == 0


@pytest.mark.parametrize("name", DATASETS)
def test_creates_the_tables_it_names(name: str, empty: duckdb.DuckDBPyConnection) -> None:
    dataset = create(empty, name)
    assert dataset is DATASETS[name]
    assert tables(empty) == sorted(dataset.tables)
    assert value(empty, f"SELECT count(*) FROM {dataset.tables[0]}") == (dataset.rows or 7)


@pytest.mark.parametrize("name", ["bank", *GENERATED])
def test_id_is_a_key_and_nothing_is_null(name: str, con: duckdb.DuckDBPyConnection) -> None:
    for table in DATASETS[name].tables:
        nulls = " OR ".join(f"{column} IS NULL" for column in columns(con, table))
        assert value(con, f"SELECT count(*) FROM {table} WHERE {nulls}") == 0
    assert con.execute(f"SELECT min(id), max(id) = count(*), count(DISTINCT id) = count(*) FROM {name}").fetchall() == [
        (1, True, True)
    ]


@pytest.mark.parametrize("name", GENERATED)
def test_one_row_works(name: str) -> None:
    assert len(records(name, 1)) == 1


@pytest.mark.parametrize("name", GENERATED)
def test_same_seed_same_records(name: str) -> None:
    assert records(name, 3000, seed=7) == records(name, 3000, seed=7)


@pytest.mark.parametrize("name", GENERATED)
def test_other_seed_other_records(name: str) -> None:
    assert records(name, 100, seed=1) != records(name, 100, seed=2)


@pytest.mark.parametrize("name", GENERATED)
def test_more_rows_keep_the_first_ones(name: str) -> None:
    assert records(name, 5000)[:3000] == records(name, 3000)


def test_threads_do_not_matter() -> None:
    assert records("staff", 130_000, threads=1) == records("staff", 130_000, threads=2)


@pytest.mark.parametrize(
    ("name", "digest"),
    [("credit_risk", "7cbbc2dd8561612f"), ("customer_status", "de0cf2c923e79134"), ("staff", "63135a7a9453c67c")],
)
def test_records_are_the_same_in_every_version(name: str, digest: str) -> None:
    """Made with DuckDB 2.0.0 and equal in 1.5.6. A change here changes every example built on this data."""
    assert hashlib.sha256(repr(records(name, 2000)).encode()).hexdigest()[:16] == digest


# Bank (VICUS, Table 1)


def test_bank_is_the_papers_table(con: duckdb.DuckDBPyConnection) -> None:
    assert columns(con, "bank") == ["id", "client", "branch", "product", "advisor"]
    distinct = "count(DISTINCT client), count(DISTINCT branch), count(DISTINCT product), count(DISTINCT advisor)"
    assert con.execute(f"SELECT {distinct} FROM bank").fetchall() == [(6, 3, 4, 4)]  # the paper's 17 vertices
    assert con.execute("SELECT * FROM bank WHERE client = 'Mr J. Black' ORDER BY id").fetchall() == [
        (6, "Mr J. Black", "Sydney", "Managed Investment", "Ms W. Wong"),
        (7, "Mr J. Black", "Sydney", "Home Mortgage", "Mr M. James"),
    ]


# Credit Risk and Customer Status (thesis, section 6.7): one line per branch of the pseudo-code


@pytest.mark.parametrize(
    ("table", "branch", "rule"),
    [
        ("credit_risk", "TRUE", "house_rent BETWEEN 100 AND 600"),
        ("credit_risk", "TRUE", "income BETWEEN 30 AND 100"),
        ("credit_risk", "TRUE", "job_grade BETWEEN 1 AND 4"),
        ("credit_risk", "TRUE", "no_of_dependents BETWEEN 0 AND 7"),
        ("credit_risk", "TRUE", "city IN ('Sydney', 'Melbourne', 'Newcastle', 'Armidale')"),
        ("credit_risk", "house_rent <= 300 AND income > 50 AND job_grade <= 2", "credit_risk = 'No'"),
        ("credit_risk", "house_rent <= 300 AND income > 50 AND job_grade > 2", "credit_risk = 'Yes'"),
        ("credit_risk", "house_rent <= 300 AND income <= 50", "city <> 'Sydney'"),
        ("credit_risk", "house_rent <= 300 AND income <= 50 AND city = 'Newcastle'", "credit_risk = 'No'"),
        ("credit_risk", "house_rent <= 300 AND income <= 50 AND city <> 'Newcastle'", "credit_risk = 'Yes'"),
        ("credit_risk", "house_rent > 300", "city IN ('Melbourne', 'Sydney')"),
        ("credit_risk", "house_rent > 300 AND city = 'Melbourne'", "credit_risk = 'No'"),
        ("credit_risk", "house_rent > 300 AND city = 'Sydney' AND no_of_dependents <= 2", "credit_risk = 'No'"),
        ("credit_risk", "house_rent > 300 AND city = 'Sydney' AND no_of_dependents > 2", "credit_risk = 'Yes'"),
        ("customer_status", "TRUE", "country_of_origin IN ('USA', 'England', 'Australia')"),
        ("customer_status", "TRUE", "profession IN ('Scientist', 'Engineer', 'Academic')"),
        ("customer_status", "TRUE", "car_make IN ('Toyota', 'Ford', 'Holden', 'Nissan')"),
        ("customer_status", "country_of_origin IN ('USA', 'England')", "car_make <> 'Holden'"),
        ("customer_status", "country_of_origin = 'USA' AND car_make IN ('Toyota', 'Ford')", "status = 'Good'"),
        ("customer_status", "country_of_origin = 'USA' AND car_make = 'Nissan'", "status = 'Bad'"),
        ("customer_status", "country_of_origin = 'England' AND car_make IN ('Nissan', 'Ford')", "status = 'Good'"),
        ("customer_status", "country_of_origin = 'England' AND car_make = 'Toyota'", "status = 'Bad'"),
        ("customer_status", "country_of_origin = 'Australia' AND profession = 'Engineer'", "status = 'Bad'"),
        (
            "customer_status",
            "country_of_origin = 'Australia' AND profession = 'Engineer'",
            "car_make IN ('Toyota', 'Holden')",
        ),
        ("customer_status", "country_of_origin = 'Australia' AND profession = 'Scientist'", "status = 'Bad'"),
        ("customer_status", "country_of_origin = 'Australia' AND profession = 'Academic'", "status = 'Good'"),
    ],
)
def test_rule_holds_on_every_record(table: str, branch: str, rule: str, con: duckdb.DuckDBPyConnection) -> None:
    assert value(con, f"SELECT count(*) FROM {table} WHERE {branch}") > 0
    assert value(con, f"SELECT count(*) FROM {table} WHERE ({branch}) AND NOT ({rule})") == 0


LOW_RENT_HIGH_INCOME = "house_rent <= 300 AND income > 50"
LOW_RENT_LOW_INCOME = "house_rent <= 300 AND income <= 50"
ABROAD = "country_of_origin IN ('USA', 'England')"
AUSTRALIAN_ENGINEER = "country_of_origin = 'Australia' AND profession = 'Engineer'"
OTHER_AUSTRALIAN = "country_of_origin = 'Australia' AND profession <> 'Engineer'"


@pytest.mark.parametrize(
    ("table", "branch", "event", "probability"),
    [
        ("credit_risk", "TRUE", "house_rent <= 300", 201 / 501),
        ("credit_risk", "TRUE", "income > 50", 50 / 71),
        ("credit_risk", "TRUE", "job_grade <= 2", 1 / 2),
        ("credit_risk", "TRUE", "job_grade = 4", 1 / 4),
        ("credit_risk", "TRUE", "no_of_dependents <= 2", 3 / 8),
        ("credit_risk", "TRUE", "no_of_dependents = 7", 1 / 8),
        *(
            ("credit_risk", LOW_RENT_HIGH_INCOME, f"city = '{city}'", 1 / 4)
            for city in ("Melbourne", "Newcastle", "Sydney", "Armidale")
        ),
        *(
            ("credit_risk", LOW_RENT_LOW_INCOME, f"city = '{city}'", 1 / 3)
            for city in ("Melbourne", "Newcastle", "Armidale")
        ),
        ("credit_risk", LOW_RENT_LOW_INCOME, "no_of_dependents <= 2", 3 / 8),
        ("credit_risk", LOW_RENT_LOW_INCOME, "job_grade <= 2", 1 / 2),
        ("credit_risk", "house_rent > 300", "city = 'Sydney'", 1 / 2),
        ("credit_risk", "house_rent > 300 AND city = 'Sydney'", "no_of_dependents <= 2", 3 / 8),
        ("credit_risk", "house_rent > 300 AND city = 'Sydney'", "income > 50", 50 / 71),
        ("credit_risk", "house_rent > 300 AND city = 'Melbourne'", "income > 50", 50 / 71),
        ("customer_status", "TRUE", "country_of_origin = 'USA'", 0.4),
        ("customer_status", "TRUE", "country_of_origin = 'England'", 0.4),
        ("customer_status", "TRUE", "country_of_origin = 'Australia'", 0.2),
        ("customer_status", ABROAD, "profession = 'Scientist'", 0.95),
        ("customer_status", ABROAD, "profession = 'Academic'", 0.03),
        ("customer_status", ABROAD, "profession = 'Engineer'", 0.02),
        ("customer_status", ABROAD, "car_make = 'Toyota'", 0.4),
        ("customer_status", ABROAD, "car_make = 'Ford'", 0.4),
        ("customer_status", ABROAD, "car_make = 'Nissan'", 0.2),
        ("customer_status", "country_of_origin = 'Australia'", "profession = 'Engineer'", 0.4),
        ("customer_status", "country_of_origin = 'Australia'", "profession = 'Academic'", 0.3),
        ("customer_status", "country_of_origin = 'Australia'", "profession = 'Scientist'", 0.3),
        ("customer_status", AUSTRALIAN_ENGINEER, "car_make = 'Holden'", 0.5),
        *(
            ("customer_status", OTHER_AUSTRALIAN, f"car_make = '{car}'", 0.25)
            for car in ("Toyota", "Nissan", "Ford", "Holden")
        ),
    ],
)
def test_probability_is_within_four_standard_errors(
    table: str, branch: str, event: str, probability: float, con: duckdb.DuckDBPyConnection
) -> None:
    share, count = con.execute(f"SELECT avg(({event})::INTEGER), count(*) FROM {table} WHERE {branch}").fetchall()[0]
    assert abs(share - probability) < 4 * (probability * (1 - probability) / count) ** 0.5


@pytest.mark.parametrize(("column", "low", "high"), [("house_rent", 100, 600), ("income", 30, 100)])
def test_numbers_are_spread_over_their_whole_domain(
    column: str, low: int, high: int, con: duckdb.DuckDBPyConnection
) -> None:
    assert value(con, f"SELECT count(DISTINCT {column}) FROM credit_risk") == high - low + 1
    assert value(con, f"SELECT avg({column}) FROM credit_risk") == pytest.approx((low + high) / 2, rel=0.01)


@pytest.mark.parametrize("column", ["parents_country", "favorite_city"])
def test_noise_attributes_have_thirty_equally_likely_values(column: str, con: duckdb.DuckDBPyConnection) -> None:
    shares = con.execute(f"SELECT count(*) / {ROWS} FROM customer_status GROUP BY {column}").fetchall()
    assert len(shares) == 30
    assert all(abs(share - 1 / 30) < 4 * (29 / 900 / ROWS) ** 0.5 for (share,) in shares)


@pytest.mark.parametrize("other", ["favorite_city", "country_of_origin", "car_make", "profession", "status"])
def test_noise_attributes_are_independent(other: str, con: duckdb.DuckDBPyConnection) -> None:
    """Pearson's chi-square has mean df and variance 2 df: a draw used twice would be far out."""
    counts = f"""
        SELECT count(*) AS n, sum(n) OVER (PARTITION BY a) * sum(n) OVER (PARTITION BY b) / {ROWS} AS expected
        FROM (SELECT parents_country AS a, {other} AS b FROM customer_status) GROUP BY a, b
    """
    chi_square = value(con, f"SELECT sum((n - expected) ** 2 / expected) FROM ({counts})")
    df = 29 * (value(con, f"SELECT count(DISTINCT {other}) FROM customer_status") - 1)
    assert abs(chi_square - df) < 4 * (2 * df) ** 0.5


# Staff


def test_staff_columns_and_types(con: duckdb.DuckDBPyConnection) -> None:
    assert [column[:2] for column in con.execute("DESCRIBE staff").fetchall()] == [
        ("id", "BIGINT"),
        ("name", "VARCHAR"),
        ("sex", "VARCHAR"),
        ("age", "INTEGER"),
        ("dept", "VARCHAR"),
        ("education", "VARCHAR"),
        ("salary", "INTEGER"),
    ]


@pytest.mark.parametrize(
    "rule",
    [
        "sex IN ('F', 'M')",
        "age BETWEEN 18 AND 70",
        f"salary BETWEEN {SALARY_RANGE[0]} AND {SALARY_RANGE[1]}",
        "education IN ('School', 'Vocational', 'Bachelor', 'Master', 'Doctorate')",
        "education NOT IN ('Bachelor', 'Master', 'Doctorate') OR age >= 22",
        "education NOT IN ('Master', 'Doctorate') OR age >= 26",
        "education <> 'Doctorate' OR age >= 32",
        "name LIKE '_% _%' AND name = trim(name)",
        "dept IN (SELECT dept FROM dept_dim)",
    ],
)
def test_staff_rule_holds_on_every_record(rule: str, con: duckdb.DuckDBPyConnection) -> None:
    assert value(con, f"SELECT count(*) FROM staff WHERE NOT ({rule})") == 0


@pytest.mark.parametrize(("column", "size"), [("sex", 2), ("age", 53), ("dept", 10), ("education", 5)])
def test_every_value_of_the_staff_domains_occurs(column: str, size: int, con: duckdb.DuckDBPyConnection) -> None:
    assert value(con, f"SELECT count(DISTINCT {column}) FROM staff") == size


def test_names_have_accents_and_apostrophes(con: duckdb.DuckDBPyConnection) -> None:
    assert value(con, "SELECT count(*) FROM staff WHERE name LIKE '%''%'") > 0
    assert value(con, "SELECT count(*) FROM staff WHERE strlen(name) > length(name)") > 0
    assert value(con, "SELECT count(DISTINCT name) FROM staff") > 4000


LEVEL = "list_position(['School', 'Vocational', 'Bachelor', 'Master', 'Doctorate'], education)"


@pytest.mark.parametrize(
    ("one", "other", "least"),
    [
        (LEVEL, "age", 0.1),
        (LEVEL, "(dept IN ('Research', 'Legal', 'Engineering'))::INTEGER", 0.4),
        ("(sex = 'F')::INTEGER", "(dept IN ('Human Resources', 'Support', 'Marketing'))::INTEGER", 0.2),
        ("ln(salary)", LEVEL, 0.4),
        ("ln(salary)", "age", 0.2),
        ("ln(salary)", "(dept IN ('Legal', 'Finance', 'Engineering', 'IT'))::INTEGER", 0.2),
    ],
)
def test_staff_attributes_are_correlated(one: str, other: str, least: float, con: duckdb.DuckDBPyConnection) -> None:
    assert value(con, f"SELECT corr({one}, {other}) FROM staff") > least


def test_women_earn_a_little_less_for_the_same_work(con: duckdb.DuckDBPyConnection) -> None:
    pay = "exp(avg(ln(salary)) FILTER (sex = 'F') - avg(ln(salary)) FILTER (sex = 'M'))"
    same = f"SELECT {pay} AS ratio, count(*) AS n FROM staff GROUP BY dept, education, age // 10"
    assert 0.93 < value(con, f"SELECT sum(ratio * n) / sum(n) FROM ({same}) WHERE ratio IS NOT NULL") < 0.97


def test_salaries_are_skewed_and_not_piled_up_at_the_ends(con: duckdb.DuckDBPyConnection) -> None:
    assert value(con, "SELECT skewness(salary) FROM staff") > 1
    assert value(con, "SELECT avg(salary) / median(salary) FROM staff") > 1.05
    assert abs(value(con, "SELECT skewness(ln(salary)) FROM staff")) < 0.2
    for end in SALARY_RANGE:
        assert value(con, f"SELECT avg((salary = {end})::INTEGER) FROM staff") < 0.005
    assert value(con, "SELECT max(n) FROM (SELECT count(*) AS n FROM staff GROUP BY salary)") < 0.005 * ROWS


def test_dept_dim_has_one_row_per_department_and_several_per_campus(con: duckdb.DuckDBPyConnection) -> None:
    assert columns(con, "dept_dim") == ["dept", "campus"]
    assert value(con, "SELECT count(*) = count(DISTINCT dept) FROM dept_dim")
    campuses = con.execute("SELECT count(*) FROM dept_dim GROUP BY campus").fetchall()
    assert len(campuses) > 1
    assert all(departments > 1 for (departments,) in campuses)


# What can go wrong


def test_unknown_name_lists_the_data_sets(empty: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(DatabaseError, match=r"no data set 'staf'; allowed: bank, .*did you mean 'staff'"):
        create(empty, "staf")


@pytest.mark.parametrize("rows", [0, -1, 10**12])
def test_rows_out_of_range(rows: int, empty: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(DataError, match=f"rows is {rows}: it must be from 1 to"):
        create(empty, "staff", rows=rows)
    assert tables(empty) == []


@pytest.mark.parametrize("argument", ["rows", "seed"])
@pytest.mark.parametrize("wrong", ["1); DROP TABLE staff; --", 2.5])
def test_only_whole_numbers_become_sql(argument: str, wrong: Any, empty: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(DataError, match=f"{argument} is .*: it must be an integer"):
        create(empty, "staff", **{argument: wrong})


def test_the_bank_example_has_a_fixed_size(empty: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(DataError, match="'bank' has a fixed number of records: leave out rows"):
        create(empty, "bank", rows=7)


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("CREATE TABLE staff (mine INTEGER)", "staff"),
        ("CREATE TABLE DEPT_DIM (mine INTEGER)", "DEPT_DIM"),
        ("CREATE VIEW dept_dim AS SELECT 1 AS mine", "dept_dim"),
    ],
)
def test_what_exists_is_kept_and_nothing_is_added(statement: str, found: str, empty: duckdb.DuckDBPyConnection) -> None:
    empty.execute(statement)
    before = tables(empty)
    with pytest.raises(DatabaseError, match=f"already has {found}: drop or rename it"):
        create(empty, "staff", rows=10)
    assert tables(empty) == before
    assert columns(empty, found) == ["mine"]


def test_failure_half_way_leaves_nothing_behind(empty: duckdb.DuckDBPyConnection) -> None:
    other = empty.cursor()
    other.begin()
    other.execute("CREATE TABLE dept_dim (mine INTEGER)")  # not committed, hence invisible until the second CREATE
    with pytest.raises(DatabaseError, match="data set 'staff' was not created"):
        create(empty, "staff", rows=10)
    other.rollback()
    assert tables(empty) == []
    create(empty, "staff", rows=10)  # the connection is still usable


def test_an_open_transaction_is_left_alone(empty: duckdb.DuckDBPyConnection) -> None:
    empty.begin()
    empty.execute("CREATE TABLE mine (x INTEGER)")
    with pytest.raises(DatabaseError, match="inside a transaction: commit it or roll it back"):
        create(empty, "bank")
    empty.commit()
    assert tables(empty) == ["mine"]


def test_read_only_database(tmp_path: Path) -> None:
    duckdb.connect(tmp_path / "data.duckdb").close()
    with (
        duckdb.connect(tmp_path / "data.duckdb", read_only=True) as con,
        pytest.raises(DatabaseError, match=r"data set 'bank' was not created: .*read-only"),
    ):
        create(con, "bank")


def test_creates_in_the_current_schema(empty: duckdb.DuckDBPyConnection) -> None:
    create(empty, "bank")
    empty.execute("CREATE SCHEMA lab")
    empty.execute("USE lab")
    create(empty, "bank")
    assert value(empty, "SELECT count(*) FROM lab.bank") == 7
