"""How much a table has changed since a version: whether enough people did for a new version to show."""

from collections.abc import Iterator, Mapping

import numpy as np

from sdcdb.gateway.tables.following import Records, count_common
from sdcdb.gateway.tables.record_file import Followed
from sdcdb.gateway.tables.trail import Ints


def count_changed(before: Mapping[str, Followed], records: Records) -> int:
    """Return how many records differ from the version before, at the least.

    A record is its quasi-identifiers and its value, without its key. Somebody who came while somebody else left counts
    once, and two people who changed places count as none: a version shows rather later than too early.

    `before` holds what the newest version's records looked like; a column that was not there had none.
    """
    changed = 0
    for name, each in records.items():
        last = before[name].alike if name in before else each.alike[:0]
        changed = max(changed, max(len(last), len(each.alike)) - count_common(last, each.alike))
    gone = (len(each.alike) for name, each in before.items() if name not in records)
    return max([changed, *gone])


def count_changed_people(before: Mapping[str, Followed], records: Records) -> int:
    """Return how many people have a record that looks like none of the version before, at the least.

    Whose the records were that left is not looked at, so who only left does not count.
    """
    changed = 0
    for name, each in records.items():
        if each.owners is not None:
            last = before[name].alike if name in before else each.alike[:0]
            changed = max(changed, len(np.unique(each.owners[~np.isin(each.alike, last)])))
    return changed


def count_changed_by_group(before: Mapping[str, Followed], records: Records) -> list[int] | None:
    """Return how many records differ, in each group in which any do; None where the version before has no groups.

    A group is those with one value of the quasi-identifier that the policy names. Whoever moves counts in both.
    """
    changed: dict[int, int] = {}
    for name, each in records.items():
        last = before.get(name)
        if each.groups is None or (last is not None and last.groups is None):
            return None
        gone = each.alike[:0] if last is None or last.groups is None else last.alike
        were = each.groups[:0] if last is None or last.groups is None else last.groups
        if len(were) and not np.isin(were, each.groups).any():
            return None  # groups of another column
        for group, number in _changed_in(gone, were, each.alike, each.groups):
            changed[group] = max(changed.get(group, 0), number)
    return None if set(before) - set(records) else list(changed.values())


def _changed_in(gone: Ints, were: Ints, alike: Ints, groups: Ints) -> Iterator[tuple[int, int]]:
    """Yield groups and the number of records in which they differ. What records look like says their group."""
    known = np.unique(np.concatenate([were, groups]))
    sizes = np.maximum(*(np.bincount(np.searchsorted(known, each), minlength=len(known)) for each in (were, groups)))
    (a, at, n), (b, _, m) = (np.unique(each, return_index=True, return_counts=True) for each in (gone, alike))
    _, i, j = np.intersect1d(a, b, assume_unique=True, return_indices=True)
    common = np.bincount(np.searchsorted(known, were[at[i]]), np.minimum(n[i], m[j]), len(known)).astype(np.int64)
    differ = np.flatnonzero(sizes > common)
    yield from zip(known[differ].tolist(), (sizes - common)[differ].tolist(), strict=True)


def is_enough(changed: int, least: int, most_of_one: int) -> bool:
    """Tell whether so many changed records are those of enough people, each of whom has at most `most_of_one`."""
    return changed >= least * max(1, most_of_one)
