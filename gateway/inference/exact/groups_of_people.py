"""Totals of few people where a person has several records: groups of atoms that few people make up.

As in `small_totals`, the total of a union G of atoms is determined exactly if S 1_G = 0, so that for each member j the
others' -S_jl add up to S_jj. But the size of G is the number of people in it: atoms of the same people add nobody.

- *Peeling*. Share the gain max(0, -S_jl) of an atom l equally among its people. A group with the people of j and so
  many others gains at most what these people have: the people of j, and of the others those who have most. An atom that
  does not reach S_jj so is in no small group.
- *Depth first*. Of the members still missing, one brings something to the member with the largest rest. Each is tried;
  what was tried is left out afterwards, so every group is met once. A branch ends where all that is left brings too
  little. Groups within groups need not be looked at: what remains of a group without a determined part is determined.

When the budget runs out, the search is not finished, which denies.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.machine_code import machine_code

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

EXACT = 1e-6
WORK = 400_000_000  # comparisons
MOST_ATOMS = 3_000


def small_groups_of_people(entries: Floats, people: Sequence[Ints], min_set: int) -> tuple[list[Ints], bool]:
    """Return the determined groups of atoms of fewer than `min_set` people, and whether all of them were found.

    `entries` is the matrix S of atoms that have fewer than `min_set` people each, `people` who they are.
    """
    kept = np.arange(len(people))
    if len(kept) > MOST_ATOMS:
        return [], False
    flags = _flags(people)
    while len(kept):
        enough = _reach(entries[np.ix_(kept, kept)], flags[kept], min_set)
        if enough.all():
            break
        kept = kept[enough]
    if len(kept) == 0:
        return [], True
    listed = np.full((len(kept), min_set), -1, dtype=np.int64)
    for row, n in enumerate(kept.tolist()):
        listed[row, : len(people[n])] = people[n]
    numbers = np.unique(listed[listed >= 0])
    listed = np.where(listed >= 0, np.searchsorted(numbers, np.maximum(listed, 0)), -1)
    inner = np.ascontiguousarray(entries[np.ix_(kept, kept)])
    groups, finished = _search(inner, listed, len(numbers), min_set, WORK)
    return [kept[group[group >= 0]] for group in groups], finished


def _flags(people: Sequence[Ints]) -> NDArray[np.bool_]:
    everybody = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *people]))
    flags = np.zeros((len(people), len(everybody)), dtype=np.bool_)
    for row, mine in zip(flags, people, strict=True):
        row[np.searchsorted(everybody, mine)] = True
    return flags


def _reach(entries: Floats, flags: NDArray[np.bool_], min_set: int) -> NDArray[np.bool_]:
    """Tell which atoms could find enough in others that a small group has room for."""
    there = flags.astype(np.float64)
    size = there.sum(axis=1)
    together = size[:, None] + size[None, :] - there @ there.T
    gains = np.where(together < min_set, np.maximum(-entries, 0.0), 0.0)
    np.fill_diagonal(gains, 0.0)
    by_person = gains @ (there / size[:, None])
    own = (by_person * there).sum(axis=1)
    others = np.where(flags, 0.0, by_person)
    most = min_set - 2  # besides one person at least
    if 0 < most < others.shape[1]:
        others = -np.partition(-others, most - 1, axis=1)[:, :most]
    ordered = -np.sort(-others, axis=1)
    rank = np.arange(ordered.shape[1])[None, :]
    room = (min_set - 1 - size)[:, None]
    gained = own + np.where(rank < room, ordered, 0.0).sum(axis=1)
    return np.asarray(gained >= np.diag(entries) - EXACT, dtype=np.bool_)


@machine_code()
def largest_in(row: Floats) -> float:
    """Return the largest absolute number of a row."""
    most = 0.0
    for value in row:
        most = max(most, abs(value))
    return most


@machine_code()
def _sort_by(keys: Floats, chosen: Ints, number: int) -> None:
    """Sort the first of some indices by their keys, in place (numba's own sort takes seconds to compile)."""
    for c in range(1, number):
        moved, at = chosen[c], c
        while at > 0 and keys[chosen[at - 1]] > keys[moved]:
            chosen[at] = chosen[at - 1]
            at -= 1
        chosen[at] = moved


@machine_code()
def _search(  # noqa: PLR0912, PLR0915 - one loop in machine code
    entries: Floats, people: Ints, persons: int, limit: int, work: int
) -> tuple[Ints, bool]:
    """Return groups with entries that add up to 0 in every row, and whether the search came to its end."""
    n, wide = people.shape
    found, number = np.full((64, n), -1, np.int64), 0
    group, place, choices = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    chosen, left = np.zeros((n + 1, n), np.int64), np.zeros((n + 1, n + 1))
    rest = np.zeros((n + 1, n))
    held, banned, inside = np.zeros(persons, np.int64), np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    spent = 0
    for root in range(n):
        if root > 0:
            banned[root - 1] = True  # the root is the first of its group
        d, size, fresh = 0, 0, True
        group[0], inside[root] = root, True
        for t in range(n):
            rest[0, t] = entries[root, t]
        for k in range(wide):
            if people[root, k] >= 0:
                held[people[root, k]] += 1
                size += 1
        while d >= 0:
            if fresh:
                spent += n * (wide + 2)
                if spent > work or number == len(found):
                    return found[:number], False
                j = group[0]
                for a in range(1, d + 1):
                    if rest[d, group[a]] > rest[d, j]:
                        j = group[a]
                choices[d], place[d], fresh = 0, 0, False
                if rest[d, j] < EXACT and largest_in(rest[d]) < 10 * EXACT:
                    for a in range(d + 1):
                        found[number, a] = group[a]
                    number += 1
                else:
                    for t in range(n):
                        if banned[t] or inside[t] or -entries[j, t] <= 0.0:
                            continue
                        more = 0
                        for k in range(wide):
                            if people[t, k] >= 0 and held[people[t, k]] == 0:
                                more += 1
                        if size + more < limit:
                            chosen[d, choices[d]] = t
                            choices[d] += 1
                    _sort_by(entries[j], chosen[d], choices[d])
                    left[d, choices[d]] = 0.0
                    for c in range(choices[d] - 1, -1, -1):
                        left[d, c] = left[d, c + 1] - entries[j, chosen[d, c]]
                    if left[d, 0] < rest[d, j] - EXACT:
                        choices[d] = 0
                    left[d, n] = rest[d, j]
            if place[d] < choices[d] and left[d, place[d]] >= left[d, n] - EXACT:
                member = chosen[d, place[d]]
                place[d] += 1
                banned[member] = True  # from now on at this depth; lifted when the depth is left
                d += 1
                group[d], inside[member], fresh = member, True, True
                for k in range(wide):
                    if people[member, k] >= 0:
                        if held[people[member, k]] == 0:
                            size += 1
                        held[people[member, k]] += 1
                for t in range(n):
                    rest[d, t] = rest[d - 1, t] + entries[member, t]
            else:
                for c in range(place[d]):
                    banned[chosen[d, c]] = False
                last = group[d]
                inside[last] = False
                for k in range(wide):
                    if people[last, k] >= 0:
                        held[people[last, k]] -= 1
                        if held[people[last, k]] == 0:
                            size -= 1
                d -= 1
    return found[:number], True
