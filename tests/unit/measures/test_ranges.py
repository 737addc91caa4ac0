"""Bounds from sums over ranges: by hand, against two linear programmes per record, and by trying all values."""

import doctest
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from sdcdb.errors import DataError
from sdcdb.measures import ranges
from sdcdb.measures.ranges import Floats, Ints, range_bounds

Instance = tuple[Floats, Ints, Ints, float, float]


def sliding(n: int, size: int) -> tuple[Ints, Ints]:
    """The CAE paper's setting: k = floor(2n/Q) - 1 queries of Q records, each half a query further."""
    starts = np.arange(2 * n // size - 1) * (size // 2)
    return starts, starts + size


def programmes(starts: Ints, ends: Ints, sums: Floats, n: int, domain: tuple[float, float]) -> tuple[Floats, Floats]:
    rows = (np.arange(n) >= starts[:, None]) & (np.arange(n) < ends[:, None])
    known = {"A_eq": rows.astype(float), "b_eq": sums} if len(starts) else {}
    found = [
        [linprog(sign * np.eye(n)[i], bounds=domain, **known, method="highs").fun * sign for i in range(n)]
        for sign in (1, -1)
    ]
    return np.array(found[0]), np.array(found[1])


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    """Records of a small table and ranges of any kind: nested, overlapping, repeated, single records, none."""
    n = draw(st.integers(1, 9))
    low, width = draw(st.integers(-5, 5)), draw(st.integers(0, 8))
    whole = draw(st.booleans())
    one = st.integers(low, low + width) if whole else st.floats(low, low + width, allow_subnormal=False)
    values = np.array(draw(st.lists(one, min_size=n, max_size=n)), dtype=float)
    pairs = draw(st.lists(st.tuples(st.integers(0, n), st.integers(0, n)).filter(lambda p: p[0] != p[1]), max_size=8))
    pairs += draw(st.lists(st.sampled_from(pairs), max_size=2)) if pairs else []
    starts, ends = (np.array([f(p) for p in pairs], dtype=int) for f in (min, max))
    return values, starts, ends, float(low), float(low + width)


def answered(values: NDArray[Any], starts: Ints, ends: Ints) -> Floats:
    return np.array([values[s:e].sum() for s, e in zip(starts, ends, strict=True)])


def test_the_example_in_the_docstring_runs() -> None:
    results = doctest.testmod(ranges)
    assert results.attempted > 0
    assert results.failed == 0


def test_one_sum_of_two_records_leaves_both_between_what_the_other_may_be() -> None:
    low, high = range_bounds([0], [2], [70], n=2, low=10, high=50)
    assert (low.tolist(), high.tolist()) == ([20, 20], [50, 50])


def test_records_outside_every_range_keep_the_whole_domain() -> None:
    low, high = range_bounds([1], [2], [30], n=3, low=10, high=50)
    assert (low.tolist(), high.tolist()) == ([10, 30, 10], [50, 30, 50])


def test_the_difference_of_nested_ranges_is_an_answer() -> None:
    low, high = range_bounds([0, 0], [3, 2], [90, 55], n=3, low=0, high=100)
    assert (low[2], high[2]) == (35, 35)


def test_nothing_asked_leaves_the_domain() -> None:
    low, high = range_bounds([], [], [], n=2, low=-1, high=1)
    assert (low.tolist(), high.tolist()) == ([-1, -1], [1, 1])


def test_no_records_have_no_bounds() -> None:
    assert [each.tolist() for each in range_bounds([], [], [], n=0, low=0, high=1)] == [[], []]


def test_without_an_upper_end_of_the_domain_a_sum_is_one() -> None:
    low, high = range_bounds([0], [2], [70], n=3, low=10, high=np.inf)
    assert (low.tolist(), high.tolist()) == ([10, 10, 10], [60, 60, np.inf])


def test_without_any_domain_only_what_is_determined_is_known() -> None:
    low, high = range_bounds([0, 1], [2, 2], [70, 30], n=3, low=-np.inf, high=np.inf)
    assert (low.tolist(), high.tolist()) == ([40, 30, -np.inf], [40, 30, np.inf])


@settings(max_examples=200, deadline=None)
@given(instances())
def test_bounds_are_those_of_two_linear_programmes_per_record(
    instance: Instance,
) -> None:
    values, starts, ends, low, high = instance
    sums = answered(values, starts, ends)
    expected = programmes(starts, ends, sums, len(values), (low, high))
    found = range_bounds(starts, ends, sums, len(values), low, high)
    np.testing.assert_allclose(found, expected, atol=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 12), st.sampled_from([2, 4, 6]), st.integers(0, 2**32))
