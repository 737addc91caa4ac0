"""Totals of few people: found by the search exactly where trying all groups finds them."""

from itertools import combinations, permutations

import numpy as np
import pytest
from numpy.typing import NDArray
from support.inference_attack import SUM, rank

from sdcdb.gateway.inference.exact.answered_sums import History
from sdcdb.gateway.inference.exact.determined import determines
from sdcdb.gateway.inference.exact.small_totals import determines_small_total
from sdcdb.gateway.inference.exact.small_totals_of_many import Proof
from sdcdb.gateway.inference.intervals.atoms import refine
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


@pytest.mark.parametrize("seed", range(12))
def test_the_search_among_many_atoms_finds_what_trying_all_groups_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells, min_set = int(rng.integers(6, 10)), int(rng.integers(3, 6))
    counts = np.ones(cells, dtype=np.int64) if seed % 2 else rng.integers(1, 3, cells)
    history, rows = History(cells, np.random.default_rng(seed)), list[NDArray[np.bool_]]()
    labels, atoms = np.zeros(cells, dtype=np.int64), 1
    for _ in range(cells):
        asked = rng.random(cells) < rng.uniform(0.4, 0.7)
        if seed % 3 == 0 and rows:
            asked = rows[int(rng.integers(len(rows)))] ^ (rng.random(cells) < 0.35)
        after = history.exact.vectors_with(asked) if asked.any() else None
        if after is None:
            continue
        here, number = refine(labels, atoms, asked)
        sizes = np.bincount(here, counts, number).astype(np.int64)
        proof = Proof(history.exact.vectors(), after, history.exact.primes)
        found = history.explained(counts).determines(asked, [], here, sizes, proof, min_set)
        assert found == determined(np.array([*rows, asked]), counts, min_set)
        if not found:
            history.add(asked, 0.0)
            rows, labels, atoms = [*rows, asked], here, number


def three(size: int, people: int) -> list[NDArray[np.bool_]]:
    """Sets that overlap pairwise in many, and have three groups of few between them: two groups in each set."""
    flags = []
    for left_out in range(3):
        chosen = np.arange(people) % 3 != left_out
        chosen[: 3 * size] = np.arange(3 * size) // size != left_out
        flags.append(chosen)
    whole = np.ones(people, dtype=np.bool_)
    whole[: 3 * size] = False
    return [*flags, whole]


@pytest.mark.parametrize("size", [2, 3])
def test_three_pairs_or_triples_are_not_totalled_in_any_order(size: int) -> None:
    """Their total is half of the three sums, less that of everybody else: 6 or 9 people, where 10 are the fewest."""
    rng, people = np.random.default_rng(size), 150
    chain, values, few = three(size, people), rng.integers(0, 240_001, people), np.arange(people) < 3 * size
    for order in permutations(range(4)):
        k = Knowledge(np.ones(people, dtype=int), 0, 240_000, 1, Limits(10, 24_000.0), b"s")
        told: list[NDArray[np.bool_]] = []
        for number in order:
            asked = [Question(chain[number], SUM)]
            if k.consider(asked)[0].allowed:
                told.append(chain[number])
                k.learn(asked, [{"sum": int(values[chain[number]].sum())}])
        assert len(told) == 3
        assert rank(np.array([*told, few])) == 4


@pytest.mark.parametrize("size", [2, 3])
def test_nor_among_very_many(size: int) -> None:
    """Two thousand people whom earlier sums tell apart, by ones, twos and threes."""
    people, counts = 2_000, np.ones(2_000, dtype=np.int64)
    chain = three(size, people)
    for order in permutations(range(4)):
        history, labels, atoms = History(people, np.random.default_rng(1)), np.zeros(people, dtype=np.int64), 1
        bits = [(np.arange(people) >> n) % 2 == 0 for n in range(11)]
        found = []
        for asked in [*bits, *(chain[number] for number in order)]:
            after = history.exact.vectors_with(asked)
            assert after is not None
            labels, atoms = refine(labels, atoms, asked)
            sizes = np.bincount(labels, counts, atoms).astype(np.int64)
            proof = Proof(history.exact.vectors(), after, history.exact.primes)
            found.append(history.explained(counts).determines(asked, [], labels, sizes, proof, 10))
            if not found[-1]:
                history.add(asked, 0.0)
        assert atoms == people
        assert found == [False] * 14 + [True]


@pytest.mark.parametrize("seed", range(20))
def test_pairs_are_compared_with_every_partner(seed: int) -> None:
    """Of equal values, whichever comes first in an order must not hide another pair."""
    rng = np.random.default_rng(seed)
    atoms, primes = 9, (1_000_003, 1_000_033, 1_000_037)
    size = rng.integers(2, 6, atoms)
    now, former = (rng.choice([-3.0, -2, -1, 1, 2, 3], atoms) for _ in range(2))
    former = np.where(rng.random(atoms) < 0.7, now, former)
    expected = any(
        size[a] + size[b] < 8 and now[a] + s * now[b] == 0 and former[a] + s * former[b] != 0
        for a, b in combinations(range(atoms), 2)
        for s in (1, -1)
    )
    assert determines([former] * 3, [now] * 3, primes, np.arange(atoms), size, 8) == expected
