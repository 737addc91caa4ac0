"""The null space as answers come in: its reservoir of vectors, its forks and copies."""

import numpy as np

from sdcdb.gateway.inference.algebra.nullspace import NullSpace


def space(cells: int, seed: int = 1) -> NullSpace:
    return NullSpace(cells, np.random.default_rng(seed))


def test_the_reservoir_is_filled_again_and_again() -> None:
    rng = np.random.default_rng(6)
    exact, rows = space(400), rng.random((300, 400)) < 0.4
    assert all(exact.add(row) for row in rows)
    assert exact.implied(rows[3])
    assert not exact.implied(rng.random(400) < 0.5)
    again = space(400, 2)
    again.restore(list(rows))
    assert again.rank == 300
    assert all(again.implied(row) for row in rows)
    assert again.vectors_with(np.arange(400) < 7) is not None


def test_a_fork_is_thrown_away_and_a_copy_lives_on() -> None:
    rng = np.random.default_rng(7)
    exact, rows = space(200), rng.random((150, 200)) < 0.4
    for row in rows[:60]:
        exact.add(row)
    fork, copy = exact.fork(), exact.copy()
    for row in rows[60:]:
        fork.add(row)
    assert exact.rank == 60
    assert not exact.implied(rows[70])
    for row in rows[100:]:
        exact.add(row)
    for row in rows[60:100]:
        copy.add(row)
    assert copy.implied(rows[99])
    assert not copy.implied(rows[120])
    assert exact.implied(rows[120])
    assert not exact.implied(rows[99])
