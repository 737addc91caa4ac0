"""Which categories each record may still have, together with all counts: whole-number tables that fit every answer.

Records that lie in the same sets are alike to every answer, so they form an atom, and any of them may have any category
that the atom has. The unknowns are the numbers of each category in each atom; other tables that fit all answers are
looked for as in `whole_numbers`. One category of each atom, the first, is what is left when the others are chosen; a
count that includes it is taken as the count of all other categories, so that every answer is a plain sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sdcdb.auditor.proofs.whole_numbers import Explored, System, explore
from sdcdb.gateway.inference.intervals.atoms import classes

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Count:
    """An answered count: how many records of a set have one of some categories, both as flags."""

    records: Flags
    categories: Flags


@dataclass(frozen=True, eq=False)
class Possible:
    """Per record and category: whether a table that fits all answers has it; `proved`: that no other category is."""

    seen: Flags
    proved: Flags


def possible_categories(counts: Sequence[Count], truth: Ints, categories: int, enough: int, wanted: Flags) -> Possible:
    """Look for tables in which each record wanted may have enough different categories.

    `truth` is the category of each record; the counts are those of these data.
    """
    labels = classes(np.array([count.records for count in counts]))
    atoms = int(labels.max()) + 1
    size = np.bincount(labels, minlength=atoms)
    start = np.zeros((atoms, categories), np.int64)
    np.add.at(start, (labels, truth), 1)
    first = np.unique(labels, return_index=True)[1]
    free = categories - 1
    sums = np.array([_sum(count, first, free) for count in counts])
    system = System(
        start.ravel(), np.zeros(start.size, np.int64), np.repeat(size, categories), np.arange(start.size), sums,
        spread=_spread(atoms, categories),
    )  # fmt: skip

    def settled(explored: Explored) -> Flags:
        enough_left = (explored.most.reshape(atoms, categories) > 0).sum(axis=1) >= enough
        enough_left |= explored.free.reshape(atoms, categories).sum(axis=1) >= enough
        return np.asarray(np.repeat(enough_left, categories), dtype=np.bool_)

    asked = np.zeros(atoms, bool)
    asked[labels[wanted]] = True
    explored = explore(system, settled, np.repeat(asked, categories))
    seen: Flags = np.asarray((explored.most.reshape(atoms, categories) > 0) | explored.free.reshape(atoms, categories))
    proved: Flags = np.asarray((explored.proved.reshape(atoms, categories) | seen).all(axis=1))
    return Possible(seen[labels], proved[labels])


def _sum(count: Count, first: Ints, free: int) -> Flags:
    """Return a count as a set of pairs of an atom and a category other than the first."""
    chosen = ~count.categories if count.categories[0] else count.categories
    inside = np.zeros((len(first), free), bool)
    inside[count.records[first]] = chosen[1:]
    return inside.ravel()


def _spread(atoms: int, categories: int) -> sparse.csr_matrix:
    """Return what one more record of a category does: one fewer of the atom's first category."""
    free = np.arange(atoms * (categories - 1))
    atom, category = free // (categories - 1), free % (categories - 1) + 1
    rows, columns = np.concatenate([free, free]), np.concatenate([atom * categories + category, atom * categories])
    numbers = np.concatenate([np.ones(len(free), np.int64), -np.ones(len(free), np.int64)])
    return sparse.csr_matrix((numbers, (rows, columns)), shape=(len(free), atoms * categories))
