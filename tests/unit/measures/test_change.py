"""Before and after: worked numbers, scipy and numpy as yardsticks, and missing values in pairs."""

import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sdcdb.errors import DataError
from sdcdb.measures import change
from sdcdb.measures.change import CategoryChange, category_change, correlation_change, number_change

NAN = float("nan")

numbers = st.lists(
    st.tuples(*[st.none() | st.integers(-20, 20).map(lambda v: v / 4)] * 2), min_size=1, max_size=30
).map(lambda rows: np.array(rows, dtype=np.float64).T)
categories = st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 4)), min_size=1, max_size=30).map(
    lambda rows: np.array(rows).T
)


def test_the_examples_in_the_docstrings_run() -> None:
    results = doctest.testmod(change)
    assert results.attempted > 0
    assert results.failed == 0


# ---- numbers


def test_shifting_all_values_moves_the_mean_and_keeps_the_variance() -> None:
    found = number_change([1.0, 2.0, 4.0], [11.0, 12.0, 14.0])
    assert found.mean_difference == pytest.approx(10)
    assert found.variance_difference == pytest.approx(0)
    assert (found.share_changed, found.mean_absolute_change, found.ks_distance) == (1.0, 10.0, 1.0)


def test_swapping_two_values_keeps_the_marginal() -> None:
    found = number_change([1, 2, 3], [2, 1, 3])
    assert found.share_changed == pytest.approx(2 / 3)
    assert (found.ks_distance, found.mean_difference) == (0.0, 0.0)


def test_missing_numbers_are_left_out_in_pairs_and_counted() -> None:
    found = number_change([1, 2, NAN, 4, NAN], [1, NAN, 3, 6, NAN])
    assert (found.records, found.lost, found.gained) == (2, 1, 1)
    assert (found.mean_before, found.mean_after, found.mean_absolute_change) == (2.5, 3.5, 1.0)


def test_masked_values_are_missing() -> None:
    masked = np.ma.masked_array([1, 2, 99], mask=[False, False, True])
    assert number_change(masked, [1, 2, 3]) == number_change([1, 2, NAN], [1, 2, 3])


def test_without_records_everything_is_undefined() -> None:
    found = number_change([NAN], [1])
    assert (found.records, found.gained, found.mean_before, found.ks_distance) == (0, 1, None, None)
    assert (found.mean_difference, found.variance_difference) == (None, None)
    assert number_change([], []).records == 0


def test_the_variance_of_one_record_is_undefined() -> None:
    assert number_change([5], [6]).variance_before is None


@settings(deadline=None)
@given(numbers)
def test_numbers_agree_with_numpy_and_scipy(table: np.ndarray) -> None:
    before, after = table
    both = ~np.isnan(before) & ~np.isnan(after)
    b, a = before[both], after[both]
    found = number_change(before, after)
    assert found.records == len(b)
    if len(b) > 1:
        assert found.mean_difference == pytest.approx(np.mean(a - b))
        assert found.variance_before == pytest.approx(np.var(b, ddof=1))
        assert found.variance_after == pytest.approx(np.var(a, ddof=1))
        assert found.share_changed == pytest.approx(np.mean(a != b))
        assert found.ks_distance == pytest.approx(stats.ks_2samp(b, a, method="asymp").statistic)


# ---- correlations


def test_correlations_without_gaps_are_those_of_numpy() -> None:
    random = np.random.default_rng(1)
    before = random.normal(size=(200, 4)) @ random.normal(size=(4, 4))
    after = before + random.normal(size=before.shape)
    found = correlation_change(before, after)
    assert found.before == pytest.approx(np.corrcoef(before.T), abs=1e-12)
    assert found.difference == pytest.approx(np.corrcoef(after.T) - np.corrcoef(before.T), abs=1e-12)
    assert found.largest == pytest.approx(np.abs(np.corrcoef(after.T) - np.corrcoef(before.T)).max())


