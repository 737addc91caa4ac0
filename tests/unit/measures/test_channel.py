"""Guessing through a channel, and the association that it keeps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdcdb.measures.channel import guessed, kept_association


@given(st.integers(2, 6), st.integers(0, 1000))
def test_guessing_is_never_worse_than_the_commonest_value_and_never_better_than_certainty(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    likelihood, prior = rng.dirichlet(np.ones(size), size), rng.dirichlet(np.ones(size))
    chance = guessed(likelihood, prior)
    assert prior.max() - 1e-9 <= chance <= 1 + 1e-9
    assert chance - 1e-9 <= guessed(likelihood, prior, reach=1) <= 1 + 1e-9
    best = sum(max(prior[i] * likelihood[i, j] for i in range(size)) for j in range(size))
    assert chance == pytest.approx(best)


def test_no_association_is_none_to_keep() -> None:
    assert kept_association(np.eye(2), [[5, 5], [5, 5]]) is None
    assert kept_association(np.eye(2), [[9, 1], [1, 9]]) == pytest.approx(1)
