"""Small groups: their keys list rare people, and a total without them looks exact. They become one row."""

from typing import Any

import pytest
from support.stages import Stages

from sdcdb.errors import Denied

FINE = "SELECT age, sex, dept, education, COUNT(*) AS n FROM staff GROUP BY ALL"
BY_DEPT = "SELECT dept, COUNT(*) AS n, SUM(salary) AS s, MIN(sex) AS least FROM staff GROUP BY dept"
TWO_SMALL = "UPDATE staff SET dept = 'Dock' WHERE id IN (SELECT id FROM staff WHERE dept = 'Legal' ORDER BY id LIMIT 4)"


def test_keys_of_small_groups_are_not_shown(stage: Stages) -> None:
    set_up = stage(120)
    assert ("Works",) in (set_up.plain("SELECT DISTINCT dept FROM staff") or [])
    answer = set_up.gateway.ask(BY_DEPT)
    assert "Works" not in str(answer.rows)
    assert answer.verdict.kind == "suppress"
    (merged,) = answer.merged  # with a second group, or the number of people in Works would follow from the total
    assert answer.rows[merged][0] is None
    assert len(answer.rows) == 5
    assert all(row[1] is None or row[1] >= 5 for row in answer.rows)
    with pytest.raises(Denied):  # nothing but rare combinations
        set_up.gateway.ask(FINE)


def test_how_many_small_groups_there_are_is_not_told(stage: Stages) -> None:
    sql = "SELECT age, COUNT(*) FROM staff GROUP BY age"
    told = [stage(120, also=also).gateway.explain(sql) for also in ("", "DELETE FROM staff WHERE age IN (26, 70)")]
    assert [verdict.suppressed for verdict in told] == [1, 1]


def test_a_merged_row_has_numbers_where_it_is_large_enough(stage: Stages) -> None:
    set_up = stage(120, also=TWO_SMALL)
    rows = set_up.plain("SELECT COUNT(*), SUM(salary), MIN(sex) FROM staff WHERE dept IN ('Dock', 'Works')")
    assert rows
    assert rows[0][0] == 5
    sql = "SELECT dept, COUNT(*) AS n, MIN(education <> '') FROM staff GROUP BY dept"
    answer = set_up.gateway.ask(sql)
    assert answer.rows[answer.merged[0]] == (None, 5, True)
    assert sum(row[1] for row in answer.rows) == 120


def test_a_merged_row_is_audited_like_any_other(stage: Stages) -> None:
    """Its sum, less that of a set that differs by one person, would be her salary."""
    set_up = stage(120, also=TWO_SMALL + "; UPDATE staff SET dept = 'Pier' WHERE dept = 'Works'")
    (victim,) = set_up.raw.execute("SELECT salary FROM staff WHERE age = 70").fetchone() or (None,)
    ask = set_up.through()
    a = ask("SELECT SUM(salary) FROM staff WHERE dept NOT IN ('Dock')")
    rows = ask("SELECT dept, SUM(salary) FROM staff GROUP BY dept")
    shown: list[Any] = [row[1] for row in rows or [] if row[1] is not None]
    assert victim not in shown
    if a and rows:
        assert victim not in {a[0][0] - sum(shown), sum(shown) - a[0][0]}


@pytest.mark.parametrize("by", ["ROLLUP (dept)", "CUBE (dept)", "GROUPING SETS ((dept), ())"])
def test_each_grouping_set_has_a_merged_row_of_its_own(stage: Stages, by: str) -> None:
    found = stage(120).gateway.ask(f"SELECT dept, COUNT(*) FROM staff GROUP BY {by}")
    assert len(found.merged) == 1
    merged, whole = sorted(row[1] for row in found.rows if row[0] is None and row[1] is not None)
    assert whole == 120
    assert merged + sum(row[1] for row in found.rows if row[0] is not None) == 120


def test_marked_groups_keep_their_keys(stage: Stages) -> None:
    answer = stage(120, groups="mark").gateway.ask(BY_DEPT)
    assert ("Works", None, None, None) in answer.rows
    assert not answer.merged
    assert answer.verdict.suppressed == 2  # and one more, so that the number of people in Works does not follow


