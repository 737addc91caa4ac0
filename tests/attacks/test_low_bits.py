"""Noisy numbers and their last bits: which originals can have given this number (Mironov 2012)?

Originals lie on a coarse grid that the intruder knows. Against views as they were made before, the intruder rules
originals out and never the true one; against views as they are now, whatever is ruled out is ruled out by chance, and
the true original as often as any other.
"""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.low_bits_attack import Possible, by_addition, by_factor, by_uniform_steps, by_wrapping
from support.protecting import ENVIRONMENT, filled, fixed_secret, policy_of

from sdcdb.engines.duckdb import DuckDBDialect
from sdcdb.policy.governed import Governed
from sdcdb.techniques.technique import Fitted
from sdcdb.views import catalogue
from sdcdb.views.plan import Plan
from sdcdb.views.protect import protect
from sdcdb.views.secret import read_secret

Floats = NDArray[np.float64]
RECORDS, PLAYED = 4_000, 800
EUROS = np.arange(0.0, 1001.0)

_secret = fixed_secret("the last bits of noise are looked at")


def fitted(select: str, method: dict[str, Any], declared: dict[str, Any], **others: Any) -> tuple[Governed, Plan]:
    """Perturb the columns v, w, ... of a table by one method."""
    names = [name for name in ("v", "w") if f"AS {name}" in select]
    roles = {"id": "identifier"} | {name: {"role": "quasi"} | declared for name in names} | others
    policy = policy_of(roles, {"columns": dict.fromkeys(names, method)})
    database = filled(f"SELECT i AS id, {select} FROM range({RECORDS}) r(i)", policy)
    (made,) = protect(database)
    return database, made.plan


def linked(database: Governed, plan: Plan) -> tuple[Floats, Floats]:
    """Return the originals of the first column and what a plan publishes of them."""
    subkey = read_secret(f"env:{ENVIRONMENT}", None).subkey(plan.table)
    sql = plan.linked(DuckDBDialect(), subkey, *catalogue.relations(plan))
    found = database.con.execute(f'SELECT "before 0"::DOUBLE AS x, "after 0"::DOUBLE AS y FROM ({sql})').fetchnumpy()
    return np.asarray(found["x"], np.float64), np.asarray(found["y"], np.float64)


def before(plan: Plan, change: dict[str, Any]) -> Plan:
    """Return the plan as earlier versions made it."""

    def older(each: Fitted) -> Fitted:
        shape = getattr(each, "shape", None)
        changed = {"shape": shape.model_copy(update={"grain": None, "digits": False})} if shape else {}
        return each.model_copy(update=changed | change)

    return plan.model_copy(update={"fitted": tuple(map(older, plan.fitted))})


def played(x: Floats, y: Floats, candidates: Floats, near: float, possible: Possible) -> tuple[float, float]:
    """Return the share of candidates that are left, and how often the true one is among them."""
    inside = (y > 0) & (y < candidates.max()) & (x > 0)
    left, kept = [], []
    for original, number in zip(x[inside][:PLAYED], y[inside][:PLAYED], strict=True):
        around = candidates[(np.abs(candidates - number) <= near) & (candidates > 0)]
        left.append(possible(around, number).mean())
        kept.append(possible(np.array([original]), number)[0])
    return float(np.mean(left)), float(np.mean(kept))


def by_uniform_circle(steps: int, step: float) -> Possible:
    """Noise of `steps` on both sides, drawn by 32 bits and wrapped around a domain of as many steps."""

    def possible(candidates: Floats, number: float) -> NDArray[np.bool_]:
        at, of = float(round(number / step)), np.round(candidates / step)
        turns = [by_uniform_steps(steps)(of, at + turn * (steps + 1)) for turn in (-1, 0, 1)]
        return np.asarray(np.logical_or.reduce(turns))

    return possible


