"""Attacks on a confidential category: homogeneous groups, margins, complements, trackers and coin weighing."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.clinic import clinic

from sdcdb.database import Database
from sdcdb.errors import Denied
from sdcdb.gateway.gateway import Gateway
from sdcdb.gateway.inference.categories.beliefs import Beliefs
from sdcdb.gateway.inference.categories.counting import Caps, Counting


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[tuple[Database, Gateway]]:
    database = clinic(tmp_path, 3_000)
    with database.gateway() as gateway:
        yield database, gateway


def refused(gateway: Gateway, sql: str) -> str | None:
    try:
        gateway.ask(sql)
    except Denied as refusal:
        return refusal.rule
    return None


def test_counts_by_value_are_exact_and_come_with_margins(asked: tuple[Database, Gateway]) -> None:
    database, gateway = asked
    for sql in (
        "SELECT ward, diagnosis, COUNT(*) AS n FROM patients GROUP BY ROLLUP (ward, diagnosis) ORDER BY ALL",
        "SELECT COUNT(*) FILTER (WHERE diagnosis = 'flu'), COUNT_IF(diagnosis IN ('flu', 'hiv')) FROM patients",
        "SELECT sex, AVG((diagnosis = 'flu')::INT) FROM patients GROUP BY sex ORDER BY sex",
        "SELECT SUM(CASE WHEN diagnosis = 'hiv' THEN 1 ELSE 0 END) FROM patients WHERE ward < 2",
        "SELECT COUNT(*) FROM patients WHERE diagnosis <> 'flu' AND sex = 'F'",
    ):
        answer = gateway.ask(sql)
        assert answer.verdict.kind == "allow", sql
        assert list(answer.rows) == database.con.execute(sql).fetchall(), sql


def test_margins_less_cells_do_not_leave_one_person(asked: tuple[Database, Gateway]) -> None:
    _, gateway = asked
    assert refused(gateway, "SELECT COUNT(*) FROM patients WHERE diagnosis = 'flu'") is None
    assert refused(gateway, "SELECT COUNT(*) FROM patients WHERE diagnosis = 'flu' AND NOT (bed = 7 AND ward = 1)")
    assert refused(gateway, "SELECT COUNT(*) FROM patients WHERE diagnosis <> 'flu' AND NOT (bed = 7 AND ward = 1)")
    assert refused(gateway, "SELECT diagnosis, COUNT(*) FROM patients WHERE bed = 7 AND ward = 1 GROUP BY 1")


def test_all_values_but_one_do_not_tell_the_last(asked: tuple[Database, Gateway]) -> None:
    _, gateway = asked
    group = "FROM patients WHERE bed < 1"  # 50 people: enough for the frequent values, too few for hiv
    assert refused(gateway, f"SELECT COUNT(*) FILTER (WHERE diagnosis = 'hiv') {group}") == "belief"
    told = [
        refused(gateway, f"SELECT COUNT(*) FILTER (WHERE diagnosis = '{v}') {group}")
        for v in ("flu", "asthma", "fracture")
    ]
    assert "belief" in told


def test_what_is_no_count_of_the_category_is_refused(asked: tuple[Database, Gateway]) -> None:
    _, gateway = asked
    for sql in (
        "SELECT diagnosis FROM patients",
        "SELECT MAX(diagnosis) FROM patients",
        "SELECT COUNT(DISTINCT diagnosis) FROM patients",
        "SELECT MIN(bed) FROM patients WHERE diagnosis = 'hiv'",
        "SELECT COUNT(*) FROM patients WHERE diagnosis = 'hiv' OR ward = 1",
        "SELECT COUNT(*) FROM patients a JOIN patients b ON a.diagnosis = b.diagnosis",
        "SELECT STRING_AGG(diagnosis, ',') FROM patients",
    ):
        assert refused(gateway, sql) in {"shape", "size"}, sql


def test_a_homogeneous_ward_is_found_before_anything_is_asked(tmp_path: Path) -> None:
    database = clinic(tmp_path, 3_000, pocket=40)
    said = [problem.message for problem in database.check()]
    pockets = [each for each in said if "whose ward is '9' have 'hiv'" in each]
    assert len(pockets) == 1
    assert "put it together with" in pockets[0]


def test_verdicts_are_the_same_for_tables_that_agree_on_what_is_released(tmp_path: Path) -> None:
    """Two clinics with the same margins, in one of which a small group is homogeneous."""
    verdicts = []
    for number, pocket in enumerate((0, 30)):
        place = tmp_path / str(number)
        place.mkdir()
        database = clinic(place, 2_000, 5)
        if pocket:  # swap values inside one ward, so that a bed of it becomes homogeneous and no ward changes
            database.con.execute(
                "UPDATE patients SET diagnosis = CASE WHEN bed = 3 THEN 'hiv' ELSE diagnosis END WHERE ward = 1"
            )
        with database.gateway() as gateway:
            questions = [
                f"SELECT COUNT(*) FROM patients WHERE diagnosis = 'hiv' AND ward = 1 AND bed < {n}"
                for n in range(1, 30, 4)
            ]
            verdicts.append([gateway.explain(sql).kind for sql in questions])
    assert verdicts[0] == verdicts[1]
    assert set(verdicts[0]) == {"allow", "deny"}


def test_coin_weighing_stops_long_before_people_are_determined() -> None:
    """Random halves of 60 people determine all of them after 15 to 24 answers; 3 runs."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        truth, state = (
            rng.random(60) < 0.5,
            Beliefs(np.ones(60, int), np.array([0.5, 0.5]), [0, 1], Caps(0.8), 10, seed),
        )
        answered = 0
        for _ in range(24):
            asked = Counting(rng.random(60) < 0.5, frozenset({0}))
            if state.consider([asked])[0]:
                state.learn([asked], [int(truth[asked.cells].sum())])
                answered += 1
        assert answered <= 12
        assert state.most_sure() < 0.95
