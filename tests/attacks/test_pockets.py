"""An attacker who hunts homogeneous pockets: halves of halves, down to people who all have nothing.

Tables are drawn from what is public of the column. A question is allowed if all but a share delta of its plausible
answers are harmless, so of n answers about 2 delta n may breach. With delta = 1% that can be counted; the gateway's own
delta is one in a million. The oracle is the linear programme over all answers.
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from support.inference_attack import SUM

from sdcdb.gateway.inference import bounds
from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.prior import Prior
from sdcdb.gateway.inference.question import Question

PEOPLE, TOP, FLOOR, DELTA = 600, 100_000, 300.0, 0.01
BINS = ((0, 0, 0.92), (1, 2_000, 0.02), (2_000, 10_000, 0.05), (10_000, 30_000, 0.008), (30_000, TOP, 0.002))
GAINS = Prior.of([(float(low), float(high), share) for low, high, share in BINS])


def draw(rng: np.random.Generator) -> NDArray[np.int64]:
    chosen = rng.choice(len(BINS), PEOPLE, p=[share for _, _, share in BINS])
    lows, highs = (np.array([each[at] for each in BINS])[chosen] for at in (0, 1))
    return rng.integers(lows, highs + 1)


def hunt(seed: int, prior: Prior | None) -> tuple[int, float]:
    """Ask halves of halves as long as they are answered; return how many were, and the narrowest interval left."""
    values = draw(np.random.default_rng(seed))
    known = Knowledge(np.ones(PEOPLE, dtype=int), 0, TOP, 1, Limits(10, FLOOR, delta=DELTA), bytes([seed]), prior)
    sets: list[NDArray[np.bool_]] = []
    answers: list[int] = []
    groups = [np.arange(PEOPLE)]
    for group in groups:
        part = group if not sets else group[: len(group) // 2]
        cells = np.isin(np.arange(PEOPLE), part)
        question = Question(cells, SUM)
        if len(part) < 10 or not known.consider([question])[0].allowed:
            continue
        sets.append(cells)
        answers.append(int(values[cells].sum()))
        known.learn([question], [{"sum": answers[-1]}])
        groups += [group] if len(sets) == 1 else [part, group[len(part) :]]
    low, high = bounds(np.array(sets), answers, 0, TOP)
    return len(sets), float((high - low).min())


@pytest.mark.parametrize("tables", [20, pytest.param(200, marks=pytest.mark.soak)])
def test_pockets_are_met_no_more_often_than_said(tables: int) -> None:
    found = [hunt(seed, GAINS) for seed in range(tables)]
    answered = sum(number for number, _ in found)
    assert answered >= 2 * tables  # somebody who is always denied would learn nothing either
    assert sum(width < FLOOR for _, width in found) <= 2 * DELTA * answered


def test_the_attack_wins_where_nothing_is_known_of_the_column() -> None:
    assert sum(hunt(seed, None)[1] < FLOOR for seed in range(5)) >= 4
