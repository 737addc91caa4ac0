"""Counts by a category as a statement asks them, and as the audit and the ledger take them."""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sdcdb.errors import LedgerError
from sdcdb.fields.category_shares import NULL
from sdcdb.gateway.inference.categories.beliefs import Beliefs
from sdcdb.gateway.inference.categories.counting import Caps, Ints
from sdcdb.gateway.inference.categories.whole_tables import places_of
from sdcdb.gateway.inference.people import People
from sdcdb.gateway.relations import Category, Restricted
from sdcdb.gateway.tables.asked import Row
from sdcdb.gateway.tables.by_value import Rectangle, rectangle
from sdcdb.gateway.tables.cells import Cells
from sdcdb.gateway.tables.groups import NO_VALUE, Group
from sdcdb.gateway.tables.vault import Evaluated


@dataclass(frozen=True, eq=False)
class AskedCount:
    """How many records, or people, of some cells have one of some values, asked for a row of the result."""

    row: Row
    table: str
    column: str
    chosen: Rectangle
    people: bool = False
    """Whether people are counted, each of whom has one value, and not their records."""


def rectangles(evaluated: Evaluated, group: Group) -> list[Rectangle] | None:
    """Return the sets of places whose counts a row tells, each once; None if one of them is no rectangle.

    They are the group itself, the set of each measure, and, of a sum, those whom it gives the same weight.
    """
    number = category_of(evaluated).size
    found = {}
    for chosen in _told(evaluated, group):
        if len(chosen):
            each = rectangle(chosen, number)
            if each is None:
                return None
            found[each.text] = each
    return list(found.values())


def _told(evaluated: Evaluated, group: Group) -> Iterator[Ints]:
    yield np.sort(group.cells)
    for measure in evaluated.block.measures:
        yield from (np.sort(group.of(measure)), np.sort(group.wanted(measure)))
        if measure.expression is not None:
            ranks, members = group.ranked(measure)[0], group.of(measure)
            yield from (np.sort(members[ranks == value]) for value in np.unique(ranks) if value != NO_VALUE)


def category_of(evaluated: Evaluated) -> Category:
    """Return the category by which a block counts."""
    return evaluated.block.table.categories[str(evaluated.block.category)]


def asked_counts(evaluated: Evaluated, group: Group) -> list[AskedCount]:
    """Return what a row asks of the category: all but sets with every value, whose count is their size."""
    number, found = category_of(evaluated).size, rectangles(evaluated, group) or []
    row, table = (evaluated.block.number, group.row), evaluated.block.table.name
    wanted = [each for each in found if len(each.values) < number]
    people = counts_people(evaluated.block.table, str(evaluated.block.category))
    return [AskedCount(row, table, str(evaluated.block.category), each, people) for each in wanted]


def counts_people(table: Restricted, column: str) -> bool:
    """Tell whether a category is counted by people: a person has several records, and one value in all of them."""
    return table.person is not None and column in table.constant


def count_of(cells: Cells, asked: AskedCount) -> int:
    """Return the true count."""
    if asked.people and cells.owners is not None:
        return cells.owners.with_category(asked.column, asked.chosen.cells, asked.chosen.values)
    by_value = cells.frequencies[asked.column].by_value
    return int(by_value[asked.chosen.cells][:, places_of(asked.chosen.values)].sum())


def texts_of(category: Category, values: Iterable[int]) -> tuple[str, ...]:
    """Return values as the ledger writes them."""
    return tuple(NULL if (text := category.public.values[n]) is None else text for n in sorted(values))


def values_of(category: Category, texts: Sequence[str]) -> frozenset[int]:
    """Return the places of values that the ledger names."""
    known = {NULL if text is None else text: n for n, text in enumerate(category.public.values)}
    try:
        return frozenset(known[text] for text in texts)
    except KeyError:
        raise LedgerError(
            f"the ledger has answers about values of {category.name!r} that the policy no longer names under `known`"
        ) from None


def new_beliefs(
    table: Restricted, category: Category, counts: Ints, ratios: tuple[float, ...], people: People | None = None
) -> Beliefs:
    """Begin the audit of a category; `ratios` are by how much a protected view raises the odds of each value.

    `people` say whose the records are, where a person can have several values.
    """
    public, limits = category.public, table.limits
    most = 1 if people is None else int(people.records.max(initial=1.0))
    caps = Caps(limits.max_belief, likelihood=ratios, records=most)
    shares = np.array(public.shares)
    return Beliefs(counts, shares, public.sensitive, caps, limits.min_set, secrets.randbits(63), people)
