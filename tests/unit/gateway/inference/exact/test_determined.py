"""Whether answers determine a small group, decided exactly: as elimination with fractions decides it."""

import doctest

import numpy as np
import pytest
from support.inference_attack import families, rank, small_group_determined

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
