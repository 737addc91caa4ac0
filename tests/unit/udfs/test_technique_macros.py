"""Perturbing a table from SQL: the macros that need no fitting, and those that `sdcdb.udfs.fit` makes."""

import hashlib
import math
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sdcdb
from sdcdb.errors import DataError
from sdcdb.techniques.families.categories import FittedTransition
from sdcdb.udfs import fit

ROWS = 20_000
CATEGORIES = "[['flu', 'cold'], ['asthma'], ['it''s \"odd\"', 'ulcer', 'gout']]"
STAFF = f"""
    CREATE TABLE staff AS SELECT i AS id,
        CASE WHEN i % 50 > 0 THEN ['flu', 'cold', 'asthma', 'it''s "odd"', 'ulcer', 'gout'][1 + i % 6] END AS illness,
        ['north', 'south', 'east'][1 + (i // 7 + (i % 6) // 2) % 3] AS region,
        CASE WHEN i % 50 > 1 THEN (i * 7919) % 100000 END::INTEGER AS salary,
        ((i * 7919) % 1000 / 10)::DECIMAL(6, 1) AS hours,
        i::DOUBLE AS weight,
        (i % 100)::UTINYINT AS age
    FROM range({ROWS}) AS r(i)
"""
CALLS = {
    "sample": "sdc_sample('staff', size := 500, key := 'id', seed := {seed})",
    "noise": "sdc_normal_noise('staff', 'salary', sd := 1000, key := 'id', seed := {seed})",
    "pram": "sdc_pram('staff', 'illness', p := 0.8, key := 'id', seed := {seed})",
    "ean": f"sdc_ean('staff', 'illness', categories := {CATEGORIES}, key := 'id', seed := {{seed}})",
}
SECRET = "0123456789abcdef-test"  # noqa: S105 - a secret for tests
VICUS = {"method": "vicus", "k1": 5, "k2": 20}


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with sdcdb.register(duckdb.connect()) as connection:
        connection.execute(STAFF)
        yield connection


