"""Records that are alone with what is known of them, in a sample and in its population."""

from dataclasses import asdict

import numpy as np
import pytest

from sdcdb.measures import unique_records as uniqueness
from sdcdb.measures.unique_records import population_uniqueness


def test_theta_by_hand() -> None:
    # classes 1, 1, 1, 2, 2, 4 and one record in ten sampled: 0.3 / (0.3 + 2 * 0.9 * 2)
    result = uniqueness.uniqueness([list("abcddeeffff")], fraction=0.1)
    assert (result.sample_uniques, result.sample_pairs) == (3, 2)
    assert result.theta == pytest.approx(0.3 / 3.9)
    assert result.expected_correct_matches == pytest.approx(0.9 / 3.9)


def test_every_unique_match_is_correct_when_the_sample_is_the_population() -> None:
    assert uniqueness.uniqueness([[1, 2, 3, 3]]).theta == 1.0


@pytest.mark.parametrize(("values", "fraction"), [([1, 1, 1], 0.1), ([1, 1], 1.0), ([], 0.5)])
def test_theta_is_none_where_it_is_zero_by_zero(values: list[int], fraction: float) -> None:
    result = uniqueness.uniqueness([values], fraction=fraction)
    assert (result.theta, result.expected_correct_matches) == (None, 0.0)


def test_theta_is_zero_when_there_are_pairs_only() -> None:
    assert uniqueness.uniqueness([[1, 1]], fraction=0.5).theta == 0.0


def test_theta_estimates_the_share_of_correct_unique_matches() -> None:
    rng = np.random.default_rng(3)
    population = rng.geometric(0.0005, 50_000)
    sample = population[rng.random(population.size) < 0.1]
    in_sample, in_population = np.bincount(sample, minlength=50_000), np.bincount(population, minlength=50_000)
    truth = np.sum(in_sample == 1) / in_population[np.flatnonzero(in_sample == 1)].sum()
    assert uniqueness.uniqueness([sample], fraction=0.1).theta == pytest.approx(truth, rel=0.1)


def test_population_uniqueness_counts_only_records_unique_in_both() -> None:
    result = population_uniqueness([["a", "b", None, "x"]], [["a", "b", "b", None]])  # x is not in the population
    assert asdict(result) == {"records": 4, "sample_uniques": 4, "population_uniques_in_sample": 2, "share": 0.5}
