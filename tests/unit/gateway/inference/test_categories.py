"""The audit of a category against all tables there are, and its parts by themselves."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from support.all_tables import all_tables, count, surest

from sdcdb.gateway.inference.categories.beliefs import Beliefs
from sdcdb.gateway.inference.categories.counting import Caps, Counting
from sdcdb.gateway.inference.categories.maximum_entropy import fit_beliefs
from sdcdb.gateway.inference.categories.plausible import chance_of_breach, least_size
from sdcdb.gateway.inference.categories.whole_tables import WholeTables

TWO, THREE = ((5, 5, 6, 7), (0.5, 0.5)), ((4, 5, 5), (0.4, 0.3, 0.3))
tables_of = cache(all_tables)


def audit(sizes: tuple[int, ...], shares: tuple[float, ...], seed: int = 0, **caps: float) -> Beliefs:
    values = range(len(shares))
    limits = replace(Caps(0.8, delta=0.05, spent=3.0), **caps)  # type: ignore[arg-type]  # all of them are numbers
    return Beliefs(np.array(sizes), np.array(shares), values, limits, 5, seed)


def anything(rng: np.random.Generator, cells: int, values: int) -> Counting:
    chosen = rng.random(cells) < 0.6
    chosen[rng.integers(cells)] = True
    return Counting(chosen, frozenset(rng.permutation(values)[: rng.integers(1, values)].tolist()))


def expose(
    sizes: tuple[int, ...], shares: tuple[float, ...], seed: int, allowed: Callable[[Beliefs, Counting], bool]
) -> tuple[int, float]:
    """Ask twelve random questions of a table drawn from the shares; return the answers, and how sure anybody gets."""
    rng, state = np.random.default_rng(seed), audit(sizes, shares, seed)
    truth, left = np.array([rng.multinomial(size, shares) for size in sizes]), tables_of(sizes, len(shares))
    answered = 0
    for _ in range(12):
        asked = anything(rng, len(sizes), len(shares))
        if allowed(state, asked):
            answer = int(count(truth[None], asked)[0])
            state.learn([asked], [answer])
            left = left[count(left, asked) == answer]
            answered += 1
    return answered, surest(left, range(len(shares)))


@pytest.mark.parametrize(("sizes", "shares"), [TWO, THREE])
def test_nobody_becomes_known_by_any_of_all_tables(sizes: tuple[int, ...], shares: tuple[float, ...]) -> None:
    found = [expose(sizes, shares, seed, lambda state, asked: state.consider([asked])[0]) for seed in range(10)]
    assert sum(answered for answered, _ in found) >= 10
    assert max(sure for _, sure in found) <= 0.8


def test_without_the_rule_they_would() -> None:
    found = [expose(*TWO, seed, lambda _state, _asked: True) for seed in range(10)]
    assert max(sure for _, sure in found) == 1.0


def test_verdicts_depend_on_what_was_released_only() -> None:
    rng = np.random.default_rng(3)
    sizes, shares = (12, 12, 16, 50), (0.5, 0.3, 0.2)
    first = np.array([rng.multinomial(size, shares) for size in sizes])
    second = first.copy()
    second[0] += (3, -3, 0)
    second[1] -= (3, -3, 0)  # the two agree on every set that holds both cells or neither
    states, questions = [audit(sizes, shares), audit(sizes, shares)], [anything(rng, 4, 3) for _ in range(40)]
    verdicts: list[list[bool]] = [[], []]
    for asked in questions:
        for state, found in zip(states, verdicts, strict=True):
            found.append(state.consider([asked])[0])
        if asked.cells[0] == asked.cells[1] and verdicts[0][-1]:
            for state, truth in zip(states, (first, second), strict=True):
                state.learn([asked], [int(count(truth[None], asked)[0])])
    assert verdicts[0] == verdicts[1]
    assert {True, False} == set(verdicts[0])


def test_whole_tables_give_the_least_of_all_tables() -> None:
    rng = np.random.default_rng(5)
    sizes = (3, 4, 4)
    for _ in range(15):
        truth = np.array([rng.multinomial(size, (0.4, 0.4, 0.2)) for size in sizes])
        asked = [anything(rng, 3, 3) for _ in range(3)] + [
            Counting(np.eye(3, dtype=bool)[n], frozenset({0, 1})) for n in (0, 1)
        ]
        answers = [int(count(truth[None], each)[0]) for each in asked]
        left: NDArray[np.int64] = tables_of(sizes, 3)
        for each, answer in zip(asked, answers, strict=True):
            left = left[count(left, each) == answer]
        found = WholeTables.of(np.array(sizes), 3, asked, answers)
        assert [[found.least(cell, value) for value in range(3)] for cell in range(3)] == left.min(axis=0).tolist()


def test_the_maximum_entropy_table_meets_every_answer() -> None:
    rng = np.random.default_rng(1)
    sizes = rng.integers(5, 40, 12)
    truth = np.array([rng.multinomial(size, (0.6, 0.3, 0.1)) for size in sizes])
    asked = [anything(rng, 12, 3) for _ in range(8)]
    answers = [int(count(truth[None], each)[0]) for each in asked]
    table = fit_beliefs(np.tile((0.6, 0.3, 0.1), (12, 1)), sizes, asked, answers)
    met = [float((table * sizes[:, None])[each.cells][:, sorted(each.values)].sum()) for each in asked]
    assert met == pytest.approx(answers, abs=0.3)
    assert table.sum(axis=1) == pytest.approx(np.ones(12))


@pytest.mark.parametrize("share", [0.5, 0.34, 0.1, 0.02])
def test_from_the_least_size_on_no_group_is_likely_to_breach(share: float) -> None:
    least = least_size(share, 0.8, 1e-3)
    assert chance_of_breach(least - 1, share * (least - 1), share, 0.8) > 1e-3
    for size in range(least, 3 * least):
        assert chance_of_breach(size, share * size, share, 0.8) <= 1e-3


def test_a_rare_value_must_not_be_known_to_be_absent() -> None:
    state = audit((100, 2_000), (0.02, 0.98), delta=1e-3)
    few, many = (Counting(np.array(cells), frozenset({0})) for cells in ([True, False], [True, True]))
    assert Beliefs(np.array([100, 2_000]), np.array([0.02, 0.98]), [0], Caps(0.8), 10, 0).consider([few, many]) == [
        False,
        True,
    ]
    assert state.consider([many]) == [False]  # with both values sensitive, everybody has the frequent one


def test_the_last_value_is_not_told_by_all_others() -> None:
    sizes, shares = np.array([300, 3_000]), np.array([0.6, 0.38, 0.02])
    state = Beliefs(sizes, shares, [2], Caps(0.8), 10, 0)
    ward = np.array([True, False])
    assert state.consider([Counting(ward, frozenset({0})), Counting(ward, frozenset({1}))]) == [True, False]


def test_a_tracker_on_counts_is_stopped() -> None:
    sizes = np.array([200, 1, 400])
    state = Beliefs(sizes, np.array([0.4, 0.6]), [0], Caps(0.8), 10, 0)
    with_them, without = (
        Counting(np.array(cells), frozenset({0})) for cells in ([True, True, False], [True, False, False])
    )
    assert state.consider([with_them, without]) == [True, False]
    state.learn([with_them], [80])
    others = Counting(np.array([False, True, True]), frozenset({1}))  # the complement's side, and the other value
    assert state.consider([without]) == [False]
    assert state.consider([others]) == [True]
    state.learn([others], [240])
    everybody = Counting(np.array([True, True, True]), frozenset({0}))  # together with both it tells of the one
    assert state.consider([everybody]) == [False]
