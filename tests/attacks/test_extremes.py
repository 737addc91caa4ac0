"""MIN and MAX, bisection and comparisons: an answer about an extreme is an answer about one person."""

from itertools import pairwise

import pytest
from support.attacker import Ask
from support.stages import Stage, Stages
from support.victims import DEPTS, EDUCATION, HIGH, LOW

WITH_EXTREMES = {"aggregates": "count, sum, avg, min, max"}


def bisected(ask_if_above: object, low: int, high: int) -> int | None:
    """Find a value by yes and no; None as soon as there is no answer."""
    while low < high:
        middle = (low + high) // 2
        above = ask_if_above(middle)  # type: ignore[operator]  # a function of the test's
        if above is None:
            return None
        low, high = (middle + 1, high) if above else (low, middle)
    return low


BISECTIONS = [
    "SELECT COUNT(*) FROM staff WHERE age = 70 AND salary > {x}",
    "SELECT COUNT(*) FILTER (WHERE salary > {x}) FROM staff WHERE age = 70",
    "SELECT COUNT(CASE WHEN salary > {x} THEN 1 END) FROM staff WHERE age = 70",
    "SELECT SUM((salary > {x})::INT) FROM staff WHERE age = 70",
    "SELECT COUNT(*) FROM staff GROUP BY age HAVING age = 70 AND SUM(salary) > {x}",
    "SELECT COUNT(*) FROM (SELECT age FROM staff GROUP BY age HAVING MAX(salary) > {x} AND age = 70) t",
    "SELECT SUM(salary) > {x} FROM staff WHERE age = 70",
    "SELECT CASE WHEN AVG(salary) > {x} THEN 1 ELSE 0 END FROM staff WHERE age = 70",
    "SELECT COUNT(*) FROM staff WHERE age = 70 AND salary BETWEEN {x} + 1 AND 999999",
    "SELECT COUNT(*) FROM staff WHERE age = 70 AND NOT isnan(sqrt(salary - {x} - 1))",
    "SELECT COUNT(*) FROM staff WHERE age = 70 AND (salary - {x} - 1)::UINTEGER >= 0",  # an error is a bit as well
    "SELECT COUNT(*) FROM staff s WHERE age = 70 AND EXISTS (SELECT 1 FROM range(1) r(x) WHERE s.salary > {x})",
    "SELECT COUNT(*) FROM staff JOIN dept_dim d ON staff.dept = d.dept AND salary > {x} WHERE age = 70",
    "SELECT COUNT(*) FROM dept_dim WHERE (SELECT MAX(salary) FROM staff WHERE age = 70) > {x}",
    "SELECT 1 FROM dept_dim LIMIT (SELECT (MAX(salary) > {x})::INT FROM staff WHERE age = 70)",
]


@pytest.mark.parametrize("sql", BISECTIONS)
def test_a_salary_is_bisected_in_plain_duckdb_and_not_through_the_gateway(stage: Stages, sql: str) -> None:
    set_up = stage(40, **WITH_EXTREMES)
    (victim,) = set_up.raw.execute("SELECT salary FROM staff WHERE age = 70").fetchone() or (None,)

    def plain(x: int) -> bool | None:
        try:
            rows = set_up.plain(sql.replace("{x}", str(x)))
        except Exception:  # noqa: BLE001 - an error is a bit of its own: the square root of something below zero
            return False
        return bool(rows and rows[0][0])

    assert bisected(plain, LOW, HIGH) == victim
    ask = set_up.through()
    assert bisected(lambda x: (ask(sql.replace("{x}", str(x))) or [(None,)])[0][0], LOW, HIGH) is None


def differing(set_up: Stage, ask: object, kind: str) -> dict[int, int]:
    """Ask for an extreme with and without a victim: when they differ, the extreme is the victim's."""
    found = {}
    victims = set_up.raw.execute(
        "SELECT DISTINCT ON (age, sex, dept) id, age, sex, dept FROM staff ORDER BY id"
    ).fetchall()
    for record, age, sex, dept in victims:
        without = f"dept = '{dept}' AND NOT (age = {age} AND sex = '{sex}')"
        pair = [ask(f"SELECT {kind}(salary) FROM staff WHERE {w}") for w in (f"dept = '{dept}'", without)]  # type: ignore[operator]  # an Ask
        if all(pair) and pair[0][0][0] != pair[1][0][0]:
            found[record] = pair[0][0][0]
    return found


@pytest.mark.parametrize("kind", ["MAX", "MIN"])
def test_extremes_with_and_without_a_person(stage: Stages, kind: str) -> None:
    set_up = stage(60, also="DELETE FROM staff WHERE age = 70", **WITH_EXTREMES)
    truth = set_up.salaries
    assert sum(truth[record] == value for record, value in differing(set_up, set_up.plain, kind).items()) >= 3
    assert sum(truth[record] == value for record, value in differing(set_up, set_up.through(), kind).items()) == 0


