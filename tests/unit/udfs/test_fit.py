"""Macros that `sdcdb.udfs.fit` makes."""

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
SECRET = "0123456789abcdef-test"  # noqa: S105 - a secret for tests
VICUS = {"method": "vicus", "k1": 5, "k2": 20}


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with sdcdb.register(duckdb.connect()) as connection:
        connection.execute(STAFF)
        yield connection


def rows(con: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return con.execute(sql).fetchall()


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
