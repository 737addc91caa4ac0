"""Noise, rounding and coding of numbers: what is published has the distribution that the manual promises.

The secret is fixed, so nothing here is left to chance: a test that passes once passes always. Tolerances are four
standard errors for moments and p > 0.001 for tests of fit, at 60,000 records.
"""

import math
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import stats
from support.protecting import fixed_secret, policy_of

from sdcdb.errors import DataError
from sdcdb.policy.governed import Governed
from sdcdb.techniques.binomial import FittedBinomial, _alias, chances
from sdcdb.techniques.correlated import FittedCorrelated
from sdcdb.techniques.multiplicative import FittedMultiplicative
from sdcdb.techniques.technique import Fitted
from sdcdb.views.protect import Protected, protect

N = 60_000
NORMAL = {"method": "normal", "sd": 100}
Floats = NDArray[np.float64]


_secret = fixed_secret("numeric-techniques-0123456789abcdef")


def publish(
    data: dict[str, Any], methods: dict[str, Any], types: str = "DOUBLE", **shape: Any
) -> tuple[pd.DataFrame, Protected]:
    """Protect a table of these columns, all of one type and shape, and return the view in the order of the records."""
    frame = pd.DataFrame(data)
    role = {"role": "confidential" if "domain" in shape else "quasi", **shape}
    columns = {"id": "identifier", "n": "public", **dict.fromkeys(data, role)}
    database = Governed(None, duckdb.connect(), policy_of(columns, {"columns": methods}))
    chosen = ", ".join(f'"{name}"::{types} AS "{name}"' for name in data)
    database.con.register("given", frame.assign(id=range(len(frame))))
    database.con.execute(f"CREATE TABLE x AS SELECT id, id AS n, {chosen} FROM given")
    (made,) = protect(database)
    published = database.con.execute("FROM y ORDER BY n").df()
    database.close()
    return published, made


def one(values: Any, method: dict[str, Any], types: str = "DOUBLE", **shape: Any) -> Floats:
    """Protect one column and return it."""
    view, _ = publish({"v": values}, {"v": method}, types, **shape)
    return view["v"].to_numpy(dtype=float)


def fitted(values: Any, method: dict[str, Any], types: str = "DOUBLE", **shape: Any) -> Fitted:
    """Protect one column and return what fitting found."""
    return publish({"v": values}, {"v": method}, types, **shape)[1].plan.fitted[0]


def rng() -> np.random.Generator:
    return np.random.default_rng(20260)


def same_value(value: float, n: int = N) -> Floats:
    return np.full(n, float(value))


def fits(values: Floats, chances_of: dict[float, float]) -> bool:
    """Tell whether counts agree with the chances of each value, and no other value occurs (chi-square)."""
    found = [int((values == value).sum()) for value in chances_of]
    assert sum(found) == len(values), sorted(set(values) - set(chances_of))
    return bool(stats.chisquare(found, len(values) * np.array(list(chances_of.values()))).pvalue > 0.001)


def near(values: Floats, mean: float, sd: float) -> bool:
    """Tell whether the mean lies within four standard errors."""
    return bool(abs(values.mean() - mean) < 4 * sd / math.sqrt(len(values)))


# Uniform


def test_rnat_makes_every_value_of_a_continuous_domain_equally_likely() -> None:
    published = one(same_value(1.25), {"method": "uniform"}, domain=[-5, 5])
    assert stats.kstest(published, stats.uniform(-5, 10).cdf).pvalue > 0.001


def test_rnat_on_a_grid_keeps_a_value_half_as_often_as_it_gives_another() -> None:
    published = one(same_value(3), {"method": "uniform"}, "INTEGER", domain=[0, 9])
    assert fits(published, {value: (1 if value == 3 else 2) / 19 for value in range(10)})


def test_uniform_noise_has_its_mean_and_variance_and_shape() -> None:
    values = rng().normal(100, 20, N)
    noise = one(values, {"method": "uniform", "width": 6}) - values
    assert near(noise, 0, 6 / math.sqrt(3))
    assert noise.var() == pytest.approx(12, rel=0.02)
    assert stats.kstest(noise, stats.uniform(-6, 12).cdf).pvalue > 0.001


