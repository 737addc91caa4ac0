"""What statements leave in their session, and statements that only look harmless: each ends with a reason."""

import pytest

from sdcdb.auditor.reading.fact import Account, Outcome
from sdcdb.auditor.reading.input_history import History, Occurrence
from sdcdb.auditor.reading.snapshot import Snapshot
from sdcdb.logs.record import LoggedQuery

HARMLESS = [
    ("postgres", "CREATE TABLE copy (LIKE staff INCLUDING ALL)", "creates a table without confidential data"),
    ("mysql", "CREATE TABLE copy LIKE staff", "creates a table without confidential data"),
    ("postgres", "CREATE TABLE child () INHERITS (staff)", "creates an empty table as a part of a restricted one"),
    ("postgres", "ALTER TABLE staff RENAME TO people", "changes a table by ALTER, and shows no data"),
    ("postgres", "CREATE STATISTICS s ON dept, salary FROM staff", "has statistics kept for plans, and shows no data"),
    ("mysql", "ANALYZE TABLE staff UPDATE HISTOGRAM ON salary WITH 10 BUCKETS", "maintains storage or statistics"),
    ("postgres", "TRUNCATE staff", "changes a table by TRUNCATE, and shows no data"),
    ("tsql", "TRUNCATE TABLE staff", "changes a table by TRUNCATE, and shows no data"),
    ("mysql", "SHOW COLUMNS FROM staff", "describes the database, and shows no data"),
    ("mysql", "SHOW FULL PROCESSLIST", "lists statements, and shows no data"),
    ("mysql", "SHOW WARNINGS", "they left nothing that is not accounted for"),
    ("postgres", "SHOW ALL", "they left nothing that is not accounted for"),
    ("mysql", "SELECT @x", "variables that hold nothing confidential"),
    ("tsql", "SELECT @x", "variables that hold nothing confidential"),
    ("mysql", "SET @x = 3; SELECT @x", "variables that hold nothing confidential"),
    ("mysql", "SELECT FOUND_ROWS()", "they left nothing that is not accounted for"),
    ("mysql", "SELECT id FROM staff LIMIT 3; SELECT FOUND_ROWS()", "they left nothing that is not accounted for"),
    ("mysql", "SELECT sum(salary) FROM staff; SHOW WARNINGS", "they left nothing that is not accounted for"),
    ("tsql", "SELECT @@ROWCOUNT", "they left nothing that is not accounted for"),
]
TAKEN_OVER = [
    ("mysql", "SELECT @x := salary FROM staff WHERE id = 3; SELECT @x"),
    ("mysql", "SELECT salary INTO @x FROM staff WHERE id = 3; SELECT @x"),
    ("mysql", "SET @x = (SELECT salary FROM staff WHERE id = 3); SELECT @x"),
    ("mysql", "DO @x := (SELECT salary FROM staff WHERE id = 3); SELECT @x"),
    ("tsql", "SELECT @x = salary FROM staff WHERE id = 3; SELECT @x"),
    ("mysql", "SELECT SQL_CALC_FOUND_ROWS id FROM staff WHERE salary > 500 LIMIT 0; SELECT FOUND_ROWS()"),
    ("mysql", "SELECT id FROM staff WHERE salary > 500; SELECT FOUND_ROWS()"),
    ("mysql", "UPDATE staff SET age = 3 WHERE salary > 500; SELECT ROW_COUNT()"),
    ("mysql", "DELETE FROM staff WHERE salary > 500; SET @n = ROW_COUNT()"),
    ("mysql", "DELETE FROM staff WHERE salary > 500; SET @n = ROW_COUNT(); SELECT @n"),
    ("mysql", "DELETE FROM staff WHERE salary > 500; INSERT INTO guesses VALUES (ROW_COUNT()); SELECT * FROM guesses"),
    ("tsql", "UPDATE staff SET age = 3 WHERE salary > 500; SELECT @@ROWCOUNT"),
    ("mysql", "SELECT LAST_INSERT_ID(salary) FROM staff WHERE id = 3; SELECT LAST_INSERT_ID()"),
    ("mysql", "UPDATE dims SET site = (SELECT diagnosis + 0 FROM staff WHERE id = 3); SHOW WARNINGS"),
    ("postgres", "SELECT set_config('a.b', salary::text, false) FROM staff WHERE id = 3; SHOW a.b"),
    ("postgres", "SELECT set_config('a.b', salary::text, true) FROM staff LIMIT 1; SELECT current_setting('a.b')"),
    ("postgres", "CREATE TABLE child () INHERITS (staff); SELECT * FROM child"),
    ("postgres", "CREATE TABLE part PARTITION OF staff FOR VALUES FROM (1) TO (9); SELECT salary FROM part"),
    ("postgres", "ALTER TABLE staff RENAME TO people; SELECT * FROM people"),
    ("postgres", "CREATE STATISTICS s ON (1 / (salary - 137)), dept FROM staff"),
    ("mysql", "SHOW ENGINE INNODB STATUS"),
    ("mysql", "SHOW BINLOG EVENTS"),
]  # fmt: skip


def last_account(snapshot: Snapshot, dialect: str, script: str) -> Account:
    """Return how the last statement of a session is accounted for."""
    history = History(snapshot)
    told: list[Account] = []
    count = history._count

    def noted(found: Account, here: Occurrence) -> None:
        told.append(found)
        count(found, here)

    history._count = noted  # type: ignore[method-assign]
    for number, sql in enumerate(script.split("; "), start=1):
        history.add(LoggedQuery(number, None, "eve", sql, None, "log", dialect))
    assert len(told) == history.statements == script.count("; ") + 1
    return told[-1]


@pytest.mark.parametrize(("dialect", "script", "reason"), HARMLESS)
def test_what_looks_harmless_is_so_for_a_reason(
    staff_snapshot: Snapshot, dialect: str, script: str, reason: str
) -> None:
    found = last_account(staff_snapshot, dialect, script)
    assert (found.outcome, reason in found.reason) == (Outcome.HARMLESS, True), found.reason


@pytest.mark.parametrize(("dialect", "script"), TAKEN_OVER)
def test_what_may_be_taken_over_is_not_understood(staff_snapshot: Snapshot, dialect: str, script: str) -> None:
    found = last_account(staff_snapshot, dialect, script)
    assert found.outcome is Outcome.NOT_UNDERSTOOD, found.reason


def test_another_session_left_nothing(staff_snapshot: Snapshot) -> None:
    history = History(staff_snapshot)
    history.add(LoggedQuery(1, None, "eve", "DELETE FROM staff WHERE salary > 500", None, "log", "mysql"))
    history.add(LoggedQuery(2, None, "bob", "SELECT ROW_COUNT()", None, "log", "mysql"))
    assert [set(each.users) for each in history.unsafe.values()] == [{"eve"}]