def rows(con: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return con.execute(sql).fetchall()


def lane(seed: str, block: str, key: object, number: int) -> int:
    """Cut a draw from the digest as `sdcdb.engines` defines it, in plain Python."""
    first_half = int(hashlib.sha256(f"{seed}:{block}:{key}".encode()).hexdigest()[:32], 16)
    return (first_half >> (32 * number)) & 0xFFFFFFFF


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_same_seed_gives_the_same_rows_and_another_gives_others(con: duckdb.DuckDBPyConnection, call: str) -> None:
    first, again, other = (rows(con, f"FROM {call.format(seed=seed)} ORDER BY ALL") for seed in (7, "'7'", 8))
    assert first == again
    assert first != other


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_columns_keep_their_names_and_order_and_nulls_stay(con: duckdb.DuckDBPyConnection, call: str) -> None:
    source = call.format(seed=7)
    assert [name for name, *_ in rows(con, f"DESCRIBE FROM {source}")] == [
        name for name, *_ in rows(con, "DESCRIBE staff")
    ]
    both = f"FROM {source} AS a JOIN staff AS b USING (id)"
    moved = "(a.salary IS NULL) <> (b.salary IS NULL) OR (a.illness IS NULL) <> (b.illness IS NULL)"
    assert rows(con, f"SELECT count(*) {both} WHERE {moved} OR a.region <> b.region") == [(0,)]


@pytest.mark.parametrize(("size", "expected"), [("0", 0), ("1", 1), ("777", 777), ("0.25", 5000), (str(ROWS), ROWS)])
def test_a_sample_has_exactly_the_size_asked_for(con: duckdb.DuckDBPyConnection, size: str, expected: int) -> None:
    ids = rows(con, f"SELECT id FROM sdc_sample('staff', size := {size}, key := 'id', seed := 7)")
    assert len(set(ids)) == len(ids) == expected


def test_a_sample_is_of_the_smallest_draws(con: duckdb.DuckDBPyConnection) -> None:
    digests = {key: hashlib.sha256(f"7:sample:{key}".encode()).hexdigest() for key in range(ROWS)}
    ids = [key for (key,) in rows(con, "SELECT id FROM sdc_sample('staff', size := 50, key := 'id', seed := 7)")]
    assert ids == sorted(digests, key=lambda key: digests[key])[:50]


def test_noise_is_the_box_muller_of_the_engine(con: duckdb.DuckDBPyConnection) -> None:
    block = "normal_noise 2.5:weight"
    for key, value in rows(con, "SELECT id, weight FROM sdc_normal_noise('staff', 'Weight', 2.5, 'id', 'x') LIMIT 100"):
        u, v = (lane("x", block, key, number) for number in (0, 1))
        z = math.sqrt(-2 * math.log((u + 1) / 2**32)) * math.cos(2 * math.pi * v / 2**32)
        assert value == pytest.approx(key + 2.5 * z, abs=1e-9)


def test_noise_has_the_moments_asked_for(con: duckdb.DuckDBPyConnection) -> None:
    noisy = "sdc_normal_noise('staff', 'weight', sd := 10, key := 'id', seed := 7)"
    ((mean, sd, skew, kurtosis),) = rows(
        con, f"SELECT avg(d), stddev(d), skewness(d), kurtosis(d) FROM (SELECT weight - id AS d FROM {noisy})"
    )
    assert mean == pytest.approx(0, abs=4 * 10 / math.sqrt(ROWS))  # four standard errors
    assert sd == pytest.approx(10, rel=4 / math.sqrt(2 * ROWS))
    assert skew == pytest.approx(0, abs=4 * math.sqrt(6 / ROWS))
    assert kurtosis == pytest.approx(0, abs=4 * math.sqrt(24 / ROWS))


def test_noise_of_two_sizes_is_drawn_apart(con: duckdb.DuckDBPyConnection) -> None:
    small, large = (f"sdc_normal_noise('staff', 'weight', sd := {sd}, key := 'id', seed := 7)" for sd in (10, 20))
    joined = f"FROM {small} AS a JOIN {large} AS b USING (id)"
    ((correlation,),) = rows(con, f"SELECT corr(a.weight - id, b.weight - id) {joined}")
    assert abs(correlation) < 4 / math.sqrt(ROWS)


@pytest.mark.parametrize(
    ("column", "kind", "ends", "expected"),
    [
        ("age", "UTINYINT", "", (0, 255)),
        ("age", "UTINYINT", ", low := 10, high := 90", (10, 90)),
        ("hours", "DECIMAL(6,1)", ", low := 0, high := 99.5", (0, 99.5)),
        ("weight", "DOUBLE", ", low := -5, high := 5", (-5, 5)),
    ],
)
def test_noise_stays_in_its_type_and_between_its_ends(
    con: duckdb.DuckDBPyConnection, column: str, kind: str, ends: str, expected: tuple[float, float]
) -> None:
    noisy = f"sdc_normal_noise('staff', '{column}', sd := 500, key := 'id', seed := 7{ends})"
    ((least, most, found),) = rows(
        con, f"SELECT min({column}), max({column}), any_value(typeof({column})) FROM {noisy}"
    )
    assert found == kind
    low, high = expected
    assert low <= float(least) <= low + 1
    assert high - 1 <= float(most) <= high


def test_wrapping_reaches_every_value_alike(con: duckdb.DuckDBPyConnection) -> None:
    noisy = "sdc_normal_noise('staff', 'age', sd := 500, key := 'id', seed := 7, low := 0, high := 9)"
    counts = dict(rows(con, f"SELECT age, count(*) FROM {noisy} GROUP BY ALL"))
    assert sorted(counts) == list(range(10))
    assert all(count == pytest.approx(ROWS / 10, abs=5 * math.sqrt(ROWS * 0.09)) for count in counts.values())


def test_pram_keeps_with_p_and_else_takes_any_other(con: duckdb.DuckDBPyConnection) -> None:
    pairs = f"SELECT b.illness, a.illness FROM {CALLS['pram'].format(seed=7)} AS a JOIN staff AS b USING (id)"
    counts = Counter(pair for pair in rows(con, pairs) if pair[0] is not None)
    values = {before for before, _ in counts}
    assert len(values) == 6
    for before in values:
        of = sum(counts[before, after] for after in values)
        for after in values:
            p = 0.8 if before == after else 0.2 / 5
            assert counts[before, after] / of == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / of))


