"""Totals of few people: found by the search exactly where trying all groups finds them."""

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from support.inference_attack import SUM, rank

from sdcdb.gateway.inference.exact.small_totals import determines_small_total
from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.lattice.basis import fresh_basis, with_set
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.question import Question


def determined(rows: NDArray[np.bool_], counts: NDArray[np.int64], min_set: int) -> bool:
    """Try every union of atoms."""
    base = rank(rows)
    labels = [tuple(column) for column in rows.T]
    atoms = [np.array([label == each for label in labels]) for each in dict.fromkeys(labels)]
    for size in range(1, min_set):
        for group in combinations(atoms, size):
            members = np.any(group, axis=0)
            if counts[members].sum() < min_set and rank(np.vstack([rows, members])) == base:
                return True
    return False


@pytest.mark.parametrize("seed", range(24))
def test_the_search_finds_what_trying_all_groups_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells, min_set = int(rng.integers(6, 12)), int(rng.integers(3, 6))
    counts = np.ones(cells, dtype=np.int64) if seed % 2 else rng.integers(1, 3, cells)
    basis = fresh_basis(counts, projected=True)
    rows: list[NDArray[np.bool_]] = []
    for _ in range(cells):
        cells_in = rng.random(cells) < rng.uniform(0.4, 0.7)
        if seed % 3 == 0 and rows:  # a set and a few more or fewer
            cells_in = rows[int(rng.integers(len(rows)))] ^ (rng.random(cells) < 0.35)
        if not cells_in.any():
            continue
        after = with_set(basis, cells_in, 10.0)
        assert after is not None
        tried = np.array([*rows, cells_in])
        assert after.projection is not None
        scaled = after.vectors * after.records**-0.5
        np.testing.assert_allclose(after.projection @ scaled.T, scaled.T, atol=1e-7)
        assert np.trace(after.projection) == pytest.approx(len(after.vectors), abs=1e-7)
        found = determines_small_total(basis, after, min_set)
        assert found == determined(tried, counts, min_set)
        if not found:
            basis, rows = after, [*rows, cells_in]


@pytest.mark.parametrize("size", [2, 3, 5, 7, 9])
def test_a_chain_of_sums_does_not_total_a_few_people(size: int) -> None:
    """Sets that overlap, so that no two of them differ by few; only all together do."""
    rng = np.random.default_rng(size)
    n = 120
    victims = rng.choice(n, size, replace=False)
    parts = rng.integers(0, 3, n)
    parts[victims] = 3
    k = Knowledge(np.ones(n, dtype=int), 0, 240_000, 1, Limits(10, 24_000.0), b"s")
    values = rng.integers(0, 240_001, n)
    chain = [(parts == 0) | (parts == 1), (parts == 1) | (parts == 2), (parts == 0) | (parts == 2), parts <= 3]
    told = []
    for flags in chain:
        finding = k.consider([Question(flags, SUM)])[0]
        told.append(finding.allowed)
        if finding.allowed:
            k.learn([Question(flags, SUM)], [{"sum": int(values[flags].sum())}])
    assert told == [True, True, True, False]
    loose = Knowledge(np.ones(n, dtype=int), 0, 240_000, 1, Limits(10, 24_000.0, small_totals="allow"), b"s")
    for flags in chain[:3]:
        loose.learn([Question(flags, SUM)], [{"sum": int(values[flags].sum())}])
    assert loose.consider([Question(chain[3], SUM)])[0].rule == "exact"  # the victims are one atom here


def test_what_was_determined_before_is_nobodys_fault() -> None:
    k = Knowledge(np.ones(60, dtype=int), 0, 1, None, Limits(10, 0.05), b"s")
    few = np.arange(60) < 6
    k.learn([Question(few, SUM)], [{"sum": 3.0}])
    assert k.consider([Question(np.arange(60) >= 30, SUM)])[0].allowed
