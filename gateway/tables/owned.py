"""Whose records a table's trails hold, through all versions: a keyed digest of the person beside every record.

A record keeps its person when it leaves. One that changes hands (a corrected patient number, a table that was loaded
again with new numbers for the same patients) makes one person of the two, for good: that never grants more.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sdcdb.gateway.tables.trail import Ints, Trail

_NOTHING = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Persons:
    """Digests that turned out to be another person's: `other` is now `same`, the digests sorted."""

    other: Ints
    same: Ints

    @classmethod
    def none(cls) -> "Persons":
        """Begin: every digest is a person."""
        return cls(_NOTHING, _NOTHING)

    def of(self, owners: Ints) -> Ints:
        """Return the person of each digest."""
        if not len(self.other):
            return owners
        at = np.minimum(np.searchsorted(self.other, owners), len(self.other) - 1)
        return np.where(self.other[at] == owners, self.same[at], owners)

    def joined(self, pairs: Iterable[tuple[Ints, Ints]]) -> "Persons":
        """Make one person of both sides of every pair.

        >>> found = Persons.none().joined([(np.array([5, 7]), np.array([7, 9]))])
        >>> found.of(np.array([4, 5, 7, 9])).tolist()
        [4, 5, 5, 5]
        """
        sides = [(self.other, self.same), *pairs]
        first, second = (np.concatenate([_NOTHING, *(side[n] for side in sides)]) for n in (0, 1))
        first, second = first[first != second], second[first != second]
        if not len(first):
            return self
        digests, numbers = np.unique(np.concatenate([first, second]), return_inverse=True)
        one, other = numbers[: len(first)], numbers[len(first) :]
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        edges = coo_array((np.ones(len(one)), (one, other)), shape=(len(digests), len(digests)))
        _, label = connected_components(edges, directed=False)
        _, least = np.unique(label, return_index=True)  # digests are sorted: the first of a component is its least
        same = digests[least[label]]
        moved = same != digests
        return Persons(digests[moved], same[moved])


@dataclass(frozen=True, eq=False)
class Owned:
    """The person of every record of a column's two trails, in the order of their digests."""

    values: Ints
    people: Ints
    persons: Persons

    @classmethod
    def first(cls, values: Ints, people: Ints, owners: Ints) -> "Owned":
        """Begin with the records of a first version: digests of values and of keys, and their persons."""
        by_value, by_key = np.argsort(values, kind="stable"), np.argsort(people, kind="stable")
        return cls(owners[by_value], owners[by_key], Persons.none())


def changed_hands(before: Owned, trail: Trail, keys: Ints, owners: Ints) -> tuple[Ints, Ints]:
    """Return the person before and the person now of every record that was there before, by its key."""
    there, at = trail.find(keys)
    return before.people[at[there]], before.persons.of(owners[there])


def carried(trail: Trail, last: tuple[Trail, Ints] | None, digests: Ints, owners: Ints) -> Ints:
    """Return the person of every record of a trail: as they are now, or as they were when they left.

    `last` is the trail before with its persons, `digests` and `owners` the records of the present version.
    """
    found = np.zeros(len(trail.digests), dtype=np.int64)
    if last is not None and len(last[0].digests):
        found[np.searchsorted(trail.digests, last[0].digests)] = last[1]
    found[np.searchsorted(trail.digests, digests)] = owners
    return found
