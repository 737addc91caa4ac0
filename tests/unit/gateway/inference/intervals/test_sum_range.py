"""How far a sum of records spreads."""

import math

import numpy as np
import pytest
from scipy import stats

from sdcdb.gateway.inference.intervals.sum_range import deviation, spreads


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
