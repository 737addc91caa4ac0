"""A confidential category on a table with several records per person: the unit is the person."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

import sdcdb
from sdcdb.errors import DatabaseError, Denied, Unsupported
from sdcdb.gateway import Gateway

POLICY = """
version: 1
tables:
  visits:
    key: visit_id
    person: patient_id
    constant: [blood]
    columns:
      visit_id: identifier
      patient_id: identifier
      ward: quasi
      year: quasi
      blood: {role: confidential, known: {A: 40%, B: 30%, 0: 30%}}
      cause: {role: confidential, known: {fall: 3%, fever: 3%, other: 94%}, sensitive: [fall, fever]}
    restrict: {min_set: 10, small_totals: forbid, groups: deny}
"""
VISITS = """
CREATE TABLE visits AS
SELECT i AS visit_id, p AS patient_id, ['N', 'S'][1 + p % 2] AS ward, 2018 + i % 4 AS year,
       ['A', 'A', 'A', 'A', 'B', 'B', 'B', '0', '0', '0'][1 + p * 7919 % 1009 % 10] AS blood,
       CASE WHEN i * 31 % 1013 < 30 THEN 'fall' WHEN i * 31 % 1013 < 60 THEN 'fever' ELSE 'other' END AS cause
FROM (SELECT i, i % 6000 AS p FROM range(12000) t(i))
UNION ALL SELECT 20000 + i, 9000, 'X', 2020, 'B', 'fall' FROM range(2) t(i)
UNION ALL SELECT 20100 + i, 9001 + i % 12, 'Y', 2020, '0', 'fever' FROM range(24) t(i)
"""
PEOPLE = "SELECT COUNT(DISTINCT patient_id) FROM visits"
RECORDS = "SELECT COUNT(*) FROM visits"


@contextmanager
def asked(folder: Path, policy: str = POLICY) -> Iterator[Gateway]:
    file = folder / "visits.duckdb"
    with duckdb.connect(str(file)) as con:
        con.execute(VISITS)
    (folder / "policy.yaml").write_text(policy)
    with sdcdb.open(file, policy=folder / "policy.yaml") as database, database.gateway() as gateway:
        yield gateway


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with asked(tmp_path_factory.mktemp("clinic")) as gateway:
        yield gateway


ALONE = {
    "people of one ward with one patient": f"{PEOPLE} WHERE ward = 'X' AND blood = 'B'",
    "a ward where all twelve have it": f"{PEOPLE} WHERE ward = 'Y' AND blood = '0'",
    "their absence": f"{PEOPLE} WHERE ward = 'Y' AND blood = 'A'",
    "records of a pocket": f"{RECORDS} WHERE ward = 'Y' AND cause = 'fever'",
    "records of one patient": f"{RECORDS} WHERE ward = 'X' AND cause = 'fall'",
    "records by a constant category": f"{RECORDS} WHERE blood = 'A'",
    "shares of records by a constant category": "SELECT AVG((blood = 'A')::INT) FROM visits",
    "people by a category of which they have several": f"{PEOPLE} WHERE cause = 'fall'",
    "both categories": f"{PEOPLE} WHERE cause = 'fall' AND blood = 'A'",
}


@pytest.mark.parametrize("name", ALONE)
def test_what_is_refused_by_itself(clinic: Gateway, name: str) -> None:
    with pytest.raises((Denied, Unsupported)):
        clinic.ask(ALONE[name], user="mallory")


SEQUENCES = {
    "everybody less a pocket": [f"{PEOPLE} WHERE blood = '0'", f"{PEOPLE} WHERE blood = '0' AND ward <> 'Y'"],
    "a union less its part": [
        f"{PEOPLE} WHERE blood = 'B' AND ward IN ('N', 'X')",
        f"{PEOPLE} WHERE blood = 'B' AND ward = 'N'",
    ],
    "records less a pocket": [f"{RECORDS} WHERE cause = 'fever'", f"{RECORDS} WHERE cause = 'fever' AND ward <> 'Y'"],
}


@pytest.mark.parametrize("name", SEQUENCES)
def test_no_sequence_is_answered_to_its_end(name: str, tmp_path: Path) -> None:
    with asked(tmp_path) as gateway:
        found = []
        for question in SEQUENCES[name]:
            try:
                gateway.ask(question, user="mallory")
                found.append(True)
            except Denied:
                found.append(False)
        assert found[0]
        assert not all(found)


def test_honest_counts_are_exact(tmp_path: Path) -> None:
    questions = [
        f"{PEOPLE} WHERE blood = 'A' AND ward IN ('N', 'S')",
        "SELECT ward, blood, COUNT(DISTINCT patient_id) FROM visits WHERE ward IN ('N', 'S') GROUP BY ALL ORDER BY ALL",
        f"{RECORDS} WHERE cause = 'fall' AND ward IN ('N', 'S')",
        "SELECT COUNT(*) FILTER (WHERE cause = 'fever') FROM visits",
    ]
    with asked(tmp_path) as gateway, duckdb.connect() as plain:
        plain.execute(VISITS)
        for question in questions:
            assert list(gateway.ask(question, user="ann").rows) == plain.execute(question).fetchall()
    opened = sdcdb.open(tmp_path / "visits.duckdb", policy=tmp_path / "policy.yaml")
    with opened as database, database.gateway() as gateway, pytest.raises(Denied):  # restored from the ledger
        gateway.ask(f"{PEOPLE} WHERE blood = 'A'", user="mallory")


def test_a_constant_that_is_none_is_not_opened(tmp_path: Path) -> None:
    with (
        pytest.raises(DatabaseError, match="declared constant"),
        asked(tmp_path, POLICY.replace("[blood]", "[blood, cause]")),
    ):
        pass
