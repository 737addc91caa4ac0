"""Suppressed groups, NULLs, fan-out: what is left out must not come back by arithmetic."""

import pytest
from support import victims
from support.attacker import Ask
from support.stages import Stages


def missing(ask: Ask, sql: str, total: str) -> float | None:
    """Subtract the groups that are shown from the total: what is left belongs to those that are not."""
    rows, whole = ask(sql), ask(total)
    if not rows or not whole or whole[0][0] is None:
        return None
    shown = [row[1] for row in rows if row[0] is not None and row[0] != "Works" and row[1] is not None]
    return float(whole[0][0] - sum(shown)) if len(shown) == 5 else None


GROUPED = "SELECT dept, SUM(salary) FROM staff GROUP BY dept"
TOTALS = [
    "SELECT SUM(salary) FROM staff",
    "SELECT SUM(s) FROM (SELECT sex, SUM(salary) AS s FROM staff GROUP BY sex)",
    "SELECT SUM(salary) FROM staff WHERE dept LIKE '%'",
    "SELECT AVG(salary) * COUNT(*) FROM staff",
    "SELECT SUM(salary) FROM staff GROUP BY ROLLUP (sex) ORDER BY 1 DESC NULLS LAST LIMIT 1",
    "SELECT SUM(salary) FROM staff JOIN dept_dim USING (dept)",
]


@pytest.mark.parametrize("total", TOTALS)
@pytest.mark.parametrize("first", ["groups", "total"])
def test_a_suppressed_group_is_not_the_rest_of_a_total(stage: Stages, total: str, first: str) -> None:
    set_up = stage(120)
    (victim,) = set_up.raw.execute("SELECT salary FROM staff WHERE dept = 'Works'").fetchone() or (None,)
    assert missing(set_up.plain, GROUPED, total) == pytest.approx(victim)
    ask = set_up.through()
    if first == "total":
        ask(total)
    assert missing(ask, GROUPED, total) != pytest.approx(victim)


@pytest.mark.parametrize("by", ["ROLLUP (dept)", "CUBE (dept)", "GROUPING SETS ((dept), ())"])
def test_a_rollup_does_not_show_total_and_all_groups_but_one(stage: Stages, by: str) -> None:
    set_up = stage(120, groups="mark")
    sql = f"SELECT dept, SUM(salary) FROM staff GROUP BY {by}"
    rows = set_up.plain(sql)
    assert rows
    assert len([row for row in rows if row[1] is not None]) == 7
    found = set_up.gateway.ask(sql)
    assert found.verdict.kind == "suppress"
    told = {row[0]: row[1] for row in found.rows}
    assert "Works" in told, "a suppressed group is marked, not silently missing"
    assert told["Works"] is None
    assert None in [told[None], *(told[dept] for dept in victims.DEPTS[:5])]


def test_where_the_policy_denies_one_small_group_denies_the_whole(stage: Stages) -> None:
    assert stage(120, groups="deny").through()(GROUPED) is None


def test_groups_of_a_cross_table_do_not_add_up_to_a_suppressed_one(stage: Stages) -> None:
    set_up = stage(120)
    (victim,) = set_up.raw.execute("SELECT salary FROM staff WHERE dept = 'Works'").fetchone() or (None,)
    women, total = (f"SELECT {what} FROM staff WHERE sex = 'F'" for what in ("dept, SUM(salary)", "SUM(salary)"))
    assert missing(set_up.plain, f"{women} GROUP BY dept", total) == victim
    ask = set_up.through()
    ask("SELECT sex, dept, SUM(salary) FROM staff GROUP BY CUBE (sex, dept)")
    ask("SELECT sex, SUM(salary) FROM staff GROUP BY sex")
    assert missing(ask, f"{women} GROUP BY dept", total) != victim
    assert missing(ask, GROUPED, "SELECT SUM(salary) FROM staff") != victim


NULLS = {
    "a value that is missing from a comparison": ("true", "dept = dept"),
    "not true is not false": ("true", "NOT (dept = 'Works') OR dept = 'Works'"),
    "in": ("true", "dept IN ('Finance', 'Legal', 'Research', 'Sales', 'Support', 'Works')"),
    "is null": ("true", "dept IS NOT NULL"),
    "coalesce": ("coalesce(dept, 'x') <> ''", "coalesce(dept, '') <> ''"),
    "like": ("true", "dept LIKE '%'"),
}


