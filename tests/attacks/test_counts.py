"""Counts over a history: how many people are in a group of too few must not follow from numbers that are shown."""

import numpy as np
import pytest
from support.attacker import Ask
from support.stages import Stages

from sdcdb.errors import Denied

EVERYBODY = "SELECT COUNT(*) FROM staff"


def count(ask: Ask, where: str) -> int | None:
    rows = ask(f"SELECT COUNT(*) FROM staff WHERE {where}")
    return rows[0][0] if rows else None


@pytest.mark.parametrize("groups", ["merge", "mark"])
@pytest.mark.parametrize("what", ["COUNT(*)", "COUNT(salary)", "SUM(1)", "SUM(CASE WHEN sex <> 'X' THEN 1 ELSE 0 END)"])
def test_a_total_less_the_groups_that_are_shown_is_not_a_small_one(stage: Stages, groups: str, what: str) -> None:
    set_up = stage(120, groups=groups)
    ask = set_up.through()
    rows = ask(f"SELECT dept, {what} FROM staff GROUP BY dept")
    whole = ask(EVERYBODY)
    assert rows
    assert whole == [(120,)]  # how many people there are is no secret
    named = [row[1] for row in rows if row[0] is not None and row[1] is not None]
    assert len(named) >= 3
    assert 120 - sum(named) >= 5


TRACKERS = {
    "two sets that differ by one person": ("dept IN ('Sales', 'Works')", "dept = 'Sales'"),
    "everybody but one": ("age < 80", "age < 70"),
    "a condition inside": ("sex = 'F' OR age = 70", "sex = 'F' AND age <> 70"),
}


@pytest.mark.parametrize("name", TRACKERS)
def test_a_count_less_another_one_is_not_one_person(stage: Stages, name: str) -> None:
    set_up = stage(120)
    plain, ask = set_up.plain, set_up.through()
    a, b = (count(plain, where) for where in TRACKERS[name])
    assert a is not None
    assert b is not None
    assert a - b == 1
    assert None in [count(ask, where) for where in TRACKERS[name]]


def test_the_general_tracker_of_counts(stage: Stages) -> None:
    """With T a padding: count(A or T) + count(A or not T) - count(all) is the size of A, however small."""
    set_up = stage(120)
    ask, one = set_up.through(), "(dept = 'Works')"
    found = [count(ask, f"{one} OR sex = 'F'"), count(ask, f"{one} OR sex <> 'F'"), count(ask, "true")]
    assert None in found
    set_up.gateway.close()
    with set_up.db.gateway() as again:  # the history of counts is in the ledger
        with pytest.raises(Denied, match="counts"):
            again.ask(f"SELECT COUNT(*) FROM staff WHERE {one} OR sex {'=' if found[0] is None else '<>'} 'F'")
        assert again.ask("SELECT COUNT(*) FROM staff WHERE sex = 'F'").rows


def test_counts_of_large_sets_are_answered(stage: Stages) -> None:
    ask = stage(120).through()
    assert ask("SELECT sex, COUNT(*) FROM staff GROUP BY sex")
    for age in (35, 45, 55):
        assert count(ask, f"age < {age}")
    assert ask("SELECT sex, COUNT(*), AVG(salary) FROM staff GROUP BY sex")


def test_people_without_a_value_do_not_stop_an_average(stage: Stages) -> None:
    """Who has no age counts as known, as who has no salary does."""
    set_up = stage(120, also="UPDATE staff SET age = NULL WHERE id % 50 = 0")
    sql = "SELECT AVG(age), COUNT(*) FROM staff"
    assert set_up.through()(sql) == set_up.plain(sql)


PADDING = "dept IN ('Sales', 'Legal')"
SUMS_OF_AGES = {
    "a sum less another one": (f"{PADDING}", f"{PADDING} AND NOT (age = 61 AND sex = 'F')"),
    "a sum less another one, two ages": (f"{PADDING}", f"{PADDING} AND NOT (age IN (61, 62) AND sex = 'F')"),
    "the one person of 70": ("sex = 'F'", "sex = 'F' AND age < 70"),
}


@pytest.mark.parametrize(
    ("name", "what"), [*((name, "SUM(age)") for name in SUMS_OF_AGES), ("a sum less another one", "AVG(3 * age + 1)")]
)
def test_sums_of_ages_do_not_tell_how_many_are_in_a_small_group(stage: Stages, name: str, what: str) -> None:
    set_up = stage(240)
    ask = set_up.through()
    assert 0 < len(ids(set_up.plain, SUMS_OF_AGES[name][0]) - ids(set_up.plain, SUMS_OF_AGES[name][1])) < 5
    found = [ask(f"SELECT {what} FROM staff WHERE {where}") for where in SUMS_OF_AGES[name]]
    assert None in found


def ids(ask: Ask, where: str) -> set[int]:
    return {row[0] for row in ask(f"SELECT id FROM staff WHERE {where}") or ()}


def test_sums_and_counts_over_overlapping_ages_are_not_solved_for_each_age(stage: Stages) -> None:
    """Two sums and two counts over three ages each are four equations for the sizes of four ages."""
    set_up = stage(240)
    plain, ask = set_up.plain, set_up.through()
    ages: dict[int, int] = dict(plain("SELECT age, COUNT(*) FROM staff GROUP BY age") or ())
    first = next(a for a in range(25, 61) if min(ages.get(a + n, 0) for n in range(4)) in range(1, 5))
    asked = [f"SELECT SUM(age), COUNT(*) FROM staff WHERE age BETWEEN {a} AND {a + 2}" for a in (first, first + 1)]
    assert np.linalg.matrix_rank([[1, 1, 1, 0], [0, 1, 2, 0], [0, 1, 1, 1], [0, 0, 1, 2]]) == 4
    assert None in [ask(sql) for sql in asked]


def test_sums_of_ages_stay_known_when_the_gateway_is_opened_again(stage: Stages) -> None:
    set_up = stage(240)
    assert set_up.through()(f"SELECT SUM(age) FROM staff WHERE {PADDING}")
    set_up.gateway.close()
    with set_up.db.gateway() as again:
        with pytest.raises(Denied, match="counts"):
            again.ask(f"SELECT SUM(age) FROM staff WHERE {PADDING} AND NOT (age = 61 AND sex = 'F')")
        assert again.ask(f"SELECT SUM(age) FROM staff WHERE {PADDING} AND sex = 'F'").rows
