"""The audit of a category where a person has several records, against all tables there are."""

from functools import cache
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray
from support.all_tables import all_tables, count

from sdcdb.gateway.inference.categories.beliefs import Beliefs
from sdcdb.gateway.inference.categories.counting import Caps, Counting
from sdcdb.gateway.inference.people import People

Ints = NDArray[np.int64]
tables_of = cache(all_tables)

# Records by person and cell: two each, in one cell or in two, or one; the last four are a pocket.
KINDS = ([2, 0, 0], [2, 0, 0], [0, 2, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1])
RECORDS = np.array([*((*each, 0) for each in KINDS * 5), *[(0, 0, 0, 2)] * 4])
SIZES = tuple(RECORDS.sum(axis=0).tolist())
SHARES = (0.2, 0.8)


def people() -> People:
    person, cell = np.nonzero(RECORDS)
    return People.of(person, cell, RECORDS[person, cell], RECORDS.shape[1])


def audit(seed: int, most: int) -> Beliefs:
    caps = Caps(0.8, delta=0.05, spent=20.0, records=most)
    return Beliefs(np.array(SIZES), np.array(SHARES), [0], caps, 4, seed, people())


def surest(tables: Ints) -> float:
    """Return how sure it is, in every one of these tables, that somebody has the first value in one of their records.

    Records of a cell are exchangeable, so somebody with r of a cell's n records misses its k with that value with the
    chance of C(n - k, r) / C(n, r).
    """
    chances = []
    for mine in RECORDS:
        missed = np.ones(len(tables))
        for cell, r in enumerate(mine.tolist()):
            size = SIZES[cell]
            ways = np.array([comb(size - k, r) / comb(size, r) for k in range(size + 1)])
            missed *= ways[tables[:, cell, 0]]
        chances.append(float((1 - missed).min()))
    return max(chances)


def expose(seed: int, *, ruled: bool) -> tuple[int, float]:
    """Ask ten random questions of a table in which a person's records are mostly alike."""
    rng, state = np.random.default_rng(seed), audit(seed, 2)
    own = rng.random(len(RECORDS)) < SHARES[0]
    own[-4:] = own[-1]
    has = np.array([rng.binomial(mine, 0.95 if one else 0.05) for mine, one in zip(RECORDS, own, strict=True)])
    truth = np.stack([has.sum(axis=0), RECORDS.sum(axis=0) - has.sum(axis=0)], axis=1)
    left, answered = tables_of(SIZES, 2), 0
    for _ in range(10):
        chosen = rng.random(4) < 0.6
        chosen[rng.integers(4)] = True
        asked = Counting(chosen, frozenset({0}))
        if not ruled or state.consider([asked])[0]:
            answer = int(count(truth[None], asked)[0])
            state.learn([asked], [answer])
            left = left[count(left, asked) == answer]
            answered += 1
    return answered, surest(left)


def test_nobody_becomes_known_by_any_of_all_tables() -> None:
    found = [expose(seed, ruled=True) for seed in range(20)]
    assert sum(answered for answered, _ in found) >= 10
    assert max(sure for _, sure in found) <= 0.8


def test_without_the_rule_somebody_does() -> None:
    assert max(expose(seed, ruled=False)[1] for seed in range(20)) > 0.8


def test_a_records_limit_is_the_persons_by_the_most_records() -> None:
    assert Caps(0.8, records=4).of(0) == pytest.approx((0.2, 0.2))
    assert Caps(0.99, records=4).of(0) == pytest.approx((0.2475, 0.2375))
    assert Caps(0.8, records=4, likelihood=(4.0,)).of(0)[0] == pytest.approx(0.25 / 4 / (1 + 0.25 / 4))


def test_the_count_of_one_persons_many_records_is_refused() -> None:
    """A hundred records of one person are enough records for any limit, and one person."""
    held = People.of(np.array([0, *range(1, 2001)]), np.array([0] + [1] * 2000), np.array([100] + [1] * 2000), 2)
    state = Beliefs(np.array([100, 2000]), np.array([0.002, 0.998]), [0], Caps(0.8, records=100), 10, 1, held)
    everybody, alone = (Counting(np.array(cells), frozenset({0})) for cells in ([True, True], [True, False]))
    assert not state.consider([alone])[0]
    loose = Beliefs(np.array([100, 2000]), np.array([0.2, 0.8]), [0], Caps(0.8), 10, 1)
    assert loose.consider([everybody, alone]) == [True, True]
