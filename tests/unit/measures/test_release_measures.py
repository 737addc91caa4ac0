"""k-anonymity, l-diversity, t-closeness, uniqueness and EAN's loss: by hand, by brute force, and SQL against Python."""

import doctest
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from sdcdb.errors import DataError
from sdcdb.measures import anonymity, loss
from sdcdb.measures import unique_records as uniqueness
from sdcdb.measures.anonymity import k_anonymity, l_diversity, t_closeness
from sdcdb.measures.loss import ean_loss, record_loss, sensitive_loss
from sdcdb.measures.unique_records import equivalence_classes, population_uniqueness

# A 3-diverse release: four records of one class, three of another.
AGE = ["<40"] * 4 + [">=40"] * 3
ILLNESS = ["flu", "flu", "ulcer", "asthma", "flu", "ulcer", "asthma"]

# The salary table of Li et al. 2007: three classes of three records, 3K to 11K.
LI_CLASS = [1, 1, 1, 2, 2, 2, 3, 3, 3]
LI_SALARY = [3, 4, 5, 6, 11, 8, 7, 9, 10]

STAFF = "(VALUES ('f', 30, 5, 1), ('f', 30, 7, 1), ('m', NULL, 5, 2), ('m', NULL, 9, 2), ('m', 41, 9, 3))"


