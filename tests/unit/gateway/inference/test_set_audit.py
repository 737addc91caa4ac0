"""The audit of sets alone: what follows, whatever the answers are."""

import numpy as np
import pytest

from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.people import People
from sdcdb.gateway.inference.set_audit import SetAudit


def audit(people: int) -> SetAudit:
    return SetAudit(np.ones(people), 100_000, Limits(min_set=5, min_interval=10), b"secret")


def chosen(people: int, *records: int) -> np.ndarray:
    flags = np.ones(people, dtype=np.bool_)
    flags[list(records)] = False
    return flags


def test_two_sets_that_differ_by_one_person_are_one_too_many() -> None:
    found = audit(60)
    assert found.consider([chosen(60)]) == [None]
    assert found.consider([chosen(60), chosen(60, 3)]) == [None, "exact"]
    found.learn([chosen(60)])
    assert found.consider([chosen(60)]) == [None]  # it says nothing new
    assert found.consider([chosen(60, 3)]) == ["exact"]
    assert found.consider([chosen(60, *range(30))]) == [None]


def test_what_is_only_considered_is_not_known() -> None:
    found = audit(60)
    for record in range(10):
        assert found.consider([chosen(60, record)]) == [None]


def test_totals_of_a_few_people_do_not_follow_from_chains() -> None:
    found = audit(40)
    halves = [chosen(40, *range(10)), chosen(40, *range(10, 20))]
    found.learn([chosen(40), halves[0]])
    assert found.consider([chosen(40, *range(2, 10))]) == ["exact"]  # without two of the ten


def test_random_halves_stop_before_whole_numbers_are_found() -> None:
    rng = np.random.default_rng(1)
    found, answered = audit(60), 0
    for _ in range(80):
        flags = rng.random(60) < 0.5
        if found.consider([flags]) == [None]:
            found.learn([flags])
            answered += 1
    assert 20 < answered < 58


def of_persons(persons: np.ndarray) -> SetAudit:
    people = People.of(persons, np.arange(len(persons)), np.ones(len(persons), dtype=np.int64), len(persons))
    limits = Limits(min_set=4, min_interval=10, small_totals="allow")
    return SetAudit(np.ones(len(persons)), 100_000, limits, b"secret", people)


def test_ten_records_of_one_person_are_one_person() -> None:
    persons = np.concatenate([np.zeros(10), np.arange(1, 51)]).astype(np.int64)
    found = of_persons(persons)
    found.learn([chosen(60)])
    assert found.consider([chosen(60, *range(10))]) == ["exact"]
    assert found.consider([chosen(60, *range(10, 20))]) == [None]


@pytest.mark.parametrize("seed", range(5))
def test_no_combination_of_one_persons_records_follows_whatever_its_weights(seed: int) -> None:
    rng = np.random.default_rng(seed)
    persons = rng.integers(0, 12, 24)
    found, rows = of_persons(persons), []
    denied = 0
    for _ in range(30):
        flags = rng.random(24) < 0.5
        if found.consider([flags]) == [None]:
            found.learn([flags])
            rows.append(flags.astype(float))
        else:
            denied += 1
    matrix = np.array(rows)
    assert denied
    for person in np.unique(persons):
        others = matrix[:, persons != person]
        assert np.linalg.matrix_rank(others) == np.linalg.matrix_rank(matrix)
