"""Cells as columns: what rows tell apart, whichever way they are taken in."""

import numpy as np

from sdcdb.gateway.inference.algebra.columns_of_cells import Partition
from sdcdb.gateway.inference.algebra.nullspace import NullSpace


def test_columns_are_the_cells_that_every_row_treats_alike() -> None:
    rng = np.random.default_rng(3)
    for cells, number in ((1, 1), (7, 3), (400, 5), (300, 150)):
        rows = [rng.random(cells) < 0.4 if kind else rng.integers(0, 4, cells) for kind in rng.random(number) < 0.8]
        step = Partition.whole(cells)
        for row in rows:
            before = step
            step, parents = before.split(row)
            assert step.number == before.number + len(parents)
            kept = step.labels < before.number
            assert np.array_equal(step.labels[kept], before.labels[kept])
            assert np.array_equal(before.labels[~kept], parents[step.labels[~kept] - before.number])
        wanted = np.unique(np.array(rows).T, axis=0, return_inverse=True)[1].ravel()
        for found in (step, Partition.whole(cells).split_by_all(rows)):
            assert found.number == len(np.unique(wanted))
            assert len(np.unique(found.labels * (wanted.max() + 1) + wanted)) == found.number
            assert np.array_equal(found.labels[found.first], np.arange(found.number))


def test_null_vectors_over_cells_vanish_on_what_was_added_and_on_nothing_else() -> None:
    rng = np.random.default_rng(4)
    rows = [np.ones(60, dtype=bool), *(rng.random(60) < 0.5 for _ in range(9)), rng.integers(0, 9, 60)]
    step, whole = (NullSpace(60, np.random.default_rng(seed)) for seed in (1, 2))
    for row in rows:
        assert step.add(row)
        assert not step.add(row)
    whole.restore(rows)
    matrix = np.array([row.astype(np.int64) for row in rows])
    for space in (step, whole):
        for z, p in zip(space.vectors(), space.primes, strict=True):
            assert not (np.rint(z).astype(np.int64) @ matrix.T % p).any()
        assert space.implied(rows[0] & ~rows[1])
        assert not any(space.implied(np.arange(60) == cell) for cell in range(60))
        after = space.vectors_with(np.arange(60) < 5)
        assert after is not None
        for z, p in zip(after, space.primes, strict=True):
            assert not (np.rint(z).astype(np.int64) @ matrix.T % p).any()
            assert int(np.rint(z[:5].sum())) % p == 0
            assert int(np.rint(z[:4].sum())) % p != 0