@pytest.mark.parametrize(
    ("boundary", "weights"),
    [
        ("wrap", {6: 1, 7: 1, 8: 1, 9: 1, 0: 1, 1: 1, 2: 1}),
        ("clip", {6: 1, 7: 1, 8: 1, 9: 4}),
        ("reflect", {6: 2, 7: 2, 8: 2, 9: 1}),
    ],
)
def test_what_happens_at_the_end_of_the_domain(boundary: str, weights: dict[float, int]) -> None:
    published = one(same_value(9), {"method": "uniform", "width": 3, "boundary": boundary}, "INTEGER", domain=[0, 9])
    assert fits(published, {value: weight / 7 for value, weight in weights.items()})


def test_reflected_and_clipped_reals() -> None:
    noise = {"method": "uniform", "width": 2}
    reflected = one(same_value(5), {**noise, "boundary": "reflect"}, domain=[-5, 5])
    assert stats.kstest(reflected, stats.uniform(3, 2).cdf).pvalue > 0.001
    clipped = one(same_value(5), {**noise, "boundary": "clip"}, domain=[-5, 5])
    assert fits(np.where(clipped == 5, 5.0, 0.0), {5.0: 0.5, 0.0: 0.5})
    assert clipped.min() > 3


def test_steps_stay_steps_and_decimals_decimals() -> None:
    stepped = one(same_value(130), {"method": "uniform", "width": "25%"}, "SMALLINT", domain=[10, 250], step=10)
    assert fits(stepped, dict.fromkeys(range(70, 191, 10), 1 / 13))
    cents = one(same_value(1), {"method": "uniform", "width": 0.05}, "DECIMAL(6,2)", domain=[0, 2])
    assert fits(np.round(cents * 100), dict.fromkeys(range(95, 106), 1 / 11))


def test_a_domain_may_end_between_two_steps() -> None:
    published = one(same_value(40, 2000), {"method": "uniform"}, "INTEGER", domain=[0, 95], step=10)
    assert set(published) == set(range(0, 91, 10))


@pytest.mark.parametrize(
    ("types", "value"), [("UTINYINT", 1), ("TINYINT", 127), ("UBIGINT", 0), ("DECIMAL(4,1)", 999.9)]
)
def test_noise_stays_inside_the_type_where_there_is_no_domain(types: str, value: float) -> None:
    published = one(same_value(value, 500), {"method": "uniform", "width": 50}, types)
    assert len(set(published)) > 20
    assert abs(published - value).max() <= 50
    assert published.max() <= value or published.min() >= 0


def test_two_columns_on_coarse_grids_make_their_normals_of_the_same_two_draws() -> None:
    data = {name: np.full(N, 5000.0) for name in "abcd"}
    view, made = publish(data, dict.fromkeys(data, NORMAL), "INTEGER", domain=[0, 10_000])
    assert sorted(made.plan.lanes.values()) == [(0, 48, 0), (0, 48, 1), (64, 48, 0), (64, 48, 1)]
    noise = (view[list(data)].to_numpy(float) - 5000 + np.random.default_rng(5).uniform(-0.5, 0.5, (N, 4))) / 100
    assert np.abs(np.corrcoef(noise.T) - np.eye(4)).max() < 4 / math.sqrt(N)
    assert np.abs(np.corrcoef((noise**2).T) - np.eye(4)).max() < 4 / math.sqrt(N)
    assert all(stats.kstest(noise[:, n], "norm").pvalue > 1e-3 for n in range(4))


@pytest.mark.parametrize(("types", "domain"), [("DOUBLE", [0, 10_000]), ("INTEGER", [0, 10_000_000])])
def test_a_number_of_many_digits_has_its_two_draws_to_itself(types: str, domain: list[float]) -> None:
    data = {name: np.full(10, 5000.0) for name in "ab"}
    _, made = publish(data, dict.fromkeys(data, NORMAL), types, domain=domain)
    assert sorted(made.plan.lanes.values()) == [(0, 64, 0), (64, 64, 0)]


