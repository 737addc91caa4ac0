"""Two restricted tables that hold the same records: a matter of the owner, never of a verdict.

What two tables share is found in their values, so an analyst must not see whether it was found. The gateway does not
open, and a refresh is not taken, before the owner says what the two are: one of them is restricted no more, their
columns are `linked` and have one audit, or they are `distinct`, which the ledger keeps with the owner's reason.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Protocol

from sdcdb.errors import DatabaseError, counted
from sdcdb.gateway.tables.sketch import share_records
from sdcdb.gateway.tables.value_sketch import same_values

MOST_NAMED = 3
Columns = frozenset[tuple[str, str]]
Chance = Callable[[tuple[str, str], tuple[str, str]], float]
"""How large a share of the records of two columns, given by table and name, are alike by chance."""


class Sketched(Protocol):
    """A table with the sketches of its confidential columns: of records, and of values by themselves."""

    @property
    def table(self) -> str:
        """Its name."""
        ...

    @property
    def sketches(self) -> Mapping[str, str]:
        """By column: the smallest keyed digests of records."""
        ...

    @property
    def values(self) -> Mapping[str, str]:
        """By column: the smallest keyed digests of values."""
        ...


@dataclass(frozen=True)
class Declared:
    """What the owner says of tables: which columns have one audit, and which tables hold other records."""

    linked: tuple[Columns, ...]
    distinct: frozenset[frozenset[str]]
    chance: Chance = lambda _first, _second: 0.0

    def must_differ(self, entry: Sketched, others: Iterable[Sketched]) -> None:
        """Refuse a version of a table that holds records of another one."""
        _refuse([why for other in others for why in self._shared(entry, other)])

    def must_all_differ(self, newest: Iterable[Sketched]) -> None:
        """Refuse tables of which two hold the same records."""
        _refuse([why for _, why in self.copies(newest)])

    def copies(self, newest: Iterable[Sketched]) -> Iterator[tuple[str, str]]:
        """Yield each table that holds records of one before it, and say what the owner can do.

        Of two tables a few columns are named: where keys count from 1, short columns of any two tables are alike.
        """
        for first, second in combinations(newest, 2):
            reasons = list(self._shared(second, first))
            for why in reasons[:MOST_NAMED]:
                yield second.table, why
            if len(reasons) > MOST_NAMED:
                more = counted(len(reasons) - MOST_NAMED, "more pair")
                yield second.table, f"the same is true of {more} of columns of {first.table!r} and {second.table!r}"

    def _shared(self, entry: Sketched, other: Sketched) -> Iterator[str]:
        """Say by what two tables hold the same records, apart from columns that have one audit."""
        names = frozenset({entry.table, other.table})
        if len(names) == 1 or names in self.distinct:
            return
        for mine, sketch in entry.sketches.items():
            for theirs, another in other.sketches.items():
                pair = {(entry.table, mine), (other.table, theirs)}
                if any(pair <= group for group in self.linked):
                    continue
                if share_records(sketch, another, partial(self.chance, (entry.table, mine), (other.table, theirs))):
                    yield _said(entry.table, mine, other.table, theirs, "holds records of")
                elif same_values(_only(entry.values, mine), _only(other.values, theirs)) is not None:
                    yield _said(entry.table, mine, other.table, theirs, "holds the values, under other keys, of")


def _said(table: str, mine: str, other: str, theirs: str, how: str) -> str:
    return (
        f"{table}.{mine} {how} {other}.{theirs}, and what is answered about one of them is not counted for the other: "
        f"restrict one of the two tables only, or declare in the policy `linked: [{other}.{theirs} ~ {table}.{mine}]` "
        f"(the same people, one audit) or `distinct: [[{other}, {table}]]` (other people, alike by chance)"
    )


def _refuse(found: list[str]) -> None:
    if found:
        raise DatabaseError("\n".join(found))


def _only(sketches: Mapping[str, str], column: str) -> dict[str, str]:
    return {column: sketches[column]} if column in sketches else {}
