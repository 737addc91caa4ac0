"""The least entropy of a value that is known to lie in an interval."""

import math

import numpy as np
import pytest

from sdcdb.gateway.inference.intervals.equivocation import area, h0, least_width, values_in
from sdcdb.measures.cae_curve import cae


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
