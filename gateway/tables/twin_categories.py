"""Categories that say the same of people: `hiv`, and a `diagnosis` of 'hiv'.

Each category has an audit of its own. Where one follows from the other, a count by the one over some people, less a
count by the other over all of them but one, is that one's value, and neither audit sees it. Numbers that determine each
other may be `linked`; counts by one category can be had from the other, so here the owner keeps one of them. It is
looked at when the gateway opens and by `check`, as a matter of the owner: values decide it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations

import duckdb

from sdcdb.connection.identifiers import fold, identifier, quoted, table_reference
from sdcdb.connection.record_key import ROWID, key_columns, key_sql
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

    The other column may be one of another table about the same people: one with the same keys, or with keys that
    records of one of the two refer to.
    """
    mine = _columns(table)
    pairs = [(_Pair(table.name, n, table.name, o, ""), table.categories.get(n)) for n, o in permutations(mine, 2)]
    for other in tables:
        if other.name != table.name and (on := _same_people(table, other)) is not None:
            both = [(n, o) for n in mine for o in _columns(other)]
            pairs += [(_Pair(table.name, n, other.name, o, on), table.categories.get(n)) for n, o in both]
            pairs += [(_Pair(other.name, o, table.name, n, on), other.categories.get(o)) for n, o in both]
    seen: set[frozenset[str]] = set()
    for pair, category in pairs:
        if category is None or pair.columns in seen or not category.public.sensitive:
            continue
        told = _told(_together(con, pair), category)
        if told is not None:
            seen.add(pair.columns)
            value, have, alike = told
            name, by = pair.name, pair.other if pair.there == pair.here else f"{pair.there}.{pair.other}"
            if pair.here != table.name:
                name, by = pair.other, f"{pair.here}.{pair.name}"
            yield (
                name,
                f"and {by} say the same: of {have:,} with {value}, {alike:,} can be counted by either. {KEEP_ONE}",
            )


@dataclass(frozen=True)
class _Pair:
    """A category and another column, each with its table; for two tables, the condition that joins them."""

    here: str
    name: str
    there: str
    other: str
    on: str

    @property
    def columns(self) -> frozenset[str]:
        return frozenset({f"{self.here}.{self.name}", f"{self.there}.{self.other}"})

    @property
    def source(self) -> str:
        """The records of one table, or of both, as a and b."""
        one = f"{quoted(table_reference(self.here))} AS {_alias(self.here)}"
        return (
            one
            if not self.on
            else f"{one} JOIN {quoted(table_reference(self.there))} AS {_alias(self.there)} ON {self.on}"
        )


def _alias(table: str) -> str:
    """Return a name that needs no quotes."""
    return f"r{table.encode().hex()}"


def _columns(table: Restricted) -> list[str]:
    return [*table.categories, *table.confidential, *table.published]


def _same_people(one: Restricted, other: Restricted) -> str | None:
    """Return the condition by which records of two tables are about the same people; None if they are not."""
    for child, parent in ((one, other), (other, one)):
        for each in child.refers:
            if each.parent == parent.name:
                column, key = quoted(identifier(each.column)), quoted(identifier(each.key))
                return f"{_alias(child.name)}.{column} = {_alias(parent.name)}.{key}"
    if ROWID in {one.key, other.key} or key_columns(one.key) != key_columns(other.key):
        return None
    first, second = (key_sql(each.key, _alias(each.name)) for each in (one, other))
    return f"CAST({first} AS VARCHAR) = CAST({second} AS VARCHAR)"


def _together(con: duckdb.DuckDBPyConnection, pair: _Pair) -> Mapping[str | None, Mapping[str | None, int]]:
    """Count records by two columns; nothing where the other has more values than a category can have."""
    columns = ((pair.here, pair.name), (pair.there, pair.other))
    first, second = (f"CAST({_alias(table)}.{quoted(identifier(each))} AS VARCHAR)" for table, each in columns)
    rows = con.execute(
        f"SELECT {second}, {first}, count(*) FROM {pair.source} GROUP BY ALL LIMIT {(MOST + 1) * (MOST + 1)}"
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