@pytest.mark.parametrize(("p", "kept"), [(1, 100), (0, 0)])
def test_pram_at_its_ends(p: int, kept: int) -> None:
    con = sdcdb.register(duckdb.connect())
    con.execute(
        "CREATE TABLE t AS SELECT i, i % 2 = 0 AS flag, ['x', 'y'][1 + i % 2]::ENUM('y', 'x') AS e FROM range(100) r(i)"
    )
    for column in ("flag", "e"):
        same = f"SELECT count(*) FROM sdc_pram('t', '{column}', p := {p}, key := 'i', seed := 7) AS a JOIN t USING (i)"
        assert rows(con, f"{same} WHERE a.{column} = t.{column}") == [(kept,)]


def test_pram_of_one_value_or_none_changes_nothing() -> None:
    con = sdcdb.register(duckdb.connect())
    con.execute("CREATE TABLE t AS SELECT i, 'only' AS one, NULL::VARCHAR AS missing FROM range(3) r(i)")
    for column in ("one", "missing"):
        assert rows(con, f"FROM sdc_pram('t', '{column}', p := 0, key := 'i', seed := 7)") == rows(con, "FROM t")


def test_ean_lists_the_true_value_and_one_of_every_other_category(con: duckdb.DuckDBPyConnection) -> None:
    home = {"flu": 0, "cold": 0, "asthma": 1, 'it\'s "odd"': 2, "ulcer": 2, "gout": 2}
    both = f"FROM {CALLS['ean'].format(seed=7)} AS a JOIN staff AS b USING (id) WHERE b.illness IS NOT NULL"
    found = rows(con, f"SELECT b.illness, a.illness {both}")
    assert all(true in published for true, published in found)
    assert {tuple(sorted(home[value] for value in published)) for _, published in found} == {(0, 1, 2)}
    places = Counter(published.index(true) for true, published in found)
    assert all(places[n] / len(found) == pytest.approx(1 / 3, abs=4 * math.sqrt(2 / 9 / len(found))) for n in range(3))
    decoys = Counter(value for true, published in found for value in published if home[true] == 1 and home[value] == 2)
    of = sum(decoys.values())
    assert all(count / of == pytest.approx(1 / 3, abs=4 * math.sqrt(2 / 9 / of)) for count in decoys.values())


ODD = "a \"b\" 'c'; DROP TABLE staff; --"
# DuckDB 1.5 cannot name a table with a double quote in query_table().
ODD_TABLE = ODD if duckdb.__version__ >= "2" else ODD.replace('"', "")


