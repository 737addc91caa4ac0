"""Several users, many questions: what each may know alone, and what they know together. Noise that stays the same."""

import os
from collections.abc import Iterator

import numpy as np
import pytest
from support import victims
from support.stages import Stages

import sdcdb
from sdcdb.views.protect import protect

PARTS = ["SELECT SUM(salary) FROM staff WHERE sex = 'F'", "SELECT SUM(salary) FROM staff WHERE sex = 'F' AND age < 70"]


def test_two_users_do_not_learn_together_what_one_may_not(stage: Stages) -> None:
    set_up = stage(120)
    (victim,) = set_up.raw.execute("SELECT salary FROM staff WHERE age = 70").fetchone() or (None,)
    a, b = (rows[0][0] for rows in map(set_up.plain, PARTS) if rows)
    assert a - b == victim
    ask = set_up.through("ann", "bob")
    assert [ask(sql) is None for sql in PARTS] == [False, True]


def test_where_the_policy_counts_each_user_alone_they_can(stage: Stages) -> None:
    """`pool: user` is a choice of the policy; it holds for one user, and says nothing about two who talk."""
    ask = stage(120, pool="user").through("ann", "bob")
    assert [ask(sql) is None for sql in PARTS] == [False, False]
    alone = stage(120, pool="user").through("ann")
    assert [alone(sql) is None for sql in PARTS] == [False, True]


@pytest.mark.parametrize("name", ["Ann", "ann ", " ann", "ANN", "ann\0", "аnn", "", "user ann", "all", "group x"])
def test_no_spelling_of_a_user_leaves_the_pool_of_all(stage: Stages, name: str) -> None:
    ask = stage(80).through("ann", name)
    assert [ask(sql) is None for sql in PARTS] == [False, True]


@pytest.fixture
def secret() -> Iterator[None]:
    os.environ["SDCDB_ATTACKED"] = "thirty-two characters and more of them"
    yield
    del os.environ["SDCDB_ATTACKED"]


@pytest.mark.usefixtures("secret")
def test_noise_that_stays_the_same_does_not_average_out(stage: Stages) -> None:
    """Forty readings of everybody's salary: with fresh noise the mean is close, with sticky noise it is one reading."""
    set_up = stage(100)
    truth = np.array([row[6] for row in victims.people(100)], dtype=float)
    sd = 0.1 * (victims.HIGH - victims.LOW)
    fresh = np.mean([truth + np.random.default_rng(n).normal(0, sd, len(truth)) for n in range(40)], axis=0)
    assert np.abs(fresh - truth).mean() < sd / 4

    set_up.gateway.close()
    rules = victims.policy(set_up.path.with_suffix(".policy.yaml"), protect=True)
    set_up.db.close()
    with sdcdb.open(set_up.path, policy=rules) as db:
        protect(db)
        with db.gateway() as gateway:
            readings = []
            for n in range(40):  # in other words every time, and as another user
                pay = f"salary + {n} - {n}"
                sql = f"SELECT sex, age, dept, education, {pay} FROM staff_public WHERE {n} = {n} ORDER BY ALL"
                readings.append(gateway.ask(sql, user=f"u{n}").rows)
            assert all(reading == readings[0] for reading in readings)
            ordered = sorted(victims.people(100), key=lambda row: row[2:])
            noisy = {row[:4]: row[4] for row in readings[0]}
            errors = [abs(noisy[row[2:6]] - row[6]) for row in ordered if row[2:6] in noisy]
            assert np.mean(errors) > sd / 2
