"""The rule `exact`: would the total of a group of too few people become determined?

A null vector z (see `nullspace`) summed over an atom is 0 exactly if the atom's total is determined. Sums alone never
determine the total of a part of an atom, so groups are unions of atoms. Looked at are

- every atom of fewer than `min_set` records;
- every two atoms of together fewer than `min_set` records: their sum, and their difference, because whoever knows one
  of the two (their own value, say) gets the other from it (an atom that is known by itself goes with no other);
- every three people who are an atom each, with any signs, as long as there are at most `TRIPLES` such people. Beyond
  that triples are not looked at: trying all would cost the square of their number at every decision.

Only groups that were not determined before count: a question is not to blame for what is known already.
"""

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.modular import reduced

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TRIPLES = 128


def determines(
    before: list[Floats], after: list[Floats], primes: tuple[int, ...], labels: Ints, sizes: Ints, min_set: int
) -> bool:
    """Tell whether a group of fewer than `min_set` records is determined after and was not before.

    `before` and `after` are null vectors over cells, one per prime; `labels` the atom of each cell with the question
    added, `sizes` the number of records in each atom.
    """
    small = np.flatnonzero((sizes > 0) & (sizes < min_set))
    if len(small) == 0:
        return False
    number = len(sizes)
    new = _Groups([_over(labels, z, number)[small] for z in after], primes)
    old = _Groups([_over(labels, z, number)[small] for z in before], primes)
    size = sizes[small]
    alone = np.flatnonzero(new.zero(np.arange(len(small))[:, None], np.ones(1)))
    if len(alone) and (~old.zero(alone[:, None], np.ones(1))).any():
        return True
    paired = np.flatnonzero(size < min_set - 1)  # an atom as large as min_set - 1 has no partner
    if len(paired) >= 2 and any(_pair(new, old, paired, size[paired], min_set, sign) for sign in (1, -1)):
        return True
    people = np.flatnonzero(size == 1)
    return min_set > 3 and 3 <= len(people) <= TRIPLES and _triple(new, old, people)


def _over(labels: Ints, z: Floats, number: int) -> Floats:
    """Return the sums of z over atoms."""
    return np.asarray(np.bincount(labels, z, number), dtype=np.float64)


class _Groups:
    """The values of z on small atoms, for every prime."""

    def __init__(self, values: list[Floats], primes: tuple[int, ...]) -> None:
        self.values = [reduced(v, p) for v, p in zip(values, primes, strict=True)]
        self.primes = primes

    def zero(self, groups: Ints, signs: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell for each row of atoms whether their signed values add up to 0 for every prime."""
        found = np.ones(len(groups), bool)
        for v, p in zip(self.values, self.primes, strict=True):
            found &= reduced((v[groups] * signs).sum(axis=1), p) == 0
        return found

    def keys(self, values: list[Floats]) -> Ints:
        """Join the residues of the first two primes to one whole number."""
        first, second = (np.where(v < 0, v + p, v) for v, p in zip(values[:2], self.primes[:2], strict=True))
        return np.asarray(first, dtype=np.int64) * (1 << 24) + second.astype(np.int64)


def _pair(new: _Groups, old: _Groups, atoms: Ints, size: Ints, min_set: int, sign: int) -> bool:
    """Tell whether two atoms of together few records have values that add up (sign 1) or are equal (-1), only now.

    An atom's partners are one class of equal values. Of each class two atoms will do: the smallest, and the smallest
    of those that had another value before.
    """
    now, before = (groups.keys([v[atoms] for v in groups.values]) for groups in (new, old))
    partner, former = (groups.keys([-sign * v[atoms] for v in groups.values]) for groups in (new, old))
    classes, own = np.unique(now, return_inverse=True)
    first = _smallest(own, size, len(classes))
    second = _smallest(np.where(before != before[first[own]], own, -1), size, len(classes))
    place = np.minimum(np.searchsorted(classes, partner), len(classes) - 1)
    chosen = np.where(before[first[place]] != former, first[place], second[place])
    found = (classes[place] == partner) & (chosen >= 0)
    return bool((found & (size + size[chosen] < min_set)).any())


def _smallest(classes: Ints, size: Ints, number: int) -> Ints:
    """Return the smallest atom of each class; -1 where there is none."""
    found = np.full(number, -1, dtype=np.int64)
    order = np.argsort(-size, kind="stable")
    order = order[classes[order] >= 0]
    found[classes[order]] = order  # the last one stays
    return found


def _triple(new: _Groups, old: _Groups, people: Ints) -> bool:
    a, b = np.triu_indices(len(people), 1)
    keys = new.keys([v[people] for v in new.values])
    order = np.argsort(keys)
    for sign in (1, -1):
        for third in (1, -1):  # a + sign b + third c == 0, so c == -third (a + sign b)
            sums = [
                reduced(-third * (v[people[a]] + sign * v[people[b]]), p)
                for v, p in zip(new.values, new.primes, strict=True)
            ]
            wanted = new.keys(sums)
            at = np.minimum(np.searchsorted(keys[order], wanted), len(order) - 1)
            c = order[at]
            hits = np.flatnonzero((keys[c] == wanted) & (c != a) & (c != b))
            groups = np.stack([people[a[hits]], people[b[hits]], people[c[hits]]], axis=1)
            signs = np.array([1, sign, third])
            if len(groups) and (new.zero(groups, signs) & ~old.zero(groups, signs)).any():
                return True
    return False