FURTHER = [
    "SELECT SUM(n) FROM (SELECT dept, COUNT(*) AS n FROM staff GROUP BY dept)",
    "SELECT COUNT(*) FROM (SELECT dept, COUNT(*) AS n FROM staff GROUP BY dept)",
    "SELECT dept, COALESCE(n, 0) FROM (SELECT dept, COUNT(*) AS n FROM staff GROUP BY dept)",
    "SELECT dept, COALESCE(COUNT(*), 0) FROM staff GROUP BY dept",
    "SELECT dept, CASE WHEN COUNT(*) > 0 THEN COUNT(*) ELSE 0 END FROM staff GROUP BY dept",
    "SELECT dept, ifnull(SUM(salary), 0) FROM staff GROUP BY dept",
    "SELECT dept, greatest(COUNT(*), 0) FROM staff GROUP BY dept",
    "SELECT dept, concat(COUNT(*), '') FROM staff GROUP BY dept",
    "SELECT dept, COUNT(*) IS NULL FROM staff GROUP BY dept",
    "SELECT dept, SUM(COUNT(*)) OVER () FROM staff GROUP BY dept",
    "SELECT dept, rank() OVER (ORDER BY AVG(salary)) FROM staff GROUP BY dept",
    "SELECT DISTINCT COUNT(*) > 3 FROM staff GROUP BY dept",
    "WITH a AS (SELECT dept, COUNT(*) AS n FROM staff GROUP BY dept) SELECT list(n) FROM a",
    "WITH a AS (SELECT dept, COUNT(*) AS n FROM staff GROUP BY dept) SELECT (SELECT MAX(n) FROM a)",
    "SELECT n FROM (SELECT dept, COUNT(*) AS n FROM staff GROUP BY dept) UNION SELECT 1",
    "SELECT z FROM (SELECT dept, COUNT(*) AS n FROM staff GROUP BY dept) a, UNNEST([coalesce(a.n, 0)]) AS t(z)",
    "SELECT a.dept, b.z FROM (SELECT dept, COUNT(*) AS n FROM staff GROUP BY dept) a, (SELECT coalesce(a.n, 0) AS z) b",
    "SELECT campus, sum(n) FROM dept_dim JOIN (SELECT dept, COUNT(*) n FROM staff GROUP BY 1) USING (dept) GROUP BY 1",
]


@pytest.mark.parametrize("groups", ["merge", "mark"])
@pytest.mark.parametrize("sql", FURTHER)
def test_nothing_is_computed_on_groups_that_are_not_shown(stage: Stages, groups: str, sql: str) -> None:
    gateway = stage(120, groups=groups).gateway
    with pytest.raises(Denied) as refusal:
        gateway.ask(sql)
    assert refusal.value.rule == "hidden"
    assert gateway.explain(sql).rule == "hidden"
    spared = sql.replace("FROM staff GROUP", "FROM staff WHERE dept NOT IN ('Works', 'Legal') GROUP")
    assert gateway.ask(spared).verdict.kind == "allow"


SHOWN = [
    "SELECT dept, COUNT(*) * 2 + 1, AVG(salary) / 12, upper(dept) FROM staff GROUP BY dept HAVING COUNT(*) > 2",
    "SELECT dept, SUM(CASE WHEN sex <> 'X' THEN salary ELSE 0 END) FROM staff GROUP BY dept ORDER BY 2 DESC LIMIT 9",
    "SELECT * FROM (SELECT dept, COUNT(*) AS n FROM staff GROUP BY dept) WHERE n > 3 OR n IS NULL",
    "WITH a AS (SELECT dept, COUNT(*) n FROM staff GROUP BY 1) SELECT campus, n * 2 FROM a JOIN dept_dim USING (dept)",
]


@pytest.mark.parametrize("sql", SHOWN)
def test_rows_may_be_shown_chosen_and_scaled(stage: Stages, sql: str) -> None:
    answer = stage(120, groups="mark").gateway.ask(sql)
    assert answer.verdict.kind == "suppress"
    assert 0 not in [value for row in answer.rows for value in row]
