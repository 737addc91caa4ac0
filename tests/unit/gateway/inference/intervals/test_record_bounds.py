"""Bounds from sums: against record-level linear programmes, containing the truth, shrinking as answers come."""

import doctest

import numpy as np
import pytest
from scipy.optimize import linprog

from sdcdb.errors import DataError
from sdcdb.gateway.inference.intervals import atoms
from sdcdb.gateway.inference.intervals import record_bounds as module
from sdcdb.gateway.inference.intervals.record_bounds import bounds


def record_level(sets: np.ndarray, y: np.ndarray, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    """Two programmes per record, as the CAE paper writes them."""
    n = sets.shape[1]
    found = np.empty((2, n))
    for i in range(n):
        for side, sign in enumerate((1, -1)):
            cost = np.zeros(n)
            cost[i] = sign
            result = linprog(cost, A_eq=sets.astype(float), b_eq=y, bounds=[(low, high)] * n, method="highs")
            assert result.status == 0
            found[side, i] = sign * result.fun
    return found[0], found[1]


def test_the_examples_in_the_docstrings_run() -> None:
    for each in (module, atoms):
        results = doctest.testmod(each)
        assert results.attempted > 0
        assert results.failed == 0


@pytest.mark.parametrize("seed", range(150))
def test_bounds_equal_record_level_programmes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, q = int(rng.integers(2, 13)), int(rng.integers(1, 7))
    low, high = (0.0, 1.0) if seed % 2 else (-50.0, 130.0)
    sets = rng.random((q, n)) < rng.uniform(0.2, 0.9)
    truth = rng.uniform(low, high, n) if seed % 3 else low + (high - low) * rng.beta(0.3, 3, n)
    lower, upper = bounds(sets, sets @ truth, low, high)
    expected_lower, expected_upper = record_level(sets, sets @ truth, low, high)
    np.testing.assert_allclose(lower, expected_lower, atol=1e-6 * (high - low))
    np.testing.assert_allclose(upper, expected_upper, atol=1e-6 * (high - low))
    assert (lower <= truth + 1e-6 * (high - low)).all()
    assert (truth <= upper + 1e-6 * (high - low)).all()


@pytest.mark.parametrize("seed", range(10))
def test_each_answer_can_only_narrow(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sets, truth = rng.random((6, 9)) < 0.5, rng.random(9)
    before = (np.zeros(9), np.ones(9))
    for q in range(1, 7):
        after = bounds(sets[:q], sets[:q] @ truth, 0, 1)
        assert (after[0] >= before[0] - 1e-6).all()
        assert (after[1] <= before[1] + 1e-6).all()
        before = after


def test_a_column_may_be_a_cell_of_several_records() -> None:
    cells = bounds([[True, False], [True, True]], [5.0, 6.5], 0, 2, weights=[3, 1])
    records = bounds([[True, True, True, False], [True] * 4], [5.0, 6.5], 0, 2)
    np.testing.assert_allclose(cells[0], records[0][[0, 3]], atol=1e-9)
    np.testing.assert_allclose(cells[1], records[1][[0, 3]], atol=1e-9)


def test_a_step_sharpens() -> None:
    lower, upper = bounds([[True, True]], [6.5], 0, 4, step=1)
    assert lower.tolist() == [3, 3]
    assert upper.tolist() == [4, 4]


def test_a_constant_column_no_records_and_no_answers() -> None:
    assert [each.tolist() for each in bounds([[True, True]], [6], 3, 3)] == [[3, 3], [3, 3]]
    assert [each.tolist() for each in bounds(np.zeros((0, 2), bool), [], 0, 1)] == [[0, 0], [1, 1]]
    assert [each.tolist() for each in bounds(np.zeros((1, 0), bool), [0.0], 0, 1)] == [[], []]


@pytest.mark.parametrize(
    ("sets", "answers", "low", "high"),
    [
        ([[True, True]], [9.0], 0, 4),
        ([[True, True], [True, True]], [3.0, 4.0], 0, 4),
        ([[True, True]], [7.0], 3, 3),
        ([[True]], [1.0, 2.0], 0, 4),
        ([[True]], [float("nan")], 0, 4),
        ([[True]], [1.0], 4, 0),
        ([True], [1.0], 0, 4),
    ],
)
def test_contradictions_and_malformed_input_are_the_users_mistake(
    sets: list[list[bool]], answers: list[float], low: float, high: float
) -> None:
    with pytest.raises(DataError):
        bounds(sets, answers, low, high)