def with_macros(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    for file in sorted((files("sdcdb.udfs") / "macros").iterdir(), key=lambda file: file.name):
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


# ---- by hand


def test_k_anonymity_is_the_smallest_class() -> None:
    assert asdict(k_anonymity([AGE])) == {"records": 7, "classes": 2, "k": 3, "unique_records": 0}


def test_l_diversity_of_the_three_diverse_table() -> None:
    result = l_diversity([AGE], ILLNESS)
    assert (result.records, result.classes, result.l_distinct) == (7, 2, 3)
    assert result.l_entropy == pytest.approx(2**1.5)  # 1/2, 1/4, 1/4 has 1.5 bits; the other class log2(3)
    assert result.largest_share == pytest.approx(2 / 4)


def test_t_closeness_with_equal_distances_by_hand() -> None:
    # table 3/7, 2/7, 2/7; first class 1/2, 1/4, 1/4: 1/14; second class thirds: 2/21
    result = t_closeness([AGE], ILLNESS, ordered=False)
    assert result.t == pytest.approx(2 / 21)
    assert result.mean_t == pytest.approx((4 / 14 + 3 * 2 / 21) / 7)


def test_t_closeness_with_ordered_distances_by_hand() -> None:
    # asthma < flu < ulcer: F = 2/7, 5/7, 1; first class 1/4, 3/4, 1: (1/28 + 1/28) / 2; second class (1/21 + 1/21) / 2
    result = t_closeness([AGE], ILLNESS)
    assert result.t == pytest.approx(1 / 21)
    assert result.mean_t == pytest.approx((4 / 28 + 3 / 21) / 7)


def test_t_closeness_has_the_distances_of_li_et_al() -> None:
    result = t_closeness([LI_CLASS], LI_SALARY)
    assert result.t == pytest.approx(0.375)  # {3K, 4K, 5K}, as in the paper
    # {6K, 8K, 11K} is at 0.167 in the paper: 12/72; {7K, 9K, 10K} by hand: (1+2+3+4+2+3+1+1+0)/9/8 = 17/72
    assert result.mean_t == pytest.approx((27 / 72 + 12 / 72 + 17 / 72) / 3)


def test_theta_by_hand() -> None:
    # classes 1, 1, 1, 2, 2, 4 and one record in ten sampled: 0.3 / (0.3 + 2 * 0.9 * 2)
    result = uniqueness.uniqueness([list("abcddeeffff")], fraction=0.1)
    assert (result.sample_uniques, result.sample_pairs) == (3, 2)
    assert result.theta == pytest.approx(0.3 / 3.9)
    assert result.expected_correct_matches == pytest.approx(0.9 / 3.9)


def test_every_unique_match_is_correct_when_the_sample_is_the_population() -> None:
    assert uniqueness.uniqueness([[1, 2, 3, 3]]).theta == 1.0


@pytest.mark.parametrize(("values", "fraction"), [([1, 1, 1], 0.1), ([1, 1], 1.0), ([], 0.5)])
def test_theta_is_none_where_it_is_zero_by_zero(values: list[int], fraction: float) -> None:
    result = uniqueness.uniqueness([values], fraction=fraction)
    assert (result.theta, result.expected_correct_matches) == (None, 0.0)


def test_theta_is_zero_when_there_are_pairs_only() -> None:
    assert uniqueness.uniqueness([[1, 1]], fraction=0.5).theta == 0.0


def test_theta_estimates_the_share_of_correct_unique_matches() -> None:
    rng = np.random.default_rng(3)
    population = rng.geometric(0.0005, 50_000)
    sample = population[rng.random(population.size) < 0.1]
    in_sample, in_population = np.bincount(sample, minlength=50_000), np.bincount(population, minlength=50_000)
    truth = np.sum(in_sample == 1) / in_population[np.flatnonzero(in_sample == 1)].sum()
    assert uniqueness.uniqueness([sample], fraction=0.1).theta == pytest.approx(truth, rel=0.1)


def test_population_uniqueness_counts_only_records_unique_in_both() -> None:
    result = population_uniqueness([["a", "b", None, "x"]], [["a", "b", "b", None]])  # x is not in the population
    assert asdict(result) == {"records": 4, "sample_uniques": 4, "population_uniques_in_sample": 2, "share": 0.5}


def test_ean_losses_are_those_of_the_paper() -> None:
    assert record_loss([3, 5, 7, 10], [0.0] * 7).tolist() == pytest.approx([0.083, 0.1, 0.107, 0.1125], abs=5e-4)
    assert float(sensitive_loss(1)) == 0.0
    assert float(record_loss(4, [])) == 0.75


def test_record_loss_takes_one_loss_per_record() -> None:
    assert record_loss([2, 4], [[0.5, 0.25], 0.2]).tolist() == pytest.approx([1.2 / 3, 1.2 / 3])


@pytest.mark.parametrize("module", [anonymity, loss, uniqueness])
def test_examples_in_the_manual_are_true(module: Any) -> None:
    results = doctest.testmod(module)
    assert results.attempted > 0
    assert results.failed == 0


# ---- missing values and the kinds of arrays


def test_missing_quasi_identifiers_are_one_value_of_their_own() -> None:
    assert equivalence_classes([[None, "a", None, float("nan")]]).tolist() == [0, 1, 0, 0]
    assert equivalence_classes([np.array([np.nan, 1.0, np.nan])]).tolist() == [0, 1, 0]
    assert equivalence_classes([np.ma.masked_array([1, 1, 7], mask=[True, False, True])]).tolist() == [0, 1, 0]
    assert equivalence_classes([np.array(["NaT", "2026-01-01", "NaT"], dtype="M8[D]")]).tolist() == [0, 1, 0]
    assert equivalence_classes([pd.array([None, 1, None], dtype="Int64")]).tolist() == [0, 1, 0]


def test_missing_confidential_values_are_left_out() -> None:
    quasi, confidential = [[*AGE, "<40", "none"]], [*ILLNESS, None, None]
    assert l_diversity(quasi, confidential) == l_diversity([AGE], ILLNESS)
    assert t_closeness(quasi, confidential) == t_closeness([AGE], ILLNESS)
    assert k_anonymity(quasi).records == 9


def test_a_masked_confidential_value_does_not_count_as_distinct() -> None:
    salaries = np.ma.masked_array([10, 99, 20], mask=[False, True, False])
    assert t_closeness([[1, 1, 2]], salaries) == t_closeness([[1, 2]], [10, 20])


def test_categories_keep_their_order() -> None:
    levels = pd.Categorical(["low", "high", "high", "middle"], categories=["low", "middle", "high"], ordered=True)
    assert t_closeness([[1, 1, 2, 2]], levels) == t_closeness([[1, 1, 2, 2]], [0, 2, 2, 1])


def test_an_empty_table_has_no_k() -> None:
    assert asdict(k_anonymity([[]])) == {"records": 0, "classes": 0, "k": None, "unique_records": 0}
    assert list(asdict(l_diversity([[]], [])).values()) == [0, 0, None, None, None]
    assert list(asdict(t_closeness([[]], [])).values()) == [0, 0, None, None]
    assert list(asdict(population_uniqueness([[]], [["a"]])).values()) == [0, 0, 0, None]
    assert list(asdict(ean_loss([], quasi=2)).values()) == [0, None, None, None, None]


@pytest.mark.parametrize("ordered", [True, False])
def test_one_value_is_at_distance_zero(ordered: bool) -> None:  # noqa: FBT001 (pytest passes it)
    assert t_closeness([[1, 1, 2]], ["x", "x", "x"], ordered=ordered).t == 0.0


# ---- mistakes


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: k_anonymity([]), "at least one array"),
        (lambda: k_anonymity([[1, 2], [1]]), r"different lengths \[2, 1\]"),
        (lambda: k_anonymity(["sex", "age"]), "one array per column"),
        (lambda: k_anonymity([1, 2]), "one array per column"),
        (lambda: k_anonymity([np.zeros((2, 2))]), "2 dimensions"),
        (lambda: k_anonymity([[{}, {}]]), "use numbers or text"),
        (lambda: l_diversity([[1, 2]], [1]), "same records in both"),
        (lambda: t_closeness([[1, 2]], [1, "a"]), "ordered=False"),
        (lambda: uniqueness.uniqueness([[1]], fraction=0), "above 0 and at most 1"),
        (lambda: uniqueness.uniqueness([[1]], fraction=1.1), "above 0 and at most 1"),
        (lambda: uniqueness.uniqueness([[1]], fraction=float("nan")), "above 0 and at most 1"),
        (lambda: population_uniqueness([[1]], [[1], [2]]), "in the same order"),
        (lambda: population_uniqueness([[1, 2], [1]], [[1], [1, 2]]), "different lengths"),
        (lambda: population_uniqueness([], []), "at least one array"),
        (lambda: population_uniqueness([np.array([1])], [np.array(["2026-01-01"], dtype="M8[D]")]), "other types"),
        (lambda: sensitive_loss([2, 0]), "at least 1"),
        (lambda: sensitive_loss(np.nan), "at least 1"),
        (lambda: sensitive_loss("three"), "not a number"),
        (lambda: record_loss(2, [0.5, 1.5]), "loss 2 of quasi_losses is not a share"),
        (lambda: record_loss([2, 2], [[0.1, 0.1, 0.1]]), "one number or one per record"),
        (lambda: ean_loss([3, 0], quasi=1), "at least 1"),
    ],
)
def test_bad_input_says_what_to_do(call: Callable[[], object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        call()


# ---- brute force and properties

RECORDS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "é", None]),
        st.sampled_from([0.0, -0.0, 1.5, float("nan"), None]),
        st.sampled_from([1.0, 2.0, 4.0, 8.0, 9.5, float("nan"), None]),
    ),
    max_size=30,
)
COMPLETE = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 8)), min_size=1, max_size=40)


