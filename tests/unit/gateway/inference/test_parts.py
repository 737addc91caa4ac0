"""The parts of the interval rule, each against the thing that it computes faster."""

import math

import numpy as np
import pytest
from scipy import stats

from sdcdb.gateway.inference.algebra.bit_matrix import Rows
from sdcdb.gateway.inference.algebra.geometry import Geometry
from sdcdb.gateway.inference.algebra.gram import Gram
from sdcdb.gateway.inference.intervals.certificate import widths
from sdcdb.gateway.inference.intervals.equivocation import area, h0, least_width, values_in
from sdcdb.gateway.inference.intervals.record_bounds import bounds
from sdcdb.gateway.inference.intervals.sum_range import deviation, spreads
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.units import Scale
from sdcdb.measures.cae_curve import cae


def test_products_with_packed_rows_are_those_of_the_matrix() -> None:
    rng = np.random.default_rng(1)
    matrix = rng.random((77, 301)) < 0.4
    rows = Rows(301)
    for row in matrix:
        rows.append(row)
    weights, each = rng.random(301), rng.random(77)
    np.testing.assert_allclose(rows.times(weights), matrix @ weights)
    np.testing.assert_allclose(rows.combined(each), each @ matrix)
    assert (rows.column(300) == matrix[:, 300]).all()
    assert (rows.dense() == matrix).all()
    assert (rows.part(128, 256) == matrix[:, 128:256]).all()
    assert (rows.row(5) == matrix[5]).all()
    rows.truncate(33)
    rows.append(matrix[70])
    np.testing.assert_allclose(rows.combined(np.ones(34)), matrix[:33].sum(axis=0) + matrix[70])


def test_the_factor_grows_shrinks_and_takes_a_vector_in_or_out() -> None:
    rng = np.random.default_rng(2)
    square = rng.normal(size=(20, 40))
    g = square @ square.T
    gram = Gram()
    for k in range(20):
        half = gram.half(g[k, :k])
        gram.append(half, float(np.sqrt(g[k, k] - half @ half)))
    right, v = rng.normal(size=20), rng.normal(size=20)
    np.testing.assert_allclose(gram.solve(right), np.linalg.solve(g, right))
    more, less = gram.updated(v, 3.0), gram.updated(v, -0.01)
    assert more is not None
    assert less is not None
    np.testing.assert_allclose(more.solve(right), np.linalg.solve(g + 3 * np.outer(v, v), right))
    np.testing.assert_allclose(less.solve(right), np.linalg.solve(g - 0.01 * np.outer(v, v), right))
    assert gram.updated(v, -1e9) is None


@pytest.mark.parametrize("seed", range(30))
def test_the_certificate_is_a_lower_bound_of_the_exact_widths(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells, questions = int(rng.integers(4, 15)), int(rng.integers(1, 5))
    counts = rng.integers(1, 4, cells).astype(float)
    geometry, leverage, sets = Geometry(counts), np.zeros(cells), []
    for _ in range(questions):
        flags = rng.random(cells) < 0.6
        rest = geometry.rest(flags)
        if rest.length > 1e-6:
            geometry.add(rest)
            leverage += rest.values**2 / rest.length
            sets.append(flags)
    point = rng.uniform(0.05, 0.95, cells)
    zero = np.zeros(cells)
    found = widths(point, (zero, zero + 1, zero, zero), leverage, counts, zero > 0)
    lower, upper = bounds(
        np.array(sets).reshape(-1, cells), [(counts * point)[s].sum() for s in sets], 0, 1, weights=counts
    )
    assert (found <= upper - lower + 1e-6).all()
    assert found.max() > 0
    basis = np.linalg.qr((np.array(sets).reshape(-1, cells) * np.sqrt(counts)).T)[0]
    np.testing.assert_allclose(leverage * counts, (basis**2).sum(axis=1), atol=1e-9)


def test_the_spread_of_fresh_uniform_records_is_irwin_halls() -> None:
    for m in range(2, 12):
        one = np.ones(m)
        low, high = spreads(one, one, one / 2, one / 2, 1e-6)
        expected = (1e-6 * math.factorial(m)) ** (1 / m)
        assert m / 2 - low == pytest.approx(expected, rel=0.03)
        assert low == high


def test_the_spread_of_many_records_is_gaussian() -> None:
    one = np.ones(3000)
    assert deviation(one / 2, one, 1e-6) == pytest.approx(-stats.norm.ppf(1e-6) * np.sqrt(3000 / 12), rel=0.01)
    assert deviation(one * 0, one, 1e-6) == 0


def test_skewed_records_fall_less_and_rise_more() -> None:
    ten = np.ones(10)
    low, high = spreads(ten, ten, ten * 0.05, ten * 0.95, 1e-6)
    assert low < 0.5 < high  # never below zero: ten records of 0.05 each


def test_least_entropies_of_uniform_values_are_those_of_the_programme() -> None:
    for number, step in ((2, 1.0), (5, 3.0), (40, 0.25), (333, 1.0)):
        expected = cae(np.arange(number) * step, np.full(number, 1 / number))
        assert h0(number) == pytest.approx(expected.h0)
        assert area(number, step) == pytest.approx(expected.area)
    assert area(100_000, 1.0) == pytest.approx(area(4096, 100_000 / 4096))


def test_floors_on_entropy_become_a_least_width() -> None:
    assert least_width(1.0, 0.0, 5.0, 100) == 10.0
    assert least_width(0.0, 0.0, 5.0, 100) == 0.0
    assert least_width(8.0, 0.0, 5.0, 100) == math.inf
    width = least_width(1.0, 50.0, 1.0, 1000)
    assert area(values_in(width, 1.0), 1.0) >= 50 > area(values_in(width, 1.0) - 1, 1.0)


def test_scores_name_the_rule_that_is_closest() -> None:
    scale = Scale(0.0, 1000.0, 1.0, Limits(10, 50.0, min_h0=8.0))
    assert scale.cae_need == pytest.approx(0.256)
    assert scale.interval_need == pytest.approx(0.051)
    assert scale.score(0.3).closest == "cae"
    assert scale.score(0.3).interval == 300
    assert Scale(0.0, 1000.0, 1.0, Limits(10, 50.0)).score(0.3).closest == "interval"
    assert Scale(0.0, 20.0, 1.0, Limits(10, 1.0)).too_coarse
