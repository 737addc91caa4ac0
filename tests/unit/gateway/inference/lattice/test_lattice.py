"""Rounding margins against brute force: a whole-number solution is where the margins say that one is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from sdcdb.gateway.inference.lattice import short_vectors
from sdcdb.gateway.inference.lattice.basis import Basis, fresh_basis, from_short, pinned, split, with_set
from sdcdb.gateway.inference.lattice.lattice import SHARE, Grid, Lattice
from sdcdb.gateway.inference.lattice.lll import orthogonal, reduce_basis
from sdcdb.gateway.inference.lattice.margins import margins_of_squares
from sdcdb.gateway.inference.lattice.short_vectors import ShortVectors

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def columns_of(basis: Basis, sets: list[Flags]) -> NDArray[np.int64]:
    rows = np.zeros((len(sets), len(basis.records)), dtype=np.int64)
    for row, cells in zip(rows, sets, strict=True):
        row[basis.labels[cells]] = 1
    return rows


def grown(counts: NDArray[np.int64], sets: list[Flags], cap: float = 10.0) -> Basis:
    basis = fresh_basis(counts)
    for cells in sets:
        after = with_set(basis, cells, cap)
        assert after is not None
        basis = after
    return basis


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 14), st.integers(1, 12))
def test_the_vectors_span_all_that_vanishes_on_the_sets(seed: int, cells: int, number: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 4, cells)
    sets = [rng.random(cells) < rng.uniform(0.3, 0.7) for _ in range(number)]
    basis = grown(counts, sets)
    rows = columns_of(basis, sets)
    assert not (rows @ basis.vectors.T).any()
    rank = int(np.linalg.matrix_rank(rows))
    assert len(basis.vectors) == len(basis.records) - rank
    assert np.linalg.matrix_rank(basis.vectors) == len(basis.vectors) if len(basis.vectors) else True
    if len(basis.vectors):  # and not only a part of the lattice: no prime divides all largest minors
        for prime in (2, 3, 5, 7):
            assert rank_modulo(basis.vectors, prime) == len(basis.vectors)
    fresh = orthogonal(basis.vectors, basis.records**-0.5) * basis.records**0.5
    np.testing.assert_allclose(np.abs(fresh), np.abs(basis.directions), atol=1e-7)


def rank_modulo(matrix: NDArray[np.int64], prime: int) -> int:
    left = [[int(v) % prime for v in row] for row in matrix]
    rank = 0
    for column in range(matrix.shape[1]):
        pivot = next((r for r in range(rank, len(left)) if left[r][column]), None)
        if pivot is None:
            continue
        left[rank], left[pivot] = left[pivot], left[rank]
        inverse = pow(left[rank][column], -1, prime)
        for r in range(rank + 1, len(left)):
            times = left[r][column] * inverse % prime
            left[r] = [(a - times * b) % prime for a, b in zip(left[r], left[rank], strict=True)]
        rank += 1
    return rank


def rounded(
    rows: NDArray[np.int64], answers: NDArray[np.int64], low: NDArray[np.float64], high: NDArray[np.float64]
) -> bool:
    found = milp(
        np.zeros(rows.shape[1]),
        constraints=[LinearConstraint(rows, answers, answers)],
        bounds=Bounds(np.ceil(low - 1e-9), np.floor(high + 1e-9)),
        integrality=np.ones(rows.shape[1]),
    )
    return bool(found.success)


@pytest.mark.parametrize("seed", range(12))
def test_next_to_every_real_solution_there_is_one_in_whole_numbers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    looked = 0
    while looked < 25:
        cells = int(rng.integers(5, 13))
        counts = np.ones(cells, dtype=np.int64) if seed % 2 else rng.integers(1, 4, cells)
        sets = [rng.random(cells) < rng.uniform(0.3, 0.7) for _ in range(int(rng.integers(1, cells - 1)))]
        basis = grown(counts, sets)
        if len(basis.vectors) == 0:
            continue
        rows, truth = columns_of(basis, sets), rng.integers(0, 60, len(basis.records))
        total = basis.margin * basis.records
        real = truth + rng.normal(0, 3 * total.max() + 1, len(basis.vectors)) @ basis.vectors
        assert rounded(rows, rows @ truth, real - total, real + total)
        looked += 1


def test_atoms_are_split_and_counted() -> None:
    basis = split(fresh_basis(np.array([1, 2, 3, 4])), np.array([True, True, False, False]))
    assert sorted(basis.records.tolist()) == [3.0, 7.0]
    assert split(basis, np.array([True, True, False, False])) is basis
    assert not basis.touched.any()
    assert basis.worst == 0


def test_a_pinned_column_is_moved_by_no_vector() -> None:
    rng = np.random.default_rng(1)
    basis = grown(np.ones(20, dtype=np.int64), [rng.random(20) < 0.5 for _ in range(6)])
    held = pinned(basis, np.array([3, 5]), 10.0)
    assert held is not None
    assert not held.vectors[:, [3, 5]].any()
    assert len(held.vectors) == len(basis.vectors) - 2


def test_a_remainder_is_seen() -> None:
    """Everybody but one lies in none or two of three sets: that one's value is known to be odd or even."""
    cells = 31
    group = np.arange(cells) % 3
    sets = [(group != k) & (np.arange(cells) < 30) for k in range(3)]
    sets[0][30] = True
    basis = grown(np.ones(cells, dtype=np.int64), sets)
    assert not (basis.vectors[:, basis.labels[30]] % 2).any()


