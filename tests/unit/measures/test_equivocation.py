"""p_i after sampling, query restriction and noise: by hand, by the paper's loops, and on to CAE."""

import doctest
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, entropy, norm

from sdcdb.errors import DataError
from sdcdb.measures import equivocation
from sdcdb.measures.cae_curve import cae
from sdcdb.measures.equivocation import after_noise, after_restriction, after_sampling, binomial_noise, bounded_noise

SALARY = list(range(10, 260, 10))  # the 25 values of the paper's Table 2

domains = st.lists(st.integers(-20, 20), min_size=1, max_size=12, unique=True)


def test_the_examples_in_the_docstrings_run() -> None:
    results = doctest.testmod(equivocation)
    assert results.attempted > 0
    assert results.failed == 0


# ---- sampling


def test_a_full_sample_leaves_the_frequencies() -> None:
    assert after_sampling([10, 10, 20, 50], 4, [10, 20, 30, 40, 50]).tolist() == [0.5, 0.25, 0, 0, 0.25]


def test_an_empty_sample_leaves_all_values_equally_likely() -> None:
    p = after_sampling([], 3, SALARY)
    assert p == pytest.approx(np.full(25, 1 / 25))
    assert cae(SALARY, p).h0 == pytest.approx(np.log2(25))


@settings(deadline=None)
@given(st.data())
def test_sampling_is_the_printed_formula(data: st.DataObject) -> None:
    domain = data.draw(domains)
    sample = data.draw(st.lists(st.sampled_from(domain), max_size=10))
    original = data.draw(st.integers(max(1, len(sample)), 30))
    p = after_sampling(sample, original, domain)
    rest = (original - len(sample)) / original / len(domain)
    assert p == pytest.approx([sample.count(d) / original + rest for d in domain])
    assert p.sum() == pytest.approx(1)


def test_a_smaller_sample_leaves_the_intruder_less_sure() -> None:
    matching = [30, 40, 40, 50] * 5
    found = [cae(SALARY, after_sampling(matching[:size], 20, SALARY)) for size in (20, 12, 4)]
    assert found[0].h0 < found[1].h0 < found[2].h0
    assert found[0].area < found[1].area < found[2].area


# ---- query restriction


def printed_algorithm(low: list[int], high: list[int], domain: list[int]) -> list[float]:
    """Algorithm 2, with the number of domain values in [L, U] for U - L + 1."""
    p = dict.fromkeys(domain, 0.0)
    for lower, upper in zip(low, high, strict=True):
        inside = [d for d in domain if lower <= d <= upper]
        for d in inside:
            p[d] += 1 / len(inside) / len(low)
    return list(p.values())


@settings(deadline=None)
@given(st.data())
def test_restriction_is_the_printed_algorithm(data: st.DataObject) -> None:
    domain = data.draw(domains)
    ends = data.draw(st.lists(st.tuples(st.sampled_from(domain), st.sampled_from(domain)), min_size=1, max_size=15))
    low, high = [min(pair) for pair in ends], [max(pair) for pair in ends]
    p, expected = after_restriction(low, high, domain), printed_algorithm(low, high, domain)
    assert p == pytest.approx(expected)
    assert (p > 0).tolist() == [chance > 0 for chance in expected]  # exact zeros: eps_max depends on them


def test_whole_numbers_spread_over_u_minus_l_plus_one() -> None:
    p = after_restriction([3], [7], list(range(1, 11)))
    assert p.tolist() == [0, 0, *[pytest.approx(1 / 5)] * 5, 0, 0, 0]
    assert cae(range(1, 11), p).eps_max == 4


def test_a_bound_that_rounding_moved_keeps_its_value() -> None:
    low, high = [0.1 + 0.2], [0.6 - 1e-12]
    assert after_restriction(low, high, [0.3, 0.6]).tolist() == [0.5, 0.5]
    assert after_restriction(low, high, [0.3, 0.5, 0.6], slack=0.0).tolist() == [0, 1, 0]


def test_ten_thousand_records_and_values_leave_no_residue() -> None:
    random = np.random.default_rng(1)
    low = random.integers(2_000, 5_000, 10_000)
    p = after_restriction(low, low + random.integers(0, 3_000, 10_000), np.arange(10_000))
    assert p[:2_000].sum() == 0
    assert p[8_000:].sum() == 0
    assert (p >= 0).all()
    assert p.sum() == pytest.approx(1)


# ---- noise


def test_noise_of_two_steps_by_hand() -> None:
    # 20 published: the original was 10, 20 or 30 with 1, 2, 1 of 4 chances; column 2 is one step up from column 1.
    p = after_noise([2], binomial_noise(3, 2))
    assert p.tolist() == [0.25, 0.5, 0.25]
    assert cae([10, 20, 30], p).h0 == 1.5


