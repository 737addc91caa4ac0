"""Who and what is behind linked columns: the unknowns that all of them are about.

- Tables with one record per person have the person as their unknown, by the digest of its key.
- Where a person has several records, a record is one: also of another table, if it has records with the same keys.
- What one table has per person and another one per record: the person's value counts as the total of their records. A
  set of persons is then the set of all their records. Whoever has none there is an unknown of their own.

Keys alone are no proof that records are the same: two tables may both number theirs from 1. Records with one key must
be one person's in both. What a person's total was made of at which time is not followed: such tables must not change.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sdcdb.gateway.inference.people import People
from sdcdb.gateway.tables.owned import Owned, Persons
from sdcdb.gateway.tables.record_file import Followed
from sdcdb.gateway.tables.table_history import TableHistory
from sdcdb.gateway.tables.trail import Ints, Trail

ABSENT = -1


@dataclass(frozen=True, eq=False)
class Member:
    """A column of the group, the class of each of its records, and whose they are, where persons have several."""

    history: TableHistory
    column: str
    people: Trail
    owned: Owned | None = None

    @property
    def name(self) -> tuple[str, str]:
        """Table and column."""
        return self.history.table.name, self.column


def member_of(history: TableHistory, column: str, held: Followed) -> Member:
    """Return a column as a member; a table whose key is its person has one record per person."""
    owned = held.owned
    if owned is not None and np.array_equal(owned.people, held.people.digests):
        owned = None
    return Member(history, column, held.people, owned)


@dataclass(frozen=True, eq=False)
class Unknowns:
    """How many unknowns there are of each kind, their class in each column, and whose they are."""

    counts: Ints
    classes: list[Ints]
    people: People | None


def misfit(member: Member, others: Sequence[Member]) -> str | None:
    """Say why the records of a column cannot be matched with those of columns of other tables; None if they can."""
    alike = next((each for each in others if (each.owned is None) == (member.owned is None)), None)
    if alike is not None:
        there, at = alike.people.find(member.people.digests)
        if not there.any():
            return f"none of its keys is a key of {alike.history.table.name}"
        if member.owned is not None and alike.owned is not None:
            same = _persons([member, alike])
            mine, theirs = same.of(member.owned.people)[there], same.of(alike.owned.people)[at[there]]
            if (mine != theirs).any():
                return f"records with the same key are other people's in {alike.history.table.name}"
    other = next((each for each in others if (each.owned is None) != (member.owned is None)), None)
    if other is None:
        return None
    persons, records = (member, other) if member.owned is None else (other, member)
    if records.owned is None or not np.isin(persons.people.digests, records.owned.people).any():
        return f"nobody in it is in {other.history.table.name}"
    if member.history.has_changed or other.history.has_changed:
        return (
            f"{persons.history.table.name} has one record per person and {records.history.table.name} several, and one "
            "of them has changed: what a person's value was the total of is not followed"
        )
    return None


def find_unknowns(members: Sequence[Member]) -> Unknowns:
    """Put together whoever, or whatever, is in the same class of every column."""
    rows, owners = _rows(members)
    kinds, kind, counts = np.unique(rows, axis=1, return_inverse=True, return_counts=True)
    people = None
    if owners is not None:
        people = People.of(owners, kind.ravel(), np.ones(len(owners), dtype=np.int64), kinds.shape[1])
    return Unknowns(counts.astype(np.int64), list(kinds), people)


def _rows(members: Sequence[Member]) -> tuple[Ints, Ints | None]:
    """Return the class of every unknown in each column, and whose it is."""
    by_record = [each for each in members if each.owned is not None]
    if not by_record:
        everybody = np.unique(np.concatenate([each.people.digests for each in members]))
        return np.stack([_classes(each.people, everybody) for each in members]), None
    same = _persons(members)
    records = np.unique(np.concatenate([each.people.digests for each in by_record]))
    owners = np.zeros(len(records), dtype=np.int64)
    for each in by_record:
        if each.owned is not None:
            owners[np.searchsorted(records, each.people.digests)] = same.of(each.owned.people)
    by_person = {each.name: same.of(each.people.digests) for each in members if each.owned is None}
    persons = np.unique(np.concatenate([owners[:0], *by_person.values()]))
    lone = np.setdiff1d(persons, owners)
    none, rows = np.full(len(lone), ABSENT, dtype=np.int64), []
    for each in members:
        if each.owned is not None:
            rows.append(np.concatenate([_classes(each.people, records), none]))
        else:
            mine = by_person[each.name]
            order = np.argsort(mine, kind="stable")
            trail = Trail(mine[order], each.people.classes[order], each.people.number)
            rows.append(_classes(trail, np.concatenate([owners, lone])))
    return np.stack(rows), np.concatenate([owners, lone])


def _classes(trail: Trail, digests: Ints) -> Ints:
    there, at = trail.find(digests)
    found = np.full(len(digests), ABSENT, dtype=np.int64)
    found[there] = trail.classes[at[there]]
    return found


def _persons(members: Iterable[Member]) -> Persons:
    """Return who is who, by what every table knows of it."""
    owned = [each.owned.persons for each in members if each.owned is not None]
    return Persons.none().joined((each.other, each.same) for each in owned)
