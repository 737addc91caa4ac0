"""A refresh, explained record by record: what becomes of each column's classes, or why that cannot be said."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sdcdb.errors import DatabaseError
from sdcdb.gateway.tables.owned import Owned, Persons, carried, changed_hands
from sdcdb.gateway.tables.record_file import Followed
from sdcdb.gateway.tables.records import ColumnRecords
from sdcdb.gateway.tables.trail import Ints, Moves, Trail

Records = Mapping[str, ColumnRecords]

FEW = 3  # records that look like ones that left, by chance
_NOTHING = np.zeros(0, dtype=np.int64)
_NOBODY = ColumnRecords(_NOTHING, _NOTHING, _NOTHING, _NOTHING)


@dataclass(frozen=True)
class Step:
    """A version after another one: the columns as they are followed on, the moves, and the names of columns before."""

    columns: Mapping[str, Followed]
    moves: Mapping[str, Moves]
    people: Mapping[str, Moves]
    """The moves of people, of columns in which somebody's value has changed, in this version or before."""
    named: Mapping[str, str]


def begin_following(records: Records, cells: int) -> dict[str, Followed]:
    """Begin with the first version of a table."""
    return {
        name: Followed(
            Trail.first(each.values, each.cells, cells),
            Trail.first(each.people, each.cells, cells),
            each.alike,
            None if each.owners is None else Owned.first(each.values, each.people, each.owners),
            each.groups,
        )
        for name, each in records.items()
    }


def follow_records(table: str, before: Mapping[str, Followed] | None, records: Records | None) -> Step:
    """Follow every record into a new version, or say why that is not possible."""
    why = _unexplained(before, records)
    if before is None or records is None or why:
        raise DatabaseError(
            f"{table} has changed in a way that cannot be followed record by record: {why}. Its old answers would not "
            "be held against new ones, so nothing is answered about it. Put it back as it was and change it so that "
            "keys stay; if its records are about other people than before, run `sdcdb refresh --as-new REASON`"
        )
    named = {name: _former(name, each, before) for name, each in records.items()}
    persons = _persons(before, records, named)
    columns, moves, people = {}, {}, {}
    for name in dict.fromkeys([*records, *(set(before) - set(named.values()))]):
        now, last = records.get(name, _NOBODY), before.get(named.get(name, name), _FRESH)
        values, by_value = last.values.follow(now.values, now.cells)
        keys, by_person = last.people.follow(now.people, now.cells)
        owned = None if persons is None else _owned(last, now, values, keys, persons)
        columns[name] = Followed(values, keys, now.alike, owned, now.groups)
        moves[name] = by_value
        if not _same(values, keys):
            people[name] = by_person
    return Step(columns, moves, people, {name: former for name, former in named.items() if name != former})


def _persons(before: Mapping[str, Followed], records: Records, named: Mapping[str, str]) -> Persons | None:
    """Return who is who: of records that changed hands both persons are one. None where the policy names no person."""
    if all(each.owners is None for each in records.values()):
        return None
    found = Persons.none().joined(
        (each.owned.persons.other, each.owned.persons.same) for each in before.values() if each.owned is not None
    )
    pairs = []
    for name, each in records.items():
        last = before.get(named[name])
        if last is not None and last.owned is not None and each.owners is not None:
            pairs.append(changed_hands(last.owned, last.people, each.people, each.owners))
    return found.joined(pairs)


def _owned(last: Followed, now: ColumnRecords, values: Trail, keys: Trail, persons: Persons) -> Owned:
    owners = persons.of(_NOTHING if now.owners is None else now.owners)
    were = [None, None] if last.owned is None else [persons.of(last.owned.values), persons.of(last.owned.people)]
    found = [
        carried(trail, None if was is None else (before, was), digests, owners)
        for trail, before, was, digests in zip(
            (values, keys), (last.values, last.people), were, (now.values, now.people), strict=True
        )
    ]
    return Owned(found[0], found[1], persons)


_EMPTY = Trail(_NOTHING, _NOTHING, 0)
_FRESH = Followed(_EMPTY, _EMPTY, _NOTHING)


def _same(values: Trail, people: Trail) -> bool:
    """Tell whether people and values went the same ways, so that following one of them is enough."""
    return values.number == people.number and len(values.digests) == len(people.digests)


def _former(name: str, records: ColumnRecords, before: Mapping[str, Followed]) -> str:
    """Return the name that a column had: that of which it holds most of the values."""
    if not before or not len(records.values):
        return name
    shares = {former: float(each.values.known(records.values).mean()) for former, each in before.items()}
    best = max(shares, key=lambda former: (shares[former], former == name))
    return best if shares[best] > 0.5 and shares[best] > shares.get(name, 0.0) else name


def _unexplained(before: Mapping[str, Followed] | None, records: Records | None) -> str:
    """Say why a version cannot be followed; nothing if it can."""
    if records is None:
        return "its key is rowid or not unique"
    if before is None:
        return "the file with the digests of its records is missing, or keys were not unique when it was written"
    return next(_puzzles(before, records), "") or _unowned(before, records)


def _unowned(before: Mapping[str, Followed], records: Records) -> str:
    """Say that it is not known whose the records were that left, where the policy names a person since."""
    for name, each in records.items():
        last = before.get(_former(name, each, before))
        if each.owners is None or last is None or last.owned is not None:
            continue
        if not (_all_in(last.people.digests, each.people) and _all_in(last.values.digests, each.values)):
            return "records have left of which it was not noted whose they were: the policy names a person since"
    return ""


def _all_in(some: Ints, others: Ints) -> bool:
    return bool(np.isin(some, others).all())


def _puzzles(before: Mapping[str, Followed], records: Records) -> Iterator[str]:
    named = {name: _former(name, each, before) for name, each in records.items()}
    fresh = [name for name, former in named.items() if former not in before]
    lost = [name for name in before if name not in named.values() and len(before[name].alike)]
    if fresh and lost:
        yield f"the column {lost[0]} is gone while {fresh[0]} is new, and its values are others: do one after the other"
    for name, each in records.items():
        last = before.get(named[name])
        if last is None or not len(each.people) or not len(last.alike):
            continue
        known = last.people.known(each.people)
        if not known.any():
            yield "none of its keys was there before; were the same people loaded under new keys?"
        came = int((~known).sum())
        looks = count_common(last.alike, each.alike) - int(last.values.known(each.values).sum())
        if looks >= FEW and 2 * looks > came:
            yield "records came under new keys that look like records which left; were keys changed?"


def count_common(first: Ints, second: Ints) -> int:
    """Count what two collections have in common, as often as both have it."""
    (a, n), (b, m) = (np.unique(each, return_counts=True) for each in (first, second))
    _, at, other = np.intersect1d(a, b, assume_unique=True, return_indices=True)
    return int(np.minimum(n[at], m[other]).sum())