DOMAIN = {"domain": [0, 1000]}
NORMAL = {"method": "normal", "sd": 300}
WHOLE = "((i * 7919) % 1000)::DOUBLE AS v"
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any], Floats, float, Possible, dict[str, Any], float]] = {
    "normal, no domain": (WHOLE, NORMAL, {}, EUROS, 1500, by_addition, {}, 0.985),
    "normal, clipped": (WHOLE, NORMAL | {"boundary": "clip"}, DOMAIN, EUROS, 1500, by_addition, {}, 0.985),
    "normal, wrapped": (WHOLE, NORMAL, DOMAIN, EUROS, 1e9, by_wrapping(1000, 1500), {}, 0.99),
    "correlated": (WHOLE, {"method": "correlated", "share": 1}, {}, EUROS, 1500, by_addition, {"SHAPES": None}, 0.985),
    "direct factors": (
        WHOLE, {"method": "multiplicative", "sd": "20%"}, {"domain": [0, 2000]}, EUROS, 400, by_factor, {}, 0.95,
    ),
    "factors of logarithms": (
        WHOLE, {"method": "multiplicative", "form": "log", "sd": 0.2}, {"domain": [0, 2000]}, EUROS, 400, by_factor, {},
        0.95,
    ),
    "uniform on many whole numbers": (
        "((i * 7919) % 1000 * 100)::BIGINT AS v", {"method": "uniform"}, {"domain": [0, 10**12]}, EUROS * 100, 1e18,
        by_uniform_circle(10**12, 1.0), {"fine": False}, 0.01,
    ),
    "uniform on many cents": (
        "((i * 7919) % 1000 * 100)::DECIMAL(14, 2) AS v", {"method": "uniform"}, {"domain": [0, 10**9]}, EUROS * 100,
        1e18, by_uniform_circle(10**11, 0.01), {"fine": False}, 0.1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_an_original_is_no_longer_ruled_out_by_the_last_bits(name: str) -> None:
    select, method, declared, candidates, near, possible, change, most = CASES[name]
    database, plan = fitted(select, method, declared)
    if "SHAPES" in change:
        (each,) = plan.fitted
        shapes = tuple(shape.model_copy(update={"grain": None}) for shape in each.shapes)  # type: ignore[attr-defined]
        change = {"shapes": shapes}
    # The domain of uniform noise is far wider than the candidates: what is published is anywhere.
    width = float("inf") if "uniform" in name else candidates.max()
    far = np.append(candidates, width)[:-1] if np.isinf(width) else candidates

    def play(of: Plan) -> tuple[float, float]:
        x, y = linked(database, of)
        return played_anywhere(x, y, far, possible) if np.isinf(width) else played(x, y, far, near, possible)

    left, kept = play(before(plan, change))
    assert kept == 1.0  # the true original is never ruled out ...
    assert left < most  # ... and others are
    left, kept = play(plan)
    assert abs(left - kept) < 4 * math.sqrt(0.25 / PLAYED)


def played_anywhere(x: Floats, y: Floats, candidates: Floats, possible: Possible) -> tuple[float, float]:
    left = [possible(candidates, number).mean() for number in y[:PLAYED]]
    kept = [possible(np.array([original]), number)[0] for original, number in zip(x, y[:PLAYED], strict=False)]
    return float(np.mean(left)), float(np.mean(kept))


def on_points(y: Floats, low: float, grain: float) -> bool:
    places = (y - low) / grain
    return bool((np.abs(places - np.round(places)) < 1e-3).all())


@pytest.mark.parametrize(
    ("method", "declared"),
    [
        ({"method": "normal", "sd": 7}, {}),
        ({"method": "normal", "sd": 7}, {"domain": [-0.1, 1000.3]}),
        ({"method": "normal", "sd": 7, "boundary": "clip"}, {"domain": [-0.1, 1000.3]}),
        ({"method": "normal", "sd": "300%", "boundary": "reflect"}, {"domain": [-3, 1000]}),
        ({"method": "uniform", "width": 20}, {}),
        ({"method": "uniform", "width": 20, "boundary": "reflect"}, {"domain": [-0.7, 1001]}),
    ],
)
def test_noise_without_a_grid_is_published_on_points_that_follow_from_what_is_public(
    method: dict[str, Any], declared: dict[str, Any]
) -> None:
    database, plan = fitted(WHOLE, method, declared)
    shape = plan.fitted[0].shape  # type: ignore[attr-defined]
    _, y = linked(database, plan)
    low, high = shape.domain or (0.0, math.inf)
    assert on_points(y, low, shape.grain)
    assert y.min() >= low or shape.domain is None
    assert y.max() <= high
    size = plan.fitted[0].sd if method["method"] == "normal" else plan.fitted[0].width  # type: ignore[attr-defined]
    assert 2.0**-31 < shape.grain / size <= 2.0**-30
    # Marks lie at the last digit of the largest number that is added, and are far below the distance of two points.
    assert np.spacing(abs(y).max() + 7 * size) * 2**12 < shape.grain


def test_a_grid_far_finer_than_the_noise_is_made_coarser() -> None:
    method = {"method": "normal", "sd": "100%"}
    database, plan = fitted("(i * 7919 % 1000 * 100)::BIGINT AS v", method, {"domain": [0, 10**17]})
    step = plan.fitted[0].shape.step  # type: ignore[attr-defined]
    assert step == 2.0**17  # 10^17 / 2^40 is 90,949
    _, y = linked(database, plan)
    assert (y % step == 0).all()


@pytest.mark.parametrize("points", [2**10, 2**20])
@pytest.mark.parametrize("score", [0.0, 1.3, -3.1, 4.6])
def test_a_pair_of_48_bits_reaches_every_point_of_a_grid_as_often_as_a_normal_number(points: int, score: float) -> None:
    """Count the pairs (radius, angle) that give one whole noise, on grids of a thousand and of a million points."""
    sd = float(points)
    whole = round(score * sd)
    radius = np.sqrt(-2 * np.log((np.arange(2**24) + 1) * 2.0**-24)) * sd
    ends = np.clip((whole + np.array([-0.5, 0.5])) / np.maximum(radius, 1e-300)[:, None], -1, 1)
    angles = np.arccos(ends) / math.tau * 2**24  # the angle falls as its cosine rises
    count = 2 * (np.floor(angles[:, 0]) - np.floor(angles[:, 1])).sum()
    expected = 2.0**48 * math.exp(-((whole / sd) ** 2) / 2) / (sd * math.sqrt(math.tau))
    # A quarter of a turn is one of the angles, and gives exactly 0 whatever the radius: there are 13% too many of it.
    assert count == pytest.approx(expected, rel=0.15 if score == 0 else 0.05)


def small_leaves(method: str) -> tuple[Floats, Floats]:
    """Return the originals and the published numbers of pairs: leaves of two records each."""
    select = (
        "(i * 7919 % 1000)::DOUBLE AS v, (i * 104729 % 1000)::DOUBLE AS w, "
        "CASE WHEN i < 40 THEN 'pair ' || (i // 2) ELSE 'rest' END AS g, "
        "CASE WHEN i < 40 THEN 'class ' || (i // 2) ELSE 'rest' END AS c"
    )
    asked = {"method": method, "per_leaf": True, "class": "c", "min_cases": 1}
    database, plan = fitted(select, asked, {}, g="quasi", c="class")
    subkey = read_secret(f"env:{ENVIRONMENT}", None).subkey(plan.table)
    sql = plan.linked(DuckDBDialect(), subkey, *catalogue.relations(plan))
    places = {name: number for number, name in enumerate(plan.columns)}
    wanted = [f'"{side} {places[name]}"' for side in ("before", "after") for name in ("v", "w")]
    pair = f'"before {places["g"]}"'
    found = f"SELECT {', '.join(wanted)} FROM ({sql}) WHERE {pair} <> 'rest' ORDER BY {pair}"
    rows = database.con.execute(found).fetchall()
    assert len(rows) == 40
    pairs = np.array(rows).reshape(20, 2, 4)
    return pairs[:, :, :2], pairs[:, :, 2:]


@pytest.mark.parametrize(
    ("method", "crowd"), [("egadp", 2), ("gadp", 2), ("egadp", None), ("gadp", None), ("cgadp", None)]
)
def test_the_moments_of_two_records_are_not_published(
    method: str, crowd: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exact moments of two records are the records; what is drawn from them lies on the line through both."""
    if crowd:  # as it was
        monkeypatch.setattr("sdcdb.techniques.families.linear.CROWD", crowd)
        monkeypatch.setattr("sdcdb.techniques.cgadp.CROWD", crowd)
    x, y = small_leaves(method)
    same = [np.allclose(np.sort(a, axis=0), np.sort(b, axis=0), atol=1e-4) for a, b in zip(x, y, strict=True)]
    line = x[:, 1] - x[:, 0]
    away = y[:, 0] - x[:, 0]
    on_line = np.abs(line[:, 0] * away[:, 1] - line[:, 1] * away[:, 0]) < 1e-3
    if crowd and method == "egadp":
        assert all(same)
    if crowd and method == "gadp":
        assert on_line.mean() > 0.7  # the others stopped at an end of their leaf
    if not crowd:
        assert not any(same)
        assert on_line.sum() <= 1
