"""The audit of sets alone: what follows, whatever the answers are."""

import numpy as np

from sdcdb.gateway.inference.limits import Limits
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
