"""What whole numbers add to the reals: brute force over all tables, lattice reduction, and coin weighing."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import fmpz_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcdb.auditor.evidence import Domain, Evidence, Kind
from sdcdb.auditor.proofs.interval import Intervals, intervals
from sdcdb.auditor.proofs.whole_counts import Count, possible_categories
from sdcdb.auditor.proofs.whole_values import Room, effective_grid, in_whole_numbers


def audited(
    values: np.ndarray, sets: np.ndarray, high: int, room: Room, extremes: tuple[tuple[Kind, np.ndarray], ...] = ()
) -> tuple[Intervals, set[int]]:
    """Audit sums and extremes of whole numbers from 0 to `high`; return the intervals and who was safe in reals."""
    kinds: list[Kind] = ["sum"] * len(sets)
    kinds += [kind for kind, _ in extremes]
    answers = [int(values[each].sum()) for each in sets]
    answers += [int(values[each].max() if kind == "max" else values[each].min()) for kind, each in extremes]
    every = np.array([*sets, *(each for _, each in extremes)], dtype=bool)
    evidence = Evidence.of(np.ones(len(values), int), Domain.of(0, high, 1), every, kinds, answers)
    evidence = replace(evidence, truth=values.astype(np.float64))
    found = intervals(evidence, None, room.width)
    safe = np.flatnonzero(~(found.exact & (found.widths < room.width)))
    return in_whole_numbers(evidence, found, room, safe), set(safe.tolist())


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(0, 5), st.integers(0, 3))
def test_nobody_is_called_safe_whom_all_tables_together_expose(seed: int, people: int, sums: int, more: int) -> None:
    rng = np.random.default_rng(seed)
    high, room = 4, Room(2.0, 2)
    values = rng.integers(0, high + 1, people)
    sets = rng.random((sums, people)) < 0.6
    sets = sets[sets.any(axis=1)]
    ends: tuple[Kind, Kind] = ("max", "min")
    chosen = [(ends[rng.integers(2)], rng.random(people) < 0.6) for _ in range(more)]
    extremes = tuple((kind, each) for kind, each in chosen if each.any())
    if len(sets) + len(extremes) < 2:
        return
    found, safe = audited(values, sets, high, room, extremes)
    tables = np.array(list(product(range(high + 1), repeat=people)))
    fits: np.ndarray = np.asarray((tables @ sets.T == values @ sets.T).all(axis=1))
    asked: np.ndarray = np.asarray(sets.any(axis=0))
    for kind, inside in extremes:
        asked = np.logical_or(asked, inside)
        reached = tables[:, inside].max(axis=1) if kind == "max" else tables[:, inside].min(axis=1)
        fits &= reached == (values[inside].max() if kind == "max" else values[inside].min())
    least, most = tables[fits].min(axis=0), tables[fits].max(axis=0)
    for cell in safe - found.whole - found.unsettled:
        if asked[cell]:
            assert most[cell] - least[cell] >= room.width
    for cell in found.whole:
        assert found.lower[cell] <= least[cell]
        assert found.upper[cell] >= most[cell]
        if not extremes:
            assert (found.lower[cell], found.upper[cell]) == (least[cell], most[cell])


def test_what_lattice_reduction_finds_is_a_finding_or_named_as_possible() -> None:
    """Sums over random halves leave wide real intervals, and LLL has every value: the audit must not call that safe."""
    rng = np.random.default_rng(3)
    people, high = 40, 60_000
    values = rng.integers(20_000, 40_000, people)
    sets = rng.random((38, people)) < 0.5
    assert _attacked(sets, values) == people  # the attack works
    found, safe = audited(values, sets, high, Room(6_000.0, 2))
    assert len(safe) > people / 2  # and the reals do not see it
    assert safe == found.whole | found.unsettled
    assert all(found.lower[cell] <= values[cell] <= found.upper[cell] for cell in found.whole)


def _attacked(sets: np.ndarray, values: np.ndarray) -> int:
    """Return how many values come out of their sums by LLL on the lattice of Lagarias and Odlyzko."""
    people = sets.shape[1]
    weight, middle = 10**9, 30_000
    rest = sets @ (values - middle)
    rows = [
        [int(i == j) for j in range(people)] + [0] + [weight * int(each[i]) for each in sets] for i in range(people)
    ]
    rows.append([0] * people + [20_000] + [-weight * int(each) for each in rest])
    for row in fmpz_mat(rows).lll().tolist():
        numbers = [int(each) for each in row]
        if abs(numbers[people]) == 20_000 and not any(numbers[people + 1 :]):
            sign = 1 if numbers[people] > 0 else -1
            return int(sum(middle + sign * numbers[i] == values[i] for i in range(people)))
    return 0


def test_honest_ranges_and_groups_are_settled() -> None:
    rng = np.random.default_rng(5)
    age, dept = rng.integers(18, 65, 600), rng.integers(0, 8, 600)
    values = np.rint(np.exp(rng.normal(10, 0.5, 600))).astype(int)
    sets = [(age >= a) & (age < a + w) for a, w in rng.integers((18, 5), (50, 30), (60, 2))]
    sets += [dept == d for d in range(8)] + [(dept == d) & (age < 40) for d in range(8)]
    found, safe = audited(values, np.array(sets), 200_000, Room(20_000.0, 2))
    assert not found.unsettled
    assert not found.whole
    assert len(safe) > 590


def test_freedom_does_not_cover_a_few_people_who_were_asked_about_densely() -> None:
    """Too many parts to reduce as a whole: the many are free; sixty people with nearly as many sums are not."""
    rng = np.random.default_rng(8)
    values = rng.integers(0, 200_001, 500)
    wide = rng.random((120, 500)) < 0.5
    dense = np.zeros((57, 500), bool)
    dense[:, :60] = rng.random((57, 60)) < 0.5
    found, safe = audited(values, np.vstack([wide, dense]), 200_000, Room(20_000.0, 2))
    named = found.whole | found.unsettled
    assert {cell for cell in safe if cell < 60} <= named
    assert len([cell for cell in named if cell >= 60]) < 44


def test_values_that_are_multiples_are_judged_on_their_own_grid() -> None:
    values = np.array([2400, 4800, 7200, 12_000])
    evidence = Evidence.of(np.ones(4, int), Domain.of(0, 24_000, 1), np.ones((1, 4), bool), ["sum"], [26_400])
    assert effective_grid(evidence) == 1
    assert effective_grid(replace(evidence, truth=values.astype(float))) == 2400
    cents = replace(evidence, domain=Domain.of(0, 24_000), truth=values + 0.25)
    assert effective_grid(cents) == Fraction(1, 4)
    assert effective_grid(replace(cents, truth=values * np.pi)) is None


@pytest.mark.parametrize("seed", range(3))
def test_coin_weighing_is_a_finding(seed: int) -> None:
    """Counts of random halves determine who has a diagnosis long before their number reaches that of the people."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 14)
    counts = [Count(rng.random(14) < 0.5, np.array([False, True])) for _ in range(9)]
    tables = np.array(list(product((0, 1), repeat=14)))
    fits = np.ones(len(tables), bool)
    for count in counts:
        fits &= tables[:, count.records].sum(axis=1) == truth[count.records].sum()
    possible = possible_categories(counts, truth, 2, 2, np.ones(14, bool))
    assert (possible.proved | possible.seen.all(axis=1)).all()
    expected = np.array([[(tables[fits][:, i] == v).any() for v in (0, 1)] for i in range(14)])
    assert (possible.seen == expected).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_categories_that_were_seen_are_possible_and_proofs_are_right(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people, categories = 6, 3
    truth = rng.integers(0, categories, people)
    counts = [
        Count(rng.random(people) < 0.6, np.isin(np.arange(categories), rng.integers(0, categories, 2)))
        for _ in range(rng.integers(2, 9))
    ]
    tables = np.array(list(product(range(categories), repeat=people)))
    fits = np.ones(len(tables), bool)
    for count in counts:
        chosen = count.categories[tables] & count.records
        fits &= chosen.sum(axis=1) == (count.categories[truth] & count.records).sum()
    expected = np.array([[(tables[fits][:, i] == v).any() for v in range(categories)] for i in range(people)])
    possible = possible_categories(counts, truth, categories, 2, np.ones(people, bool))
    assert not (possible.seen & ~expected).any()
    assert (possible.seen == expected)[possible.proved].all()
