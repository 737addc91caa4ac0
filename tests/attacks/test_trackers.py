"""Trackers, differences and complements: a person is singled out by what two or more harmless sets do not share."""

from collections.abc import Callable
from typing import Any

import pytest
from support.stages import Stages

# The victim is the only person of 70, in a department of her own.
C = "age = 70"
T = "sex = 'M'"
Solve = Callable[[list[Any]], float]
TRACKERS: dict[str, tuple[list[str], Solve]] = {
    "direct": ([C], lambda q: q[0]),
    "complement": (["true", f"NOT ({C})"], lambda q: q[0] - q[1]),
    "complement by another name": (["true", "age < 70"], lambda q: q[0] - q[1]),
    "individual": (["sex = 'F'", f"sex = 'F' AND NOT ({C})"], lambda q: q[0] - q[1]),
    "general": (
        [f"{C} OR {T}", f"{C} OR NOT ({T})", "true"],
        lambda q: q[0] + q[1] - q[2],
    ),
    "general, with the whole in two halves": (
        [f"{C} OR {T}", f"{C} OR NOT ({T})", T, f"NOT ({T})"],
        lambda q: q[0] + q[1] - q[2] - q[3],
    ),
    "double": (
        ["age >= 45 AND sex = 'M'", f"{C} OR (age >= 45 AND sex = 'M')", "age >= 45", f"age >= 45 AND NOT ({C})"],
        lambda q: (q[1] - q[0] + q[2] - q[3]) / 2,
    ),
    "two overlapping ranges": (["age BETWEEN 50 AND 70", "age BETWEEN 50 AND 69"], lambda q: q[0] - q[1]),
    "three-way": (
        ["dept IN ('Sales', 'Works')", "dept IN ('Legal', 'Works')", "dept IN ('Sales', 'Legal')"],
        lambda q: (q[0] + q[1] - q[2]) / 2,
    ),
    "a sum of disjoint parts against the whole": (
        ["true", "dept = 'Sales'", "dept = 'Legal'", "dept = 'Finance'", "dept = 'Research'", "dept = 'Support'"],
        lambda q: q[0] - sum(q[1:]),
    ),
}


@pytest.mark.parametrize("name", TRACKERS)
def test_a_tracker_finds_a_salary_in_plain_duckdb_and_not_through_the_gateway(stage: Stages, name: str) -> None:
    set_up = stage()
    predicates, solve = TRACKERS[name]
    questions = [f"SELECT SUM(salary) FROM staff WHERE {predicate}" for predicate in predicates]
    (victim,) = set_up.raw.execute("SELECT salary FROM staff WHERE age = 70").fetchone() or (None,)
    rows = [set_up.plain(sql) for sql in questions]
    assert solve([row[0][0] for row in rows if row]) == victim

    ask = set_up.through()
    assert None in [ask(sql) for sql in questions]
    assert None in [ask(sql) for sql in reversed(questions)]  # nor does another order help


@pytest.mark.parametrize("form", ["AVG(salary), COUNT(*)", "SUM(salary * 12)", "SUM(-salary)", "SUM(salary + 1)",
                                  "SUM(salary) / COUNT(*)", "AVG(salary) * COUNT(salary)"])  # fmt: skip
def test_no_other_form_of_a_sum_gets_past(stage: Stages, form: str) -> None:
    ask = stage(60).through()
    assert ask("SELECT SUM(salary) FROM staff WHERE sex = 'F'")
    assert ask(f"SELECT {form} FROM staff WHERE sex = 'F' AND age < 70") is None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT SUM(salary), SUM(salary) FILTER (WHERE age < 70) FROM staff",
        "SELECT SUM(salary), SUM(CASE WHEN age < 70 THEN salary END) FROM staff",
        "SELECT SUM(salary), SUM(CASE WHEN age < 70 THEN salary ELSE 0 END) FROM staff",
        "SELECT SUM(salary) - SUM(salary) FILTER (WHERE age <> 70) FROM staff",
        "SELECT AVG(CASE WHEN age = 70 THEN salary END) FROM staff",
        "SELECT SUM(salary) FROM staff UNION ALL SELECT SUM(salary) FROM staff WHERE age < 70",
        "WITH a AS (FROM staff SELECT SUM(salary) x), b AS (FROM staff SELECT SUM(salary) x WHERE age < 70) FROM a, b",
        "SELECT (SELECT SUM(salary) FROM staff) - (SELECT SUM(salary) FROM staff WHERE age < 70)",
        "SELECT age = 70 AS old, SUM(salary) FROM staff GROUP BY ALL HAVING old",
        "SELECT SUM(salary) FROM staff GROUP BY age ORDER BY age DESC LIMIT 1",
        "SELECT SUM(SUM(salary)) OVER (ORDER BY age DESC) FROM staff GROUP BY age LIMIT 1",
    ],
)
def test_a_tracker_within_one_statement(stage: Stages, sql: str) -> None:
    set_up = stage(80)
    (victim,) = set_up.raw.execute("SELECT salary FROM staff WHERE age = 70").fetchone() or (None,)
    seen = [value for row in set_up.plain(sql) or [] for value in row if not isinstance(value, bool)]
    differences = {a - b for a in seen for b in seen} | set(seen)
    assert victim in differences

    rows = set_up.through()(sql) or []
    shown = [value for row in rows for value in row if isinstance(value, int | float) and not isinstance(value, bool)]
    assert victim not in {a - b for a in shown for b in shown} | set(shown)


def test_the_whole_table_and_its_parts_may_be_asked(stage: Stages) -> None:
    """An empty complement is not a small one, and a partition that leaves nobody alone is harmless."""
    ask = stage(also="DELETE FROM staff WHERE age = 70").through()
    assert ask("SELECT SUM(salary) FROM staff")
    assert ask("SELECT dept, SUM(salary) FROM staff GROUP BY dept")
