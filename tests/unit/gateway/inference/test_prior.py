"""What is public about a column: plausible sums of draws from a histogram, and skewed columns that can be used."""

import numpy as np
import pytest
from numpy.typing import NDArray
from support.inference_attack import SUM

from sdcdb.errors import DataError
from sdcdb.gateway.inference.forecast import Forecast
from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.prior import Prior, floor_of
from sdcdb.gateway.inference.question import Question

GAINS = Prior((1.0, 2_000.0, 10_000.0, 30_000.0, 100_000.0), (0.02, 0.05, 0.008, 0.002), ((0.0, 0.92),))


def bills(rng: np.random.Generator, n: int) -> NDArray[np.int64]:
    return np.minimum(100_000, rng.lognormal(7, 1.2, n)).astype(np.int64)


def histogram(values: NDArray[np.int64], top: int) -> Prior:
    """What an owner would declare: bins at round quantiles, closer towards the rare large values, and zero apart."""
    zero = float((values == 0).mean())
    inner = np.unique(
        np.quantile(values[values > 0], (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 1.0)).round(-2)
    )
    edges = np.unique(np.concatenate([[1.0], inner[(inner > 1) & (inner < top)], [float(top)]]))
    shares = np.histogram(values[values > 0], edges)[0] / len(values)
    shares = shares * (1 - zero) / shares.sum()
    return Prior(tuple(edges), tuple(shares), ((0.0, zero),) if zero else ())


def test_quantiles_and_the_usual_spread() -> None:
    flat = Prior((0.0, 50.0, 100.0), (0.5, 0.5))
    assert flat.quantile(0.5) == pytest.approx(50)
    assert flat.spread == pytest.approx(90)
    assert flat.mean == pytest.approx(50)
    assert floor_of(flat, 0.1) == pytest.approx(9)
    assert GAINS.quantile(0.9) == 0


@pytest.mark.parametrize("records", [5, 40, 400])
def test_sums_pass_their_spread_as_rarely_as_said(records: int) -> None:
    rng = np.random.default_rng(records)
    values, chances = GAINS.drawn
    sums = rng.choice(values, (20_000, records), p=chances).sum(axis=1)
    ones = np.ones(records)
    below, above = Forecast.same(GAINS, records).draws.spreads(ones, ones, 1e-2)
    mean = records * GAINS.mean
    assert (sums < mean - below - 1e-6).mean() <= 1e-2
    assert (sums > mean + above + 1e-6).mean() <= 1e-2
    assert above <= (sums.max() - mean) * 3


def test_ten_people_who_may_all_have_nothing_are_denied_and_many_are_not() -> None:
    k = Knowledge(np.ones(1000, dtype=int), 0, 100_000, 1, Limits(10, 300.0), b"s", GAINS)
    assert not k.consider([Question(np.arange(1000) < 10, SUM)])[0].allowed
    assert k.consider([Question(np.arange(1000) < 400, SUM)])[0].allowed


@pytest.mark.parametrize("kind", ["bills", "gains"])
def test_skewed_columns_are_answered_about_large_sets(kind: str) -> None:
    rng = np.random.default_rng(3)
    n = 1000
    values = bills(rng, n) if kind == "bills" else np.where(rng.random(n) < 0.92, 0, bills(rng, n) * 3 // 2)
    prior, top = histogram(values, 200_000), 200_000
    k = Knowledge(np.ones(n, dtype=int), 0, top, 1, Limits(10, floor_of(prior, 0.1)), b"s", prior)
    size = 170 if kind == "bills" else 330  # sets, and their differences, of which a breach is implausible
    answered = surprised = 0
    for _ in range(30):
        block = np.arange(n) // size
        first, last = np.sort(rng.integers(0, n // size, 2))
        question = [Question((block >= first) & (block <= last), SUM)]
        if k.consider(question)[0].allowed:
            answer = [{"sum": int(values[question[0].cells].sum())}]
            surprised += k.surprises(question, answer)[0]
            k.learn(question, answer)
            answered += 1
    print(f"{kind}: {answered} of 30 answered, {surprised} surprises")  # noqa: T201 - what is reported
    assert answered >= 0.85 * 30
    assert surprised == 0


@pytest.mark.parametrize("wrong", [((0.0, 1.0), (0.5, 0.5)), ((1.0, 0.0), (1.0,)), ((0.0, 1.0), (0.7,))])
def test_a_wrong_histogram_is_refused(wrong: tuple[tuple[float, ...], tuple[float, ...]]) -> None:
    with pytest.raises(DataError):
        Prior(*wrong)


@pytest.mark.parametrize("zeros", [0.5, 0.92, 0.949, 0.951, 0.999])
def test_what_is_usual_is_never_next_to_nothing(zeros: float) -> None:
    many = Prior((1.0, 1_000.0, 9_000.0), ((1 - zeros) / 2, (1 - zeros) / 2), ((0.0, zeros),))
    assert many.spread >= 900


def test_bins_may_leave_gaps_and_quantiles_jump_over_them() -> None:
    apart = Prior.of([(0.0, 10.0, 0.5), (90.0, 100.0, 0.4), (50.0, 50.0, 0.1)])
    assert apart.quantile(0.25) == pytest.approx(5)
    assert apart.quantile(0.55) == pytest.approx(50)
    assert apart.quantile(0.8) == pytest.approx(95)
    assert [apart.below(50), apart.up_to(50)] == pytest.approx([0.5, 0.6])
    values, chances = apart.drawn
    assert chances.sum() == pytest.approx(1)
    assert not ((values > 10) & (values < 90) & (values != 50)).any()
