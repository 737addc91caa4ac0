"""Categories that say the same of people: `hiv`, and a `diagnosis` of 'hiv'.

Each category has an audit of its own. Where one follows from the other, a count by the one over some people, less a
count by the other over all of them but one, is that one's value, and neither audit sees it. Numbers that determine each
other may be `linked`; counts by one category can be had from the other, so here the owner keeps one of them. It is
looked at when the gateway opens and by `check`, as a matter of the owner: values decide it.

A number says what a category says where it is missing for the others, such as a viral load; and where sums count
(`telling_numbers`).
"""

import math
from collections.abc import Iterable, Iterator
from itertools import permutations

import duckdb

from sdcdb.connection.identifiers import fold
from sdcdb.errors import DatabaseError
from sdcdb.fields.category_shares import NULL
from sdcdb.gateway.relations import Category, Restricted
from sdcdb.gateway.tables.same_people import shared_people
from sdcdb.gateway.tables.telling_numbers import why_telling
from sdcdb.gateway.tables.together import Pair, count_apart, count_together
from sdcdb.policy.models import Policy

ALIKE = 0.9
"""The share of those with a value for whom the other column says the same: fewer blur every difference."""
KEEP_ONE = (
    "Each column has an audit of its own, so the difference of two counts could be one person's value: make one of "
    "them an identifier, and count by the other"
)
FEWEST = 5  # people with a value
BY_CHANCE = (
    3.0  # people for whom the other column would say something else if the two had nothing to do with each other
)


def must_not_be_twins(
    con: duckdb.DuckDBPyConnection, table: Restricted, tables: Iterable[Restricted], policy: Policy
) -> None:
    """Refuse a table in which a category follows from another column that is asked about, or is declared to."""
    for column, why in (*linked_categories(table, policy), *find_twins(con, table, tables)):
        raise DatabaseError(f"{table.name}.{column} {why}")


def linked_categories(table: Restricted, policy: Policy) -> Iterator[tuple[str, str]]:
    """Yield the categories that the policy links with other columns: of those, nothing is held together."""
    linked = {fold(column) for group in policy.linked_columns() for name, column in group if name == table.name}
    for name in (*table.categories, *table.published):
        if fold(name) in linked:
            yield name, f"is a category, and `linked` is for numbers: {KEEP_ONE}"


def find_twins(
    con: duckdb.DuckDBPyConnection, table: Restricted, tables: Iterable[Restricted]
) -> Iterator[tuple[str, str]]:
    """Yield each category of which a sensitive value is told by another column, and why that cannot be.

    The other column may be one of another table about the same people (`same_people`).
    """
    seen: set[frozenset[str]] = set()
    for pair, category, other in _pairs(table, tables):
        if pair.columns in seen or not category.public.sensitive:
            continue
        why = _why_twins(con, pair, category, other)
        if why is not None:
            seen.add(pair.columns)
            name, by = pair.name, pair.other if pair.there == pair.here else f"{pair.there}.{pair.other}"
            if pair.here != table.name:
                name, by = pair.other, f"{pair.here}.{pair.name}"
            yield name, f"and {by} say the same: {why}. {KEEP_ONE}"


def _pairs(table: Restricted, tables: Iterable[Restricted]) -> Iterator[tuple[Pair, Category, Restricted]]:
    """Yield the categories of a table beside its other columns, and those of two tables about the same people."""
    mine = _columns(table)
    for name, other in permutations(mine, 2):
        if name in table.categories:
            yield Pair(table.name, name, table.name, other), table.categories[name], table
    for each in tables:
        for shared in shared_people(table, each) if each.name != table.name else ():
            for name, other in ((name, other) for name in mine for other in _columns(each)):
                if name in table.categories:
                    yield Pair(table.name, name, each.name, other, shared), table.categories[name], each
                if other in each.categories:
                    pair = Pair(each.name, other, table.name, name, shared.turned)
                    yield pair, each.categories[other], table


def _columns(table: Restricted) -> list[str]:
    return [*table.categories, *table.confidential, *table.published]


def _why_twins(con: duckdb.DuckDBPyConnection, pair: Pair, category: Category, other: Restricted) -> str | None:
    """Say how a category and another column say the same; None if they do not."""
    together = count_together(con, pair)
    for place in category.public.sensitive:
        value = category.public.values[place]
        have = together.have.get(value, 0)
        if have < FEWEST:
            continue
        said = [each for each, size in together.sizes.items() if 2 * together.pairs.get((value, each), 0) > size]
        wrong = have + sum(together.sizes[each] - 2 * together.pairs[value, each] for each in said)
        if said and not together.single:
            wrong = count_apart(con, pair, value, said)
        chance = sum(_wrong_by_chance(size, have / together.people) for size in together.sizes.values())
        if wrong <= (1 - ALIKE) * have and chance >= max(BY_CHANCE, 2.0 * wrong):
            name = repr(NULL if value is None else value)
            return f"of {have:,} with {name}, {have - wrong:,} can be counted by either"
    return why_telling(con, pair, category, other) if pair.other in other.confidential else None


def _wrong_by_chance(size: int, share: float) -> float:
    """Return for how many of so many people a value says the wrong thing if it says nothing: who has it is drawn.

    A value of one person is always right, so a column of many values is no twin of everything.

    >>> _wrong_by_chance(1, 0.2), round(_wrong_by_chance(2, 0.5), 3), round(_wrong_by_chance(1000, 0.2))
    (0.0, 0.5, 200)
    """
    if size > 30:
        return size * min(share, 1 - share)
    return sum(min(k, size - k) * math.comb(size, k) * share**k * (1.0 - share) ** (size - k) for k in range(size + 1))