def test_reducing_keeps_the_lattice() -> None:
    rng = np.random.default_rng(2)
    basis = rng.integers(-9, 10, (8, 12))
    short = reduce_basis(basis, np.ones(12), 10_000)
    assert (short**2).sum() <= (basis**2).sum()
    both = np.concatenate([basis, short])
    for prime in (2, 3, 5, 7, 11):
        assert rank_modulo(both, prime) == rank_modulo(short, prime)
    assert np.isclose(np.linalg.det(short @ short.T), np.linalg.det(basis @ basis.T), rtol=1e-6)


@pytest.mark.parametrize(("steps", "least", "most"), [(24, 0.1, 0.45), (100, 0.15, 0.5), (240_000, 0.15, 0.5)])
def test_random_halves_end(steps: int, least: float, most: float) -> None:
    """The number of independent sums that 120 people give away before the margins end it."""
    rng = np.random.default_rng(3)
    lattice = Lattice.fresh(np.ones(120, dtype=np.int64), steps, rng)
    answered = denied = 0
    while denied < 8:
        after = lattice.with_set(rng.random(120) < 0.5)
        if lattice.allows(after):
            lattice, answered = after, answered + 1
        else:
            denied += 1
    print(f"{steps + 1:,} values: {answered} of 120")  # noqa: T201 - what is reported
    assert least * 120 <= answered <= most * 120


def test_the_cap_fits_the_domain() -> None:
    assert Grid(24).cap == pytest.approx(3.6)
    assert Grid(240_000).cap == 10


def test_a_history_beyond_the_cap_certifies_no_more_than_its_margins() -> None:
    rng = np.random.default_rng(4)
    lattice = Lattice.fresh(np.ones(30, dtype=np.int64), 24, rng)
    for _ in range(18):
        lattice = lattice.with_set(rng.random(30) < 0.5)
    assert lattice.worst > lattice.grid.cap
    assert lattice.margins(np.ones(30)).max() == lattice.worst
    assert not lattice.allows(lattice.with_set(rng.random(30) < 0.5))


def dense(short: ShortVectors) -> Ints:
    """Return short vectors with all their entries."""
    vectors = np.zeros((short.number, len(short.records)), dtype=np.int64)
    starts, columns, numbers = short.vectors
    vectors[np.repeat(np.arange(short.number), np.diff(starts)), columns] = numbers
    return vectors


def bound_of(short: ShortVectors, ascending: Ints, long: int) -> Floats:
    """Return what squares add up to at most, with so many of the longest vectors taken as they are."""
    rest = ascending[: short.number - long]
    longest = float((rest**2 * short.weights).sum(axis=1).max(initial=0.0))
    return np.asarray(longest / short.weights + (ascending[short.number - long :] ** 2).sum(axis=0))


