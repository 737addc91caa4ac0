"""Totals of few people that follow from all sums together, whatever chain of answers leads to them.

Let P be the projection on the moves that change no answer, and S_jl its entry for atoms j and l, each atom's total
spread evenly over its records. The total of a union G of atoms is determined exactly if no such move changes it: S
1_G = 0. So for each member j the others' -S_jl add up to S_jj, which is positive unless j's own total is determined.
Two uses:

- *Peeling*. An atom whose most negative entries, as many as fit into a group of fewer than `min_set` records, do not
  reach S_jj is in no such group. Leave it out; then others may fail. Mostly nobody is left.
- *Depth first*. Take the member with the largest rest u_j = sum over G of S_jl. Of the members still missing one must
  bring at least its share of u_j, so few need be tried.

A group that is found is checked in whole numbers (no vector of the basis changes its total). The search is complete up
to the tolerance of 1e-6 in the entries; when its budget of steps runs out, the answer is "not shown", which denies.
Unions of atoms are all there is: sums never determine the total of a part of an atom. Where no projection is kept,
`small_totals_of_many` finds the few entries that matter.
"""

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.exact.groups_of_people import EXACT, largest_in, small_groups_of_people
from sdcdb.gateway.inference.lattice.basis import Basis
from sdcdb.gateway.inference.machine_code import machine_code
from sdcdb.gateway.inference.people import People

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STEPS = 200_000


def determines_small_total(before: Basis, after: Basis, min_set: int, people: People | None = None) -> bool:
    """Tell whether a group of fewer than `min_set` people has its total determined after, and had not before.

    `after` is `before` with one more set. `people` are given where somebody has several records. True also if the
    search is not finished within its budget.
    """
    if after.projection is None or len(after.records) == 0 or min_set < 2:
        return False
    groups, finished = small_groups(after.projection, after.records, min_set, after.labels, people)
    return not finished or any(_new(before, after, group) for group in groups)


def small_groups(
    projection: Floats, records: Floats, min_set: int, labels: Ints, people: People | None = None
) -> tuple[list[Ints], bool]:
    """Return the groups of atoms that a projection shows as determined, and whether all of them were found.

    `records` is what the atoms weigh in the projection; `labels` the atom of each cell, -1 for none.
    """
    root = np.sqrt(records)
    if people is not None:
        sizes = people.of_sets(labels, len(records), min_set)
        kept = np.flatnonzero((sizes > 0) & (sizes < min_set))
        entries = projection[np.ix_(kept, kept)] * np.outer(root[kept], root[kept])
        groups, finished = small_groups_of_people(entries, people.members(labels, kept), min_set)
        return [kept[group] for group in groups], finished
    kept = _peeled(projection, root, records, min_set)
    if len(kept) == 0:
        return [], True
    entries = projection[np.ix_(kept, kept)] * np.outer(root[kept], root[kept])
    order = np.argsort(entries, axis=1, kind="stable")
    found, finished = _search(entries, records[kept], float(min_set), order)
    return [kept[group[group >= 0]] for group in found], finished


def _new(before: Basis, after: Basis, group: Ints) -> bool:
    """Check in whole numbers that a group is determined now, and whether it was before."""
    if after.vectors[:, group].sum(axis=1).any():
        return False
    members = np.isin(after.labels, group)
    columns = np.unique(before.labels[members])
    whole = not (np.isin(before.labels, columns) & ~members).any()
    return not (whole and not before.vectors[:, columns].sum(axis=1).any())


def _peeled(projection: Floats, root: Floats, records: Floats, min_set: int) -> Ints:
    kept = np.flatnonzero(records < min_set)
    while len(kept):
        others = np.maximum(-projection[np.ix_(kept, kept)] * root[kept], 0.0)
        fit = int((min_set - 1) // records[kept].min())  # the most atoms that such a group can have
        if fit < len(kept):
            others = (
                -np.partition(-others, fit - 1, axis=1)[:, : max(fit - 1, 1)] if fit > 1 else np.zeros((len(kept), 1))
            )
        enough = others.sum(axis=1) >= np.diag(projection)[kept] * root[kept] - EXACT
        if enough.all():
            break
        kept = kept[enough]
    return kept


@machine_code()
def _search(  # noqa: PLR0912 - one loop in machine code
    entries: Floats, size: Floats, limit: float, order: Ints
) -> tuple[Ints, bool]:
    """Return groups with entries that add up to 0 in every row, and whether the search came to its end."""
    n = len(size)
    deep = int((limit - 1) // size.min()) + 1
    found, number = np.full((64, deep + 1), -1, np.int64), 0
    group, place, row = np.zeros(deep + 1, np.int64), np.zeros(deep + 1, np.int64), np.zeros(deep + 1, np.int64)
    rest = np.zeros((deep + 2, n))
    steps = 0
    for root in range(n):
        d, total, fresh = 0, size[root], True
        group[0] = root
        for t in range(n):
            rest[0, t] = entries[root, t]
        while d >= 0:
            if fresh:
                steps += 1
                if steps > STEPS or number == len(found):
                    return found[:number], False
                most = 0.0
                row[d] = group[0]
                for a in range(d + 1):
                    if rest[d, group[a]] > most:
                        most, row[d] = rest[d, group[a]], group[a]
                if most < EXACT and largest_in(rest[d]) < 10 * EXACT:
                    for a in range(d + 1):
                        found[number, a] = group[a]
                    number += 1
                place[d], fresh = 0, False
            j, left, moved = row[d], int((limit - 1 - total) // size.min()), False
            while left >= 1 and place[d] < n:
                member = order[j, place[d]]
                if -entries[j, member] * left < rest[d, j] - EXACT or -entries[j, member] < -EXACT:
                    break  # sorted: nobody further on brings more
                place[d] += 1
                if member <= root or total + size[member] >= limit:
                    continue  # the root is the first of its group: every group once
                twice = False
                for a in range(d + 1):
                    twice = twice or group[a] == member
                if twice:
                    continue
                d += 1
                group[d] = member
                total += size[member]
                for t in range(n):
                    rest[d, t] = rest[d - 1, t] + entries[member, t]
                fresh = moved = True
                break
            if not moved:
                total -= size[group[d]]
                d -= 1
    return found[:number], True
