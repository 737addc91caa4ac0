"""Values that several counted ones leave: no group in which all others may be told is too small for them."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binom

from sdcdb.gateway.inference.categories.beliefs import Beliefs
from sdcdb.gateway.inference.categories.counting import Caps, Counting
from sdcdb.gateway.inference.categories.plausible import LARGEST
from sdcdb.gateway.inference.categories.values_left import ValuesLeft

CASES = [
    ((0.4, 0.4, 0.03, 0.17), (3,)),
    ((0.3, 0.24, 0.18, 0.12, 0.09, 0.05, 0.02), (5, 6)),
    ((0.3, 0.24, 0.18, 0.12, 0.09, 0.05, 0.02), (0, 1, 2, 3, 4, 5, 6)),
    ((0.2, 0.2, 0.2, 0.2, 0.2), (1,)),
]


@pytest.mark.parametrize(("shares", "sensitive"), CASES)
def test_no_union_of_values_left_is_told_over_too_small_a_group(
    shares: tuple[float, ...], sensitive: tuple[int, ...]
) -> None:
    """By brute force over all sets of counted values, at the least size that all of them have, and just above."""
    public, caps = np.array([shares]), Caps(0.8)
    least = Beliefs(np.array([1000]), np.array(shares), sensitive, caps, 5, 1)._least
    for number in range(2, len(shares)):
        for told in combinations(range(len(shares)), number):
            size = max(least[value] for value in told)
            for secret in set(sensitive) - set(told):
                left = 1 - float(public[0, list(told)].sum())
                for n in range(size, min(size + 40, LARGEST)):
                    few = np.ceil(0.2 * left * n - 1e-9) - 1
                    many = np.floor(max(0.8 / shares[secret], 1.1) * left * (n - 1) + 1e-9)
                    assert binom.cdf(few, n, left) + binom.sf(many, n, left) <= 1e-3 + 1e-9


def test_one_value_that_was_counted_needs_no_more_than_by_itself() -> None:
    shares = np.array([[0.4, 0.4, 0.03, 0.17]])
    found = ValuesLeft(np.array([1000]), shares, (3,), Caps(0.8)).raised([20, 20, 5, 60])
    assert found[0] == 20
    assert found[3] == 60
    assert found[1] > 20
    assert found[2] > 5


def test_everybody_known_to_have_one_of_two_values_is_a_breach() -> None:
    state = Beliefs(np.array([20, 400]), np.array([0.4, 0.4, 0.03, 0.17]), (3,), Caps(0.8), 5, 1)
    ward = np.array([True, False])
    assert state.consider([Counting(ward, frozenset({0}))]) == [True]
    assert state.consider([Counting(ward, frozenset({0})), Counting(ward, frozenset({1}))]) == [True, False]
