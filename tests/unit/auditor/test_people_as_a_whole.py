"""Of a table with several records of a person, the audit finds what is known of one person's records together."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from sdcdb.auditor.audit import Audit, Options, audit
from sdcdb.auditor.document import document
from sdcdb.auditor.document_types import DOCUMENT
from sdcdb.auditor.people import of_whom_sums_tell
from sdcdb.auditor.reading.input_history import History
from sdcdb.auditor.reading.snapshot import Snapshot
from sdcdb.logs.record import LoggedQuery
from sdcdb.policy.load import parse_document

POLICY = """
version: 1
tables:
  visits:
    key: visit
    person: patient
    columns:
      visit: identifier
      patient: identifier
      ward: quasi
      cause: {role: confidential, known: {fall: 20%, fever: 20%, other: 60%}}
      cost: {role: confidential, domain: [0, 10000]}
    restrict: {}
"""
VISITS = """
CREATE TABLE visits AS SELECT i AS visit, i % 100 AS patient, ['N', 'S'][1 + i % 2] AS ward,
    ['fall', 'fever', 'other', 'other', 'other'][1 + i * 31 % 1013 % 5] AS cause, i * 7919 % 10000 AS cost
FROM range(500) t(i)
UNION ALL SELECT 900, 900, 'N', 'fever', 5000
"""


@pytest.fixture(scope="module")
def snapshot() -> Iterator[Snapshot]:
    with duckdb.connect() as con:
        con.execute(VISITS)
        made = Snapshot(con, parse_document(POLICY).policy)
        yield made
        made.close()


def audited(snapshot: Snapshot, *statements: str, pseudonymise: bool = False) -> Audit:
    history = History(snapshot)
    for number, sql in enumerate(statements, 1):
        history.add(LoggedQuery(number, None, "eve", sql, None, "log", "duckdb"))
    return audit(history, Options(proofs=0, pseudonymise=pseudonymise))


TOLD = {
    "a sum": ["SELECT SUM(cost) FROM visits WHERE patient = 5"],
    "a mean": ["SELECT AVG(cost) FROM visits WHERE patient = 5"],
    "the greatest": ["SELECT MAX(cost) FROM visits WHERE patient = 5"],
    "a part": ["SELECT SUM(cost) FROM visits WHERE patient = 5 AND visit > 100"],
    "a difference": [
        "SELECT SUM(cost) FROM visits WHERE ward = 'S'",
        "SELECT SUM(cost) FROM visits WHERE ward = 'S' AND patient <> 5",
    ],
    "a group": ["SELECT ward, SUM(cost) FROM visits WHERE patient IN (5, 6) GROUP BY ward"],
    "a chain": [
        "SELECT SUM(cost) FROM visits WHERE patient IN (5, 7, 8)",
        "SELECT SUM(cost) FROM visits WHERE patient IN (5, 8, 9)",
        "SELECT SUM(cost) FROM visits WHERE patient IN (5, 7, 9)",
        "SELECT SUM(cost) FROM visits WHERE patient IN (7, 8, 9)",
    ],
    "a count by a category": ["SELECT COUNT(*) FROM visits WHERE patient = 5 AND cause = 'fall'"],
}


@pytest.mark.parametrize("way", TOLD)
def test_what_is_known_of_one_person_s_records_is_a_finding(snapshot: Snapshot, way: str) -> None:
    found = audited(snapshot, *TOLD[way])
    assert found.exceeds
    assert "5" in found.people[0].people
    assert found.tally.findings == len(TOLD[way])
    assert not found.tally.harmless
    DOCUMENT.validate_python(document(found))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT ward, SUM(cost), COUNT(*) FROM visits GROUP BY ward",
        "SELECT AVG(cost) FROM visits WHERE patient BETWEEN 5 AND 40",
        "SELECT cause, COUNT(*) FROM visits WHERE visit < 300 GROUP BY cause",
        "SELECT MAX(cost) FROM visits WHERE patient IN (5, 6)",
    ],
)
def test_answers_about_several_people_tell_of_nobody_as_a_whole(snapshot: Snapshot, sql: str) -> None:
    assert not audited(snapshot, sql).people


def test_a_person_with_one_record_is_a_finding_about_that_record_alone(snapshot: Snapshot) -> None:
    found = audited(snapshot, "SELECT SUM(cost) FROM visits WHERE patient = 900")
    assert [each.record for each in found.findings] == ["900"]
    assert not found.people


def test_under_pseudonyms_nobody_is_named(snapshot: Snapshot) -> None:
    found = audited(snapshot, *TOLD["a sum"], pseudonymise=True)
    ((name,),) = [each["people"] for each in document(found)["people"]]
    assert name.startswith("person ")


def told_by_brute_force(sums: list[tuple[bool, ...]], mine: list[int], cells: int) -> bool:
    """Tell, in fractions, whether a combination of the sums is about one person's cells and nobody else's."""
    rows = [[Fraction(int(flag)) for flag in each] for each in sums]
    others = [cell for cell in range(cells) if cell not in mine]
    rank = 0
    for cell in others:  # eliminate everybody else: what is left of a row is about this person
        pivot = next((n for n in range(rank, len(rows)) if rows[n][cell]), None)
        if pivot is not None:
            rows[rank], rows[pivot] = rows[pivot], rows[rank]
            for n in range(rank + 1, len(rows)):
                factor = rows[n][cell] / rows[rank][cell]
                rows[n] = [a - factor * b for a, b in zip(rows[n], rows[rank], strict=True)]
            rank += 1
    return any(any(row) for row in rows[rank:])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(*[st.booleans()] * 7), min_size=1, max_size=6))
def test_the_same_people_are_found_as_by_elimination_in_fractions(sums: list[tuple[bool, ...]]) -> None:
    people = [[0, 1, 2], [3, 4], [5, 6]]
    owners = np.zeros((3, 7), dtype=np.int64)
    for who, cells in enumerate(people):
        owners[who, cells] = 1
    found = of_whom_sums_tell(np.array(sums, dtype=np.bool_), sparse.csr_matrix(owners))
    assert sorted(found) == [who for who, mine in enumerate(people) if told_by_brute_force(sums, mine, 7)]


def test_cells_with_records_of_several_people_are_nobody_s_own() -> None:
    owners = sparse.csr_matrix(np.array([[2, 1, 0], [0, 1, 2]]))
    for flags in product((False, True), repeat=3):
        known = [0] if flags == (True, False, False) else [1] if flags == (False, False, True) else []
        assert sorted(of_whom_sums_tell(np.array([flags]), owners)) == known, flags


def test_of_people_with_more_records_than_null_vectors_parts_are_found() -> None:
    owners = sparse.csr_matrix(np.kron(np.eye(2, dtype=np.int64), np.ones(90, dtype=np.int64)))
    everybody, rng = np.ones(180, dtype=np.bool_), np.random.default_rng(3)
    halves = rng.random((40, 180)) < 0.5
    assert of_whom_sums_tell(np.array([everybody, *halves]), owners) == []
    assert sorted(of_whom_sums_tell(np.array([everybody, *halves, np.arange(180) < 90]), owners)) == [0, 1]