def test_the_digits_of_uniform_noise_do_not_tell_the_original() -> None:
    """Noise in steps of 2^-32 of its width would fit the original, and hardly any other whole number."""
    originals = np.random.default_rng(3).integers(1000, 2000, 5000).astype(float)
    noisy = one(originals, {"method": "uniform", "width": 500}, domain=[0, 3000])

    def fits(candidates: Floats) -> float:
        steps = (noisy - candidates) / 1000 * 2**32
        return float(np.mean(np.abs(steps - np.round(steps)) < 0.01))

    assert fits(originals) < 0.05  # by chance one in fifty
    assert abs(fits(originals) - fits(originals + 1)) < 0.02


def test_the_noise_of_two_columns_is_independent_of_each_other_and_of_the_values() -> None:
    values = rng().normal(0, 10, N)
    methods = {"a": {"method": "uniform", "width": 3}, "b": {"method": "uniform", "width": 3}}
    view, _ = publish({"a": values, "b": values}, methods)
    a, b = (view[name].to_numpy() - values for name in "ab")
    assert max(abs(np.corrcoef([a, b, values])[np.triu_indices(3, 1)])) < 4 / math.sqrt(N)
    cells, *_ = np.histogram2d(a, b, bins=8, range=[[-3, 3], [-3, 3]])
    assert stats.chi2_contingency(cells).pvalue > 0.001


# Binomial


@pytest.mark.parametrize(("noise", "trials"), [("5%", 6), ("20%", 20), ("100%", 100)])
def test_binomial_noise_has_the_exact_distribution(noise: str, trials: int) -> None:
    published = one(same_value(50), {"method": "binomial", "noise": noise}, "INTEGER", domain=[0, 100])
    steps = published - 50 + trials // 2
    counts = np.bincount(steps.astype(int), minlength=trials + 1)
    expected = N * stats.binom(trials, 0.5).pmf(np.arange(trials + 1))
    common = expected >= 5
    found, wanted = ([*side[common], side[~common].sum()] for side in (counts, expected))
    keep = slice(None) if wanted[-1] else slice(-1)
    assert stats.chisquare(found[keep], np.array(wanted[keep]) * N / sum(wanted[keep])).pvalue > 0.001
    assert near(published, 50, math.sqrt(trials) / 2)


def test_binomial_noise_goes_in_steps_of_the_domain() -> None:
    view, made = publish(
        {"v": same_value(130)}, {"v": {"method": "binomial", "noise": "12.5%"}}, "SMALLINT", domain=[10, 250], step=10
    )
    assert fits(view["v"].to_numpy(float), {110: 1 / 16, 120: 4 / 16, 130: 6 / 16, 140: 4 / 16, 150: 1 / 16})
    assert "from -20 to 20 with standard deviation 10" in made.plan.words()["v"]
    assert "0.38" in made.plan.words()["v"]


@pytest.mark.parametrize(
    ("boundary", "weights"),
    [("wrap", {8: 1, 9: 4, 10: 6, 0: 4, 1: 1}), ("clip", {8: 1, 9: 4, 10: 11}), ("reflect", {8: 2, 9: 8, 10: 6})],
)
def test_binomial_noise_at_the_end_of_the_domain(boundary: str, weights: dict[float, int]) -> None:
    method = {"method": "binomial", "noise": 4, "boundary": boundary}
    published = one(same_value(10), method, "INTEGER", domain=[0, 10])
    assert fits(published, {value: weight / 16 for value, weight in weights.items()})


def test_the_maximum_is_rounded_to_an_even_number_of_steps() -> None:
    worked = {"10%": 2, "12.4%": 2, "12.5%": 4, "100%": 24, "50": 6}  # of the 24 steps from 10 to 250
    methods = {noise: {"method": "binomial", "noise": noise} for noise in worked}
    _, made = publish(dict.fromkeys(worked, (10, 20)), methods, "INTEGER", domain=[10, 250], step=10)
    found = {each.columns[0]: each.trials for each in made.plan.fitted if isinstance(each, FittedBinomial)}
    assert found == worked


