"""Row counts of changes are answers: what `SELECT count(*)` reveals under a condition, a change reveals too."""

import pytest

from sdcdb.auditor.audit import Audit, Options, audit
from sdcdb.auditor.reading.input_history import History
from sdcdb.auditor.reading.snapshot import Snapshot
from sdcdb.logs.record import LoggedQuery

CHANGES = (
    "DELETE FROM staff WHERE {}",
    "UPDATE staff SET age = 30 WHERE {}",
    "UPDATE staff SET age = age + 1, dept = 'it' WHERE {}",
    "MERGE INTO staff USING guesses ON x = 1 AND {} WHEN MATCHED THEN UPDATE SET age = 30",
    "MERGE INTO staff USING guesses ON x = 1 WHEN MATCHED AND {} THEN DELETE",
)
CONDITIONS = (
    "salary > 900", "salary > 500", "salary BETWEEN 300 AND 320", "salary = 137", "salary > 500 AND id = 4",
    "salary IN (1, 2, 137)", "NOT salary < 880", "salary + bonus > 1000", "bonus > 2000.01", "salary IS NULL",
    "diagnosis = 'flu'", "diagnosis = 'flu' AND id = 4", "diagnosis <> 'flu' AND id = 4", "smoker", "smoker AND id = 5",
    "diagnosis = 'flu' OR salary > 500", "diagnosis LIKE 'f%' AND id IN (1, 2)",
)  # fmt: skip


def audited(snapshot: Snapshot, sql: str, dialect: str = "postgres") -> Audit:
    history = History(snapshot)
    history.add(LoggedQuery(1, None, "eve", sql, None, "log", dialect))
    return audit(history, Options(proofs=0))


def known(found: Audit) -> list[tuple[str, str, tuple[str, ...]]]:
    return sorted((each.column, each.record, each.possible) for each in found.findings)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_change_is_never_less_than_the_count(staff_snapshot: Snapshot, condition: str) -> None:
    asked = audited(staff_snapshot, f"SELECT count(*) FROM staff WHERE {condition}")
    for form in CHANGES:
        change = audited(staff_snapshot, form.format(condition))
        listed = change.tally.findings + sum(change.tally.not_understood.values())
        assert (listed, change.tally.harmless) == (1, {}), form
        assert change.exceeds
        if not form.startswith("MERGE"):
            assert known(change) == known(asked), form


@pytest.mark.parametrize("dialect", ["postgres", "mysql", "tsql", "duckdb"])
def test_whom_a_delete_removed_is_not_in_the_data(staff_snapshot: Snapshot, dialect: str) -> None:
    """Nobody of the set matches: either nobody did, or they were removed. Who is left does not have it."""
    found = audited(staff_snapshot, "DELETE FROM staff WHERE diagnosis = 'cold' AND id = 7", dialect)
    ((reason, number),) = found.tally.not_understood.items()
    assert number == 1
    assert "whom it removed is not in the data" in reason
    assert known(found) == [("diagnosis", "7", ("flu", "none"))]
    there = audited(staff_snapshot, "DELETE FROM staff WHERE diagnosis = 'none' AND id = 7", dialect)
    assert there.tally.findings == 1
    assert known(there) == [("diagnosis", "7", ("none",))]
