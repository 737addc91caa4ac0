"""A restricted table joined to the restricted table that it refers to: what is answered, and what tells too much."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

import sdcdb
from sdcdb.errors import DatabaseError, Denied
from sdcdb.gateway import Gateway

POLICY = """
version: 1
tables:
  patients:
    key: patient_id
    columns:
      patient_id: identifier
      sex: quasi
      area: quasi
      income: {role: confidential, domain: [0, 100000], step: 1}
      sick: {role: confidential, known: {"true": 20%, "false": 80%}}
    restrict: {min_set: 10, groups: deny}
  visits:
    key: visit_id
    person: patient_id
    refers: {patient_id: patients}
    columns:
      visit_id: identifier
      patient_id: identifier
      ward: quasi
      cost: {role: confidential, domain: [0, 10000], step: 1}
    restrict: {min_set: 10, groups: deny}
"""

TABLES = """
CREATE TABLE patients AS
SELECT i AS patient_id, if(i % 2 = 0, 'F', 'M') AS sex, if(i < 3, 'rare', 'area ' || i % 3) AS area,
    20000 + (i * 7919) % 60000 AS income, i % 5 = 0 AS sick FROM range(300) t(i);
CREATE TABLE visits AS
SELECT i AS visit_id, if(i >= 900, 300 + i % 40, i % 300) AS patient_id, ['A', 'B'][1 + (i // 300) % 2] AS ward,
    500 + (i * 6151 + i // 300 * 2311) % 9000 AS cost FROM range(1000) t(i)
"""  # the last hundred visits are of 40 people whom the table of patients does not know


@contextmanager
def asked(tmp_path: Path, policy: str = POLICY, more: str = "") -> Iterator[Gateway]:
    file = tmp_path / "hospital.duckdb"
    with duckdb.connect(str(file)) as con:
        con.execute(TABLES + ";" + more)
    (tmp_path / "policy.yaml").write_text(policy)
    with sdcdb.open(file, policy=tmp_path / "policy.yaml") as database, database.gateway() as gateway:
        yield gateway


JOIN = "FROM visits JOIN patients USING (patient_id)"
ANSWERED = [
    f"SELECT SUM(cost), COUNT(*), COUNT(DISTINCT patient_id) {JOIN} WHERE patients.sex = 'F'",
    f"SELECT sex, AVG(cost), COUNT(DISTINCT patients.patient_id) {JOIN} GROUP BY sex ORDER BY sex",
    "SELECT sex, ward, SUM(cost) FROM visits v JOIN patients p USING (patient_id) GROUP BY ALL ORDER BY 1, 2",
    "SELECT SUM(cost), COUNT(*) FROM patients JOIN visits ON visits.patient_id = patients.patient_id WHERE sex = 'M'",
    "SELECT sex, COUNT(*) FROM visits LEFT JOIN patients USING (patient_id) GROUP BY sex ORDER BY sex",
    f"SELECT COUNT(*) {JOIN}",
]


@pytest.mark.parametrize("sql", ANSWERED)
def test_answers_are_those_of_the_database(sql: str, tmp_path: Path) -> None:
    with asked(tmp_path) as gateway:
        found = gateway.ask(sql, user="ann")
    with duckdb.connect(str(tmp_path / "hospital.duckdb")) as con:
        assert [tuple(row) for row in found.rows] == con.execute(sql).fetchall()


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        (f"SELECT SUM(income) {JOIN}", "would count once for each record of visits"),
        (f"SELECT AVG(patients.income) {JOIN} WHERE ward = 'A'", "would count once for each record of visits"),
        (f"SELECT MAX(patients.income) {JOIN}", "would count once for each record of visits"),
        (f"SELECT COUNT(*) {JOIN} WHERE patients.sick", "would count once for each record of visits"),
        (f"SELECT sick, COUNT(*) {JOIN} GROUP BY sick", "would count once for each record of visits"),
        (f"SELECT SUM(cost) {JOIN} WHERE income > 50000", "would count once for each record of visits"),
        ("SELECT SUM(cost) FROM visits JOIN patients ON visits.patient_id <> patients.patient_id", "declares"),
        ("SELECT SUM(cost) FROM visits JOIN patients ON visits.cost = patients.income", "declares"),
        ("SELECT SUM(cost) FROM visits JOIN patients ON TRUE", "declares"),
        ("SELECT SUM(cost) FROM visits, patients", "declares"),
        ("SELECT SUM(cost) FROM visits RIGHT JOIN patients USING (patient_id)", "left joins that keep"),
        ("SELECT SUM(cost) FROM visits FULL JOIN patients USING (patient_id)", "left joins that keep"),
        ("SELECT SUM(cost) FROM patients LEFT JOIN visits USING (patient_id)", "left joins that keep"),
        ("SELECT SUM(v.cost) FROM visits v JOIN visits w USING (patient_id)", "joined to a restricted table"),
        (f"SELECT SUM(cost) {JOIN} WHERE patients.patient_id = 7", "no column"),
        (f"SELECT patients.patient_id, SUM(cost) {JOIN} GROUP BY 1", "no column"),
        (f"SELECT SUM(cost) {JOIN} WHERE area = 'rare'", "too small"),
        (
            "SELECT COUNT(*) FROM visits LEFT JOIN patients USING (patient_id) WHERE area <> 'rare' OR sex IS NULL",
            "too small",
        ),
        (f"SELECT area, COUNT(DISTINCT patient_id) {JOIN} GROUP BY area", "too small"),
        (
            "SELECT SUM(cost) FROM visits WHERE patient_id IN (SELECT patient_id FROM patients WHERE sex = 'F')",
            "public tables only",
        ),
    ],
)
def test_other_joins_are_refused_with_their_reason(sql: str, why: str, tmp_path: Path) -> None:
    with asked(tmp_path) as gateway, pytest.raises(Denied, match=why):
        gateway.ask(sql, user="mallory")


def test_differences_through_the_join(tmp_path: Path) -> None:
    """Three people of one area are the rest of two answers, whichever table chooses them."""
    with asked(tmp_path) as gateway:
        gateway.ask("SELECT SUM(cost) FROM visits WHERE ward = 'A'", user="mallory")
        with pytest.raises(Denied):
            gateway.ask(
                "SELECT SUM(cost) FROM visits LEFT JOIN patients USING (patient_id)"
                " WHERE ward = 'A' AND (area <> 'rare' OR area IS NULL)",
                user="mallory",
            )


def test_a_parent_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    again = "INSERT INTO patients SELECT * FROM patients LIMIT 1"
    with pytest.raises(DatabaseError, match="whose key 'patient_id' is not unique"), asked(tmp_path, more=again):
        pass


def test_without_the_declaration_nothing_is_joined(tmp_path: Path) -> None:
    policy = POLICY.replace("    refers: {patient_id: patients}\n", "")
    with asked(tmp_path, policy) as gateway, pytest.raises(Denied, match="joined to a restricted table"):
        gateway.ask(ANSWERED[0], user="mallory")
