"""The table changes between two questions: whoever came, left, moved or got a raise must not be what they differ by."""

from collections.abc import Callable

import pytest
from support import victims
from support.stages import Stages

import sdcdb
from sdcdb.errors import Denied

ALL = "SELECT SUM(salary) FROM staff"
NEW = "INSERT INTO staff VALUES (1, 'Zq99999q', 'F', 41, 'Sales', 'Master', 123457)"
CHANGES: dict[str, tuple[str, str, Callable[[int, int], int]]] = {
    "one came": (NEW, ALL, lambda before, after: after - before),
    "one left": ("DELETE FROM staff WHERE age = 70", ALL, lambda before, after: before - after),
    "one moved": (
        "UPDATE staff SET dept = 'Sales' WHERE age = 70",
        "SELECT SUM(salary) FROM staff WHERE dept = 'Sales'",
        lambda before, after: after - before,
    ),
    "one became somebody else": (
        "UPDATE staff SET sex = 'M' WHERE age = 70",
        "SELECT SUM(salary) FROM staff WHERE sex = 'F'",
        lambda before, after: before - after,
    ),
    "one got a raise": (
        "UPDATE staff SET salary = salary + 1009 WHERE age = 70",
        ALL,
        lambda before, after: after - before,
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_one_person_changed_is_a_difference_in_plain_duckdb_and_denied_by_the_gateway(
    stage: Stages, name: str
) -> None:
    change, sql, solve = CHANGES[name]
    set_up = stage(60)
    ask = set_up.through()
    before, seen_before = set_up.plain(sql), ask(sql)
    set_up.both(change)
    after = set_up.plain(sql)
    assert before
    assert after
    told = solve(before[0][0], after[0][0])
    people = {row[6] for row in victims.people(60)} | {123457, 1009}
    assert told in people

    assert seen_before == before
    assert set_up.gateway.refresh() == ["staff"]
    assert ask(sql) is None


def test_without_a_refresh_nothing_is_answered(stage: Stages) -> None:
    set_up = stage(60)
    assert set_up.through()(ALL)
    set_up.db.con.execute(NEW)
    for _ in range(2):
        with pytest.raises(Denied) as refusal:
            set_up.gateway.ask(ALL)
        assert refusal.value.rule == "version"
    set_up.db.con.execute("DELETE FROM staff WHERE id = 1")  # as it was: the same version again
    assert set_up.through()(ALL)


@pytest.mark.parametrize("change", [change for change, sql, _ in CHANGES.values() if sql == ALL])
def test_a_change_while_no_gateway_was_open_is_seen_at_the_next_start(stage: Stages, change: str) -> None:
    set_up = stage(60)
    assert set_up.through()(ALL)
    set_up.gateway.close()
    set_up.db.con.execute(change)
    set_up.db.close()
    with sdcdb.open(set_up.path, policy=set_up.path.with_suffix(".policy.yaml")) as db, db.gateway() as again:
        with pytest.raises(Denied, match="version"):
            again.ask(ALL)
        assert again.refresh() == ["staff"]
        if "sex = 'M'" in change or "dept =" in change:  # somebody moved: the whole table's sum is the one known before
            assert again.ask(ALL)
        else:
            with pytest.raises(Denied):  # the difference of two versions is one person
                again.ask(ALL)


def test_what_was_answered_before_a_refresh_stays_known_after_it_and_after_a_restart(stage: Stages) -> None:
    set_up = stage(60)
    assert set_up.through()("SELECT SUM(salary) FROM staff WHERE sex = 'F'")
    set_up.both(
        "INSERT INTO staff SELECT id + 5000, name, sex, age, dept, education, salary FROM staff WHERE dept = 'Legal'"
    )
    set_up.gateway.refresh()
    tracker = "SELECT SUM(salary) FROM staff WHERE sex = 'F' AND age <> 70 AND dept <> 'Legal'"
    parts = "SELECT SUM(salary) FROM staff WHERE sex = 'F' AND dept <> 'Legal'"
    ask = set_up.through()
    assert ask(parts) is None or ask(tracker) is None
    set_up.gateway.close()
    with set_up.db.gateway() as again:
        answered = 0
        for sql in (parts, tracker):
            try:
                again.ask(sql)
                answered += 1
            except Denied:
                pass
        assert answered < 2


def test_a_raise_for_everybody_does_not_stop_the_gateway(stage: Stages) -> None:
    people = [(n, f"Zq{n:05d}q", "FM"[n % 2], 40, "Sales" if n < 60 else "Legal", "School", 100_003 + 401 * n)
              for n in range(120)]  # fmt: skip
    set_up = stage(people)
    ask = set_up.through()
    assert ask("SELECT dept, AVG(salary) FROM staff GROUP BY dept")
    set_up.both("UPDATE staff SET salary = salary + 90000")
    set_up.gateway.refresh()
    for sql in ("SELECT AVG(salary) FROM staff", "SELECT sex, AVG(salary) FROM staff GROUP BY sex"):
        rows = ask(sql)  # answered or denied, never an error
        assert rows is None or rows == set_up.plain(sql)
    assert set_up.gateway.status()


@pytest.mark.parametrize("movers", [1, 2, 3, 4])
def test_people_who_move_between_groups_are_the_same_people(stage: Stages, movers: int) -> None:
    """A + x yesterday; x moves from Sales to Legal; B + x and A + B today. Half of the difference is x."""
    people = [(n, f"Zq{n:05d}q", "M" if n < movers else "F", 40, ("Sales", "Legal", "Finance")[n // 40], "School", pay)
              for n, pay in enumerate(victims.salaries(120, 3))]  # fmt: skip
    set_up = stage(people)
    before = "SELECT SUM(salary) FROM staff WHERE dept = 'Sales'"
    after = ("SELECT SUM(salary) FROM staff WHERE dept = 'Legal'",
             "SELECT SUM(salary) FROM staff WHERE dept IN ('Sales', 'Legal') AND sex = 'F'")  # fmt: skip
    ask = set_up.through()
    won, seen = [set_up.plain(before)], [ask(before)]
    set_up.both("UPDATE staff SET dept = 'Legal' WHERE sex = 'M'")
    set_up.gateway.refresh()
    won += [set_up.plain(sql) for sql in after]
    seen += [ask(sql) for sql in after]
    a, b, c = (rows[0][0] for rows in won if rows)
    assert (a + b - c) / 2 == sum(row[6] for row in people[:movers])
    assert None in seen


def test_a_person_with_birthdays_stays_one_person(stage: Stages) -> None:
    """Every year x is added to the sum of another age; the last question leaves x out of all of them."""
    years = 5
    people = [(n, f"Zq{n:05d}q", "F", 40 + n % years, "Sales", "School", pay)
              for n, pay in enumerate(victims.salaries(40 * years, 5))]  # fmt: skip
    people[0] = (0, "Zq00000q", "M", 40, "Sales", "School", people[0][6])
    people += [
        (9000 + n, f"Zq{9000 + n:05d}q", "F", 30, "Sales", "School", pay)
        for n, pay in enumerate(victims.salaries(40, 6))
    ]
    set_up = stage(people)
    ask = set_up.through()
    won, seen = [], []
    for year in range(years):
        if year:
            set_up.both("UPDATE staff SET age = age + 1 WHERE id = 0")
            set_up.gateway.refresh()
        sql = f"SELECT SUM(salary) FROM staff WHERE age = {40 + year}"
        won.append(set_up.plain(sql))
        seen.append(ask(sql))
    last = "SELECT SUM(salary) FROM staff WHERE sex = 'F' AND age >= 40"
    won.append(set_up.plain(last))
    *sums, whole = [rows[0][0] for rows in won if rows]
    assert (sum(sums) - whole) / years == people[0][6]
    assert None in [*seen, ask(last)]
