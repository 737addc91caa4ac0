"""Why numbers are not added up by a confidential category (decision 072): all tables of a small instance."""

from collections.abc import Callable, Iterator
from itertools import product

Table = tuple[tuple[int, ...], tuple[bool, ...]]
"""The costs of everybody, and who has the value."""

CARE, OTHERS = range(3), range(3, 6)  # two cells: intensive care, and the other wards
COSTS = (1, 2, 8)


def tables() -> Iterator[Table]:
    """Go through every table of six people."""
    everybody = len(CARE) + len(OTHERS)
    return product(product(COSTS, repeat=everybody), product((False, True), repeat=everybody))


def total(table: Table, people: range) -> int:
    return sum(table[0][person] for person in people)


def count(table: Table) -> int:
    return sum(table[1])


def total_of_those_with_it(table: Table) -> int:
    return sum(cost for cost, has in zip(*table, strict=True) if has)


def beliefs(truth: Table, *told: Callable[[Table], int]) -> tuple[float, float]:
    """Return how sure the answers make of somebody in care and of somebody else, all tables being alike."""
    answers = [each(truth) for each in told]
    left = [table for table in tables() if [each(table) for each in told] == answers]
    return sum(table[1][CARE[0]] for table in left) / len(left), sum(table[1][OTHERS[0]] for table in left) / len(left)


def test_a_sum_by_category_tells_in_which_cell_those_with_it_are() -> None:
    truth: Table = ((8, 8, 8, 1, 1, 2), (True, True, True, False, False, False))

    def in_care(table: Table) -> int:
        return total(table, CARE)

    def elsewhere(table: Table) -> int:
        return total(table, OTHERS)

    by_count = beliefs(truth, in_care, elsewhere, count)
    assert by_count == (0.5, 0.5)  # two sums and the count leave doubt about everybody
    assert beliefs(truth, in_care, elsewhere, count, total_of_those_with_it) == (1.0, 0.0)
    assert beliefs(truth, count, total_of_those_with_it) == (
        0.5,
        0.5,
    )  # it is the means of cells, asked later, that tell