@pytest.mark.parametrize("name", NULLS)
def test_a_person_whose_attribute_is_null_is_not_what_two_sets_differ_by(stage: Stages, name: str) -> None:
    set_up = stage(80, also="UPDATE staff SET dept = NULL WHERE age = 70")
    (victim,) = set_up.raw.execute("SELECT salary FROM staff WHERE age = 70").fetchone() or (None,)
    sqls = [f"SELECT SUM(salary) FROM staff WHERE {predicate}" for predicate in NULLS[name]]
    a, b = (rows[0][0] for rows in map(set_up.plain, sqls) if rows)
    assert a - b == victim
    ask = set_up.through()
    assert None in [ask(sql) for sql in sqls]


def test_people_without_a_value_do_not_fill_up_a_small_group(stage: Stages) -> None:
    """Twenty people, of whom one has a salary: the sum is that salary."""
    also = (
        "UPDATE staff SET salary = NULL WHERE dept = 'Sales' AND id <> (SELECT min(id) FROM staff WHERE dept = 'Sales')"
    )
    set_up = stage(120, also=also)
    sql = "SELECT SUM(salary), COUNT(*) FROM staff WHERE dept = 'Sales'"
    rows = set_up.plain(sql)
    assert rows
    assert rows[0][0] in {row[6] for row in victims.people(120)}
    assert rows[0][1] >= 5
    assert set_up.through()(sql) is None


def test_whether_a_person_has_a_value_is_not_told(stage: Stages) -> None:
    set_up = stage(120, also="UPDATE staff SET salary = NULL WHERE id % 3 = 0")
    whole = "SELECT COUNT(salary) FROM staff WHERE dept IN ('Sales', 'Legal')"
    alone = set_up.raw.execute(
        "SELECT any_value(age), any_value(sex), any_value(dept), count(salary) FROM staff "
        "WHERE dept IN ('Sales', 'Legal') GROUP BY age, sex, dept HAVING count(*) = 1"
    ).fetchall()
    ask, told = set_up.through(), 0
    for age, sex, dept, has in alone:
        a, b = ask(whole), ask(f"{whole} AND NOT (age = {age} AND sex = '{sex}' AND dept = '{dept}')")
        told += bool(a and b and a[0][0] - b[0][0] == has)
    assert told == 0


FAN_OUT = "INSERT INTO dept_dim SELECT 'Works', 'Dock' FROM range(9)"


@pytest.mark.parametrize("join", ["JOIN dept_dim USING (dept)", "LEFT JOIN dept_dim d ON d.dept = staff.dept"])
def test_a_join_that_repeats_one_person_does_not_weigh_her(stage: Stages, join: str) -> None:
    """Ten rows of a public table for one person: the sum holds her salary ten times, and is no small set."""
    set_up = stage(120, also=FAN_OUT)
    (victim,) = set_up.raw.execute("SELECT salary FROM staff WHERE age = 70").fetchone() or (None,)
    sqls = ["SELECT SUM(salary) FROM staff", f"SELECT SUM(salary) FROM staff {join}"]
    once, weighed = (rows[0][0] for rows in map(set_up.plain, sqls) if rows)
    assert (weighed - once) / 9 == victim
    ask = set_up.through()
    assert None in [ask(sql) for sql in sqls]


def test_a_join_that_repeats_one_person_does_not_fill_up_her_group(stage: Stages) -> None:
    set_up = stage(120, also=FAN_OUT)
    sql = "SELECT AVG(salary), COUNT(*) FROM staff JOIN dept_dim USING (dept) WHERE dept = 'Works'"
    rows = set_up.plain(sql)
    assert rows
    assert rows[0][1] == 10
    assert set_up.through()(sql) is None


def test_a_constant_table_beside_does_not_choose_people(stage: Stages) -> None:
    """A join's condition is a predicate like any other."""
    set_up = stage(120)
    ask = set_up.through()
    assert ask("SELECT SUM(salary) FROM staff WHERE sex = 'F'")
    join = "JOIN dept_dim d ON d.dept = staff.dept AND sex = 'F' AND age < 70"
    assert ask(f"SELECT SUM(salary) FROM staff {join}") is None