@pytest.fixture(params=["short", "long", "wide"])
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let vectors be short, or most of them long, or most of those wide: the last two need thousands of atoms else."""
    if request.param != "short":
        monkeypatch.setattr(short_vectors, "SHORT", 3)
        monkeypatch.setattr(short_vectors, "LEAST", 2)
        monkeypatch.setattr(short_vectors, "CARRIERS", 5)
    if request.param == "wide":
        monkeypatch.setattr(short_vectors, "WIDE", 3)
    return str(request.param)


@pytest.mark.parametrize("seed", range(4))
def test_short_vectors_span_what_vanishes_too(seed: int, kept: str) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 4, 40)
    short = ShortVectors.fresh(counts.astype(np.float64))
    basis = fresh_basis(counts)
    sets: list[Flags] = []
    for number in range(12):
        a, b = np.sort(rng.integers(0, 41, 2))
        cells = (np.arange(40) >= a) & (np.arange(40) < b) if number % 3 else rng.random(40) < 0.5
        after, exact = short.with_set(cells), with_set(basis, cells, 10.0)
        assert after is not None
        assert exact is not None
        short, basis, sets = after, exact, [*sets, cells]
    again = from_short(short)
    assert again is not None
    assert not (columns_of(again, sets) @ again.vectors.T).any()
    assert len(again.vectors) == len(basis.vectors)
    for prime in (2, 3, 5, 7):
        assert rank_modulo(again.vectors, prime) == len(again.vectors)
    np.testing.assert_allclose(np.sort((again.vectors**2 * short.weights).sum(axis=1)), np.sort(short.size))
    plain = margins_of_squares(float(short.size.max()) / short.weights, short.records)
    assert margins_of_squares(short.squares, short.records).max() <= plain.max() * 1.000001
    assert (short.wide.number > 0) == (kept == "wide")


@pytest.mark.usefixtures("kept")
def test_vectors_that_hold_an_atom_are_those_that_leave_it_as_it_is() -> None:
    rng = np.random.default_rng(8)
    short: ShortVectors | None = ShortVectors.fresh(rng.integers(1, 4, 40).astype(np.float64))
    for _ in range(12):
        short = None if short is None else short.with_set(rng.random(40) < 0.5)
    assert short is not None
    columns = np.flatnonzero((dense(short) != 0).any(axis=0))[:3]
    held = short.pinned(columns)
    assert held is not None
    vectors = dense(held)
    assert len(vectors) == short.number - 3
    assert not vectors[:, columns].any()
    for prime in (2, 3, 5):
        assert rank_modulo(vectors, prime) == len(vectors)


@pytest.mark.parametrize("inside", [True, False])
def test_numbers_stay_with_the_larger_part_of_an_atom_that_is_split(*, inside: bool) -> None:
    cells = np.arange(8)
    short: ShortVectors | None = ShortVectors.fresh(np.array([1.0, 40, 30, 20, 10, 25, 15, 35]))
    for each in (cells < 4, cells % 2 == 0):
        short = None if short is None else short.with_set(each)
    assert short is not None
    # one person leaves the others, in the set or outside of it: cells 0 and 2 were one atom
    after = short._split((cells == 0) == inside)
    old, column = dense(after)[: short.number], after.labels[0]
    assert old.any()
    assert not old[:, column].any()
    assert after.records[column] == 1
    np.testing.assert_allclose(after.size[: short.number], (old**2 * after.weights).sum(axis=1))
    np.testing.assert_array_equal(np.bincount(after.labels, after.counts), after.records)


@pytest.mark.parametrize("by_all", [True, False])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.usefixtures("kept")
def test_vectors_that_are_made_shorter_span_the_same(
    seed: int, monkeypatch: pytest.MonkeyPatch, *, by_all: bool
) -> None:
    rng = np.random.default_rng(seed)
    short: ShortVectors | None = ShortVectors.fresh(rng.integers(1, 4, 40).astype(np.float64))
    for _ in range(14):
        short = None if short is None else short.with_set(rng.random(40) < 0.5)
    assert short is not None
    monkeypatch.setattr(short_vectors, "SHORT", 20)  # with half of all atoms, most have more entries than that
    after = short.shortened(0.5, 12, by_all=by_all)
    before, now = dense(short), dense(after)
    assert (np.sort(after.size) <= np.sort(short.size) + 1e-9).all()
    assert after.size.sum() < short.size.sum() - 0.5
    combination = np.rint(np.linalg.lstsq(before.T.astype(float), now.T.astype(float), rcond=None)[0]).astype(np.int64)
    assert (combination.T @ before == now).all()
    assert abs(round(np.linalg.det(combination.astype(float)))) == 1
    np.testing.assert_allclose((now**2 * after.weights).sum(axis=1), after.size)


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("seed", range(6))
def test_short_vectors_lead_to_whole_numbers_within_their_margins(seed: int) -> None:
    rng, looked = np.random.default_rng(seed), 0
    while looked < 25:
        cells = int(rng.integers(5, 13))
        counts = rng.integers(1, 4, cells)
        sets = [rng.random(cells) < rng.uniform(0.3, 0.7) for _ in range(int(rng.integers(1, cells - 1)))]
        short: ShortVectors | None = ShortVectors.fresh(counts.astype(np.float64))
        for each in sets:
            short = None if short is None else short.with_set(each)
        if short is None or not short.number:
            continue
        vectors = dense(short)
        rows = np.array([np.bincount(short.labels[each], minlength=len(short.records)) > 0 for each in sets]).astype(
            int
        )
        truth = rng.integers(0, 60, len(short.records))
        order = np.argsort(short.size, kind="stable")  # those that are long come last
        exact = orthogonal(vectors[order], np.sqrt(short.weights)) / np.sqrt(short.weights)
        squares = exact**2
        for long in range(short.number):  # short.squares is the best of such bounds
            least = np.concatenate([squares[: short.number - long], vectors[order][short.number - long :] ** 2])
            assert (least.sum(axis=0) <= bound_of(short, vectors[order], long) * 1.000001).all()
        found = margins_of_squares(short.squares, short.records)
        total = found * short.records
        real = truth + rng.normal(0, 3 * total.max() + 1, short.number) @ vectors
        assert rounded(rows, rows @ truth, real - total, real + total)
        looked += 1


def test_a_column_that_takes_even_numbers_only_cannot_be_held_at_any() -> None:
    cells = 31
    group = np.arange(cells) % 3
    sets = [(group != k) & (np.arange(cells) < 30) for k in range(3)]
    sets[0][30] = True
    basis = grown(np.ones(cells, dtype=np.int64), sets)
    assert pinned(basis, np.array([basis.labels[30]]), 10.0) is None
    short = ShortVectors.fresh(np.ones(cells))
    for each in sets:
        after = short.with_set(each)
        assert after is not None
        short = after
    assert short.pinned(np.array([short.labels[30]])) is None
    assert short.pinned(np.array([short.labels[0]])) is not None


def test_one_user_may_take_a_share_of_the_margin_only() -> None:
    """Random halves end for the one who asks them while there is still room for others."""
    rng = np.random.default_rng(6)
    lattice = Lattice.fresh(np.ones(100, dtype=np.int64), 240_000, rng)
    refused: list[Flags] = []
    answered = 0
    while len(refused) < 8:
        cells = rng.random(100) < 0.5
        after = lattice.with_set(cells, "eve")
        if lattice.allows(after, "eve"):
            lattice, answered = after, answered + 1
        else:
            refused.append(cells)
    assert answered > 5
    assert lattice.raised["eve"] <= SHARE * lattice.grid.cap
    assert lattice.level <= SHARE * lattice.grid.cap + 1e-9
    assert any(lattice.allows(lattice.with_set(cells, "ana"), "ana") for cells in refused)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_carried_along_stays_the_gram_schmidt_vectors(seed: int) -> None:
    """From short vectors on, through sets, splits and exchanges: b_i is b*_i plus what the vectors before it span."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 4, 120)
    short: ShortVectors | None = ShortVectors.fresh(counts.astype(np.float64))
    for _ in range(25):
        assert short is not None
        short = short.with_set(rng.random(120) < 0.5)
    assert short is not None
    basis = from_short(short)
    for _ in range(20):
        assert basis is not None
        basis = with_set(basis, rng.random(120) < 0.5, 2.0)  # a low cap: vectors are exchanged
    assert basis is not None
    products = (basis.vectors / basis.records) @ basis.directions.T
    assert np.allclose(np.triu(products, 1), 0, atol=1e-7 * basis.squared.max())
    assert np.allclose(np.diag(products), basis.squared)
