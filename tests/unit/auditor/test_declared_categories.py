"""A category whose values the policy declares, so that the gateway counts by it, is audited like any other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import sdcdb
from sdcdb.auditor.audit import Audit, Options, audit
from sdcdb.auditor.reading.fact import Outcome
from sdcdb.auditor.reading.input_history import History
from sdcdb.auditor.reading.log_account import account
from sdcdb.auditor.reading.snapshot import Snapshot
from sdcdb.logs.record import LoggedQuery
from sdcdb.policy.load import load_policy

POLICY = """
version: 1
tables:
  patients:
    key: id
    columns:
      id: identifier
      name: identifier
      ward: quasi
      diagnosis: {{role: confidential{declared}}}
      cost: {{role: confidential, domain: [0, 100000]}}
    restrict: {{}}
"""
DECLARED = {
    "plain": "",
    "counted": ", known: {flu: 60%, asthma: 30%, hiv: 10%}",
    "public": ", known: {flu: 60%, asthma: 30%, hiv: 10%}, counts: public",
}
PATIENTS = """
CREATE TABLE patients AS SELECT i AS id, 'p' || i AS name, ['A', 'B'][1 + i % 2] AS ward,
    ['flu', 'asthma', 'flu', 'hiv', 'flu', 'asthma', 'flu'][1 + i % 7] AS diagnosis, (i * 7919) % 100000 AS cost
FROM range(400) t(i)
"""
ABOUT_PEOPLE = (
    "SELECT COUNT(*) FROM patients WHERE id = 3 AND diagnosis = 'hiv'",
    "SELECT COUNT(*) FILTER (WHERE diagnosis = 'hiv') FROM patients WHERE name = 'p3'",
    "SELECT diagnosis, COUNT(*) FROM patients WHERE id IN (1, 2, 3) GROUP BY diagnosis",
    "SELECT AVG((diagnosis = 'hiv')::INT) FROM patients WHERE id = 10",
    "SELECT COUNT(*) FROM patients WHERE diagnosis = 'hiv' AND id < 5",
    "SELECT SUM(cost) FROM patients WHERE id IN (1, 2, 3) AND diagnosis = 'hiv'",
    "SELECT MAX(diagnosis) FROM patients WHERE id = 17",
    "SELECT ward, string_agg(diagnosis, ',') FROM patients GROUP BY ward",
    "SELECT id, diagnosis FROM patients LIMIT 5",
    "SELECT 1 FROM patients WHERE id = 3 AND diagnosis = 'hiv'",
)


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Snapshot]]:
    folder, made = tmp_path_factory.mktemp("declared"), {}
    file = folder / "clinic.duckdb"
    with sdcdb.open(file, create=True) as database:
        database.con.execute(PATIENTS)
    with sdcdb.open(file, read_only=True) as database:
        for name, declared in DECLARED.items():
            (folder / f"{name}.yaml").write_text(POLICY.format(declared=declared))
            made[name] = Snapshot(database.con, load_policy(folder / f"{name}.yaml"))
        yield made
        for each in made.values():
            each.close()


def audited(snapshot: Snapshot, *statements: str) -> Audit:
    history = History(snapshot)
    for number, sql in enumerate(statements, 1):
        history.add(LoggedQuery(number, None, "eve", sql, None, "log", "duckdb"))
    return audit(history, Options(proofs=0))


def said(found: Audit) -> tuple[list[tuple[str, str, tuple[str, ...]]], int, int]:
    """Return who was exposed, and how many statements are findings or not understood."""
    exposed = sorted((each.column, each.record, each.possible) for each in found.findings)
    return exposed, found.tally.findings, sum(found.tally.not_understood.values())


@pytest.mark.parametrize("declared", ["counted", "public"])
@pytest.mark.parametrize("sql", ABOUT_PEOPLE)
def test_what_is_asked_about_people_is_judged_alike(snapshots: dict[str, Snapshot], sql: str, declared: str) -> None:
    assert said(audited(snapshots[declared], sql)) == said(audited(snapshots["plain"], sql))


@pytest.mark.parametrize("declared", list(DECLARED))
def test_counts_of_single_people_expose_them(snapshots: dict[str, Snapshot], declared: str) -> None:
    found = audited(snapshots[declared], ABOUT_PEOPLE[0], ABOUT_PEOPLE[2])
    assert {each.record for each in found.findings} == {"3"}
    assert found.exceeds


def test_public_counts_tell_nothing_new_and_choose_whose_numbers_are_added_up(snapshots: dict[str, Snapshot]) -> None:
    by_category = "SELECT ward, diagnosis, COUNT(*), AVG(cost) FROM patients GROUP BY ward, diagnosis"
    assert not audited(snapshots["public"], by_category).findings
    read = account(by_category, "duckdb", snapshots["public"])
    assert read.outcome is Outcome.ANSWERED
    assert {(fact.column, fact.kind) for fact in read.facts} == {("cost", "sum")}
    one = "SELECT SUM(cost) FROM patients WHERE ward = 'A' AND diagnosis {}"
    two = audited(snapshots["public"], one.format("= 'hiv'"), one.format("IN ('hiv', 'flu')"))
    assert not two.findings
    assert not two.tally.not_understood


def test_numbers_by_a_category_of_a_few_people_expose_them(tmp_path: Path) -> None:
    with sdcdb.open(tmp_path / "few.duckdb", create=True) as database:
        database.con.execute(PATIENTS)
        database.con.execute("UPDATE patients SET ward = 'C' WHERE id = 10")
        (tmp_path / "policy.yaml").write_text(POLICY.format(declared=DECLARED["public"]))
    with sdcdb.open(tmp_path / "few.duckdb", policy=tmp_path / "policy.yaml", read_only=True) as database:
        assert database.policy is not None
        snapshot = Snapshot(database.con, database.policy)
        found = audited(snapshot, "SELECT SUM(cost) FROM patients WHERE ward = 'C' AND diagnosis = 'hiv'")
        snapshot.close()
    assert [(each.column, each.record) for each in found.findings] == [("cost", "10")]