def test_a_correlation_uses_the_records_known_in_both_columns_of_both_tables() -> None:
    random = np.random.default_rng(2)
    before, after = random.normal(size=(2, 60, 3))
    before[random.random(before.shape) < 0.2] = NAN
    after[random.random(after.shape) < 0.2] = NAN
    found = correlation_change(before, after)
    for i in range(3):
        for j in range(3):
            rows = ~np.isnan(before[:, [i, j]] + after[:, [i, j]]).any(axis=1)
            assert found.before[i, j] == pytest.approx(stats.pearsonr(before[rows, i], before[rows, j]).statistic)
            assert found.after[i, j] == pytest.approx(stats.pearsonr(after[rows, i], after[rows, j]).statistic)


def test_a_constant_column_has_no_correlation() -> None:
    found = correlation_change([[0.1, 1], [0.1, 2], [0.1, 3]], [[0.1, 1], [0.1, 2], [0.1, 4]])
    assert np.isnan(found.before[0]).all()
    assert found.largest == pytest.approx(0)
    assert correlation_change([[1.0]], [[1.0]]).largest is None


# ---- categories


def test_transitions_by_hand() -> None:
    found = category_change([0, 0, 0, 1, 2, -1, 1], [0, 0, 1, 1, 2, 0, -1], size=4)
    assert (found.records, found.lost, found.gained) == (5, 1, 1)
    assert found.transitions.tolist() == [[2, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]]
    assert found.matrix[0].tolist() == pytest.approx([2 / 3, 1 / 3, 0, 0])
    assert np.isnan(found.matrix[3]).all()
    assert (found.share_changed, found.total_variation) == (0.2, 0.2)


def test_changes_that_cancel_out_leave_the_marginal() -> None:
    found = category_change([0, 1], [1, 0])
    assert (found.share_changed, found.total_variation) == (1.0, 0.0)


def test_masked_codes_are_missing_whatever_their_type() -> None:
    masked = np.ma.masked_array(np.array([0, 1, 7], dtype=np.uint8), mask=[False, False, True])
    assert category_change(masked, [0, 1, 1]).gained == 1


def test_no_categories_at_all() -> None:
    found = category_change([], [])
    assert (found.records, found.share_changed, found.transitions.shape) == (0, None, (0, 0))
    assert category_change([-1], [-1], size=2).transitions.shape == (2, 2)


@settings(deadline=None)
@given(categories)
def test_categories_agree_with_counting_one_by_one(table: np.ndarray) -> None:
    kept = [(b, a) for b, a in table.T.tolist() if b >= 0 and a >= 0]
    found = category_change(table[0], table[1], size=5)
    assert found.transitions.tolist() == [[kept.count((i, j)) for j in range(5)] for i in range(5)]
    if kept:
        shares = [[column.count(v) / len(kept) for v in range(5)] for column in zip(*kept, strict=True)]
        assert found.total_variation == pytest.approx(sum(abs(b - a) for b, a in zip(*shares, strict=True)) / 2)
        assert found.share_changed == pytest.approx(sum(b != a for b, a in kept) / len(kept))


def test_the_empirical_transition_matrix_approaches_the_true_one() -> None:
    random = np.random.default_rng(3)
    before = random.integers(0, 2, 20_000)
    after = np.where(random.random(20_000) < 0.25, 1 - before, before)
    found: CategoryChange = category_change(before, after)
    assert found.matrix == pytest.approx(np.array([[0.75, 0.25], [0.25, 0.75]]), abs=0.02)


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: number_change([1, 2], [1]), "record key"),
        (lambda: number_change(["a"], ["b"]), "category_change"),
        (lambda: number_change([[1]], [[1]]), "dimensions"),
        (lambda: number_change([np.inf], [1]), "infinity"),
        (lambda: correlation_change([[1, 2]], [[1]]), "same order"),
        (lambda: category_change([0.5], [0.5]), "integers"),
        (lambda: category_change([-2], [0]), "start at 0"),
        (lambda: category_change([0, 3], [0, 0], size=3), "at least 4"),
    ],
)
def test_mistakes_are_told_with_what_to_do(call: object, word: str) -> None:
    with pytest.raises(DataError, match=word):
        call()  # type: ignore[operator] # a list of lambdas
