"""Columns that determine each other: net and gross, month and year, two tables about the same people.

The attack: a total of one column over fifty people, a total of the other over forty-nine of them.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sdcdb
from sdcdb.errors import Denied
from sdcdb.gateway.tables.halt import Halt

POLICY = """\
version: 1
{links}
tables:
  staff:
    key: id
    {linked}
    columns:
      id: identifier
      age: quasi
      month: {{role: confidential, domain: [1000, 9000], step: 1}}
      year: {{role: confidential, domain: [12000, 108000], step: 12}}
      tax: {{role: confidential, domain: [0, 9000], step: 1}}
      rank: {{role: confidential, domain: [-9000, -1000], step: 1}}
    restrict: {{min_set: 5, min_interval: 5%, groups: deny, aggregates: [count, sum, avg, min, max]}}
  payroll:
    key: person
    columns:
      person: identifier
      site: quasi
      band: quasi
      gross: {{role: confidential, domain: [0, 20000], step: 1}}
    restrict: {{min_set: 5, min_interval: 5%, groups: deny}}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "firm.duckdb"
    with duckdb.connect(str(file)) as con:
        con.execute(
            "CREATE TABLE staff AS SELECT i AS id, 20 + i AS age, 1000 + (i * 7919) % 8000 AS month, "
            "12 * month AS year, month * month // 9000 AS tax, -month AS rank FROM range(60) t(i)"
        )
        con.execute(
            "CREATE TABLE payroll AS SELECT CAST(id AS VARCHAR) AS person, id % 2 AS site, id // 2 AS band, "
            "month + tax AS gross FROM staff"
        )
    return file


def answers(path: Path, sqls: list[str], *, linked: str = "", links: str = "") -> list[Any]:
    """Ask one question after the other, each at a gateway that is opened for it: the history is the ledger's."""
    rules = path.with_suffix(".policy.yaml")
    rules.write_text(POLICY.format(linked=linked, links=links), "utf-8")
    found: list[Any] = []
    for sql in sqls:
        with sdcdb.open(path, rules) as database, database.gateway() as gateway:
            try:
                found.append(gateway.ask(sql).rows[0][0])
            except Denied as refusal:
                found.append(refusal.rule)
    return found


ALL, BUT_ONE = "SELECT SUM({}) FROM staff WHERE age < 70", "SELECT SUM({}) FROM staff WHERE age < 69"
SAME: dict[str, tuple[str, str, str, Callable[[int, int], float]]] = {
    "month and year": ("linked: [year = 12 * month]", "month", "year", lambda a, b: a - b / 12),
    "year and month": ("linked: [year = 12 * month]", "year", "month", lambda a, b: a / 12 - b),
    "upside down": ("linked: [rank = -1 * month]", "month", "rank", lambda a, b: a + b),
    "by way of another": ("linked: [year = 12 * month, rank = -1 * month]", "rank", "year", lambda a, b: -a - b / 12),
    "nearly, month and year": ("linked: [month ~ year]", "month", "year", lambda a, b: a - b / 12),
}


@pytest.mark.parametrize("name", SAME)
def test_a_total_of_one_column_less_a_total_of_the_other_is_nobody(path: Path, name: str) -> None:
    linked, one, other, solve = SAME[name]
    sqls = [ALL.format(one), BUT_ONE.format(other)]
    first, second = answers(path, sqls)
    with duckdb.connect(str(path)) as con:
        victim = con.execute("SELECT month FROM staff WHERE age = 69").fetchone()
    assert victim
    assert solve(first, second) == victim[0], "apart, the two answers are a person's value"
    for file in path.parent.glob("firm.ledger*"):
        file.unlink()
    with duckdb.connect(str(path)) as con:
        con.execute("DROP TABLE sdc.ledger_mark")
    assert answers(path, sqls, linked=linked) == [first, "exact"]


def test_net_and_gross_in_any_relation(path: Path) -> None:
    linked = "linked: [month ~ tax]"
    sqls = [ALL.format("month"), BUT_ONE.format("tax"), "SELECT SUM(tax) FROM staff WHERE age < 45", ALL.format("tax")]
    first, *others = answers(path, sqls, linked=linked)
    assert first > 0
    assert others[0] == "exact"
    assert others[1] > 0
    assert others[2] > 0  # a set that was asked of one column may be asked of the others