def test_a_value_outside_the_domain_gives_its_origin_away() -> None:
    assert after_noise([0], binomial_noise(3, 2)).tolist() == [1, 0, 0]


def test_binomial_noise_is_scipys_and_its_rows_sum_to_one() -> None:
    likelihood = binomial_noise(25, 8)
    assert likelihood.shape == (25, 33)
    assert likelihood.sum(axis=1) == pytest.approx(np.ones(25))
    assert likelihood[10, 10:19] == pytest.approx(binom.pmf(np.arange(9), 8, 0.5))


@settings(deadline=None)
@given(st.data())
def test_noise_is_bayes_record_by_record(data: st.DataObject) -> None:
    size, columns = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5))
    row = st.lists(st.integers(1, 9), min_size=columns, max_size=columns)
    likelihood = np.array(data.draw(st.lists(row, min_size=size, max_size=size)), dtype=float)
    likelihood /= likelihood.sum(axis=1, keepdims=True)
    prior = data.draw(st.none() | st.lists(st.integers(1, 9), min_size=size, max_size=size))
    observed = data.draw(st.lists(st.integers(0, columns - 1), min_size=1, max_size=10))
    expected = np.zeros(size)
    for j in observed:
        joint = np.array([(1 if prior is None else prior[i]) * likelihood[i, j] for i in range(size)])
        expected += joint / joint.sum() / len(observed)
    assert after_noise(observed, likelihood, prior) == pytest.approx(expected)


def test_continuous_noise_by_its_density() -> None:
    domain, published = np.array([0.0, 1.0, 2.0]), np.array([0.2, 1.7])
    p = after_noise([0, 1], norm.pdf(published - domain[:, None], scale=0.5))
    each = norm.pdf(published - domain[:, None], scale=0.5)
    assert p == pytest.approx((each / each.sum(axis=0)).mean(axis=1))


def test_more_noise_leaves_the_intruder_less_sure() -> None:
    found = [cae(SALARY, after_noise([12 + m // 2] * 3, binomial_noise(25, m))) for m in (0, 2, 6, 12, 24)]
    assert found[0].h0 == 0
    assert all(a.h0 < b.h0 and a.area < b.area for a, b in pairwise(found))


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: after_sampling([10, 20], 1, [10, 20]), "whole table"),
        (lambda: after_sampling([], 0, [10]), "at least one"),
        (lambda: after_sampling([15], 2, [10, 20]), "15 is not in the domain"),
        (lambda: after_sampling([10], 2, [10, 10]), "each value once"),
        (lambda: after_sampling([float("nan")], 2, [10]), "leave those out"),
        (lambda: after_sampling(np.ma.masked_array([10], mask=[True]), 2, [10]), "NULL"),
        (lambda: after_restriction([1], [2, 3], [1, 2]), "one of each"),
        (lambda: after_restriction([], [], [1, 2]), "per matching record"),
        (lambda: after_restriction([1, 12], [2, 18], [1, 2, 10, 20]), r"\[12, 18\].*record 2.*slack"),
        (lambda: after_noise([0], [[0.5, -0.5]]), "zero or positive"),
        (lambda: after_noise([0], [0.5, 0.5]), "dimensions"),
        (lambda: after_noise([2], [[0.5, 0.5]]), "0 to 1"),
        (lambda: after_noise([], [[0.5, 0.5]]), "each matching record"),
        (lambda: after_noise([0], [[1, 0]], prior=[1, 1]), "one for each"),
        (lambda: after_noise([1], [[1, 0]]), "cannot come from any"),
        (lambda: binomial_noise(5, 3), "even"),
    ],
)
def test_mistakes_are_told_with_what_to_do(call: object, word: str) -> None:
    with pytest.raises(DataError, match=word):
        call()  # type: ignore[operator] # a list of lambdas


def test_algorithm_3_as_printed_spreads_a_record_evenly_over_its_bounds() -> None:
    """Noise of at most M/2 = 2 steps either way; at y = 1 the domain's first value ends the bounds."""
    size, largest = 7, 4
    likelihood = bounded_noise(size, largest)
    for y in range(size):
        low, high = max(0, y - largest // 2), min(size - 1, y + largest // 2)
        p = after_noise([y + largest // 2], likelihood)
        inside = (np.arange(size) >= low) & (np.arange(size) <= high)
        assert p == pytest.approx(np.where(inside, 1 / (high - low + 1), 0))
        assert entropy(p) >= entropy(after_noise([y + largest // 2], binomial_noise(size, largest))) - 1e-12