@pytest.mark.parametrize("trials", [2, 6, 64, 250])
def test_every_cumulative_chance_is_right_to_half_a_draw(trials: int) -> None:
    first, weights = chances(trials)
    assert sum(weights) == 2**32
    exact = Fraction(sum(math.comb(trials, k) for k in range(first + trials // 2)), 2**trials)
    for place, weight in enumerate(np.cumsum(weights).tolist()):
        exact += Fraction(math.comb(trials, first + place + trials // 2), 2**trials)
        assert abs(Fraction(weight, 2**32) - exact) <= Fraction(1, 2**33)


def test_large_binomial_noise_is_right_to_the_same_fineness() -> None:
    trials = 1_000_000
    first, weights = chances(trials)
    values = first + np.arange(len(weights))
    exact = stats.binom(trials, 0.5).cdf(values + trials // 2)
    assert abs(np.cumsum(weights) / 2**32 - exact).max() < 2**-32
    assert first < -3000


@pytest.mark.parametrize("trials", [2, 10, 100, 240_000])
def test_the_alias_table_loses_no_draw(trials: int) -> None:
    first, keep, other = _alias(trials)
    room, weights = 2**32 // len(keep), dict.fromkeys(range(first, first + len(keep)), 0)
    for place, (kept, noise) in enumerate(zip(keep, other, strict=True)):
        weights[first + place] += kept
        weights[noise] += room - kept
    assert tuple(weights.values())[: len(chances(trials)[1])] == chances(trials)[1]
    assert sum(weights.values()) == 2**32


# Multiplicative


def test_direct_multiplicative_noise_has_mean_one() -> None:
    values = rng().lognormal(3, 0.5, N)
    published = one(values, {"method": "multiplicative", "sd": "10%"})
    factor = published / values
    assert near(factor, 1, 0.1)
    assert factor.std() == pytest.approx(0.1, rel=0.02)
    assert stats.kstest(factor, stats.norm(1, 0.1).cdf).pvalue > 0.001
    assert published.mean() == pytest.approx(values.mean(), rel=0.002)
    assert (published**2).mean() == pytest.approx(1.01 * (values**2).mean(), rel=0.005)


def test_log_multiplicative_noise_is_normal_in_logarithms() -> None:
    values = rng().lognormal(3, 0.5, N)
    published = one(values, {"method": "multiplicative", "form": "log", "sd": 0.3})
    noise = np.log(published / values)
    assert stats.kstest(noise, stats.norm(0, 0.3).cdf).pvalue > 0.001
    assert published.mean() == pytest.approx(values.mean() * math.exp(0.045), rel=0.01)


def test_a_share_is_one_of_the_spread_of_the_logarithms() -> None:
    values = rng().lognormal(3, 0.5, N)
    found = fitted(values, {"method": "multiplicative", "form": "log", "sd": "10%"})
    assert isinstance(found, FittedMultiplicative)
    assert found.sd == pytest.approx(0.1 * np.log(values).std(ddof=1), rel=1e-9)


@pytest.mark.parametrize("form", ["direct", "log"])
def test_zero_stays_zero_and_no_sign_turns(form: str) -> None:
    values = np.tile([0.0, -2.0, 3.0], 2000)
    published = one(values, {"method": "multiplicative", "form": form, "sd": 0.33})
    assert (published[values == 0] == 0).all()
    assert (published * values >= 0).all()
    assert len(set(published[values == 3])) > 1990


def test_whole_numbers_stay_whole_under_multiplication() -> None:
    published = one(same_value(50), {"method": "multiplicative", "sd": "20%"}, "INTEGER", domain=[0, 60])
    assert (published == np.floor(published)).all()
    assert published.max() == 60
    assert (published == 60).mean() == pytest.approx(1 - stats.norm(50, 10).cdf(59.5), abs=0.006)


def test_a_share_of_no_spread_is_no_noise_and_is_said() -> None:
    view, made = publish({"v": same_value(7, 50)}, {"v": {"method": "multiplicative", "form": "log", "sd": "10%"}})
    assert set(view["v"]) == {7.0}
    assert not made.plan.fitted[0].random()


# Correlated


def three_columns(n: int = N) -> dict[str, Floats]:
    a, b, c = rng().normal(size=(3, n))
    return {"a": 50 + 10 * a, "b": 20 + 3 * (0.8 * a + 0.6 * b), "c": 5 - 2 * a + b + c}


def covariance(view: pd.DataFrame) -> Floats:
    return np.cov(view[["a", "b", "c"]].to_numpy(), rowvar=False)


def test_kims_noise_multiplies_every_covariance() -> None:
    data = three_columns()
    view, made = publish(data, {name: {"method": "correlated", "share": 0.4} for name in data})
    assert covariance(view) == pytest.approx(1.4 * np.cov(list(data.values())), rel=0.03)
    noise = view[list(data)].to_numpy() - np.column_stack(list(data.values()))
    assert np.cov(noise, rowvar=False) == pytest.approx(0.4 * np.cov(list(data.values())), rel=0.03)
    assert abs(np.corrcoef(noise.T, list(data.values()))[:3, 3:]).max() < 4 / math.sqrt(N)
    for name, values in data.items():
        assert near(view[name].to_numpy(), values.mean(), values.std() * math.sqrt(0.4))
        assert stats.kstest(view[name] - values, stats.norm(0, values.std() * math.sqrt(0.4)).cdf).pvalue > 0.001
    assert "1.4 times" in made.plan.words()["a"]


def test_kims_transformation_restores_means_and_covariances() -> None:
    data = three_columns()
    view, _ = publish(data, {name: {"method": "correlated", "share": 0.4, "restore": True} for name in data})
    assert covariance(view) == pytest.approx(np.cov(list(data.values())), rel=0.03)
    assert abs(view["a"].to_numpy() - data["a"]).mean() > 3
    for name, values in data.items():
        assert near(view[name].to_numpy(), values.mean(), values.std())


def test_columns_with_other_parameters_get_noise_of_their_own() -> None:
    data = three_columns(20_000)
    methods = {name: {"method": "correlated", "share": share} for name, share in {"a": 0.1, "b": 0.2, "c": 0.2}.items()}
    view, made = publish(data, methods)
    assert [each.columns for each in made.plan.fitted] == [("a",), ("b", "c")]
    a, b, c = (view[name].to_numpy() - data[name] for name in "abc")
    assert abs(np.corrcoef(a, b)[0, 1]) < 4 / math.sqrt(20_000)
    assert np.corrcoef(b, c)[0, 1] == pytest.approx(np.corrcoef(data["b"], data["c"])[0, 1], abs=0.03)


def factor(data: dict[str, Any], share: float = 1) -> Floats:
    _, made = publish(data, {name: {"method": "correlated", "share": share} for name in data})
    (found,) = made.plan.fitted
    assert isinstance(found, FittedCorrelated)
    rows = np.zeros((len(data), len(data)))
    for number, row in enumerate(found.factor):
        rows[number, : len(row)] = row
    return rows


def test_covariances_are_over_the_records_that_have_both_values() -> None:
    data = {"a": [1.0, 2, 3, 4, None], "b": [2.0, 4, 6, None, 9]}
    root = factor(data)
    variances = pd.DataFrame(data).var()
    assert (root @ root.T).diagonal() == pytest.approx([variances["a"], variances["b"]])
    assert (root @ root.T)[0, 1] == pytest.approx(2.0)  # of (1, 2), (2, 4), (3, 6)


def test_constant_and_dependent_columns_have_a_root_too() -> None:
    a = np.arange(100.0)
    root = factor({"a": a, "b": same_value(3, 100), "c": 2 * a + 1}, share=0.25)
    assert root[1].tolist() == [0, 0, 0]
    assert root[2, 2] == 0
    assert root @ root.T == pytest.approx(0.25 * np.cov([a, 0 * a, 2 * a]))
    view, made = publish({"b": same_value(3, 10)}, {"b": {"method": "correlated", "share": 0.1}})
    assert set(view["b"]) == {3.0}
    assert "single value" in made.plan.words()["b"]


def test_covariances_that_no_data_can_have_are_brought_to_the_nearest_that_can() -> None:
    x, gap = [1.0, 2, 3, 4], [None] * 4
    data = {"a": [*x, *x, *gap], "b": [*x, *gap, *x], "c": [*gap, *x, *x[::-1]]}  # a = b, a = c, b = -c
    root = factor(data)
    assert (root @ root.T).diagonal() == pytest.approx(pd.DataFrame(data).var().to_numpy())
    assert np.linalg.eigvalsh(root @ root.T).min() > -1e-9


def test_whole_numbers_stay_whole_and_inside_under_correlated_noise() -> None:
    data = {"a": rng().integers(0, 101, 5000), "b": rng().integers(20, 81, 5000)}
    methods = {name: {"method": "correlated", "share": 1} for name in data}
    view, _ = publish(data, methods, "INTEGER", domain=[0, 100])
    assert str(view["a"].dtype) == "int32"
    assert (view["a"].min(), view["a"].max()) == (0, 100)


# Rounding, by hand

NEAREST = [
    (5, "INTEGER", [0, 100], {0: 0, 2: 0, 3: 5, 7: 5, 8: 10, 97: 95, 98: 100}),
    (50, "INTEGER", [10, 240], {10: 10, 24: 10, 25: 50, 74: 50, 75: 100, 224: 200, 225: 240}),
    (10, "INTEGER", [-30, 30], {-26: -30, -25: -20, -5: 0, -6: -10, 4: 0, 5: 10}),
    (0.1, "DOUBLE", [0, 10], {0.29: 0.3, 0.3: 0.3, 0.35: 0.4, 1.15: 1.2, 7.04: 7.0}),
    (0.25, "DECIMAL(6,2)", [0, 10], {0.12: 0, 0.13: 0.25, 0.37: 0.25, 0.38: 0.5, 9.9: 10}),
    (2.5, "DOUBLE", [0, 10], {1.2: 0, 1.25: 2.5, 3.7: 2.5, 10: 10}),
]


@pytest.mark.parametrize(("base", "types", "domain", "worked"), NEAREST)
def test_rounding_to_the_nearest(base: float, types: str, domain: list[float], worked: dict[float, float]) -> None:
    assert one(list(worked), {"method": "rounding", "base": base}, types, domain=domain).tolist() == list(
        worked.values()
    )


AT_RANDOM: dict[int, dict[float, float]] = {
    40: {40: 1.0},
    43: {40: 0.7, 50: 0.3},
    17: {16: 0.75, 20: 0.25},  # the domain starts at 16, so 16 takes the place of 10
    16: {16: 1.0},
    83: {80: 0.25, 84: 0.75},  # and ends at 84
    84: {84: 1.0},
}


def test_random_rounding_is_unbiased_also_at_the_ends() -> None:
    values = np.repeat(list(AT_RANDOM), N // 3)
    published = one(values, {"method": "rounding", "base": 10, "random": True}, "INTEGER", domain=[16, 84])
    for value, chance in AT_RANDOM.items():
        assert set(published[values == value]) == set(chance)
        assert len(chance) == 1 or fits(published[values == value], chance)
        assert sum(point * part for point, part in chance.items()) == value


def test_random_rounding_keeps_means_and_multiples() -> None:
    values = rng().uniform(0, 10, N)
    published = one(values, {"method": "rounding", "base": 0.1, "random": True}, domain=[0, 10])
    assert near(published - values, 0, 0.05)
    assert abs(published - values).max() < 0.1
    tenths = np.arange(0, 101) / 10
    assert one(tenths, {"method": "rounding", "base": 0.1, "random": True}).tolist() == tenths.tolist()


# Coding, by hand


def test_coding_by_numbers_and_by_quantiles() -> None:
    values = np.arange(1, 101)
    by_number = one(values, {"method": "coding", "top": 90, "bottom": 4}, "INTEGER", domain=[0, 100])
    assert by_number.tolist() == np.clip(values, 4, 90).tolist()
    by_quantile = one(values, {"method": "coding", "top": "95%", "bottom": "5%"}, "INTEGER", domain=[0, 100])
    assert by_quantile.tolist() == np.clip(values, 5, 95).tolist()


def test_coded_quantiles_of_many_records() -> None:
    values = rng().normal(0, 1, N)
    published = one(values, {"method": "coding", "top": "99%", "bottom": "1%"})
    low, high = np.quantile(values, [0.01, 0.99], method="inverted_cdf")
    assert (published.min(), published.max()) == (low, high)
    assert (published != values).mean() == pytest.approx(0.02, abs=1e-4)


def test_the_mean_keeps_the_sum_unless_it_is_of_too_few() -> None:
    values = np.arange(1, 101.0)
    mean = one(values, {"method": "coding", "top": 90, "replace": "mean"})
    assert mean[89:].tolist() == [90.0, *[95.5] * 10]
    assert mean.sum() == values.sum()
    assert one(values, {"method": "coding", "top": 91, "replace": "mean"})[90:].tolist() == [91.0] * 10


def test_thresholds_move_inwards_and_means_to_the_grid() -> None:
    values = np.tile(np.arange(10, 251, 10), 10)
    method = {"method": "coding", "top": 215, "bottom": 35, "replace": "mean"}
    view, made = publish({"v": values}, {"v": method}, "SMALLINT", domain=[10, 250], step=10)
    published = dict(zip(values.tolist(), view["v"].tolist(), strict=True))
    assert published == {v: 240 if v > 210 else 20 if v < 40 else v for v in range(10, 251, 10)}  # mean 235, halves up
    assert made.plan.words()["v"].startswith("values above 210 become 240 (40 of them when fitted)")


# What is refused


@pytest.mark.parametrize(
    ("method", "types", "shape", "message"),
    [
        ({"method": "uniform"}, "DOUBLE", {}, "100% is a share of the domain"),
        ({"method": "uniform", "width": 0}, "DOUBLE", {}, "adds no noise"),
        ({"method": "uniform", "width": 0.3}, "INTEGER", {}, "in steps of 1"),
        ({"method": "binomial", "noise": 4}, "INTEGER", {}, "a domain and a step"),
        ({"method": "binomial", "noise": 4}, "DOUBLE", {"domain": [0, 10]}, "a domain and a step"),
        ({"method": "binomial", "noise": "3%"}, "INTEGER", {"domain": [0, 10]}, "rounds to no noise"),
        ({"method": "binomial", "noise": "100%"}, "BIGINT", {"domain": [0, 10**9]}, "normal noise"),
        ({"method": "rounding", "base": 1}, "INTEGER", {}, "above the step 1"),
        ({"method": "rounding", "base": 2.5}, "INTEGER", {}, "do not lie on the grid"),
        ({"method": "rounding", "base": 20}, "INTEGER", {"domain": [5, 95], "step": 10}, "do not lie on the grid"),
        ({"method": "coding", "top": 11}, "INTEGER", {"domain": [0, 10]}, "outside the domain"),
        ({"method": "coding", "top": 2, "bottom": "90%"}, "INTEGER", {}, "above its top"),
        ({"method": "multiplicative", "form": "log", "sd": "500%"}, "DOUBLE", {}, "use a share of at most"),
    ],
)
def test_what_cannot_be_fitted_says_why(
    method: dict[str, Any], types: str, shape: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        fitted([5, 5, 5] if shape else [1, 5, 9], method, types, **shape)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ({"method": "multiplicative", "sd": 0}, "must be above 0"),
        ({"method": "multiplicative", "sd": 0.5}, "form: log takes more"),
        ({"method": "multiplicative", "form": "log", "sd": 3}, "at most 2"),
        ({"method": "correlated", "share": 0}, "must be above 0"),
        ({"method": "coding"}, "top, bottom or both"),
        ({"method": "coding", "top": 5, "bottom": 6}, "must be below top"),
        ({"method": "coding", "top": "101%"}, "a quantile of the data"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(method: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fitted([1, 5, 9], method)
