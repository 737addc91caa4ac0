"""Columns that the policy links are audited together: sums of one and of the other leave one person."""

from collections.abc import Iterator

import duckdb
import pytest

from sdcdb.auditor.audit import Audit, Options, audit
from sdcdb.auditor.follow import _Told
from sdcdb.auditor.linked import linked_groups
from sdcdb.auditor.reading.input_history import History
from sdcdb.auditor.reading.snapshot import Snapshot
from sdcdb.logs.record import LoggedQuery
from sdcdb.policy.load import parse_document

POLICY = """
version: 1
linked: [pay.month ~ bonus.paid]
tables:
  pay:
    key: id
    linked: [year = 12 * month, gross ~ month]
    columns:
      id: identifier
      sex: quasi
      month: {role: confidential, domain: [0, 5000]}
      year: {role: confidential, domain: [0, 60000]}
      gross: {role: confidential, domain: [0, 10010]}
      age: {role: confidential, domain: [0, 120]}
    restrict: {}
  bonus:
    key: id
    columns:
      id: identifier
      paid: {role: confidential, domain: [0, 100]}
    restrict: {}
"""
PAY = """
CREATE TABLE pay AS SELECT i AS id, ['F', 'M'][1 + i % 2] AS sex, i * 7919 % 5000 AS month,
    12 * (i * 7919 % 5000) AS year, 2 * (i * 7919 % 5000) + i % 7 AS gross, 20 + i % 50 AS age FROM range(200) t(i);
CREATE TABLE bonus AS SELECT 199 - i AS id, (199 - i) * 7919 % 5000 // 50 AS paid FROM range(200) t(i)
"""
FIFTY = "SELECT SUM({}) FROM {} WHERE id < 50"
LESS = "SELECT SUM({}) FROM {} WHERE id < 49"


@pytest.fixture(scope="module")
def snapshot() -> Iterator[Snapshot]:
    with duckdb.connect() as con:
        con.execute(PAY)
        made = Snapshot(con, parse_document(POLICY).policy)
        yield made
        made.close()


def audited(snapshot: Snapshot, *statements: str) -> Audit:
    history = History(snapshot)
    for number, sql in enumerate(statements, 1):
        history.add(LoggedQuery(number, None, "eve", sql, None, "log", "duckdb"))
    return audit(history, Options(proofs=0))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("month", "pay"), ("year", "pay")),
        (("gross", "pay"), ("month", "pay")),
        (("year", "pay"), ("gross", "pay")),
        (("month", "pay"), ("paid", "bonus")),
        (("paid", "bonus"), ("year", "pay")),
    ],
)
def test_sums_of_linked_columns_leave_one_person(
    snapshot: Snapshot, one: tuple[str, str], other: tuple[str, str]
) -> None:
    found = audited(snapshot, FIFTY.format(*one), "SELECT AVG(age) FROM pay", LESS.format(*other))
    ((each),) = found.people
    assert each.together
    assert each.people == ("49",)
    assert found.exceeds
    assert (found.tally.findings, sum(found.tally.harmless.values())) == (2, 1)


def test_columns_that_are_not_linked_are_audited_apart(snapshot: Snapshot) -> None:
    assert not audited(snapshot, FIFTY.format("month", "pay"), LESS.format("age", "pay")).exceeds


def test_who_follows_from_one_column_by_itself_is_found_there(snapshot: Snapshot) -> None:
    sums = [FIFTY.format("month", "pay"), LESS.format("month", "pay"), "SELECT SUM(year) FROM pay"]
    found = audited(snapshot, *sums)
    assert {each.record for each in found.findings} == {"49"}
    assert not found.people


def test_links_that_meet_make_one_group() -> None:
    (group,) = linked_groups(parse_document(POLICY).policy)
    assert group == {("pay", "month"), ("pay", "year"), ("pay", "gross"), ("bonus", "paid")}


def test_who_is_told_of_a_growing_log_hears_of_each_person_once(snapshot: Snapshot) -> None:
    told, events = _Told(), []
    for statements in ([FIFTY.format("month", "pay")], [FIFTY.format("month", "pay"), LESS.format("year", "pay")]):
        for _ in range(2):
            events += [each for each in told.news(audited(snapshot, *statements)) if each["event"] == "people"]
    assert [each["people"] for each in events] == [["49"]]
