"""Linked columns where a person has several records: net and gross of the same visits, a person's total and its parts.

The attack: a total of one column over some records, a total of the other over nearly the same ones.
"""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
import pytest

import sdcdb
from sdcdb.errors import DatabaseError, Denied

VISITS = 90
PEOPLE = 30
POLICY = """\
version: 1
{links}
tables:
  people:
    key: person
    columns:
      person: identifier
      area: quasi
      total: {{role: confidential, domain: [0, 400000], step: 1}}
    restrict: {{min_set: 4, min_interval: 1%, groups: deny}}
  visits:
    key: visit
    person: person
    columns:
      visit: identifier
      person: identifier
      ward: quasi
      day: quasi
      net: {{role: confidential, domain: [0, 90000], step: 1}}
      gross: {{role: confidential, domain: [0, 90000], step: 1}}
    restrict: {{min_set: 4, min_interval: 1%, groups: deny}}
  bills:
    key: bill
    person: person
    columns:
      bill: identifier
      person: identifier
      site: quasi
      amount: {{role: confidential, domain: [0, 90000], step: 1}}
    restrict: {{min_set: 4, min_interval: 1%, groups: deny}}
"""
APART = "distinct: [[visits, bills]]"
SAME_VISITS = "linked: [visits.net ~ visits.gross]\n" + APART
TOTALS = "linked: [people.total ~ visits.net]\n" + APART
BILLS = "linked: [visits.net ~ bills.amount]"


# the visits of the people of areas 0 to 3 are those of the days with i * 7 % 6 < 4, that is i % 6 < 4
OF_PEOPLE = "SELECT SUM(total) FROM people WHERE area < 4"
OF_VISITS = "SELECT SUM(net) FROM visits WHERE day % 6 < 4 AND day <> 15"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(file)) as con:
        con.execute(
            "CREATE TABLE visits AS SELECT 1000 + i AS visit, i * 7 % 30 AS person, i % 5 AS ward, i AS day, "
            "(i * 7919) % 40000 AS net, net + (i * 104729) % 50000 AS gross FROM range(90) t(i)"
        )
        con.execute(
            "CREATE TABLE people AS SELECT person, person % 6 AS area, sum(net)::BIGINT AS total "
            "FROM visits GROUP BY ALL"
        )
        con.execute("CREATE TABLE bills AS SELECT visit AS bill, person, visit % 9 AS site, net AS amount FROM visits")
    return file


class Asked:
    """A gateway under a policy: an answer, or the rule that denies it."""

    def __init__(self, path: Path, links: str) -> None:
        rules = path.with_suffix(".policy.yaml")
        rules.write_text(POLICY.format(links=links), "utf-8")
        self._database = sdcdb.open(path, rules)
        self.gateway = self._database.gateway()

    def __call__(self, sql: str) -> int | str:
        try:
            return int(self.gateway.ask(sql).rows[0][0])
        except Denied as refusal:
            return refusal.rule

    def close(self) -> None:
        self.gateway.close()
        self._database.close()


@pytest.fixture
def opened() -> Iterator[list[Asked]]:
    held: list[Asked] = []
    yield held
    for each in held:
        each.close()


def at(path: Path, links: str, opened: list[Asked]) -> Asked:
    opened.append(Asked(path, links))
    return opened[-1]


def test_net_of_all_visits_less_gross_of_all_but_one(path: Path, opened: list[Asked]) -> None:
    ask = at(path, SAME_VISITS, opened)
    assert isinstance(ask("SELECT SUM(net) FROM visits WHERE day < 70"), int)
    assert ask("SELECT SUM(gross) FROM visits WHERE day < 70 AND day <> 17") == "exact"  # one visit of somebody
    assert isinstance(ask("SELECT SUM(gross) FROM visits WHERE day < 40"), int)
    assert isinstance(ask("SELECT SUM(gross) FROM visits WHERE day < 70"), int)


def test_all_visits_of_a_person_are_one_person(path: Path, opened: list[Asked]) -> None:
    ask = at(path, SAME_VISITS, opened)
    with duckdb.connect() as con:
        days = [n for (n,) in con.execute("SELECT i FROM range(90) t(i) WHERE i * 7 % 30 = 11").fetchall()]
    assert len(days) == 3
    assert isinstance(ask("SELECT SUM(net) FROM visits WHERE day < 80"), int)
    listed = ", ".join(map(str, days))
    assert ask(f"SELECT SUM(gross) FROM visits WHERE day < 80 AND day NOT IN ({listed})") == "exact"


def test_a_persons_total_and_its_parts(path: Path, opened: list[Asked]) -> None:
    apart = at(path, APART, opened)
    whole, parts = apart(OF_PEOPLE), apart(OF_VISITS)
    assert isinstance(whole, int)
    assert isinstance(parts, int)
    assert whole - parts == 15 * 7919 % 40000, "apart, the two answers are one visit's cost"


