"""What a technique does to a value, as a channel: what simulation gives."""

import numpy as np
import pytest

from sdcdb.assess.channels import channel, counted, grid_of
from sdcdb.errors import DataError
from sdcdb.measures.channel import Grid, bounded, kept_variance
from sdcdb.techniques.binomial import FittedBinomial
from sdcdb.techniques.families.numbers import NumberShape
from sdcdb.techniques.normal import FittedNormal
from sdcdb.techniques.rounding import FittedRounding
from sdcdb.techniques.uniform import FittedUniform

WHOLE = NumberShape(type="INTEGER", domain=(0, 20), step=1)

GRID = grid_of((0, 20), 1)


def test_a_short_domain_has_a_cell_for_each_value_and_a_long_one_a_hundred() -> None:
    assert GRID.middles.tolist() == list(range(21))
    assert grid_of((10_000, 250_000), 1) == Grid(10_000, 250_000, 100)
    assert grid_of((-5, 5), None).size == 100


def test_a_grid_needs_two_ends() -> None:
    with pytest.raises(DataError, match="use low < high"):
        Grid(3, 3, 10)


@pytest.mark.parametrize("boundary", ["wrap", "clip", "reflect"])
def test_the_channel_of_normal_noise_is_what_simulation_gives(boundary: str) -> None:
    fitted = FittedNormal.model_validate({"columns": ("x",), "sd": 4, "boundary": boundary, "shape": WHOLE})
    found = channel(fitted, "x", GRID)
    assert found is not None
    noisy = np.floor(2.5 + 4 * np.random.default_rng(1).standard_normal(200_000))  # on the grid, as in SQL
    ends = (0, 21) if boundary == "wrap" else (0, 20)
    there = np.bincount(GRID.cells(bounded(noisy, *ends, boundary)), minlength=21) / len(noisy)  # type: ignore[arg-type]
    assert np.abs(found[2] - there).max() < 0.01
    assert np.allclose(found.sum(axis=1), 1)


def test_the_channel_of_binomial_noise_is_binomial() -> None:
    fitted = FittedBinomial.model_validate({"columns": ("x",), "trials": 4, "boundary": "wrap", "shape": WHOLE})
    found = channel(fitted, "x", GRID)
    assert found is not None
    assert found[10, 8:13] == pytest.approx([1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16], abs=1e-3)


def test_uniform_noise_as_wide_as_the_domain_leaves_nothing() -> None:
    fitted = FittedUniform.model_validate({"columns": ("x",), "width": 20, "boundary": "wrap", "shape": WHOLE})
    found = channel(fitted, "x", GRID)
    assert found is not None
    assert kept_variance(found, np.ones(21), GRID.middles) < 0.01


def test_what_is_no_noise_is_counted_from_the_records() -> None:
    fitted = FittedRounding.model_validate({"columns": ("x",), "base": 5.0, "at_random": False, "shape": WHOLE})
    assert channel(fitted, "x", GRID) is None
    found = counted(np.array([1, 1, 4]), np.array([0, 0, 5]), GRID)
    assert found[1, 0] == found[4, 5] == found[20, 20] == 1
