"""Certificates: the queries that prove a disclosure, checked by plain arithmetic and against brute force."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcdb.auditor.combination import isolating

Sets = np.ndarray


def sets(*rows: str) -> Sets:
    return np.array([[sign == "1" for sign in row] for row in rows])


def solved(rows: Sets, column: int) -> list[Fraction] | None:
    """Solve rows' y = e by Gauss on fractions, with free unknowns zero; None when it cannot be."""
    a = [[Fraction(int(rows[q, c])) for q in range(len(rows))] + [Fraction(int(c == column))] for c in range(rows.shape[1])]
    pivots: list[tuple[int, int]] = []
    for q in range(len(rows)):
        at = next((r for r in range(len(pivots), len(a)) if a[r][q]), None)
        if at is None:
            continue
        r = len(pivots)
        a[r], a[at] = a[at], a[r]
        a[r] = [each / a[r][q] for each in a[r]]
        for other in range(len(a)):
            if other != r and a[other][q]:
                a[other] = [x - a[other][q] * y for x, y in zip(a[other], a[r], strict=True)]
        pivots.append((r, q))
    if any(row[-1] and not any(row[:-1]) for row in a):
        return None
    y = [Fraction(0)] * len(rows)
    for r, q in pivots:
        y[q] = a[r][-1]
    return y


def fewest(rows: Sets, column: int) -> int | None:
    """Try all sets of rows, the smaller first."""
    for size in range(1, len(rows) + 1):
        for chosen in combinations(range(len(rows)), size):
            if solved(rows[list(chosen)], column) is not None:
                return size
    return None


@pytest.mark.parametrize(
    ("rows", "weights"),
    [
        (sets("100"), {0: 1}),
        (sets("111", "011"), {0: 1, 1: -1}),
        (sets("1111", "0110", "0001"), {0: 1, 1: -1, 2: -1}),
        (sets("1100", "1011", "1111"), {0: 1, 1: 1, 2: -1}),
        (sets("110", "101", "011"), {0: Fraction(1, 2), 1: Fraction(1, 2), 2: Fraction(-1, 2)}),
    ],
)
def test_the_classic_attacks_have_the_combinations_that_name_them(rows: Sets, weights: dict[int, Fraction]) -> None:
    found = isolating(rows, 0)
    assert found is not None
    assert found.weights == weights
    assert found.smallest


def test_no_combination_tells_two_records_apart_that_always_come_together() -> None:
    assert isolating(sets("1101", "0011"), 0) is None
    assert isolating(np.zeros((0, 3), bool), 0) is None


def test_the_value_follows_from_the_answers() -> None:
    salaries = np.array([31_000, 45_500, 28_250, 99_000])
    rows = sets("1101", "1010", "0111", "1100")
    found = isolating(rows, 2)
    assert found is not None
    assert found.value((rows @ salaries).tolist()) == 28_250


def test_all_irreducible_combinations_of_three_rows_have_weights_of_one_size() -> None:
    """The claim behind the full search: try every way in which three sets can meet, and every place of the target."""
    regions = [region for region in product((0, 1), repeat=3) if any(region)]
    for present in product((0, 1), repeat=7):
        others = [region for region, there in zip(regions, present, strict=True) if there]
        for target in regions:
            rows = np.array([target, *others], dtype=bool).T
            y = solved(rows, 0)
            if y is not None and all(y) and fewest(rows, 0) == 3:
                found = isolating(rows, 0)
                assert found is not None
                assert sorted(found.weights) == [0, 1, 2]
                assert len({abs(each) for each in y}) == 1


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 7), st.integers(1, 6), st.randoms(use_true_random=False))
def test_as_small_as_brute_force_finds(queries: int, columns: int, random: object) -> None:
    rng = np.random.default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    rows = rng.random((queries, columns)) < 0.5
    for column in range(columns):
        found, least = isolating(rows, column), fewest(rows, column)
        assert (found is None) == (least is None)
        if found is not None and least is not None:
            assert found.isolates(rows, column)
            assert len(found.weights) >= least
            assert not found.smallest or len(found.weights) == least
            assert found.smallest or len(found.weights) > 4
            support = rows[list(found.weights)]
            assert all(solved(np.delete(support, at, axis=0), column) is None for at in range(len(support)))


def test_a_linear_system_of_many_queries_is_untangled() -> None:
    rng = np.random.default_rng(5)
    rows = rng.random((60, 40)) < 0.5
    found = isolating(rows, 7)
    assert found is not None
    assert found.isolates(rows, 7)
    assert len(found.weights) <= 40
