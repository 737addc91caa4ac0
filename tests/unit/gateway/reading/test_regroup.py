"""Groups around groups: taken away where each row is a group of its own, and left alone otherwise."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
import sqlglot
from support import victims

from sdcdb.gateway.gateway import Gateway
from sdcdb.gateway.reading.regroup import regroup

GROUPS = "(SELECT sex, COUNT(*) AS n, AVG(salary) AS mean FROM staff GROUP BY sex) AS t"
SAME = [
    f"SELECT sex, SUM(n) FROM {GROUPS} GROUP BY sex ORDER BY sex",
    f'SELECT "sex" AS "sex", sum("n") AS "SUM(n)", AVG(mean) AS m FROM {GROUPS} GROUP BY "sex" ORDER BY "SUM(n)" DESC',
    f"SELECT t.sex AS s, MAX(n) AS most, MIN(mean) FROM {GROUPS} GROUP BY 1 ORDER BY s LIMIT 1001",
    "SELECT k, AVG(n) FROM (SELECT upper(sex) AS k, COUNT(*) n FROM staff GROUP BY upper(sex)) GROUP BY k ORDER BY k",
    "SELECT k, SUM(s) FROM (SELECT sex AS k, SUM(salary) AS s FROM staff GROUP BY 1) GROUP BY 1 ORDER BY 1",
    "SELECT DISTINCT sex FROM staff ORDER BY sex",
    "SELECT DISTINCT sex AS s, education FROM staff WHERE age > 30 ORDER BY ALL",
]
COARSER = [
    f"SELECT SUM(n) FROM {GROUPS}",
    f"SELECT upper(sex), SUM(n) FROM {GROUPS} GROUP BY upper(sex)",
    f"SELECT sex, SUM(n + 1) FROM {GROUPS} GROUP BY sex",
    f"SELECT sex, SUM(n) FILTER (WHERE n > 3) FROM {GROUPS} GROUP BY sex",
    f"SELECT sex, COUNT(n) FROM {GROUPS} GROUP BY sex",
    f"SELECT sex, SUM(n) FROM {GROUPS} GROUP BY sex HAVING SUM(n) > 3",
    f"SELECT sex, SUM(n) FROM {GROUPS} WHERE n > 3 GROUP BY sex",
    f"SELECT sex, SUM(n) FROM {GROUPS} GROUP BY ROLLUP (sex)",
    f"SELECT sex, SUM(n) FROM {GROUPS} GROUP BY sex ORDER BY SUM(n)",
    f"SELECT n, SUM(n) FROM {GROUPS} GROUP BY n",
    "SELECT sex, SUM(n) FROM (SELECT sex, COUNT(*) AS n FROM staff GROUP BY sex, dept) GROUP BY sex",
    "SELECT sex, SUM(n) FROM (SELECT sex, dept, COUNT(*) AS n FROM staff GROUP BY sex, dept) GROUP BY sex",
    "SELECT sex, SUM(n) FROM (SELECT sex, COUNT(*) AS n FROM staff GROUP BY CUBE (sex)) GROUP BY sex",
    "SELECT DISTINCT ON (sex) sex FROM staff",
    "SELECT DISTINCT sex, dept = 'Legal' FROM staff",
]


@pytest.fixture(scope="module")
def raw() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        victims.fill(con, victims.people(240))
        yield con


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    path: Path = victims.create(tmp_path_factory.mktemp("regroup") / "staff.duckdb")
    with victims.gateway(path, pool="user") as found:
        yield found


@pytest.mark.parametrize("sql", SAME)
def test_values_names_and_types_stay(gateway: Gateway, raw: duckdb.DuckDBPyConnection, sql: str) -> None:
    tree = sqlglot.parse_one(sql, read="duckdb")
    regroup(tree, gateway.relations)
    before, after = raw.execute(sql), raw.cursor().execute(tree.sql("duckdb"))
    assert [column[:2] for column in before.description or ()] == [column[:2] for column in after.description or ()]
    assert before.fetchall() == after.fetchall()
    assert sqlglot.parse_one(sql, read="duckdb") != tree


@pytest.mark.parametrize("sql", COARSER)
def test_what_computes_further_is_left_alone(gateway: Gateway, sql: str) -> None:
    tree = sqlglot.parse_one(sql, read="duckdb")
    regroup(tree, gateway.relations)
    assert tree == sqlglot.parse_one(sql, read="duckdb")


def test_groups_that_are_not_shown_stay_apart(gateway: Gateway, raw: duckdb.DuckDBPyConnection) -> None:
    plain = "SELECT dept, COUNT(*) AS n FROM staff GROUP BY dept"
    around = gateway.ask(f"SELECT dept, SUM(n) AS n FROM ({plain}) AS t GROUP BY dept ORDER BY dept", user="a tool")
    straight = gateway.ask(f"{plain} ORDER BY dept", user="somebody")
    assert around.verdict.suppressed
    assert around.rows == straight.rows
    sizes = dict(raw.execute(plain).fetchall())
    assert all(sizes[dept] == n for dept, n in around.rows if dept is not None)
    listed = gateway.ask("SELECT DISTINCT dept FROM staff ORDER BY dept", user="a tool")
    assert listed.rows == tuple((dept,) for dept, _ in straight.rows)
