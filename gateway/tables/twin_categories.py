"""Categories that say the same of people: `hiv`, and a `diagnosis` of 'hiv'.

Each category has an audit of its own. Where one follows from the other, a count by the one over some people, less a
count by the other over all of them but one, is that one's value, and neither audit sees it. Numbers that determine each
other may be `linked`; counts by one category can be had from the other, so here the owner keeps one of them. It is
looked at when the gateway opens and by `check`, as a matter of the owner: values decide it.
"""

from collections.abc import Iterator, Mapping
from itertools import permutations

import duckdb

from sdcdb.connection.identifiers import fold, identifier, quoted, table_reference
from sdcdb.errors import DatabaseError
from sdcdb.fields.category_shares import MOST, NULL
from sdcdb.gateway.relations import Category, Restricted
from sdcdb.policy.models import Policy

ALIKE = 0.9
"""The share of those with a value for whom the other column says the same: fewer blur every difference."""
KEEP_ONE = (
    "Each column has an audit of its own, so the difference of two counts could be one person's value: make one of "
    "them an identifier, and count by the other"
)
FEW = 5  # people with a value of the other column
FEWEST = 20  # people with a value, below which two columns go together by chance


def must_not_be_twins(con: duckdb.DuckDBPyConnection, table: Restricted, policy: Policy) -> None:
    """Refuse a table in which a category follows from another column that is asked about, or is declared to."""
    for column, why in (*linked_categories(table, policy), *find_twins(con, table)):
        raise DatabaseError(f"{table.name}.{column} {why}")


def linked_categories(table: Restricted, policy: Policy) -> Iterator[tuple[str, str]]:
    """Yield the categories that the policy links with other columns: of those, nothing is held together."""
    linked = {fold(column) for group in policy.linked_columns() for name, column in group if name == table.name}
    for name in (*table.categories, *table.published):
        if fold(name) in linked:
            yield name, f"is a category, and `linked` is for numbers: {KEEP_ONE}"


def find_twins(con: duckdb.DuckDBPyConnection, table: Restricted) -> Iterator[tuple[str, str]]:
    """Yield each category of which a sensitive value is told by another column, and why that cannot be."""
    seen: set[frozenset[str]] = set()
    for name, other in permutations([*table.categories, *table.confidential, *table.published], 2):
        category = table.categories.get(name)
        if category is None or frozenset({name, other}) in seen or not category.public.sensitive:
            continue
        told = _told(_together(con, table, name, other), category)
        if told is not None:
            seen.add(frozenset({name, other}))
            value, have, alike = told
            found = f"of {have:,} records with {value}, {alike:,} can be counted by {other} as well"
            yield name, f"is told by {other}: {found}. {KEEP_ONE}"


def _together(
    con: duckdb.DuckDBPyConnection, table: Restricted, name: str, other: str
) -> Mapping[str | None, Mapping[str | None, int]]:
    """Count records by two columns; nothing where the other has more values than a category can have."""
    first, second = (f"CAST({quoted(identifier(each))} AS VARCHAR)" for each in (name, other))
    rows = con.execute(
        f"SELECT {second}, {first}, count(*) FROM {quoted(table_reference(table.name))} GROUP BY ALL "
        f"LIMIT {(MOST + 1) * (MOST + 1)}"
    ).fetchall()
    found: dict[str | None, dict[str | None, int]] = {}
    for value, own, number in rows:
        found.setdefault(value, {})[own] = number
    return found if len(found) <= MOST + 1 else {}


def _told(together: Mapping[str | None, Mapping[str | None, int]], category: Category) -> tuple[str, int, int] | None:
    """Return a sensitive value that some values of the other column stand for, how many have it, and in how many."""
    for place in category.public.sensitive:
        value = category.public.values[place]
        have = sum(each.get(value, 0) for each in together.values())
        wrong = sum(_wrong(each.get(value, 0), sum(each.values())) for each in together.values())
        if have >= FEWEST and wrong <= (1 - ALIKE) * have:
            return repr(NULL if value is None else value), have, have - wrong
    return None


def _wrong(have: int, size: int) -> int:
    """Return for how many of those with one value of the other column that value says the wrong thing.

    Few people with a value say nothing about it: in a column of many values every one of them stands for somebody.
    """
    return have if size < FEW else min(have, size - have)
