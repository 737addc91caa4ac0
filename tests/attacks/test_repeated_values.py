"""A number that a person has again in every record: sums over records are sums over people, and enough tell all."""

from pathlib import Path

import duckdb
import numpy as np
import pytest

import sdcdb
from sdcdb.errors import DatabaseError, Denied
from sdcdb.gateway.tables.checking import check_as_gateway
from sdcdb.policy.load import load_document

PEOPLE, VISITS = 40, 800
POLICY = """
version: 1
tables:
  visits:
    key: visit
    person: person
    columns:
      visit: identifier
      person: identifier
      ward: quasi
      week: quasi
      income: {role: confidential, domain: [0, 100000], step: 1}
    restrict: {groups: deny}
"""
REPEATED = {
    "the same in every record": "income",
    "a raise in the middle": "CASE WHEN week < 5 THEN income ELSE income * 103 // 100 END",
    "hardly another one": "income + visit % 100",
    "a wage for so many weeks": "income * (week + 1) // 20",
    "a salary with large raises": "income // 3 + week * 6000",
    "what is left of it": "90000 - income * (week + 1) // 20",
    "two factors that everybody knows": "income * (week + 1) * (ward + 1) // 200",
}
QUESTIONS = [f"ward = {a} AND week IN ({b}, {(b + 1) % 10})" for a in range(10) for b in range(10)]


def visits(con: duckdb.DuckDBPyConnection, income: str) -> None:
    rng = np.random.default_rng(7)
    incomes = rng.integers(0, 90_000, PEOPLE)
    rows = [(n, int(p), *map(int, rng.integers(0, 10, 2)), int(incomes[p])) for n, p in
            enumerate(rng.integers(0, PEOPLE, VISITS))]  # fmt: skip
    con.execute("CREATE TABLE known (visit INT, person INT, ward INT, week INT, income INT)")
    con.executemany("INSERT INTO known VALUES (?, ?, ?, ?, ?)", rows)
    con.execute(f"CREATE TABLE visits AS SELECT * REPLACE (({income})::INTEGER AS income) FROM known")
    con.execute("DROP TABLE known")


def database(folder: Path, income: str, policy: str = POLICY) -> sdcdb.Database:
    with duckdb.connect(str(folder / "clinic.duckdb")) as con:
        visits(con, income)
    (folder / "policy.yaml").write_text(policy)
    return sdcdb.open(folder / "clinic.duckdb", policy=folder / "policy.yaml")


def test_as_many_sums_as_people_tell_every_income_in_plain_duckdb() -> None:
    """Each set has ten people or more. Who was where in which week is no secret."""
    with duckdb.connect() as con:
        visits(con, "income")
        rows, answers = [], []
        for where in QUESTIONS:
            held = con.execute(f"SELECT person FROM visits WHERE {where}").fetchall()
            rows.append(np.bincount([p for (p,) in held], minlength=PEOPLE))
            answers.append(con.execute(f"SELECT SUM(income) FROM visits WHERE {where}").fetchall()[0][0])
        found, *_ = np.linalg.lstsq(np.array(rows, dtype=float), np.array(answers, dtype=float), rcond=None)
        truth = dict(con.execute("SELECT DISTINCT person, income FROM visits").fetchall())
    assert all(round(found[person]) == income for person, income in truth.items())


@pytest.mark.parametrize("name", REPEATED)
def test_the_gateway_does_not_open_with_a_number_that_is_a_persons_and_not_a_records(name: str, tmp_path: Path) -> None:
    with database(tmp_path, REPEATED[name]) as found:
        with pytest.raises(DatabaseError, match="the same value in all records of most people, or nearly"):
            found.gateway()
        problems = check_as_gateway(found.con, load_document(tmp_path / "policy.yaml"))
        assert any("one record per person" in each.message for each in problems if each.severity == "error")