@given(COMPLETE)
@settings(deadline=None, max_examples=150)
def test_t_closeness_is_the_wasserstein_distance_on_ranks(records: list[tuple[int, int]]) -> None:
    classes, values = np.array(records).T
    ranks = np.unique(values, return_inverse=True)[1] / max(len(np.unique(values)) - 1, 1)
    by_class = {number: wasserstein_distance(ranks[classes == number], ranks) for number in np.unique(classes)}
    result = t_closeness([classes], values)
    assert result.t == pytest.approx(max(by_class.values()), abs=1e-12)
    assert result.mean_t == pytest.approx(np.mean([by_class[number] for number in classes]), abs=1e-12)


@given(COMPLETE)
@settings(deadline=None, max_examples=150)
def test_l_diversity_and_equal_distances_are_those_of_every_class_alone(records: list[tuple[int, int]]) -> None:
    classes, values = np.array(records).T
    shares = [np.bincount(values[classes == number], minlength=9) for number in np.unique(classes)]
    shares = [counts / counts.sum() for counts in shares]
    table = np.bincount(values, minlength=9) / len(values)
    diversity = l_diversity([classes], values)
    assert diversity.l_distinct == min(np.count_nonzero(share) for share in shares)
    assert diversity.largest_share == pytest.approx(max(share.max() for share in shares))
    bits = [-np.sum(share[share > 0] * np.log2(share[share > 0])) for share in shares]
    assert diversity.l_entropy == pytest.approx(2 ** min(bits))
    distances = [np.abs(share - table).sum() / 2 for share in shares]
    assert t_closeness([classes], values, ordered=False).t == pytest.approx(max(distances), abs=1e-12)


@given(RECORDS.filter(bool))
@settings(deadline=None, max_examples=100)
def test_one_more_known_column_never_raises_k(records: list[tuple[Any, ...]]) -> None:
    first, second, third = map(list, zip(*records, strict=True))
    steps = [k_anonymity(columns).k or 0 for columns in ([first], [first, second], [first, second, third])]
    assert steps == sorted(steps, reverse=True)


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


# ---- SQL: names, settings and mistakes


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
