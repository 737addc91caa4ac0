"""The table changes between two questions: whoever came, left, moved or got a raise must not be what they differ by."""

from collections.abc import Callable

import pytest
from support import victims
from support.stages import Stages

import sdcdb
from sdcdb.errors import DatabaseError, Denied

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


def uniform(*depts: tuple[str, int]) -> list[tuple[object, ...]]:
    """Make people who differ by department only."""
    names = [dept for dept, number in depts for _ in range(number)]
    return [(n, f"Zq{n:05d}q", "F", 40, dept, "School", pay)
            for n, (dept, pay) in enumerate(zip(names, victims.salaries(len(names), 8), strict=True))]  # fmt: skip


SALES = "SELECT SUM(salary) FROM staff WHERE dept = 'Sales'"
JOINS = "INSERT INTO staff VALUES (9001, 'Zq99999q', 'F', 40, 'Sales', 'School', 123457)"
BEHIND = {
    "a group disappears while one joins another": ("DELETE FROM staff WHERE dept = 'Works'", JOINS),
    "a group moves away while one joins another": ("UPDATE staff SET dept = 'Legal' WHERE dept = 'Works'", JOINS),
    "a group is renamed while one joins another": ("UPDATE staff SET dept = 'Dock' WHERE dept = 'Works'", JOINS),
    "one leaves while another joins": ("DELETE FROM staff WHERE id = 0", JOINS),
    "values are swapped while one joins": (
        "UPDATE staff SET salary = (SELECT o.salary FROM staff o WHERE o.id = 13 - staff.id) WHERE id IN (6, 7)",
        JOINS,
    ),
}


@pytest.mark.parametrize("name", BEHIND)
def test_a_newcomer_is_not_hidden_behind_another_change(stage: Stages, name: str) -> None:
    """The fewest changes that explain the sizes are not what happened: records are followed one by one."""
    set_up = stage(uniform(("Sales", 30), ("Works", 6), ("Legal", 30), ("Finance", 30)))
    ask = set_up.through()
    before, seen = set_up.plain(SALES), ask(SALES)
    assert before == seen
    for sql in BEHIND[name]:
        set_up.both(sql)
    after = set_up.plain(SALES)
    assert before and after  # noqa: PT018 - two answers of one kind
    left = victims.salaries(96, 8)[0] if name.startswith("one leaves") else 0
    assert after[0][0] - before[0][0] + left == 123457
    set_up.gateway.refresh()
    assert ask(SALES) is None
    assert ask("SELECT SUM(salary) FROM staff WHERE dept = 'Finance'")


def test_who_stayed_is_asked_about_as_before(stage: Stages) -> None:
    """A change of some cells costs nothing for the others, nor for large groups of newcomers."""
    set_up = stage(uniform(("Sales", 30), ("Works", 30), ("Legal", 30)))
    ask = set_up.through()
    assert ask(SALES)
    set_up.both("INSERT INTO staff SELECT id + 5000, name, sex, age, 'Sales', education, salary FROM staff "
                "WHERE dept = 'Works'")  # fmt: skip
    set_up.gateway.refresh()
    for dept in ("Sales", "Works", "Legal"):
        assert ask(f"SELECT SUM(salary) FROM staff WHERE dept = '{dept}'")


def test_values_that_come_back_are_the_same_unknowns(stage: Stages) -> None:
    """Sales with x; without x, who is away; x comes back into Legal. Legal before and after differ by x."""
    set_up = stage(uniform(("Sales", 30), ("Legal", 30), ("Finance", 30)))
    ask = set_up.through()
    legal = "SELECT SUM(salary) FROM staff WHERE dept = 'Legal'"
    assert ask(SALES)
    assert ask(legal)
    (x,) = set_up.raw.execute("SELECT salary FROM staff WHERE id = 0").fetchone() or (None,)
    set_up.both("DELETE FROM staff WHERE id = 0")
    set_up.gateway.refresh()
    assert ask(SALES) is None
    set_up.both(f"INSERT INTO staff VALUES (0, 'Zq00000q', 'F', 40, 'Legal', 'School', {x})")
    set_up.gateway.refresh()
    assert ask(legal) is None
    assert ask("SELECT SUM(salary) FROM staff WHERE dept IN ('Sales', 'Legal')")  # as it always was


