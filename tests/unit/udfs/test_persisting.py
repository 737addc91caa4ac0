"""Views that stay: made from SQL, and run from the DuckDB command line without sdcdb."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sdcdb

DUCKDB_CLI = str(Path(sys.executable).with_name("duckdb"))
STAFF = """
    CREATE TABLE staff AS SELECT i AS id, 'n' || i AS name, ['flu', 'cold', 'gout'][1 + i % 3] AS illness,
        ['north', 'south'][1 + i // 3 % 2] AS region, 20 + i % 50 AS age FROM range(300) r(i)
"""
POLICY = """
version: 1
tables:
  staff:
    key: id
    columns: {id: identifier, name: identifier, illness: quasi, region: quasi,
              age: {role: confidential, domain: [0, 99]}}
    protect:
      noisy: {columns: {age: {method: normal, sd: 10%}}}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "staff.duckdb"
    with duckdb.connect(str(file), config={"storage_compatibility_version": "v1.5.0"}) as con:
        con.execute(STAFF)
    return file


def one(con: duckdb.DuckDBPyConnection, sql: str) -> Any:
    ((value,),) = con.execute(sql).fetchall()
    return value


def cli(path: Path, sql: str) -> str:
    shell = [DUCKDB_CLI, "-readonly", "-noheader", "-csv", str(path), sql]
    return subprocess.run(shell, capture_output=True, text=True, check=True).stdout.strip()


def test_a_view_made_in_sql_runs_without_sdcdb(path: Path) -> None:
    methods = {
        "vicus": "{'columns': ['illness'], 'k1': 5, 'k2': 20}",
        "normal": "{'columns': ['age'], 'sd': '10%', 'domain': [0, 99]}",
        "swapping": "{'columns': ['illness']}",
        "microaggregation": "{'columns': ['age'], 'k': 3}",
        "sampling": "{'size': 40, 'publish': ['age']}",
    }
    sums = {}
    with sdcdb.register(duckdb.connect(str(path))) as con:
        for method, options in methods.items():
            said = one(con, f"SELECT sdc_create_view('{method} v', '{method}', 'staff', {options})")
            assert f"created the view {method} v on staff, by the key id" in said
            assert "left out: id, name" in said
            sums[method] = one(con, f"SELECT md5(string_agg(v::VARCHAR, ';' ORDER BY v)) FROM \"{method} v\" AS v")
    for method, expected in sums.items():
        assert cli(path, f"SELECT md5(string_agg(v::VARCHAR, ';' ORDER BY v)) FROM \"{method} v\" AS v") == expected
    assert path.with_suffix(".key").exists()


def test_the_catalogue_knows_it_and_it_can_be_made_again(path: Path) -> None:
    with sdcdb.register(duckdb.connect(str(path))) as con:
        make = "SELECT sdc_create_view('v', 'warner', 'staff', {'columns': ['illness'], 'p': 0.8})"
        one(con, make)
        before = con.execute("FROM v").fetchall()
        one(con, make)
        assert con.execute("FROM v").fetchall() == before
    with sdcdb.open(path) as database:
        assert list(database.views) == ["v"]


def test_explaining_and_preparing_create_nothing(path: Path) -> None:
    with sdcdb.register(duckdb.connect(str(path))) as con:
        make = "SELECT sdc_create_view('v', 'warner', 'staff', {'columns': ['illness'], 'p': 0.8})"
        con.execute(f"EXPLAIN {make}").fetchall()
        con.execute(f"PREPARE p AS {make}")
        assert one(con, "SELECT count(*) FROM duckdb_views() WHERE NOT internal") == 0
        one(con, "EXECUTE p")
        assert one(con, "SELECT count(*) FROM v") == 300


def test_protect_creates_what_the_policy_asks_for(path: Path) -> None:
    path.with_name("staff.policy.yaml").write_text(POLICY, encoding="utf-8")
    with sdcdb.register(duckdb.connect(str(path))) as con:
        assert one(con, "SELECT sdc_protect()") == "created noisy"
        assert [
            row[:2] for row in con.execute("FROM sdc_compare('noisy') WHERE measure = 'ks_distance'").fetchall()
        ] == [("age", "ks_distance")]
    assert cli(path, "SELECT count(*) FROM noisy") == "300"


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("sdc_create_view('staff', 'warner', 'staff', {'p': 0.8})", "is not a protected view: choose another name"),
        ("sdc_create_view('v', 'warne', 'staff', {'p': 0.8})", "did you mean 'warner'"),
        ("sdc_create_view('v', 'warner', 'stuff', {'p': 0.8})", "no table or view 'stuff'"),
        ("sdc_create_view('v', 'warner', 'staff')", "p: Field required"),
        ("sdc_create_view('v', 'warner', 'staff', {'q': 1})", "q: Extra inputs"),
        ("sdc_create_view('v', 'warner', 'staff', 7)", "options must be a struct"),
        ("sdc_create_view(NULL, 'warner', 'staff')", "view is missing"),
        ("sdc_create_view('v', 'warner', 'staff', {'p': 0.8, 'columns': ['id'], 'key': 'id'})", "id"),
        ("sdc_create_view('v', 'warner', 'staff', {'p': 0.8, 'secret': 'pasted secret'})", "never the secret itself"),
        ("sdc_protect()", "no policy .*staff.policy.yaml"),
        ("sdc_explain('SELECT 1')", "no policy"),
    ],
)
def test_mistakes_are_told_and_leave_nothing(path: Path, call: str, says: str) -> None:
    with sdcdb.register(duckdb.connect(str(path))) as con:
        with pytest.raises(duckdb.Error, match=says):
            con.execute(f"SELECT {call}").fetchall()
        assert one(con, "SELECT count(*) FROM duckdb_views() WHERE NOT internal") == 0


def test_a_read_only_database_says_so(path: Path) -> None:
    con = sdcdb.register(duckdb.connect(str(path), read_only=True))
    with con, pytest.raises(duckdb.Error, match="read-only"):
        con.execute("SELECT sdc_create_view('v', 'warner', 'staff', {'p': 0.8, 'seed': 1})").fetchall()


def test_a_key_that_records_share_is_refused(path: Path) -> None:
    """All records of a region would have one noise: whoever knows one age would know them all."""
    with sdcdb.register(duckdb.connect(str(path))) as con:
        con.execute("UPDATE staff SET id = NULL WHERE id = 7")
        for key in ("region", "id"):
            with pytest.raises(duckdb.Error, match=f"the key '{key}' of 'staff' is not unique"):
                one(
                    con,
                    f"SELECT sdc_create_view('v', 'normal', 'staff', {{'columns': ['age'], 'sd': 9, 'key': '{key}'}})",
                )


def test_a_second_noise_on_a_column_is_said(path: Path) -> None:
    with sdcdb.register(duckdb.connect(str(path))) as con:
        made = "SELECT sdc_create_view('{}', 'normal', 'staff', {{'columns': ['age'], 'sd': '{}%'}})"
        assert "also" not in one(con, made.format("v", 10))
        assert "also" not in one(con, made.format("same", 10))  # the same noise: no news
        assert "age is also in same and v, with other noise" in one(con, made.format("other", 12))
