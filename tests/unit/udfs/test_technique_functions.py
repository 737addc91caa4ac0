"""Techniques at a SQL prompt: names, keys, secrets, transactions, cursors, and everything that can be got wrong."""

import gc
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sdcdb
from sdcdb.udfs.fitting import fit_plan

STAFF = """
    CREATE TABLE {name} AS SELECT i AS id, ['flu', 'cold', 'gout'][1 + i % 3] AS illness, 'n' || i AS name,
        ['north', 'south'][1 + i // 3 % 2] AS region, CASE WHEN i % 9 > 0 THEN 20 + i % 50 END AS age
    FROM range(300) r(i)
"""
NOISY = "FROM sdc_normal('staff', columns := ['age'], sd := '20%', seed := 7)"


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with sdcdb.register(duckdb.connect()) as connection:
        connection.execute(STAFF.format(name="staff"))
        yield connection


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what was fitted, in order."""
    seen: list[str] = []

    def counting(engine: Any, wanted: Any, *rest: Any) -> Any:
        seen.append(wanted.table)
        return fit_plan(engine, wanted, *rest)

    monkeypatch.setattr("sdcdb.udfs.fitting.fit_plan", counting)
    return seen


def rows(con: duckdb.DuckDBPyConnection, sql: str, parameters: list[Any] | None = None) -> list[tuple[Any, ...]]:
    return con.execute(sql, parameters or []).fetchall()


def test_a_statement_fits_once_however_often_it_calls(con: duckdb.DuckDBPyConnection, fits: list[str]) -> None:
    assert rows(con, f"SELECT count(*) FROM ({NOISY}) AS a JOIN ({NOISY}) AS b USING (id, age)") == [(266,)]
    assert len(con.sql(NOISY).limit(5).fetchall()) == 5
    assert fits == ["staff"]


def test_a_changed_table_is_fitted_again(con: duckdb.DuckDBPyConnection, fits: list[str]) -> None:
    rows(con, NOISY)
    con.execute("INSERT INTO staff VALUES (300, 'flu', 'new', 'north', 21)")
    assert len(rows(con, NOISY)) == 301
    con.execute("UPDATE staff SET age = 22 WHERE id = 300")
    rows(con, NOISY)
    assert fits == ["staff"] * 3


def test_without_a_seed_the_noise_stays_for_the_process_and_no_longer(con: duckdb.DuckDBPyConnection) -> None:
    unseeded = "FROM sdc_normal('staff', columns := ['age'], sd := '20%')"
    first = rows(con, unseeded)
    assert rows(con, unseeded) == first
    assert rows(sdcdb.register(con.cursor()), unseeded) == first
    assert first != rows(con, NOISY)


def test_a_seed_gives_the_same_noise_in_another_database(con: duckdb.DuckDBPyConnection) -> None:
    with sdcdb.register(duckdb.connect()) as other:
        other.execute(STAFF.format(name="staff"))
        assert rows(other, NOISY) == rows(con, NOISY)


def test_a_secret_comes_from_its_place(con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACE", "a secret of some length")
    placed = "FROM sdc_normal('staff', columns := ['age'], sd := '20%', secret := 'env:PLACE')"
    first = rows(con, placed)
    monkeypatch.setenv("PLACE", "another secret of some length")
    con.execute("INSERT INTO staff VALUES (300, 'flu', 'new', 'north', NULL)")
    assert rows(con, placed)[:300] != first


def test_the_primary_key_is_the_key(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE keyed (id BIGINT PRIMARY KEY, age BIGINT); INSERT INTO keyed SELECT id, age FROM staff")
    con.execute("CREATE TABLE turned AS SELECT id, age FROM keyed ORDER BY id DESC")
    asked = (
        "FROM sdc_normal('{}', columns := ['age'], sd := 5, domain := [0, 99], secret := NULL, seed := 1{}) ORDER BY id"
    )
    by_key, by_row = rows(con, asked.format("keyed", "")), rows(con, asked.format("turned", ""))
    assert by_key != by_row
    con.execute("CREATE OR REPLACE TABLE keyed AS SELECT id, age FROM staff ORDER BY id DESC")
    assert rows(con, asked.format("keyed", ", key := 'ID'")) == by_key


def test_names_may_be_odd_qualified_or_of_an_attached_database(con: duckdb.DuckDBPyConnection) -> None:
    odd = """a "b" 'c'; DROP TABLE staff; --"""
    name = '"' + odd.replace('"', '""') + '"'
    con.execute(f"CREATE SCHEMA {name}; CREATE TABLE {name}.{name} AS SELECT id, age AS {name} FROM staff")
    other = f'"other {name[1:]}'
    con.execute(
        f"ATTACH ':memory:' AS {other}; CREATE TABLE {other}.main.{name} AS SELECT id, age AS {name} FROM staff"
    )
    ask = "FROM sdc_normal(?, columns := ?, sd := '10%', key := 'id', seed := ?)"
    three, two = f"{other}.main.{name}", f"{name}.{name}"
    assert len(rows(con, ask, [three, [odd], odd])) == len(rows(con, ask, [two, [odd], odd])) == 300
    con.execute(f"USE {other}.main")
    assert len(rows(con, ask, [name, [odd], odd])) == 300
    assert len(rows(con, ask, ["memory.main.staff", ["age"], odd])) == 300


def test_a_view_needs_a_key_and_works_with_one(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE VIEW young AS FROM staff WHERE age < 40")
    with pytest.raises(duckdb.Error, match="is a view, which has no rowid"):
        rows(con, "FROM sdc_normal('young', columns := ['age'], sd := 2)")
    found = rows(con, "FROM sdc_normal('young', columns := ['age'], sd := 2, key := 'id')")
    assert found
    assert len(found) == len(rows(con, "FROM young"))


def test_parameters_statements_and_tables(con: duckdb.DuckDBPyConnection) -> None:
    expected = rows(con, NOISY)
    con.execute("PREPARE p AS FROM sdc_normal($1, columns := ['age'], sd := $2, seed := 7)")
    assert rows(con, "EXECUTE p('staff', '20%')") == expected
    assert rows(con, "FROM sdc_normal(?, columns := ?, sd := ?, seed := ?)", ["staff", ["age"], "20%", 7]) == expected
    con.execute(f"CREATE TABLE kept AS {NOISY}")
    assert rows(con, "FROM kept") == expected
    con.execute(f"CREATE TEMP VIEW seen AS {NOISY}")
    assert rows(con, "FROM seen") == expected


def test_what_is_not_committed_is_told_and_never_fitted_by_halves(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("BEGIN")
    con.execute("UPDATE staff SET age = 30 WHERE id = 7")
    with pytest.raises(duckdb.Error, match="changes that are not committed"):
        rows(con, NOISY)
    con.execute("ROLLBACK")
    con.execute("BEGIN")
    assert len(rows(con, NOISY)) == 300
    con.execute("COMMIT")


def test_a_temporary_table_is_told_also_where_it_hides_another(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TEMP TABLE mine AS FROM staff")
    with pytest.raises(duckdb.Error, match=r"no table or view 'mine'.*ATTACH ':memory:' AS scratch"):
        rows(con, "FROM sdc_normal('mine', sd := 1)")
    con.execute("CREATE TEMP TABLE staff AS SELECT * FROM memory.main.staff LIMIT 10")
    with pytest.raises(duckdb.Error, match="a temporary table has its name"):
        rows(con, NOISY)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW v AS",
        "create or replace view v as",
        "-- mine\n CREATE MACRO v() AS TABLE",
        "CREATE/**/OR--\nREPLACE/* a */VIEW v AS",
        "SELECT 1; CREATE VIEW IF NOT EXISTS v AS",
        f"CREATE TEMP VIEW t AS {NOISY}; CREATE VIEW v AS FROM t UNION ALL",
    ],
)
def test_what_would_break_for_others_is_refused(con: duckdb.DuckDBPyConnection, statement: str) -> None:
    with pytest.raises(duckdb.Error, match="would fail in every connection without sdcdb"):
        con.execute(f"{statement} {NOISY}")


def test_a_read_only_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "staff.duckdb"
    with duckdb.connect(str(path)) as writer:
        writer.execute(STAFF.format(name="staff"))
    before = path.read_bytes()
    with sdcdb.register(duckdb.connect(str(path), read_only=True)) as con:
        assert len(rows(con, NOISY)) == 300
        assert len(rows(con, "FROM sdc_swapping('staff', columns := ['illness'], seed := 7)")) == 300
        assert len(rows(con, "FROM sdc_microaggregation('staff', columns := ['age'], k := 3)")) == 300
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["staff.duckdb"]


def test_a_closed_connection_lets_its_file_go(tmp_path: Path) -> None:
    path = str(tmp_path / "staff.duckdb")
    con = sdcdb.register(duckdb.connect(path))
    con.execute(STAFF.format(name="staff"))
    rows(con, NOISY)
    con.close()
    del con
    gc.collect()
    with duckdb.connect(path, read_only=True) as again:  # fails while the file is open otherwise
        assert rows(again, "SELECT count(*) FROM staff") == [(300,)]


def test_cursors_in_threads_do_not_wait_for_each_other(con: duckdb.DuckDBPyConnection) -> None:
    found: list[int] = []

    def ask(number: int) -> None:
        with sdcdb.register(con.cursor()) as cursor:
            for turn in range(3):
                seed = f"seed := {number * 10 + turn}"
                found.append(len(rows(cursor, f"FROM sdc_normal('staff', columns := ['age'], sd := 3, {seed})")))

    threads = [threading.Thread(target=ask, args=(number,), daemon=True) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [300] * 12


def test_several_methods_at_once(con: duckdb.DuckDBPyConnection) -> None:
    methods = "{'illness': {'method': 'vicus', 'k1': 5, 'k2': 20}, 'AGE': {'method': 'normal', 'sd': '20%'}}"
    found = rows(con, f"SELECT id, age FROM sdc_perturb('staff', {methods}, seed := 7)")
    assert found == rows(con, f"SELECT id, age FROM ({NOISY})")
    sampled = f"FROM sdc_perturb('staff', {methods}, rows := {{'method': 'sampling', 'size': 40}})"
    assert len(rows(con, sampled)) == 40


def test_columns_left_out_are_those_that_suit(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE keyed (id BIGINT PRIMARY KEY, name VARCHAR, pay INTEGER, town VARCHAR)")
    con.execute("INSERT INTO keyed SELECT i, 'n' || i, i * 100, ['a', 'b'][1 + i % 2] FROM range(200) r(i)")
    changed = "SELECT count(*) FILTER (a.{0} <> b.{0}) FROM {1} AS a JOIN keyed AS b USING (id)"
    noisy, asked = "sdc_normal('keyed', sd := '20%', seed := 1)", "sdc_warner('keyed', p := 0.5, seed := 1)"
    assert rows(con, changed.format("pay", noisy))[0][0] > 150
    assert rows(con, changed.format("town", noisy)) == [(0,)]
    assert rows(con, changed.format("town", asked))[0][0] > 50
    assert rows(con, changed.format("name", asked)) == [(0,)]


@pytest.mark.parametrize(("size", "expected"), [(0, 0), (1, 1)])
def test_tiny_tables(con: duckdb.DuckDBPyConnection, size: int, expected: int) -> None:
    con.execute(f"CREATE TABLE tiny AS FROM staff LIMIT {size}")
    assert len(rows(con, "FROM sdc_warner('tiny', columns := ['region'], p := 0.8)")) == expected
    assert len(rows(con, "FROM sdc_normal('tiny', columns := ['age'], sd := 5)")) == expected


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("sdc_normal('stuff', sd := 1)", "no table or view 'stuff'; .*did you mean 'staff'"),
        ("sdc_normal(NULL, sd := 1)", "tbl is missing: the name of a table or view"),
        ("sdc_normal(7, sd := 1)", "a table is given by its name"),
        ("sdc_normal('a.b.c.d', sd := 1)", "cannot read the name"),
        ("sdc_normal('staff; DROP TABLE staff', sd := 1)", "no table or view"),
        ("sdc_normal('staff')", "sd is missing: Standard deviation"),
        ("sdc_normal('staff', sd := -1)", "not below zero"),
        ("sdc_normal('staff', sd := 'x')", "must be a number"),
        ("sdc_normal('staff', sd := 1, columns := ['agee'])", "did you mean 'age'"),
        ("sdc_normal('staff', sd := 1, columns := [])", "empty list"),
        ("sdc_normal('staff', sd := 1, columns := 'age')", r"a list of names, such as \['dept'\]"),
        ("sdc_normal('staff', sd := 1, columns := [NULL])", "a list of names"),
        ("sdc_normal('staff', sd := 1, columns := ['illness'])", "illness"),
        ("sdc_normal('staff', sd := 1, columns := ['age'], domain := [9, 1])", "the lower one first"),
        ("sdc_normal('staff', sd := 1, columns := ['age'], domain := ['a'])", "two numbers"),
        ("sdc_normal('staff', sd := 1, key := 'region')", "not unique"),
        ("sdc_normal('staff', sd := 1, key := 'nobody')", "no column 'nobody'"),
        ("sdc_normal('staff', sd := 1, seed := 1, secret := 'env:A')", "not both"),
        ("sdc_normal('staff', sd := 1, secret := 'my password')", "never the secret itself"),
        ("sdc_normal('staff', sd := 1, secret := 'env:NOBODY_HAS_THIS')", "which is not set"),
        ("sdc_normal('staff', sd := 1, secret := 'keyfile')", "a database in memory has no place"),
        ("sdc_normal('staff', sd := 1, boundary := 'nowhere')", "boundary"),
        ("sdc_framework('staff', class := 'nobody')", "nobody"),
        ("sdc_vicus('staff', k1 := 5)", "k2 is missing"),
        ("sdc_perturb('staff', 7)", "methods must be a struct"),
        ("sdc_perturb('staff', {'age': 7})", "a method is a struct"),
        ("sdc_perturb('staff', {'age': {'method': 'normale', 'sd': 1}})", "did you mean 'normal'"),
        ("sdc_sampling('staff', size := 301)", "use at most 300"),
    ],
)
def test_mistakes_are_told(con: duckdb.DuckDBPyConnection, call: str, says: str) -> None:
    with pytest.raises(duckdb.Error, match=f"(?s){says}") as told:
        rows(con, f"FROM {call}")
    assert "my password" not in str(told.value).split("LINE 1")[0]
    assert len(rows(con, "FROM staff")) == 300


NOT_FINITE = "CASE WHEN i % 10 = 0 THEN 'NaN'::DOUBLE WHEN i % 10 = 1 THEN '-inf'::DOUBLE ELSE i END"


@pytest.mark.parametrize(
    "asked",
    [
        "sdc_normal('odd', columns := ['n'], sd := 1, domain := [0, 100], step := 1)",
        "sdc_normal('odd', columns := ['n'], sd := 1, domain := [0, 100], boundary := 'clip')",
        "sdc_cgadp('odd', columns := ['n'])",
        "sdc_egadp('odd', columns := ['n'])",
        "sdc_rounding('odd', columns := ['n'], base := 5)",
        "sdc_microaggregation('odd', columns := ['n'], k := 3)",
        "sdc_framework('odd', columns := ['n', 'c'], class := 'c', domain := {'n': [0, 100]})",
    ],
)
def test_numbers_that_nothing_can_be_added_to_are_refused(con: duckdb.DuckDBPyConnection, asked: str) -> None:
    con.execute(
        f"CREATE OR REPLACE TABLE odd AS SELECT i AS id, {NOT_FINITE} AS n, 'x' || i % 2 AS c FROM range(60) r(i)"
    )
    with pytest.raises(duckdb.InvalidInputException, match="'n' is NaN or infinite in 12 records"):
        con.execute(f"FROM {asked}")
    moved = con.execute("FROM sdc_swapping('odd', columns := ['n'], key := 'id')").fetchall()
    assert len(moved) == 60
