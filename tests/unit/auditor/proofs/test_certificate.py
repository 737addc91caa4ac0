"""Certificates: the queries that prove a disclosure, checked by plain arithmetic and against brute force."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcdb.auditor.evidence import Domain, Evidence
from sdcdb.auditor.proofs.certificate import certify, core
from sdcdb.auditor.proofs.combination import isolating
from sdcdb.auditor.proofs.interval import Contradiction, intervals

Sets = np.ndarray


def sets(*rows: str) -> Sets:
    return np.array([[sign == "1" for sign in row] for row in rows])


def solved(rows: Sets, column: int) -> list[Fraction] | None:
    """Solve rows' y = e by Gauss on fractions, with free unknowns zero; None when it cannot be."""
    a = [
        [Fraction(int(rows[q, c])) for q in range(len(rows))] + [Fraction(int(c == column))]
        for c in range(rows.shape[1])
    ]
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


@settings(max_examples=80, deadline=None)
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


def evidence(
    values: list[int], asked: list[tuple[str, str]], low: int = 0, high: int = 100, step: int | None = 1
) -> Evidence:
    """Answer questions such as ("sum", "1101") about these values, one record a cell."""
    rows = sets(*(row for _, row in asked)) if asked else np.zeros((0, len(values)), bool)
    numbers = np.array(values)
    answers = [int(getattr(numbers[row], kind)()) for (kind, _), row in zip(asked, rows, strict=True)]
    return Evidence.of([1] * len(values), Domain.of(low, high, step), rows, [kind for kind, _ in asked], answers)  # type: ignore[misc]


def brute(known: Evidence, low: int, high: int) -> tuple[list[int], list[int]]:
    """Try all values."""
    rows = known.sets()
    fitting = []
    for values in product(range(low, high + 1), repeat=len(known.counts)):
        v = np.array(values)
        answers = (getattr(v[r], k)() for k, r in zip(known.kinds, rows, strict=True))
        if all(a == b for a, b in zip(answers, known.answers, strict=True)):
            fitting.append(values)
    return [min(each) for each in zip(*fitting, strict=True)], [max(each) for each in zip(*fitting, strict=True)]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 4), st.integers(1, 5), st.sampled_from([["sum"], ["sum", "min", "max"]]), st.integers(0, 2**32 - 1)
)
def test_intervals_hold_every_possible_value_and_their_certificates_hold(
    n: int, k: int, kinds: list[str], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 7, n).tolist()
    asked = []
    for _ in range(k):
        row = rng.random(n) < 0.6
        row[rng.integers(n)] = True
        asked.append((str(rng.choice(kinds)), "".join(map(str, row.astype(int)))))
    known = evidence(values, asked, 0, 6)
    found = intervals(known)
    least, greatest = brute(known, 0, 6)
    assert (found.lower <= least).all()
    assert (found.upper >= greatest).all()
    for cell in range(n):
        proof = certify(known, cell, found)
        assert proof.holds(known, cell)
        alone = intervals(known.only(proof.queries), [cell])
        assert alone.lower[cell] == found.lower[cell]
        assert alone.upper[cell] == found.upper[cell]
        for at in proof.queries:
            rest = intervals(known.only([each for each in proof.queries if each != at]), [cell])
            assert (
                rest.lower[cell] < found.lower[cell]
                or rest.upper[cell] > found.upper[cell]
                or proof.form != "recomputed"
            )


def test_sums_give_the_exact_interval() -> None:
    known = evidence([90, 95, 20], [("sum", "110"), ("sum", "111")])
    found = intervals(known)
    assert found.lower.tolist() == [85, 85, 20]
    assert found.upper.tolist() == [100, 100, 20]
    proof = certify(known, 0, found)
    assert proof.form == "bounds"
    assert proof.queries == (0,)
    assert proof.lower is not None
    assert proof.lower.weights == {0: 1}
    assert proof.lower.value == 85
    assert certify(known, 2, found).form == "combination"


def test_the_only_holder_of_a_maximum_is_shown_by_the_sets_that_leave_nobody_else() -> None:
    known = evidence([30, 40, 50, 90], [("max", "1111"), ("max", "1100"), ("max", "1110"), ("sum", "1111")])
    found = intervals(known)
    assert (found.lower[3], found.upper[3]) == (90, 90)
    proof = certify(known, 3, found)
    assert proof.form == "witness"
    assert proof.queries == (0, 2)
    assert proof.smallest


def test_a_minimum_and_a_maximum_close_in() -> None:
    known = evidence([48, 50, 52, 10, 99], [("min", "11100"), ("max", "11100"), ("sum", "11111")])
    found = intervals(known)
    assert (found.lower[1], found.upper[1]) == (48, 52)
    assert certify(known, 1, found).queries == (0, 1)


def test_records_of_one_cell_share_their_interval() -> None:
    known = Evidence.of([2, 1], Domain.of(0, 100, 1), sets("10", "11"), ["sum", "sum"], [195, 200])
    found = intervals(known)
    assert (found.lower[0], found.upper[0]) == (95, 100)
    proof = certify(known, 0, found)
    assert proof.holds(known, 0)
    assert proof.queries == (0,)


def test_answers_that_cannot_be_true_together_are_noticed() -> None:
    known = Evidence.of([1, 1], Domain.of(0, 10, 1), sets("11", "11"), ["sum", "sum"], [5, 6])
    with pytest.raises(Contradiction, match="no values fit"):
        intervals(known)


def test_a_core_is_irreducible() -> None:
    needed = {3, 7, 11}
    assert core(20, lambda chosen: needed <= set(chosen)) == [3, 7, 11]
    assert core(20, lambda _: True) == []