def test_a_wage_for_known_hours_is_told_in_plain_duckdb() -> None:
    """No two records of a person are alike, and yet there is one unknown for each."""
    with duckdb.connect() as con:
        visits(con, "income * (week + 1)")
        rows, answers = [], []
        for where in QUESTIONS:
            held = con.execute(f"SELECT person, week + 1 FROM visits WHERE {where}").fetchall()
            rows.append(np.bincount([p for p, _ in held], weights=[n for _, n in held], minlength=PEOPLE))
            answers.append(con.execute(f"SELECT SUM(income) FROM visits WHERE {where}").fetchall()[0][0])
        found, *_ = np.linalg.lstsq(np.array(rows), np.array(answers, dtype=float), rcond=None)
        truth = dict(con.execute("SELECT DISTINCT person, income // (week + 1) FROM visits").fetchall())
    assert all(round(found[person]) == income for person, income in truth.items())


def test_a_number_that_is_declared_constant_is_refused_too(tmp_path: Path) -> None:
    policy = POLICY.replace("    person: person\n", "    person: person\n    constant: [income]\n")
    with database(tmp_path, "income", policy) as found, pytest.raises(DatabaseError, match="is declared constant"):
        found.gateway()


VARYING = {
    "another number in each record": "visit * 7919 % 90000",
    "what the week makes of it": "week * 5000 + visit * 7919 % 20000",
    "partly the person's": "income // 3 + visit * 7919 % 30000",
}


@pytest.mark.parametrize("name", VARYING)
def test_numbers_of_records_are_asked_about(name: str, tmp_path: Path) -> None:
    with database(tmp_path, VARYING[name]) as found, found.gateway() as gateway:
        assert gateway.ask("SELECT ward, SUM(income) FROM visits GROUP BY ward", user="ann").rows


PANEL = """
version: 1
tables:
  panel:
    key: answer
    person: person
    columns:
      answer: identifier
      person: identifier
      year: quasi
      smoker: {role: confidential, known: {"true": 8%, "false": 92%}, sensitive: ["true"]}
    restrict: {groups: deny}
"""
YEARS = """
CREATE TABLE panel AS SELECT year * 100000 + person AS answer, person, 2018 + year AS year, {smoker} AS smoker
FROM range(6000) a(person), range(2) b(year) WHERE NOT (person = 77 AND year = 1)
"""
SAME, OTHER = "hash(person) % 100 < 8", "hash(person, year) % 100 < 8"


def panel(folder: Path, smoker: str, policy: str = PANEL) -> sdcdb.Database:
    with duckdb.connect(str(folder / "panel.duckdb")) as con:
        con.execute(YEARS.format(smoker=smoker))
    (folder / "policy.yaml").write_text(policy)
    return sdcdb.open(folder / "panel.duckdb", policy=folder / "policy.yaml")


def test_a_category_that_is_the_same_in_every_year_is_told_by_two_years_in_plain_duckdb() -> None:
    with duckdb.connect() as con:
        con.execute(YEARS.format(smoker=SAME))
        counts = con.execute("SELECT COUNT(*) FILTER (WHERE smoker) FROM panel GROUP BY year ORDER BY year").fetchall()
        truth = con.execute("SELECT smoker::INT FROM panel WHERE person = 77").fetchall()
    assert counts[0][0] - counts[1][0] == truth[0][0]


def test_a_category_that_a_person_has_again_is_constant_or_not_asked_about(tmp_path: Path) -> None:
    count = "SELECT COUNT(DISTINCT person) FROM panel WHERE smoker AND year = "
    with panel(tmp_path, SAME) as found, pytest.raises(DatabaseError, match="declare it `constant`"):
        found.gateway()
    constant = PANEL.replace("    person: person\n", "    person: person\n    constant: [smoker]\n")
    (tmp_path / "policy.yaml").write_text(constant)
    with sdcdb.open(tmp_path / "panel.duckdb", tmp_path / "policy.yaml") as found, found.gateway() as gateway:
        assert gateway.ask(f"{count}2018", user="mallory").rows
        with pytest.raises(Denied):
            gateway.ask(f"{count}2019", user="mallory")


def test_a_category_of_records_is_counted(tmp_path: Path) -> None:
    with panel(tmp_path, OTHER) as found, found.gateway() as gateway:
        assert gateway.ask("SELECT year, COUNT(*) FILTER (WHERE smoker) FROM panel GROUP BY year", user="ann").rows
