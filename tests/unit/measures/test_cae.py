"""CAE against the paper's numbers, against brute force over all groupings, and against its own Algorithm 1."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcdb.errors import DataError
from sdcdb.measures.cae_as_printed import algorithm1
from sdcdb.measures.cae_curve import CAE, cae, curve, h
from sdcdb.measures.distribution import Distribution, normalise
from sdcdb.measures.entropies import disclosure_risk, entropy

EXAMPLE = ([1, 3, 8, 9], [0.15, 0.1, 0.7, 0.05])


def grouped_entropy(masses: list[float]) -> float:
    return float(-sum(q * np.log2(q) for q in masses if q > 0))


def brute_force(values: list[float], probs: list[float], eps: float) -> float:
    """Try every way to cut the sorted values into groups no wider than eps."""
    x, p = map(list, zip(*sorted(zip(values, probs, strict=True)), strict=True))
    best = np.inf
    for cuts in product([False, True], repeat=len(x) - 1):
        bounds = [0, *(i + 1 for i, cut in enumerate(cuts) if cut), len(x)]
        groups = [(x[a:b], p[a:b]) for a, b in pairwise(bounds)]
        if all(xs[-1] - xs[0] <= eps for xs, _ in groups):
            best = min(best, grouped_entropy([sum(ps) for _, ps in groups]))
    return float(best)


@st.composite
def distributions(draw: st.DrawFn, max_size: int = 10) -> tuple[list[float], list[float]]:
    n = draw(st.integers(1, max_size))
    grid = draw(st.sampled_from([1.0, 0.5, 1000.0]))
    x = [grid * v for v in draw(st.lists(st.integers(-30, 30), min_size=n, max_size=n, unique=True))]
    w = draw(st.lists(st.integers(1, 20), min_size=n, max_size=n))
    return x, normalise(w).tolist()


@pytest.mark.parametrize(
    ("eps", "expected"),
    [(0, 1.319), (1, 1.054), (2, 0.811), (3, 0.811), (4, 0.811), (5, 0.811), (6, 0.610), (7, 0.286), (8, 0), (99, 0)],
)
def test_appendix_example_of_the_paper(eps: float, expected: float) -> None:
    assert h(*EXAMPLE, eps) == pytest.approx(expected, abs=5e-4)
    assert curve(*EXAMPLE).at(eps) == pytest.approx(expected, abs=5e-4)


def test_appendix_area_is_the_exact_integral_and_the_integer_sum() -> None:
    assert cae(*EXAMPLE).area == pytest.approx(6.5144, abs=5e-5)
    assert curve(*EXAMPLE).area(grid=1) == pytest.approx(6.5144, abs=5e-5)


def test_two_salaries_far_apart_and_close_together() -> None:
    assert cae([50_000, 107_000], [0.5, 0.5]) == CAE(1.0, 57_000.0, 57_000.0)
    assert cae([77_000, 80_000], [0.5, 0.5]) == CAE(1.0, 3_000.0, 3_000.0)


@given(distributions(), st.integers(0, 60))
@settings(deadline=None, max_examples=300)
def test_equals_brute_force_over_all_groupings(d: tuple[list[float], list[float]], eps: int) -> None:
    assert h(*d, eps) == pytest.approx(brute_force(*d, eps), abs=1e-9)


@given(distributions(max_size=30))
@settings(deadline=None, max_examples=300)
def test_curve_equals_algorithm_1_at_every_distance(d: tuple[list[float], list[float]]) -> None:
    x = np.array(d[0])
    distances = np.unique(np.abs(x[:, None] - x[None, :]))
    assert curve(*d).at(distances) == pytest.approx(algorithm1(Distribution.of(*d), distances), abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_curve_equals_algorithm_1_on_reals_and_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = np.round(rng.lognormal(3, 1, 40), 1 + seed % 3)
    p = normalise(rng.integers(1, 4, 40) if seed % 2 else rng.random(40))
    d = Distribution.of(x, p)
    c = curve(x, p)
    middles = (c.eps[:-1] + c.eps[1:]) / 2
    assert c.h[:-1] == pytest.approx(algorithm1(d, middles), abs=1e-9)


@given(distributions(max_size=20))
@settings(deadline=None, max_examples=200)
def test_shape_of_the_curve(d: tuple[list[float], list[float]]) -> None:
    c = curve(*d)
    assert c.eps[0] == 0
    assert c.eps[-1] == max(d[0]) - min(d[0])
    assert c.h[-1] == 0
    assert (np.diff(c.eps) > 0).all()
    assert (np.diff(c.h) < 0).all()
    assert c.h[0] == pytest.approx(entropy(d[1]), abs=1e-12)


@given(distributions(max_size=12), st.sampled_from([0.1, 3.0, 1e6]), st.integers(-1000, 1000))
@settings(deadline=None, max_examples=100)
def test_area_scales_with_the_unit_and_ignores_the_origin(
    d: tuple[list[float], list[float]], unit: float, origin: int
) -> None:
    moved = cae([unit * x + origin for x in d[0]], d[1])
    assert moved.h0 == pytest.approx(cae(*d).h0)
    assert moved.area == pytest.approx(unit * cae(*d).area, rel=1e-6)


@given(distributions(max_size=25), st.integers(1, 24))
@settings(deadline=None, max_examples=200)
def test_a_coarse_area_is_within_its_stated_bound(d: tuple[list[float], list[float]], bins: int) -> None:
    exact, coarse = cae(*d), cae(*d, bins=bins)
    assert coarse.h0 == pytest.approx(exact.h0)
    assert coarse.eps_max == exact.eps_max
    assert abs(coarse.area - exact.area) <= exact.eps_max / bins * exact.h0 + 1e-9


def test_decimal_steps_are_equal_distances() -> None:
    values = [0.1 * k for k in range(9)]
    assert len(curve(values, [1 / 9] * 9).eps) == len(curve(range(9), [1 / 9] * 9).eps)


def test_one_value_is_certain() -> None:
    assert cae([42.0], [1.0]) == CAE(0.0, 0.0, 0.0)


def test_order_duplicates_and_zero_probabilities_do_not_matter() -> None:
    untidy = cae([9, 1, 8, 3, 8, 77], [0.05, 0.15, 0.3, 0.1, 0.4, 0.0])
    assert untidy.area == pytest.approx(cae(*EXAMPLE).area)
    assert untidy.eps_max == 8


def test_sums_within_a_millionth_are_put_right() -> None:
    assert cae([1, 2], [0.5, 0.5000004]).h0 == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("values", "probs", "says"),
    [
        ([1, 2], [0.5, 0.6], "sum to 1.1"),
        ([1, 2], [1.5, -0.5], "negative probabilities: -0.5 at position 2"),
        ([1, 2], [0.5, float("nan")], "NaN or infinity at position 2"),
        ([1, float("inf")], [0.5, 0.5], "NaN or infinity at position 2"),
        ([1, 2, 3], [0.5, 0.5], "3 values but 2 probabilities"),
        ([], [], "at least one"),
        (["a"], [1], "must be numbers"),
    ],
)
def test_bad_input_says_what_is_wrong(values: list[float], probs: list[float], says: str) -> None:
    with pytest.raises(DataError, match=says):
        cae(values, probs)


def test_negative_or_missing_eps_is_refused() -> None:
    with pytest.raises(DataError, match="zero or positive"):
        h(*EXAMPLE, -1)
    with pytest.raises(DataError, match="zero or positive"):
        h(*EXAMPLE, float("nan"))
    with pytest.raises(DataError, match="positive step"):
        curve(*EXAMPLE).area(grid=0)


def test_entropy_and_risk() -> None:
    assert entropy([0.25] * 4) == 2.0
    assert disclosure_risk([0.25] * 4) == 0.5
    assert entropy([1.0]) == 0.0
    assert disclosure_risk([1.0]) == np.inf


def test_weights_that_are_all_zero_cannot_be_normalised() -> None:
    with pytest.raises(DataError, match="sum to zero"):
        normalise([0, 0])