def test_one_statement_is_looked_at_as_a_whole(path: Path) -> None:
    sql = "SELECT SUM(month) FILTER (WHERE age < 70), SUM({}) FILTER (WHERE age < 69) FROM staff"
    assert answers(path, [sql.format("tax")], linked="linked: [month ~ tax]") == ["exact"]
    assert answers(path, [sql.format("year")], linked="linked: [year = 12 * month, month ~ tax]") == ["exact"]


def test_extremes_of_linked_columns(path: Path) -> None:
    sqls = ["SELECT MAX(month) FROM staff WHERE age < 70", "SELECT {}({}) FROM staff WHERE age < 69"]
    same = answers(path, [sqls[0], sqls[1].format("MIN", "rank")], linked="linked: [rank = -1 * month, month ~ tax]")
    assert same[0] > 0
    assert same[1] == "exact"
    assert answers(path, ["SELECT MAX(tax) FROM staff"], linked="linked: [rank = -1 * month, month ~ tax]") == ["exact"]


def test_two_tables_about_the_same_people(path: Path) -> None:
    links = "linked: [staff.month ~ payroll.gross]"
    sqls = ["SELECT SUM(month) FROM staff", "SELECT SUM(gross) FROM payroll WHERE band < 25",
            "SELECT SUM(gross) FROM payroll WHERE band < 25 AND NOT (band = 7 AND site = 1)",
            "SELECT SUM(month) FROM staff WHERE age < 70 AND age <> 35",
            "SELECT SUM(month) FROM staff WHERE age BETWEEN 30 AND 59"]  # fmt: skip
    apart = answers(path, [sqls[1], sqls[3]])
    assert all(isinstance(each, int) for each in apart)
    for file in path.parent.glob("firm.ledger*"):
        file.unlink()
    with duckdb.connect(str(path)) as con:
        con.execute("DROP TABLE sdc.ledger_mark")
    found = answers(path, sqls, links=links)
    assert [isinstance(each, int) for each in found] == [True, True, False, False, True]
    assert found[2:4] == ["exact", "exact"]


def test_two_tables_that_change(path: Path) -> None:
    """Payroll loses a person; staff is then asked for everybody but that person."""
    links = "linked: [staff.month ~ payroll.gross]"
    assert answers(path, ["SELECT SUM(gross) FROM payroll"], links=links)[0] > 0
    with duckdb.connect(str(path)) as con:
        con.execute("DELETE FROM payroll WHERE person = '17'")
    with sdcdb.open(path) as database, database.gateway() as gateway:
        assert gateway.refresh() == ["payroll"]
        for sql in ("SELECT SUM(month) FROM staff WHERE age <> 37", "SELECT SUM(gross) FROM payroll"):
            with pytest.raises(Denied, match=r"exact|size"):
                gateway.ask(sql)
        assert gateway.ask("SELECT SUM(month) FROM staff").rows


def test_people_who_cannot_be_matched_are_not_asked_about(path: Path) -> None:
    with duckdb.connect(str(path)) as con:
        con.execute("UPDATE payroll SET person = 'p' || person")
    links = "linked: [staff.month ~ payroll.gross]"
    first, second = answers(path, ["SELECT SUM(month) FROM staff", "SELECT SUM(gross) FROM payroll"], links=links)
    assert first > 0
    assert second == "linked"
    with sdcdb.open(path) as database, database.gateway() as gateway:
        assert gateway.halted() == [
            Halt("payroll", "linked", ("gross is linked, and none of its keys is a key of staff",))
        ]


def test_taking_a_link_away_waits_for_the_owner(path: Path) -> None:
    sqls = [ALL.format("month")]
    assert answers(path, sqls, linked="linked: [year = 12 * month]", links="linked: [staff.tax ~ payroll.gross]")[0] > 0
    assert answers(path, [BUT_ONE.format("year"), "SELECT COUNT(*) FROM payroll"]) == ["policy", "policy"]
    with sdcdb.open(path) as database, database.gateway() as gateway:
        assert gateway.accept_looser("a mistake") == [
            "staff: linked: payroll.gross ~ staff.tax is audited apart",
            "staff: linked: year = 12 * month is audited apart",
            "payroll: linked: payroll.gross ~ staff.tax is audited apart",
        ]


def test_an_equation_that_does_not_hold_stops_the_gateway(path: Path) -> None:
    with pytest.raises(sdcdb.DatabaseError, match="is not what its equation in `linked` says"):
        answers(path, [ALL.format("month")], linked="linked: [year = 11 * month]")
