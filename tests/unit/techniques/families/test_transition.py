"""Transition matrices: the paper's equations, the exact distribution of the integer sampler, and looking back."""

import datetime as dt
import doctest
import json
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sdcdb.errors import DataError
from sdcdb.techniques.families import transition
from sdcdb.techniques.families.transition import TransitionMatrix, given, vicus, warner

SUBSETS = [["a", "b", "c"], ["d", "e"]]
VALUES = ["d", "a", "b", "e", "c"]

positive = st.floats(0.1, 100)


@st.composite
def matrices(draw: st.DrawFn) -> TransitionMatrix:
    size = draw(st.integers(1, 12))
    weights = st.floats(0, 1) | st.sampled_from([0.0, 1e-12, 1.0])
    rows = [draw(st.lists(weights, min_size=size, max_size=size).filter(any)) for _ in range(size)]
    return given(range(size), [np.array(row) / sum(row) for row in rows])


def implied(matrix: TransitionMatrix) -> NDArray[np.float64]:
    """Return the exact distribution of the sampler over all 2^32 numbers u, by counting whole numbers."""
    tables, size = matrix.alias(), len(matrix.values)
    counts = np.zeros((size, size), object)
    for row in range(size):
        for i in range(size):
            first, end = (-(-at * 2**32 // size) for at in (i, i + 1))  # the u with u * size >> 32 == i
            below = min(-(-(i * 2**32 + int(tables.thresholds[row, i])) // size), end)
            counts[row, i] += below - first
            counts[row, tables.aliases[row, i]] += end - below
    assert (counts.sum(axis=1) == 2**32).all()
    return np.asarray(counts / 2**32, np.float64)


# The constructors


@for_all(positive, positive)
@settings(deadline=None)
def test_vicus_is_equations_8_to_11(k1: float, k2: float) -> None:
    matrix = vicus(VALUES, SUBSETS, k1, k2).matrix
    for i, value in enumerate(VALUES):
        own = next(subset for subset in SUBSETS if value in subset)
        below = k1 * k2 + k2 * (len(own) - 1) + len(VALUES) - len(own)
        for j, other in enumerate(VALUES):
            above = k1 * k2 if i == j else k2 if other in own else 1
            assert matrix[i, j] == pytest.approx(above / below)


@for_all(positive, positive)
@settings(deadline=None)
def test_random_is_equation_12_with_the_same_chance_to_stay(k1: float, k2: float) -> None:
    ours, theirs = transition.random(VALUES, SUBSETS, k1, k2).matrix, vicus(VALUES, SUBSETS, k1, k2).matrix
    assert np.diag(ours) == pytest.approx(np.diag(theirs))
    for i in range(len(VALUES)):
        assert np.delete(ours[i], i) == pytest.approx([(1 - ours[i, i]) / 4] * 4)


def test_warner_for_any_number_of_values() -> None:
    assert warner(["y", "n"], 0.8).matrix == pytest.approx(np.array([[0.8, 0.2], [0.2, 0.8]]))
    assert warner("abc", 0.5).matrix == pytest.approx(np.full((3, 3), 0.25) + np.eye(3) / 4)


def test_a_single_value_stays() -> None:
    for matrix in (warner(["a"], 0.3), vicus(["a"], [["a"]], 5, 20), transition.random(["a"], [["a"]], 5, 20)):
        assert matrix.matrix.tolist() == [[1.0]]
        assert matrix.sample([0, 0], [0, 2**32 - 1]).tolist() == [0, 0]


def test_a_matrix_is_frozen_and_equal_to_its_copy() -> None:
    matrix = warner("abc", 0.5)
    assert matrix == warner("abc", 0.5)
    assert hash(matrix) == hash(warner("abc", 0.5))
    assert matrix != warner("abc", 0.6)
    with pytest.raises(ValueError, match="read-only"):
        matrix.matrix[0, 0] = 1


@pytest.mark.parametrize(
    "values",
    [
        ["a", "it's", "☃"],
        [1, 2],
        [True, False],
        [0.5, 1e300],
        [dt.date(2024, 2, 29), dt.date(1, 1, 1)],
        [dt.datetime(2024, 2, 29, 12, 30, 1, 5)],  # noqa: DTZ001 - a TIMESTAMP has no zone
        [dt.time(12, 30)],
        [Decimal("1.10"), Decimal(-3)],
        [UUID(int=7)],
        [np.int64(3), np.int64(4)],
    ],
)
def test_json_and_back(values: list[Any]) -> None:
    matrix = warner(values, 0.7)
    back = TransitionMatrix.from_dict(json.loads(json.dumps(matrix.to_dict())))
    assert back == matrix
    assert [type(value) for value in back.values] == [getattr(v, "item", lambda v=v: v)().__class__ for v in values]


@for_all(matrices())
@settings(deadline=None)
def test_json_keeps_every_bit(matrix: TransitionMatrix) -> None:
    assert TransitionMatrix.from_dict(json.loads(json.dumps(matrix.to_dict()))) == matrix


def test_json_says_what_it_cannot_hold() -> None:
    with pytest.raises(DataError, match="is a bytes, which JSON cannot represent"):
        warner([b"x"], 1).to_dict()


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([[0.5, 0.4], [0, 1]], "row of 'y' sums to 0.9, not to 1"),
        ([[1, 0], [1.5, -0.5]], "row of 'n' contains a negative number"),
        ([[1, 0], [float("nan"), 1]], "row of 'n' contains a negative number, NaN"),
        ([[1]], "2 x 2, not of shape"),
        ([[1, 0], [1]], "table of numbers"),
        ([["a", "b"], ["c", "d"]], "table of numbers"),
    ],
)
def test_a_matrix_that_is_none_says_why(rows: Any, says: str) -> None:
    with pytest.raises(DataError, match=says):
        given(["y", "n"], rows)


def test_parameters_that_are_none_say_why() -> None:
    with pytest.raises(DataError, match=r"p is 1\.5"):
        warner("ab", 1.5)
    with pytest.raises(DataError, match="k1 is 0: it must be a positive number"):
        vicus(VALUES, SUBSETS, 0, 1)
    with pytest.raises(DataError, match="k2 is inf"):
        vicus(VALUES, SUBSETS, 1, float("inf"))
    with pytest.raises(DataError, match="in two subsets"):
        vicus("ab", [["a", "b"], ["b"]], 1, 1)
    with pytest.raises(DataError, match="'b' is in only one of values and subsets"):
        vicus("ab", [["a"]], 1, 1)
    with pytest.raises(DataError, match="'c' is in only one of values and subsets"):
        vicus("ab", [["a", "b", "c"]], 1, 1)
    with pytest.raises(DataError, match="each value only once"):
        warner(["a", "a"], 0.5)
    with pytest.raises(DataError, match="at least one value"):
        warner([], 0.5)


# The sampler


@for_all(matrices())
@settings(deadline=None, max_examples=200)
def test_integer_tables_imply_the_matrix(matrix: TransitionMatrix) -> None:
    exact = implied(matrix)
    assert np.abs(exact - matrix.matrix).max() < 1e-9
    assert (exact[matrix.matrix == 0] == 0).all()


@pytest.mark.parametrize("size", [2, 3, 7, 64, 100, 333])
def test_integer_tables_imply_vicus(size: int) -> None:
    subsets = [range(start, min(start + 5, size)) for start in range(0, size, 5)]
    matrix = vicus(range(size), subsets, 5, 20)
    tables = matrix.alias()
    assert tables.thresholds.min() >= 0
    assert tables.thresholds.max() <= 2**32
    assert np.abs(implied(matrix) - matrix.matrix).max() < 1e-9


@for_all(matrices(), st.lists(st.integers(0, 2**32 - 1) | st.sampled_from([0, 2**32 - 1]), min_size=1, max_size=20))
@settings(deadline=None)
def test_sample_is_the_rule_in_whole_numbers(matrix: TransitionMatrix, us: list[int]) -> None:
    tables, size = matrix.alias(), len(matrix.values)
    codes = [n % size for n in range(len(us))]
    drawn = []
    for code, u in zip(codes, us, strict=True):
        i, rest = divmod(u * size, 2**32)
        drawn.append(i if rest < tables.thresholds[code, i] else tables.aliases[code, i])
    assert matrix.sample(codes, us).tolist() == drawn


def test_draws_have_the_frequencies_of_the_matrix() -> None:
    matrix = vicus(VALUES, SUBSETS, 2, 3)
    u = np.random.default_rng(1).integers(0, 2**32, 200_000)
    for code in range(5):
        shares = np.bincount(matrix.sample(np.full(u.size, code), u), minlength=5) / u.size
        assert shares == pytest.approx(matrix.matrix[code], abs=0.006)


# Looking back


@for_all(st.floats(0.55, 1), st.integers(0, 1000), st.integers(0, 1000))
@settings(deadline=None)
def test_estimate_is_warners_formula_for_two_values(p: float, yes: int, no: int) -> None:
    estimate = warner(["yes", "no"], p).estimate([yes, no])
    assert estimate[0] == pytest.approx((yes - (1 - p) * (yes + no)) / (2 * p - 1), abs=1e-6)
    assert estimate.sum() == pytest.approx(yes + no)


@for_all(st.lists(st.integers(0, 1000), min_size=5, max_size=5))
@settings(deadline=None)
def test_estimate_of_expected_counts_is_the_original(counts: list[int]) -> None:
    matrix = vicus(VALUES, SUBSETS, 3, 4)
    assert matrix.estimate(np.array(counts) @ matrix.matrix) == pytest.approx(counts, abs=1e-6)


def test_estimate_of_a_singular_matrix_is_refused() -> None:
    with pytest.raises(DataError, match="cannot be estimated: the transition matrix is singular"):
        warner("abcd", 0.25).estimate([1, 2, 3, 4])


def test_one_count_for_each_value() -> None:
    for wrong in ([1, 2], [1, 2, -3], [1, 2, float("nan")]):
        with pytest.raises(DataError, match="one count for each of the 3 values"):
            warner("abc", 0.5).estimate(wrong)
    with pytest.raises(DataError, match="one prior weight for each"):
        warner("abc", 0.5).posterior([1])


@for_all(matrices(), st.data())
@settings(deadline=None)
def test_posterior_is_bayes(matrix: TransitionMatrix, data: st.DataObject) -> None:
    size = len(matrix.values)
    prior = np.array(data.draw(st.lists(st.integers(1, 50), min_size=size, max_size=size)), float)
    beliefs = matrix.posterior(prior)
    for o in range(size):
        total = sum(prior[i] * matrix.matrix[i, o] for i in range(size))
        if total > 0:
            assert beliefs[o].sum() == pytest.approx(1)
            assert beliefs[o] == pytest.approx([prior[i] * matrix.matrix[i, o] / total for i in range(size)])
        else:
            assert np.isnan(beliefs[o]).all()


def test_posterior_is_uniform_by_default() -> None:
    matrix = vicus(VALUES, SUBSETS, 3, 4)
    assert matrix.posterior() == pytest.approx(matrix.posterior([7] * 5))


def test_the_examples_of_the_module_run() -> None:
    assert doctest.testmod(transition).failed == 0
