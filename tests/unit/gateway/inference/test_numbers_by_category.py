"""Numbers by a confidential category (decision 072): why not, and why they may where counts are public: all tables.

Two cells of a small instance, the costs of everybody, and who has the value.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

Table = tuple[tuple[int, ...], tuple[bool, ...]]
"""The costs of everybody, and who has the value."""
Told = Callable[[Table], int]

CARE, OTHERS = range(3), range(3, 6)  # two cells: intensive care, and the other wards
COSTS = (1, 2, 8)


def tables(people: int) -> Iterator[Table]:
    """Go through every table of so many people."""
    return product(product(COSTS, repeat=people), product((False, True), repeat=people))


def total(table: Table, people: range) -> int:
    return sum(table[0][person] for person in people)


def count(table: Table) -> int:
    return sum(table[1])


def total_of_those_with_it(table: Table) -> int:
    return sum(cost for cost, has in zip(*table, strict=True) if has)


def beliefs(truth: Table, told: Sequence[Told]) -> list[float]:
    """Return how sure the answers make of everybody, all tables being alike."""
    left, people = list(tables(len(truth[1]))), range(len(truth[1]))
    for each in told:
        answer = each(truth)
        left = [table for table in left if each(table) == answer]
    return [sum(table[1][person] for table in left) / len(left) for person in people]


def in_care(table: Table) -> int:
    return total(table, CARE)


def elsewhere(table: Table) -> int:
    return total(table, OTHERS)


def test_a_sum_by_category_tells_in_which_cell_those_with_it_are() -> None:
    truth: Table = ((8, 8, 8, 1, 1, 2), (True, True, True, False, False, False))
    assert beliefs(truth, [in_care, elsewhere, count]) == [0.5] * 6  # sums and the count leave doubt about everybody
    assert beliefs(truth, [in_care, elsewhere, count, total_of_those_with_it]) == [1.0] * 3 + [0.0] * 3
    alone = beliefs(truth, [count, total_of_those_with_it])
    assert alone == [0.5] * 6  # it is the means of cells, asked later, that tell


def of_a_cell(people: range, *, has: bool | None, kind: str) -> Told:
    """Return an answer about the costs of a cell, or of those in it who have the value, or have not."""

    def told(table: Table) -> int:
        costs = [table[0][person] for person in people if has is None or table[1][person] is has]
        return {"sum": sum(costs), "max": max(costs, default=0), "min": min(costs, default=0)}[kind]

    return told


FIRST, SECOND = range(2), range(2, 5)
ANSWERS = [
    of_a_cell(people, has=has, kind=kind)
    for people in (FIRST, SECOND, range(5))
    for has in (None, True, False)
    for kind in ("sum", "max", "min")
]


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(*[st.sampled_from(COSTS)] * 5),
    st.tuples(*[st.booleans()] * 5),
    st.lists(st.sampled_from(ANSWERS), max_size=8),
)
def test_beside_public_counts_no_answer_about_numbers_changes_a_belief(
    costs: tuple[int, ...], has: tuple[bool, ...], told: list[Told]
) -> None:
    """Whatever is answered, by category or not: the belief of everybody is the public share of their cell."""
    truth: Table = (costs, has)
    counts: list[Told] = [lambda table: sum(table[1][:2]), lambda table: sum(table[1][2:])]
    shares = [sum(has[:2]) / 2] * 2 + [sum(has[2:]) / 3] * 3
    assert beliefs(truth, [*counts, *told]) == pytest.approx(shares)
