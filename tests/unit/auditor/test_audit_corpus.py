"""A corpus of attacks and of harmless statements in four dialects: nothing passes in silence, nobody is accused.

Every attack is a finding or listed as not understood under the name of its user; every harmless statement is harmless.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from support.corpus import DATA, POLICY
from support.paths import ROOT

import sdcdb
from sdcdb.auditor.audit import Options, audit
from sdcdb.auditor.exposed import Level
from sdcdb.auditor.reading.input_history import History
from sdcdb.auditor.reading.snapshot import Snapshot
from sdcdb.database import Database
from sdcdb.logs.record import LoggedQuery

CASES = ROOT / "tests" / "cases" / "audit"


def statements(name: str) -> list[tuple[str, str, str]]:
    """Return kind, dialect and text of each statement of a file."""
    kinds: dict[str, Any] = YAML(typ="safe").load((CASES / f"{name}.yaml").read_text(encoding="utf-8"))
    return [(kind, dialect, sql) for kind, own in kinds.items() for dialect, listed in own.items() for sql in listed]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder: Path = tmp_path_factory.mktemp("corpus")
    with sdcdb.open(folder / "staff.duckdb", create=True) as made:
        made.con.execute(DATA)
    (folder / "staff.policy.yaml").write_text(POLICY)
    with sdcdb.open(folder / "staff.duckdb", read_only=True) as opened:
        yield opened


@pytest.fixture
def snapshot(database: Database) -> Iterator[Snapshot]:
    assert database.policy is not None
    made = Snapshot(database.con, database.policy)
    yield made
    made.close()


def read(snapshot: Snapshot, listed: list[tuple[str, str, str]]) -> History:
    """Put each statement under a user and a log of its own."""
    history = History(snapshot)
    for number, (_, dialect, sql) in enumerate(listed):
        history.add(LoggedQuery(number + 1, None, f"user {number}", sql, None, f"log {number}", dialect))
        history.sessions = type(history.sessions)()
    return history


def test_the_corpus_is_large_enough() -> None:
    assert len({(dialect, sql) for _, dialect, sql in statements("attacks")}) >= 300
    assert len({(dialect, sql) for _, dialect, sql in statements("harmless")}) >= 200


def test_no_attack_passes_in_silence(snapshot: Snapshot) -> None:
    listed = statements("attacks")
    history = read(snapshot, listed)
    found = audit(history, Options(together="user", proofs=0))
    accused = {user for each in (*history.direct.values(), *history.unsafe.values()) for user in each.users}
    accused |= {each.pool for each in found.findings}
    assert [listed[n] for n in range(len(listed)) if f"user {n}" not in accused] == []
    assert found.exceeds


def test_no_harmless_user_is_accused(snapshot: Snapshot) -> None:
    listed = statements("harmless")
    history = read(snapshot, listed)
    found = audit(history, Options())
    accused = [*history.direct.values(), *history.unsafe.values()]
    by_user = {user: each.reason for each in accused for user in each.users}
    assert [(listed[n], by_user[f"user {n}"]) for n in range(len(listed)) if f"user {n}" in by_user] == []
    assert found.findings == []
    assert found.tally.statements == history.statements == len(listed)
    assert not found.exceeds


def test_categories_that_remain_are_the_measure(snapshot: Snapshot) -> None:
    """Two histograms differ by one person: what is subtracted is that person's diagnosis."""
    whole = "SELECT diagnosis, count(*) FROM staff WHERE dept = 'it' GROUP BY diagnosis"
    without = "SELECT diagnosis, count(*) FROM staff WHERE dept = 'it' AND id <> 6 GROUP BY diagnosis"
    history = read(snapshot, [("", "duckdb", whole), ("", "duckdb", without)])
    (each,) = audit(history, Options()).findings
    assert (each.record, each.column, each.level, each.possible) == ("6", "diagnosis", Level.EXACT, ("none",))
    assert each.users == ("user 0", "user 1")
    assert each.first.sql == without
    assert sum((step.weight or 0) * step.answer for step in each.steps) == 1
    assert audit(history, Options(together="user")).findings == []


def test_a_shown_category_and_one_that_chose_are_direct(snapshot: Snapshot) -> None:
    listed = [
        ("", "duckdb", "SELECT name, diagnosis FROM staff WHERE id = 3"),
        ("", "postgres", "SELECT name FROM staff WHERE smoker"),
    ]
    findings = audit(read(snapshot, listed), Options()).findings
    by_column = {(each.column, each.record): (each.level, each.value) for each in findings}
    assert by_column["diagnosis", "3"] == (Level.DIRECT, "cold")
    smokers = {record for column, record in by_column if column == "smoker"}
    assert {str(n) for n in range(0, 60, 5)} <= smokers


def test_decimals_are_exact_to_the_cent(snapshot: Snapshot) -> None:
    listed = [("", "duckdb", sql) for sql in (
        "SELECT sum(bonus) FROM staff", "SELECT sum(bonus) FROM staff WHERE id <> 17",
        "SELECT avg(bonus) FROM staff WHERE id IN (1, 2)", "SELECT avg(bonus) FROM staff WHERE id IN (2, 3)",
        "SELECT avg(bonus) FROM staff WHERE id IN (1, 3)",
    )]  # fmt: skip
    found = {each.record: each for each in audit(read(snapshot, listed), Options()).findings}
    assert {key: each.value for key, each in found.items()} == {
        str(n): round(1000 + n * 1234.56, 2) for n in (1, 2, 3, 17)
    }
    assert all(each.level is Level.EXACT for each in found.values())