def test_sliding_windows_agree_too(n: int, size: int, seed: int) -> None:
    values = np.random.default_rng(seed).integers(1, 26, n) * 10.0
    starts, ends = sliding(n, size)
    sums = answered(values, starts, ends)
    found = range_bounds(starts, ends, sums, n, 10, 250, step=10)
    np.testing.assert_allclose(found, programmes(starts, ends, sums, n, (10, 250)), atol=1e-6)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=5), st.data())
def test_on_a_grid_the_bounds_are_exactly_what_trying_all_values_gives(values: list[int], data: st.DataObject) -> None:
    n, column = len(values), 0.1 + 0.7 * np.array(values)
    pairs = data.draw(st.lists(st.tuples(st.integers(0, n), st.integers(0, n)).filter(lambda p: p[0] < p[1])))
    starts, ends = (np.array([p[k] for p in pairs], dtype=int) for k in (0, 1))
    tried = np.array(list(product(range(4), repeat=n)))
    fits = np.all([tried[:, s:e].sum(1) == sum(values[s:e]) for s, e in pairs], axis=0) if pairs else slice(None)
    low, high = range_bounds(starts, ends, answered(column, starts, ends), n, 0.1, 0.1 + 0.7 * 3, step=0.7)
    assert np.round((low - 0.1) / 0.7).tolist() == tried[fits].min(0).tolist()
    assert np.round((high - 0.1) / 0.7).tolist() == tried[fits].max(0).tolist()


@pytest.mark.parametrize("size", [2, 4, 8, 16, 32])
def test_the_papers_setting_agrees_on_a_sample_of_records(size: int) -> None:
    rng = np.random.default_rng(size)
    values = rng.integers(1, 26, 300) * 10.0
    starts, ends = sliding(300, size)
    sums = answered(values, starts, ends)
    low, high = range_bounds(starts, ends, sums, 300, 10, 250, step=10)
    assert (low <= values).all()
    assert (values <= high).all()
    rows = (np.arange(300) >= starts[:, None]) & (np.arange(300) < ends[:, None])
    for i in rng.choice(300, 3, replace=False):
        c = np.eye(300)[i]
        for sign, found in ((1, low), (-1, high)):
            best = linprog(sign * c, A_eq=rows, b_eq=sums, bounds=[(10, 250)] * 300, method="highs")
            assert found[i] == pytest.approx(sign * best.fun, abs=1e-6)


def test_many_queries_of_random_ends_keep_every_true_value_inside() -> None:
    rng = np.random.default_rng(1)
    values = rng.lognormal(10, 1, 3000)
    ends = np.sort(rng.integers(0, 3001, (800, 2)), axis=1)
    ends = ends[ends[:, 0] < ends[:, 1]]
    low, high = range_bounds(ends[:, 0], ends[:, 1], answered(values, *ends.T), 3000, 0, values.max())
    assert (low <= values + 1e-3).all()
    assert (values <= high + 1e-3).all()


@pytest.mark.parametrize(
    ("starts", "ends", "sums", "says"),
    [
        ([0, 0], [2, 2], [10, 11], "answer 2 is 11, and others imply 10"),
        ([0], [2], [300], "contradict"),
        ([0, 1], [2, 3], [190, 5], "no values fit them all"),
        ([0, 0], [2, 3], [50, 160], "records 2 to 2 would sum to 110"),
        ([2], [2], [0], "contain at least one"),
        ([0], [9], [0], "records 0 to 2"),
        ([0], [2], [np.nan], "NaN"),
        ([0.5], [2], [1], "integers"),
        ([0], [2], [1, 2], "one of each"),
    ],
)
def test_what_cannot_be_is_refused(starts: list[int], ends: list[int], sums: list[float], says: str) -> None:
    with pytest.raises(DataError, match=says):
        range_bounds(starts, ends, sums, n=3, low=0, high=100)


def test_a_sum_that_the_grid_cannot_give_is_refused() -> None:
    with pytest.raises(DataError, match="check the step"):
        range_bounds([0], [2], [25], n=2, low=0, high=100, step=10)
    with pytest.raises(DataError, match="step above 0"):
        range_bounds([0], [2], [20], n=2, low=0, high=100, step=0)