def test_odd_names_and_seeds_are_only_names_and_seeds() -> None:
    con = sdcdb.register(duckdb.connect())
    con.execute("CREATE TABLE staff AS SELECT 1 AS id")
    name, table_name = ('"' + odd.replace('"', '""') + '"' for odd in (ODD, ODD_TABLE))
    odd_key = f'"k {name[1:]}'
    con.execute(f"CREATE TABLE {table_name} AS SELECT i AS {name}, i AS {odd_key} FROM range(9) r(i)")
    con.execute(f"CREATE TABLE words AS SELECT i, $1 AS {name} FROM range(3) r(i)", [ODD])
    table, column, key = (text.replace("'", "''") for text in (table_name, ODD, f"k {ODD}"))
    named = f"key := '{key}', seed := '{column}'"
    assert len(rows(con, f"FROM sdc_sample('{table}', size := 4, {named})")) == 4
    assert len(rows(con, f"FROM sdc_normal_noise('{table}', '{column}', sd := 1, {named})")) == 9
    assert len(rows(con, f"FROM sdc_pram('{table}', '{column}', p := 0.5, {named})")) == 9
    ean = f"sdc_ean('words', '{column}', categories := [['{column}'], ['b']], key := 'i', seed := '{column}')"
    assert {tuple(sorted(published)) for _, published in rows(con, f"FROM {ean}")} == {tuple(sorted([ODD, "b"]))}
    assert rows(con, "FROM staff") == [(1,)]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("sdc_sample('staff', size := 5, seed := 7)", "key is missing"),
        ("sdc_sample('staff', size := 5, key := 'id')", "seed is missing"),
        ("sdc_sample('staff', key := 'id', seed := 7)", "size must be"),
        ("sdc_sample('staff', size := 2.5, key := 'id', seed := 7)", "size must be"),
        ("sdc_sample('staff', size := 20001, key := 'id', seed := 7)", "a sample of 20001 from 20000 records"),
        ("sdc_sample('staff', size := 5, key := 'nobody', seed := 7)", 'column "nobody" not found'),
        ("sdc_sample('staff', size := 5, key := 'salary', seed := 7)", "the key salary is NULL in a record"),
        ("sdc_sample('stuff', size := 5, key := 'id', seed := 7)", "stuff does not exist"),
        ("sdc_sample(NULL, size := 5, key := 'id', seed := 7)", "the table is NULL"),
        ("sdc_normal_noise('staff', 'salary', key := 'id', seed := 7)", "sd must be"),
        ("sdc_normal_noise('staff', 'salary', sd := -1, key := 'id', seed := 7)", "sd must be"),
        ("sdc_normal_noise('staff', 'salary', sd := 1, key := 'id', seed := 7, low := 0)", "low and high go together"),
        ("sdc_normal_noise('staff', 'salary', 1, 'id', 7, low := 2, high := 1)", "low and high go together"),
        ("sdc_normal_noise('staff', 'region', sd := 1, key := 'id', seed := 7)", "VARCHAR: this method is for numbers"),
        ("sdc_normal_noise('staff', 'pay', sd := 1, key := 'id', seed := 7)", 'column "pay" not found'),
        ("sdc_pram('staff', 'illness', p := 1.5, key := 'id', seed := 7)", "p must be"),
        ("sdc_pram('staff', 'illnes', p := 0.5, key := 'id', seed := 7)", "illnes"),
        ("sdc_ean('staff', 'region', categories := [['north']], key := 'id', seed := 7)", "two or more lists"),
        ("sdc_ean('staff', 'region', categories := [['north'], []], key := 'id', seed := 7)", "two or more lists"),
        ("sdc_ean('staff', 'region', categories := [['a'], ['a']], key := 'id', seed := 7)", "in one category, once"),
        ("sdc_ean('staff', 'region', categories := [['a'], [NULL]], key := 'id', seed := 7)", "NULL in none"),
        ("sdc_ean('staff', 'region', categories := [['a'], ['b']], key := 'id', seed := 7)", "in no category"),
    ],
)
def test_mistakes_are_told(con: duckdb.DuckDBPyConnection, call: str, says: str) -> None:
    with pytest.raises(duckdb.Error, match=says):
        rows(con, f"FROM {call}")


def test_settings_of_the_session_do_not_matter() -> None:
    con = sdcdb.register(duckdb.connect())
    con.execute(STAFF)
    calls = [call.format(seed=7) for call in CALLS.values()]
    before = [rows(con, f"FROM {call} ORDER BY id ASC") for call in calls]
    con.execute("SET default_order = 'DESC'; SET integer_division = true")
    assert [rows(con, f"FROM {call} ORDER BY id ASC") for call in calls] == before


def test_a_fitted_macro_follows_its_matrix(con: duckdb.DuckDBPyConnection) -> None:
    plan = fit(con, "sdc_vicus_staff", "staff", {"illness": VICUS}, key="id", seed=7)
    (fitted,) = plan.fitted
    assert isinstance(fitted, FittedTransition)
    pairs = "SELECT b.illness, a.illness FROM sdc_vicus_staff() AS a JOIN staff AS b USING (id)"
    counts = Counter(rows(con, pairs))
    assert all((before is None) == (after is None) for before, after in counts)
    for i, before in enumerate(fitted.shape.values):
        of = sum(counts[before, after] for after in fitted.shape.values)
        for j, after in enumerate(fitted.shape.values):
            p = fitted.matrix[i][j]
            assert counts[before, after] / of == pytest.approx(p, abs=4.5 * math.sqrt(p * (1 - p) / of))


