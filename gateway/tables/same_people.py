"""By which columns the records of two restricted tables are about the same people.

A record says who it is about by its key, by the column that the policy names as `person`, or by a reference to a table
of people. Keys of one name are taken for the same; a person of one table may be the key or the person of another one
under any name. If they turn out to be others, their columns say different things, and nothing is made of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sdcdb.connection.identifiers import fold, identifier, quoted
from sdcdb.connection.record_key import ROWID, key_columns, key_sql
from sdcdb.gateway.relations import Restricted


@dataclass(frozen=True)
class Shared:
    """Who records of two tables are about, as SQL of the columns of each."""

    one: str
    other: str

    @property
    def turned(self) -> "Shared":
        """The same with the tables in the other order."""
        return Shared(self.other, self.one)


def shared_people(one: Restricted, other: Restricted) -> list[Shared]:
    """Return the ways in which records of two tables are about the same people, each once."""
    return list(
        dict.fromkeys([*_referred(one, other), *(each.turned for each in _referred(other, one)), *_named(one, other)])
    )


def _referred(child: Restricted, other: Restricted) -> Iterator[Shared]:
    for each in child.refers:
        if each.parent == other.name:
            yield Shared(_text(each.column), _text(each.key))
        yield from (Shared(_text(each.column), _text(o.column)) for o in other.refers if o.parent == each.parent)


def _named(one: Restricted, other: Restricted) -> Iterator[Shared]:
    if ROWID not in {one.key, other.key} and _folded(one) == _folded(other):
        yield Shared(*(f"CAST({key_sql(each.key)} AS VARCHAR)" for each in (one, other)))
    for person in (one.person, other.person):
        if person is not None:
            mine, theirs = (each.person or each.key for each in (one, other))
            if isinstance(mine, str) and isinstance(theirs, str) and ROWID not in {mine, theirs}:
                yield Shared(_text(mine), _text(theirs))


def _folded(table: Restricted) -> list[str]:
    return [fold(name) for name in key_columns(table.key)]


def _text(column: str) -> str:
    return f"CAST({quoted(identifier(column))} AS VARCHAR)"
