"""Who may hold a MIN or MAX: against every table's order of values, and in the ways that named a holder before."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.inference_attack import SUM

from sdcdb.gateway.inference.extremes.holders import stay_hidden
from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.question import Question

MAX, MIN = frozenset({"max"}), frozenset({"min"})
Flags = NDArray[np.bool_]


def fewest_suspects(sets: list[Flags], order: tuple[int, ...]) -> int:
    """The suspects of the best-known maximum, when people's values are in this order and all sets are answered."""
    values = [max(order[i] for i in np.flatnonzero(cells)) for cells in sets]
    found = len(order)
    for value in values:
        suspects = np.ones(len(order), dtype=bool)
        for cells, own in zip(sets, values, strict=True):
            if own == value:
                suspects &= cells
            elif own < value:
                suspects &= ~cells
        found = min(found, int(suspects.sum()))
    return found


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 3))
def test_the_patterns_cover_every_order_of_values(seed: int, least: int) -> None:
    rng = np.random.default_rng(seed)
    n = 6
    sets = [rng.random(n) < rng.uniform(0.4, 0.9) for _ in range(int(rng.integers(1, 4)))]
    sets = [cells for cells in sets if cells.any()]
    counts = np.ones(n, dtype=np.int64)
    hidden = all(
        stay_hidden([], sets[: k + 1], "max", lambda cells: int(counts[cells].sum()), least) for k in range(len(sets))
    )
    worst = min((fewest_suspects(sets, order) for order in permutations(range(n))), default=n) if sets else n
    if hidden:
        assert worst >= least
    elif len(sets) == 1:
        assert worst < least


def overlapping(members: int, sets: int) -> list[Flags]:
    """Sets that overlap pairwise in many, and all together in one person: the first."""
    n = 1 + members * sets * (sets - 1) // 2
    found = [np.zeros(n, dtype=bool) for _ in range(sets)]
    start = 1
    for a in range(sets):
        for b in range(a):
            for which in (a, b):
                found[which][start : start + members] = True
            start += members
    for cells in found:
        cells[0] = True
    return found


@pytest.mark.parametrize("kind", [MAX, MIN])
@pytest.mark.parametrize("sets", [3, 4])
def test_sets_that_have_one_person_in_common_are_not_all_answered(sets: int, kind: frozenset[str]) -> None:
    chosen = overlapping(14, sets)
    k = Knowledge(np.ones(len(chosen[0]), dtype=int), 0, 240_000, 1, Limits(10, 24_000.0), b"s")
    together = k.consider([Question(cells, kind) for cells in chosen])
    assert not all(finding.allowed for finding in together)
    assert any(finding.allowed for finding in together)
    for seed in range(5):  # and one by one, whatever the values
        rng = np.random.default_rng(seed)
        values = rng.integers(0, 240_001, len(chosen[0]))
        values[0] = 240_000 if kind == MAX else 0
        k = Knowledge(np.ones(len(chosen[0]), dtype=int), 0, 240_000, 1, Limits(10, 24_000.0), b"s")
        told = []
        for cells in chosen:
            question = [Question(cells, kind)]
            if k.consider(question)[0].allowed:
                told.append(cells)
                k.learn(question, [{"max": float(values[cells].max()), "min": float(values[cells].min())}])
        assert np.logical_and.reduce(told).sum() >= 10


def test_nested_sets_need_enough_people_between_them() -> None:
    n = 100
    k = Knowledge(np.ones(n, dtype=int), 0, 240_000, 1, Limits(10, 24_000.0), b"s")
    near, far = np.arange(n) < 95, np.arange(n) < 60
    asked = [Question(np.ones(n, dtype=bool), MAX), Question(near, MAX), Question(far, MAX)]
    assert [finding.allowed for finding in k.consider(asked)] == [False, True, True]  # small sets are decided first


def test_many_disjoint_groups_are_answered_together_and_later_ones_too() -> None:
    """GROUP BY ten departments, then by two sexes, then all: honest, and every overlap is large enough."""
    n, rng = 1000, np.random.default_rng(1)
    dept, sex, values = rng.integers(0, 10, n), rng.integers(0, 2, n), rng.integers(0, 240_001, n)
    k = Knowledge(np.ones(n, dtype=int), 0, 240_000, 1, Limits(10, 24_000.0), b"s")
    groups = [[Question(dept == d, MAX) for d in range(10)], [Question(sex == s, MAX) for s in range(2)]]
    groups += [[Question(np.ones(n, dtype=bool), MAX)], [Question(dept == d, SUM) for d in range(10)]]
    for asked in groups:
        findings = k.consider(asked)
        assert all(finding.allowed for finding in findings)
        k.learn(asked, [{"max": float(values[q.cells].max()), "sum": float(values[q.cells].sum())} for q in asked])


def test_beyond_the_budget_the_answer_is_no() -> None:
    rng = np.random.default_rng(2)
    sets = [rng.random(4000) < 0.5 for _ in range(9)]
    assert not stay_hidden([], sets, "max", lambda cells: 1000 * int(cells.sum()), 10)


def test_ties_do_not_name_anybody() -> None:
    n = 60
    k = Knowledge(np.ones(n, dtype=int), 0, 240_000, 1, Limits(10, 24_000.0), b"s")
    one, other = np.arange(n) < 35, np.arange(n) >= 20
    for cells in (one, other):
        assert k.consider([Question(cells, MAX)])[0].allowed
        k.learn([Question(cells, MAX)], [{"max": 200_000.0}])
    third = (np.arange(n) < 24) | (np.arange(n) >= 40)
    assert not k.consider([Question(third, MAX)])[0].allowed  # four of the fifteen who may hold it