def test_somebody_who_knows_the_raise_learns_nobody_from_two_versions(stage: Stages) -> None:
    """Everybody gets 1,009 more. Sales before; Sales without x after: known raises make it one salary."""
    people = uniform(("Sales", 30), ("Legal", 30))
    people[0] = (*people[0][:3], 41, *people[0][4:])
    set_up = stage(people)
    ask = set_up.through()
    after = f"{SALES} AND age = 40"
    before, seen = set_up.plain(SALES), ask(SALES)
    set_up.both("UPDATE staff SET salary = salary + 1009")
    set_up.gateway.refresh()
    rest = set_up.plain(after)
    assert before and rest  # noqa: PT018 - two answers of one kind
    assert before[0][0] - (rest[0][0] - 29 * 1009) == people[0][6]
    assert seen == before
    assert ask(after) is None
    set_up.gateway.close()
    with set_up.db.gateway() as again, pytest.raises(Denied):
        again.ask(after)


RELOADS = {
    "new keys for all": "UPDATE staff SET id = id + 1000000",
    "new keys for half": "UPDATE staff SET id = id + 1000000 WHERE id % 2 = 0",
    "keys shuffled away and a raise": "UPDATE staff SET id = -1 - id, salary = salary + 5",
    "two records with one key": "UPDATE staff SET id = 1 WHERE id = 0",
}


@pytest.mark.parametrize("name", RELOADS)
def test_a_reload_that_cannot_be_followed_is_refused(stage: Stages, name: str) -> None:
    set_up = stage(uniform(("Sales", 30), ("Legal", 30)))
    assert set_up.through()(SALES)
    set_up.both(RELOADS[name])
    with pytest.raises(DatabaseError, match="cannot be followed record by record"):
        set_up.gateway.refresh()
    with pytest.raises(Denied, match="version"):
        set_up.gateway.ask(SALES)
    set_up.gateway.close()
    with set_up.db.gateway() as again:
        with pytest.raises(Denied, match="version"):
            again.ask(SALES)
        assert again.refresh(as_new="another firm's staff") == ["staff"]
        assert again.ask(SALES).rows
    ledger = set_up.path.with_name(f"{set_up.path.stem}.ledger.jsonl")
    assert "another firm's staff" in ledger.read_text("utf-8")


def test_without_the_file_of_records_a_refresh_is_refused(stage: Stages) -> None:
    set_up = stage(uniform(("Sales", 30), ("Legal", 30)))
    assert set_up.through()(SALES)
    (file,) = set_up.path.parent.glob("*.records-*")
    whole = file.read_bytes()
    assert len(whole) < 60 * 32 + 4000  # 32 bytes per record and column, and the names of the parts
    set_up.both(JOINS)
    for content in (None, whole[:-1]):
        file.unlink() if content is None else file.write_bytes(content)
        with pytest.raises(DatabaseError, match="the file with the digests of its records is missing"):
            set_up.gateway.refresh()
    file.write_bytes(whole)
    assert set_up.gateway.refresh() == ["staff"]
    assert len(list(set_up.path.parent.glob("*.records-*"))) == 1


def test_a_column_renamed_in_the_same_refresh_keeps_its_history(stage: Stages) -> None:
    set_up = stage(uniform(("Sales", 30), ("Legal", 30)))
    assert set_up.through()(SALES)
    set_up.gateway.close()
    set_up.db.con.execute(JOINS)
    set_up.db.con.execute("ALTER TABLE staff RENAME COLUMN salary TO pay")
    set_up.db.close()
    rules = set_up.path.with_suffix(".policy.yaml")
    rules.write_text(rules.read_text("utf-8").replace("salary:", "pay:"), "utf-8")
    with sdcdb.open(set_up.path, policy=rules) as db, db.gateway() as again:
        assert again.refresh() == ["staff"]
        with pytest.raises(Denied, match="exact"):
            again.ask(SALES.replace("salary", "pay"))
        assert again.ask("SELECT SUM(pay) FROM staff WHERE dept = 'Legal'").rows