def test_a_maximum_and_a_sum_are_audited_together(stage: Stages) -> None:
    """Five people, their sum and both extremes: the middle three are nearly known; so it goes on with other sets."""
    set_up = stage(60, also="DELETE FROM staff WHERE age = 70", **WITH_EXTREMES)
    sql = "SELECT SUM(salary), MIN(salary), MAX(salary), COUNT(*) FROM staff WHERE sex = 'F' AND dept = 'Legal'"
    rows = set_up.plain(sql)
    assert rows
    total, least, greatest, number = rows[0]
    assert least < total / number < greatest
    ask = set_up.through()
    ages = [a for (a,) in set_up.raw.execute("SELECT DISTINCT age FROM staff ORDER BY 1").fetchall()]
    told = []
    for age in ages:  # extremes of shrinking sets: where the maximum falls, somebody is found
        rows = ask(f"SELECT MAX(salary), MIN(salary), SUM(salary) FROM staff WHERE age >= {age}")
        if rows:
            told.append(rows[0])
    assert len({each[0] for each in told}) <= 1
    assert len({each[1] for each in told}) <= 1


def shared(set_up: Stage, ask: Ask, kind: str, predicates: list[str]) -> dict[int, int]:
    """The same extreme of several sets belongs to somebody in all of them, and in none whose extreme falls short."""
    sets: dict[str, tuple[set[int], int]] = {}
    for predicate in predicates:
        rows = ask(f"SELECT {kind}(salary) FROM staff WHERE {predicate}")
        if rows:
            people = set_up.raw.execute(f"SELECT id FROM staff WHERE {predicate}").fetchall()
            sets[predicate] = {record for (record,) in people}, rows[0][0]
    found = {}
    for value in {value for _, value in sets.values()}:
        suspects = set.intersection(*(chosen for chosen, own in sets.values() if own == value))
        for chosen, own in sets.values():
            if (own < value) if kind == "MAX" else (own > value):
                suspects -= chosen
        if len(suspects) == 1:
            found[suspects.pop()] = value
    return found


@pytest.mark.parametrize("kind", ["MAX", "MIN"])
def test_an_extreme_that_several_sets_share(stage: Stages, kind: str) -> None:
    set_up = stage(60, also="DELETE FROM staff WHERE age = 70", **WITH_EXTREMES)
    predicates = [f"age BETWEEN {low} AND {low + width}" for width in (12, 18, 25) for low in range(25, 64 - width, 3)]
    predicates += [f"dept = '{dept}'" for dept in DEPTS[:5]] + [f"education = '{level}'" for level in EDUCATION]
    predicates += [f"sex = '{sex}' AND dept IN ('{a}', '{b}')" for sex in "FM" for a, b in pairwise(DEPTS[:5])]
    truth = set_up.salaries
    won = shared(set_up, set_up.plain, kind, predicates)
    assert len(won) >= 3
    assert all(truth[record] == value for record, value in won.items())
    assert shared(set_up, set_up.through(), kind, predicates) == {}


def narrowed(set_up: Stage, ask: Ask) -> dict[int, int]:
    """Look for whoever has a maximum: halve the ages, then split by the other attributes, and keep who fits it all."""
    sets: list[tuple[set[int], int]] = []

    def most(predicate: str) -> int | None:
        rows = ask(f"SELECT MAX(salary) FROM staff WHERE {predicate}")
        if not rows or rows[0][0] is None:
            return None
        members = set_up.raw.execute(f"SELECT id FROM staff WHERE {predicate}").fetchall()
        sets.append(({record for (record,) in members}, rows[0][0]))
        return int(rows[0][0])

    splits = ["sex = 'F'", "education = 'Master'", "education = 'School'", *(f"dept = '{dept}'" for dept in DEPTS[:5])]
    wholes = ["true", *(f"dept = '{dept}'" for dept in DEPTS[:5]), *(f"education = '{level}'" for level in EDUCATION)]
    for whole in [*wholes, "sex = 'F'", "sex = 'M'"]:
        value, low, high = most(whole), 25, 65
        while value is not None and low < high:
            middle = (low + high) // 2
            below = most(f"{whole} AND age BETWEEN {low} AND {middle}")
            above = most(f"{whole} AND age BETWEEN {middle + 1} AND {high}") if below is None else None
            if below is above is None:
                break
            low, high = (low, middle) if below == value or (above or value) < value else (middle + 1, high)
        for split in splits if value is not None else []:
            inside = f"age BETWEEN {low} AND {high} AND {split}"
            for predicate in (f"{whole} AND {inside}", f"{whole} AND NOT ({inside})", f"{whole} AND NOT ({split})"):
                most(predicate)
    found = {}
    for value in {own for _, own in sets}:
        suspects = set.intersection(*(members for members, own in sets if own == value))
        suspects -= set().union(*(members for members, own in sets if own < value))
        if len(suspects) == 1:
            found[suspects.pop()] = value
    return found


@pytest.mark.parametrize("rows", [150, 400])
def test_whoever_has_a_maximum_is_not_found_by_halving(stage: Stages, rows: int) -> None:
    set_up = stage(rows, **WITH_EXTREMES)
    truth = set_up.salaries
    won = narrowed(set_up, set_up.plain)
    assert len(won) >= 5
    assert all(truth[record] == value for record, value in won.items())
    assert narrowed(set_up, set_up.through()) == {}