def test_a_persons_total_and_its_parts_are_one_audit(path: Path, opened: list[Asked]) -> None:
    ask = at(path, TOTALS, opened)
    assert ask.gateway.halted() == []
    assert isinstance(ask(OF_PEOPLE), int)
    assert ask(OF_VISITS) == "exact"
    assert isinstance(ask("SELECT SUM(net) FROM visits"), int)
    assert isinstance(ask("SELECT SUM(total) FROM people WHERE area < 3"), int)
    assert isinstance(ask("SELECT SUM(net) FROM visits WHERE ward < 2"), int)


def test_records_with_the_same_keys_are_the_same(path: Path, opened: list[Asked]) -> None:
    ask = at(path, BILLS, opened)
    assert ask.gateway.halted() == []
    assert isinstance(ask("SELECT SUM(net) FROM visits"), int)
    assert isinstance(ask("SELECT SUM(amount) FROM bills"), int)
    assert isinstance(ask("SELECT SUM(amount) FROM bills WHERE site < 5"), int)
    without = ", ".join(str(n) for n in range(90) if (n + 1000) % 9 < 5 and n != 39)
    assert ask(f"SELECT SUM(net) FROM visits WHERE day IN ({without})") == "exact"


def test_keys_that_are_other_peoples_records_do_not_match(path: Path, opened: list[Asked]) -> None:
    with duckdb.connect(str(path)) as con:
        con.execute("UPDATE bills SET person = (person + 1) % 30")
    ask = at(path, BILLS, opened)
    (halt,) = ask.gateway.halted()
    assert halt.table == "bills"
    assert "records with the same key are other people's in visits" in halt.why[0]
    assert ask("SELECT SUM(amount) FROM bills") == "linked"


def test_a_total_of_what_changes_is_refused(path: Path, opened: list[Asked]) -> None:
    first = at(path, TOTALS, opened)
    assert isinstance(first("SELECT SUM(total) FROM people"), int)
    opened.pop().close()
    with duckdb.connect(str(path)) as con:
        con.execute("INSERT INTO visits SELECT 2000 + i, i, 1, 100 + i, 500, 900 FROM range(25) t(i)")
    ask = at(path, TOTALS, opened)
    ask.gateway.refresh()
    (halt,) = ask.gateway.halted()
    assert halt.table == "visits"
    assert "one of them has changed" in halt.why[0]
    assert isinstance(ask("SELECT SUM(total) FROM people"), int)


def test_a_value_that_is_repeated_in_every_record_is_no_part_of_a_total(path: Path) -> None:
    with duckdb.connect(str(path)) as con:
        con.execute("UPDATE visits SET net = person * 1000")
        con.execute("UPDATE people SET total = person * 1000")
    rules = path.with_suffix(".policy.yaml")
    rules.write_text(POLICY.format(links=TOTALS), "utf-8")
    with sdcdb.open(path, rules) as database, pytest.raises(DatabaseError, match="the same value in all records"):
        database.gateway()


@pytest.mark.parametrize("links", [SAME_VISITS, TOTALS, BILLS])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 8))])
def test_no_combination_of_answers_is_about_too_few(path: Path, opened: list[Asked], links: str, seed: int) -> None:
    """Random questions about both columns, and an attacker who takes both for the same numbers."""
    ask, rng = at(path, links, opened), np.random.default_rng(seed)
    person = np.arange(VISITS) * 7 % PEOPLE
    rows, asked = list[np.ndarray](), 0
    for _ in range(60):
        low, high = sorted(rng.choice(VISITS + 1, 2, replace=False))
        wards = rng.choice(5, rng.integers(1, 5), replace=False)
        chosen = (np.arange(VISITS) >= low) & (np.arange(VISITS) < high) & np.isin(np.arange(VISITS) % 5, wards)
        where = f"day >= {low} AND day < {high} AND ward IN ({', '.join(map(str, wards))})"
        sql = f"SELECT SUM(net) FROM visits WHERE {where}"
        if rng.random() < 0.5:
            picks = rng.choice(9 if links == BILLS else 6, rng.integers(1, 6), replace=False)
            if links == SAME_VISITS:
                sql = f"SELECT SUM(gross) FROM visits WHERE {where}"
            elif links == TOTALS:
                sql = f"SELECT SUM(total) FROM people WHERE area IN ({', '.join(map(str, picks))})"
                chosen = np.isin(person % 6, picks)
            else:
                sql = f"SELECT SUM(amount) FROM bills WHERE site IN ({', '.join(map(str, picks))})"
                chosen = np.isin((np.arange(VISITS) + 1000) % 9, picks)
        asked += 1
        if isinstance(ask(sql), int):
            rows.append(chosen.astype(float))
    matrix = np.array(rows)
    rank = np.linalg.matrix_rank(matrix)
    assert 8 <= len(rows) < asked
    for each in range(PEOPLE):
        assert np.linalg.matrix_rank(matrix[:, person != each]) == rank, "a combination of one person's records"
    for size in (2, 3):
        for group in combinations(range(PEOPLE), size):
            flags = np.isin(person, group).astype(float)
            assert np.linalg.matrix_rank(np.vstack([matrix, flags])) > rank, "a total of too few"
