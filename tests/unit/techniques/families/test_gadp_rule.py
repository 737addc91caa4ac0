"""GADP and EGADP as linear rules: moments are kept in expectation, or exactly in the sample."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcdb.techniques.families.gadp import Moments, mapped, root, rule


def sample(n: int, numbers: int, stay: int, seed: int) -> np.ndarray:
    """Return records of correlated columns X, S and of normal draws Z."""
    rng = np.random.default_rng(seed)
    mixed = rng.normal(size=(n, numbers + stay)) @ rng.normal(size=(numbers + stay, numbers + stay)) + 100
    return np.hstack([mixed, rng.normal(size=(n, numbers))])


def moments(table: np.ndarray) -> Moments:
    return Moments(table.mean(axis=0), np.atleast_2d(np.cov(table.T)))


def published(table: np.ndarray, numbers: int, proximity: float, *, exact: bool) -> np.ndarray:
    found = rule(moments(table), numbers, proximity, exact=exact)
    inputs, draws = table[:, : -numbers or None], table[:, -numbers:]
    return found.intercept + inputs @ found.inputs.T + draws @ found.noise.T


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(3, 60), numbers=st.integers(1, 5), stay=st.integers(0, 3), a=st.sampled_from([0, 0.5, 0.9]),
    seed=st.integers(0, 9999),
)  # fmt: skip
def test_egadp_keeps_mean_and_covariance_exactly(n: int, numbers: int, stay: int, a: float, seed: int) -> None:
    table = sample(n, numbers, stay, seed)
    x, s = table[:, :numbers], table[:, numbers : numbers + stay]
    y = published(table, numbers, a, exact=True)
    size = np.abs(x - x.mean(axis=0)).max()
    assert np.allclose(y.mean(axis=0), x.mean(axis=0), atol=1e-6 * size)
    before, after = np.cov(np.hstack([x, s]).T), np.cov(np.hstack([y, s]).T)
    assert np.allclose(after, before, atol=1e-6 * np.abs(before).max())


def test_egadp_draws_anew_with_no_trace_of_the_values() -> None:
    table = sample(20, 3, 0, 1)
    y = published(table, 3, 0.0, exact=True)
    cross = np.cov(np.hstack([table[:, :3], y]).T)[:3, 3:]
    assert np.abs(cross).max() < 1e-9


def test_egadp_keeps_the_asked_for_share_of_the_values() -> None:
    table = sample(50, 2, 0, 2)
    y = published(table, 2, 0.7, exact=True)
    assert np.corrcoef(table[:, 0], y[:, 0])[0, 1] == pytest.approx(0.7, abs=1e-9)


def test_gadp_keeps_moments_in_expectation() -> None:
    table = sample(200_000, 3, 1, 3)  # one run: four standard errors of a correlation are below 0.01
    y = published(table, 3, 0.5, exact=False)
    before = np.corrcoef(table[:, :4].T)
    after = np.corrcoef(np.hstack([y, table[:, 3:4]]).T)
    assert np.abs(after - before).max() < 0.01


def test_constant_columns_stay_as_they_are() -> None:
    table = sample(30, 2, 0, 4)
    table[:, 1] = 7.0
    for exact in (True, False):
        assert published(table, 2, 0.0, exact=exact)[:, 1] == pytest.approx(np.full(30, 7.0))


def test_roots_of_any_rank() -> None:
    rank_one = np.outer([1.0, 2], [1, 2])
    assert root(rank_one) @ root(rank_one).T == pytest.approx(rank_one)
    made = mapped(np.eye(2), rank_one)
    assert made @ made.T == pytest.approx(rank_one)