def test_macros_fitted_apart_agree_on_a_column_and_another_seed_does_not(con: duckdb.DuckDBPyConnection) -> None:
    warner = {"method": "warner", "p": 0.5}
    normal = {"method": "normal", "sd": "10%", "domain": [0, 100_000]}
    fit(con, "two", "staff", {"region": warner, "salary": normal}, key="id", seed=7)
    fit(con, "one", "STAFF", {"salary": normal}, key="ID", seed=7, rows={"method": "sampling", "size": 300})
    fit(con, "other", "staff", {"salary": normal}, key="id", seed=8)
    joined = "SELECT count(*) FROM one() AS a JOIN two() AS b USING (id) WHERE a.salary IS NOT DISTINCT FROM b.salary"
    assert rows(con, joined) == [(300,)]
    ((same,),) = rows(con, "SELECT count(*) FROM two() AS a JOIN other() AS b USING (id) WHERE a.salary = b.salary")
    assert same < ROWS / 1000


def test_a_persistent_macro_runs_from_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "staff.duckdb"
    with duckdb.connect(str(path), config={"storage_compatibility_version": "v1.5.0"}) as con:
        con.execute(STAFF)
        ean: dict[str, Any] = {"method": "ean", "categories": {"a": ["north"], "b": ["south", "east"]}}
        age: dict[str, Any] = {"method": "normal", "sd": 5, "domain": [0, 120]}
        columns = {"illness": VICUS, "region": ean, "age": age}
        fit(con, "published", "staff", columns, key="id", secret=SECRET, temporary=False)
        record = "concat_ws('|', id, illness, region::VARCHAR, age)"
        asked = f"SELECT md5(string_agg({record}, ';' ORDER BY id)) FROM published()"
        ((expected,),) = rows(con, asked)
    shell = [str(Path(sys.executable).parent / "duckdb"), "-readonly", "-noheader", "-csv", str(path), asked]
    assert subprocess.run(shell, capture_output=True, text=True, check=True).stdout.strip() == expected


def test_a_temporary_macro_leaves_a_read_only_database_alone(tmp_path: Path) -> None:
    path = tmp_path / "staff.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute(STAFF)
    before = path.read_bytes()
    with duckdb.connect(str(path), read_only=True) as con:
        fit(con, 'an "odd" name', "staff", {"illness": VICUS}, key="id", seed=7)
        assert rows(con, 'SELECT count(*) FROM "an ""odd"" name"()') == [(ROWS,)]
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("columns", "given", "says"),
    [
        ({"illness": VICUS}, {"key": "id"}, "a seed, to try things out, or a secret"),
        ({"illness": VICUS}, {"key": "id", "secret": "short"}, "too short"),
        ({"illness": VICUS}, {"key": "nobody", "seed": 7}, "no column 'nobody'"),
        ({"illness": VICUS}, {"key": "region", "seed": 7}, "not unique"),
        ({"illness": VICUS}, {"key": "weight", "seed": 7}, "whole numbers, text or UUIDs"),
        ({"ilness": VICUS}, {"key": "id", "seed": 7}, "did you mean 'illness'"),
        ({"illness": {"method": "vicuss"}}, {"key": "id", "seed": 7}, "did you mean 'vicus'"),
        ({"illness": {"method": "vicus", "k1": 5}}, {"key": "id", "seed": 7}, "illness: vicus: k2"),
        ({"salary": {"method": "normal", "sd": 1, "domain": [5, 1]}}, {"key": "id", "seed": 7}, "lower one first"),
        ({"salary": {"method": "swapping"}}, {"key": "id", "seed": 7}, "use a protected view"),
        ({}, {"key": "id", "seed": 7}, "nothing to fit"),
    ],
)
def test_mistakes_in_fitting_are_told(
    con: duckdb.DuckDBPyConnection, columns: dict[str, Any], given: dict[str, Any], says: str
) -> None:
    with pytest.raises(DataError, match=says):
        fit(con, "never", "staff", columns, **given)
    assert rows(con, "SELECT count(*) FROM duckdb_functions() WHERE function_name = 'never'") == [(0,)]
