"""The exact rule: against elimination with fractions, and against query sets made to fool floating point."""

import doctest

import numpy as np
import pytest
from support.inference_attack import families, rank, small_group_determined

from sdcdb.gateway.inference.algebra import modular as field
from sdcdb.gateway.inference.algebra.modular import inverse_matrix, product, random_primes
from sdcdb.gateway.inference.algebra.nullspace import NullSpace
from sdcdb.gateway.inference.exact.determined import determines
from sdcdb.gateway.inference.intervals import equivocation
from sdcdb.gateway.inference.intervals import sum_range as predictive
from sdcdb.gateway.inference.intervals.atoms import classes


def space(cells: int, seed: int = 1) -> NullSpace:
    return NullSpace(cells, np.random.default_rng(seed))


def found(exact: NullSpace, rows: np.ndarray, flags: np.ndarray, counts: np.ndarray, min_set: int) -> bool:
    """Ask the rule as `Knowledge` does."""
    vectors = exact.vectors_with(flags)
    assert vectors is not None
    labels = classes(np.vstack([rows, flags]))
    sizes = np.bincount(labels, weights=counts).astype(np.int64)
    return determines(exact.vectors(), vectors, exact.primes, labels, sizes, min_set)


@pytest.mark.parametrize("module", [equivocation, predictive])
def test_the_examples_in_the_docstrings_run(module: object) -> None:
    results = doctest.testmod(module)  # type: ignore[arg-type] # a module
    assert results.attempted > 0
    assert results.failed == 0


def test_primes_are_primes_of_the_right_size() -> None:
    for p in random_primes(np.random.default_rng(3), 20):
        assert field.LOWEST <= p <= field.HIGHEST
        assert all(p % d for d in range(2, int(p**0.5) + 1))


def test_matrices_modulo_a_prime() -> None:
    rng = np.random.default_rng(4)
    p = random_primes(rng, 1)[0]
    a, b = rng.integers(0, p, (40, 300)), rng.integers(0, p, (300, 50))
    left, right = (np.where(m > p // 2, m - p, m).astype(float) for m in (a, b))
    expected = np.array([[sum(int(x) * int(y) for x, y in zip(row, col, strict=True)) % p for col in b.T] for row in a])
    assert (np.mod(product(left, right, p), p) == expected).all()
    square = left[:, :40]
    inverse, regular = inverse_matrix(square, float(p))
    assert regular
    assert (np.mod(product(square, inverse, p), p) == np.eye(40)).all()


@pytest.mark.parametrize("seed", range(40))
def test_verdicts_equal_those_of_elimination_with_fractions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells, min_set = int(rng.integers(4, 11)), int(rng.integers(2, 5))
    counts = rng.integers(1, 4, cells)
    exact, rows = space(cells, seed), np.zeros((0, cells), bool)
    for _, flags in zip(range(30), families(rng, cells), strict=False):
        implied = rank(np.vstack([rows, flags])) == len(rows)
        assert exact.implied(flags) == implied
        if implied:
            assert not exact.add(flags)
            continue
        before = small_group_determined(rows, counts, min_set)
        after = small_group_determined(np.vstack([rows, flags]), counts, min_set)
        verdict = found(exact, rows, flags, counts, min_set)
        if after and not before:
            assert verdict
        if verdict is False:
            assert exact.add(flags)
            rows = np.vstack([rows, flags])
            assert not after
        assert exact.rank == rank(rows)


def test_a_difference_of_two_people_counts() -> None:
    # x1 + x3 + x4 and x2 + x3 + x4 give x1 - x2: person 2 learns person 1
    exact, first = space(4), np.array([True, False, True, True])
    exact.add(first)
    assert found(exact, first[None], np.array([False, True, True, True]), np.ones(4, int), 3)


def test_three_people_count_when_the_limit_is_four() -> None:
    rows = np.array([[True, True, True, True, True, True]])
    exact = space(6)
    exact.add(rows[0])
    flags = np.array([True, True, True, False, False, False])
    split = np.vstack([rows, [True, False, False, True, True, True]])  # the three fall apart into one and two
    exact.add(split[1])
    assert found(exact, split, flags, np.ones(6, int), 4)


def crafted(n: int) -> np.ndarray:
    """Rows whose determinant is 1 and whose inverse grows like 1.5^n: nearly dependent to floating point."""
    rows = np.eye(n, dtype=bool)
    for i in range(n):
        rows[i, i + 1 : i + 4 : 2] = True
        rows[i, i + 4 :: 3] = True
    return rows


def test_query_sets_made_to_fool_floating_point_do_not() -> None:
    rows = crafted(140)
    singular = np.linalg.svd(rows.astype(float), compute_uv=False)
    assert singular[-1] / singular[0] < 1e-12  # a tolerance would call the last rows dependent
    exact = space(140)
    assert all(exact.add(row) for row in rows)
    assert exact.rank == 140
    assert all(exact.implied(person) for person in np.eye(140, dtype=bool))  # and everybody is determined


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
