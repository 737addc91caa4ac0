"""Channels: what noise does to one value, held against simulation and against the database itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdcdb.assess.channels import channel, counted, grid_of
from sdcdb.assess.sweep import category_sweep, number_sweep
from sdcdb.assess.uncertainty import Published, uncertainty
from sdcdb.errors import DataError
from sdcdb.fields.amount import parse
from sdcdb.measures.channel import Grid, bounded, guessed, kept_association, kept_variance
from sdcdb.measures.equivocation import after_sampling
from sdcdb.techniques.binomial import FittedBinomial
from sdcdb.techniques.families.numbers import NumberShape
from sdcdb.techniques.families.transition import vicus
from sdcdb.techniques.normal import FittedNormal, Normal
from sdcdb.techniques.rounding import FittedRounding
from sdcdb.techniques.uniform import FittedUniform
from sdcdb.techniques.vicus import FittedVicus, Vicus

WHOLE = NumberShape(type="INTEGER", domain=(0, 20), step=1)
GRID = grid_of((0, 20), 1)


def test_a_short_domain_has_a_cell_for_each_value_and_a_long_one_a_hundred() -> None:
    assert GRID.middles.tolist() == list(range(21))
    assert grid_of((10_000, 250_000), 1) == Grid(10_000, 250_000, 100)
    assert grid_of((-5, 5), None).size == 100


def test_a_grid_needs_two_ends() -> None:
    with pytest.raises(DataError, match="two ends"):
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


def test_a_stronger_vicus_is_safer_and_less_useful_and_beats_random() -> None:
    values, subsets = ("a", "b", "c", "d"), (("a", "b"), ("c", "d"))
    matrix = vicus(values, subsets, 5, 20).matrix
    fitted = FittedVicus.model_validate(
        {
            "columns": ("x",),
            "shape": {"type": "VARCHAR", "values": values},
            "matrix": matrix.tolist(),
            "subsets": subsets,
        }
    )
    table = np.array([[90, 10], [80, 20], [20, 80], [10, 90]])
    points = category_sweep(fitted, Vicus(method="vicus", k1=5, k2=20), table.sum(axis=1).astype(float), [table])
    by = {method: [p for p in points if p.method == method and not p.chosen] for method in ("vicus", "random")}
    for swept in by.values():
        assert [p.risk for p in swept] == sorted(p.risk for p in swept)
        assert [p.utility for p in swept] == sorted(p.utility for p in swept)
    assert all(v.risk == pytest.approx(r.risk) for v, r in zip(by["vicus"], by["random"], strict=True))
    assert all(v.utility > r.utility for v, r in zip(by["vicus"], by["random"], strict=True))
    assert [p.parameter for p in points if p.chosen] == ["k1 = 5"]


def test_more_noise_is_safer_and_less_useful() -> None:
    fitted = FittedNormal(columns=("x",), sd=3, boundary="clip", shape=WHOLE)
    points = number_sweep(fitted, "x", Normal(method="normal", sd=parse("15%")), np.arange(21.0), ((0, 20), 1))
    assert [p.risk for p in points] == sorted((p.risk for p in points), reverse=True)
    assert [p.utility for p in points] == sorted((p.utility for p in points), reverse=True)
    assert [p.parameter for p in points if p.chosen] == ["sd = 3"]


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
