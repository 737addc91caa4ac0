"""Several records per person: one patient's visits are one person, however many they are and however they are cut."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

import sdcdb
from sdcdb.errors import Denied, Unsupported
from sdcdb.gateway import Gateway

POLICY = """
version: 1
tables:
  wards: public
  visits:
    key: visit_id
    person: patient_id
    columns:
      visit_id: identifier
      patient_id: identifier
      ward: quasi
      year: quasi
      age: quasi
      cost: {role: confidential, domain: [0, 10000], step: 1}
    restrict: {min_set: 10, small_totals: forbid, groups: deny, aggregates: [count, sum, avg, min, max]}
"""

VISITS = """
CREATE TABLE visits AS
SELECT i AS visit_id, p AS patient_id, ward, year, age, 1000 + (i * 7919 + i // 300 * 2311) % 8000 AS cost FROM (
    -- patient 0: twelve visits, alone in ward X; patient 1: six visits in six years, alone in ward Y
    SELECT i, 0 AS p, 'X' AS ward, 2020 AS year, 50 AS age FROM range(12) t(i)
    UNION ALL SELECT 100 + i, 1, 'Y', 2010 + i, 51 FROM range(12) t(i)
    -- patients 2 to 4: together alone in ward Z, five visits each
    UNION ALL SELECT 200 + i, 2 + i % 3, 'Z', 2015 + i % 5, 52 FROM range(15) t(i)
    -- everybody else: 300 patients, three visits each in wards A and B
    UNION ALL SELECT 1000 + i, 10 + i % 300, ['A', 'B'][1 + (i // 300) % 2], 2010 + i % 12, 20 + i % 40
    FROM range(900) t(i)
)
"""


@contextmanager
def asked(tmp_path: Path, policy: str = POLICY) -> Iterator[Gateway]:
    file = tmp_path / "visits.duckdb"
    with duckdb.connect(str(file)) as con:
        con.execute(VISITS)
        con.execute("CREATE TABLE wards AS SELECT unnest(['A', 'B', 'X', 'Y', 'Z']) AS ward")
    (tmp_path / "policy.yaml").write_text(policy)
    with sdcdb.open(file, policy=tmp_path / "policy.yaml") as database, database.gateway() as gateway:
        yield gateway


def answers(gateway: Gateway, *questions: str) -> list[bool]:
    return [rule(gateway, question) is None for question in questions]


def rule(gateway: Gateway, question: str) -> str | None:
    try:
        found = gateway.ask(question, user="mallory")
    except Denied as denial:
        return denial.rule
    except Unsupported:
        return "unsupported"
    return found.verdict.rule


SUM = "SELECT SUM(cost) FROM visits"
COUNT = "SELECT COUNT(*) FROM visits"
ATTACKS = {
    "twelve visits of one patient": [f"{SUM} WHERE ward = 'X'"],
    "their number": [f"{COUNT} WHERE ward = 'X'"],
    "their average": ["SELECT AVG(cost) FROM visits WHERE ward = 'X'"],
    "the highest": ["SELECT MAX(cost) FROM visits WHERE ward = 'X'"],
    "how many people": ["SELECT COUNT(DISTINCT patient_id) FROM visits WHERE ward = 'X'"],
    "fifteen visits of three": [f"{SUM} WHERE ward = 'Z'"],
    "the complement": [SUM, f"{SUM} WHERE ward <> 'X'"],
    "the complement, counted": [COUNT, f"{COUNT} WHERE ward <> 'X'"],
    "the complement, by people": [
        "SELECT COUNT(DISTINCT patient_id) FROM visits",
        "SELECT COUNT(DISTINCT patient_id) FROM visits WHERE ward <> 'X'",
    ],
    "the difference": [f"{SUM} WHERE ward IN ('A', 'X')", f"{SUM} WHERE ward = 'A'"],
    "the difference, counted": [f"{COUNT} WHERE ward IN ('A', 'X')", f"{COUNT} WHERE ward = 'A'"],
    "the difference of years": [f"{SUM} WHERE ward IN ('A', 'Y')", f"{SUM} WHERE ward = 'A'"],
    "years of one patient, one by one": [
        q
        for year in range(2010, 2022)
        for q in (
            f"{SUM} WHERE ward IN ('A', 'B', 'Y') AND year = {year}",
            f"{SUM} WHERE ward IN ('A', 'B') AND year = {year}",
        )
    ],
    "a person's total from a chain": [
        f"{SUM} WHERE ward IN ('A', 'Y')",
        f"{SUM} WHERE ward IN ('B', 'Y')",
        f"{SUM} WHERE ward IN ('A', 'B')",
    ],
    "a tracker": [
        f"{SUM} WHERE ward = 'X' OR year < 2016",
        f"{SUM} WHERE ward = 'X' OR year >= 2016",
        SUM,
    ],
    "in one statement": ["SELECT SUM(cost), SUM(cost) FILTER (WHERE ward <> 'X') FROM visits"],
    "by CASE": ["SELECT SUM(CASE WHEN ward = 'X' THEN 1 ELSE 0 END) FROM visits"],
    "by groups": ["SELECT ward, SUM(cost), COUNT(*) FROM visits GROUP BY ward"],
    "by rollup": ["SELECT ward, year, SUM(cost) FROM visits GROUP BY ROLLUP (ward, year)"],
    "a holder": ["SELECT MAX(cost) FROM visits", "SELECT MAX(cost) FROM visits WHERE ward <> 'X'"],
    "the oldest": ["SELECT MAX(age) FROM visits WHERE ward IN ('X', 'Y', 'Z') OR age < 30"],
    "three people's difference": [f"{SUM} WHERE ward IN ('B', 'Z')", f"{SUM} WHERE ward = 'B'"],
}


@pytest.mark.parametrize("name", ATTACKS)
def test_no_sequence_is_answered_to_its_end(name: str, tmp_path: Path) -> None:
    with asked(tmp_path) as gateway:
        assert not all(answers(gateway, *ATTACKS[name]))


def test_without_a_person_twelve_visits_pass(tmp_path: Path) -> None:
    """What the policy's line is for: the same question, with visits taken for people."""
    with asked(tmp_path, POLICY.replace("    person: patient_id\n", "")) as gateway:
        assert all(answers(gateway, *ATTACKS["twelve visits of one patient"], *ATTACKS["the difference"]))


def test_honest_questions_are_answered(tmp_path: Path) -> None:
    with asked(tmp_path) as gateway:
        questions = [
            "SELECT COUNT(*), COUNT(DISTINCT patient_id), AVG(cost) FROM visits",
            f"{SUM} WHERE ward = 'A'",
            "SELECT AVG(cost) FROM visits WHERE age < 40 AND ward = 'A'",
            "SELECT COUNT(DISTINCT patient_id) FROM visits WHERE ward = 'A' AND age < 40",
        ]
        assert answers(gateway, *questions) == [True] * 4
        found = gateway.ask("SELECT COUNT(*), COUNT(DISTINCT visits.patient_id) FROM visits", user="ann")
        assert found.rows == ((939, 305),)


def test_the_person_cannot_be_dropped_unnoticed(tmp_path: Path) -> None:
    with asked(tmp_path) as gateway:
        assert answers(gateway, SUM) == [True]
    (tmp_path / "policy.yaml").write_text(POLICY.replace("    person: patient_id\n", ""))
    file = tmp_path / "visits.duckdb"
    with sdcdb.open(file, policy=tmp_path / "policy.yaml") as database, database.gateway() as gateway:
        assert rule(gateway, f"{SUM} WHERE ward = 'A'") in {"policy", "version"}


def test_a_history_is_restored(tmp_path: Path) -> None:
    with asked(tmp_path) as gateway:
        assert answers(gateway, f"{SUM} WHERE ward IN ('A', 'X')", f"{COUNT} WHERE ward IN ('A', 'X')") == [True, True]
    file = tmp_path / "visits.duckdb"
    with sdcdb.open(file, policy=tmp_path / "policy.yaml") as database, database.gateway() as gateway:
        assert answers(gateway, f"{SUM} WHERE ward = 'A'", f"{COUNT} WHERE ward = 'A'") == [False, False]


@pytest.mark.parametrize("sql", ["SELECT COUNT(DISTINCT visit_id) FROM visits", "SELECT SUM(patient_id) FROM visits"])
def test_identifiers_serve_for_nothing_else(sql: str, tmp_path: Path) -> None:
    with asked(tmp_path) as gateway:
        assert rule(gateway, sql) == "shape"
