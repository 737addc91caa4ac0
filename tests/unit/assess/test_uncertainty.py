"""What an intruder is unsure of after a release."""

import numpy as np
import pytest

from sdcdb.assess.channels import channel, grid_of
from sdcdb.assess.uncertainty import Published, uncertainty
from sdcdb.measures.channel import Grid
from sdcdb.measures.equivocation import after_sampling
from sdcdb.techniques.families.numbers import NumberShape
from sdcdb.techniques.normal import FittedNormal

WHOLE = NumberShape(type="INTEGER", domain=(0, 20), step=1)

GRID = grid_of((0, 20), 1)


def test_without_noise_a_sample_gives_the_belief_of_the_paper() -> None:
    cells, grid = np.array([1, 1, 2]), Grid(-0.5, 3.5, 4)
    sampled = Published(grid, cells, cells, np.eye(4), fraction=3 / 4)
    paper = after_sampling([1, 1, 2], matching_in_original=4, domain=[0, 1, 2, 3])
    assert sampled.belief_after(np.ones(3, bool)) == pytest.approx(paper)


def test_noise_makes_an_intruder_unsure_who_would_have_known() -> None:
    rng = np.random.default_rng(3)
    before = rng.integers(0, 21, 400)
    likelihood = channel(FittedNormal(columns=("x",), sd=4, boundary="clip", shape=WHOLE), "x", GRID)
    assert likelihood is not None
    after = np.array([rng.choice(21, p=likelihood[x]) for x in before])
    nothing, all_known = uncertainty(Published(GRID, before, after, likelihood), [("id", np.arange(400))])
    assert all_known.known == ("id",)
    assert all_known.before.h0 == all_known.least_before == 0
    assert all_known.after.h0 > 2
    assert 0 < all_known.least_after <= all_known.after.h0 <= nothing.after.h0
