"""Counts that nobody asked: where those of all other values are known, each told over other parts of the same people.

Flu was counted by ward and asthma by sex: both are known of the whole floor, and so is the number of all others. As
vectors over cells: the count of a value is known over each that a sum of its own sets makes, and over each that sums of
the sets of every other value make. The latter are the intersection of their spans. What of it the value's own sets do
not make already is looked for, and counts as asked.
"""

from collections.abc import Sequence

import numpy as np

from sdcdb.gateway.inference.categories.counting import Cells, Floats

NEAR = 1e-7
"""Vectors this near to a span are in it: sets have ones and zeros, and the angles of their sums are far larger."""


def crossing_sets(sets: Sequence[Sequence[Cells]], value: int) -> list[Cells] | None:
    """Return sets over which the count of a value follows from those of all others, and not from its own sets.

    `sets` are those of every value. None stands for vectors that are no sets of people: nobody can say how few they
    are about.

    >>> ward, sex = np.array([1, 1, 0, 0], bool), np.array([1, 0, 1, 0], bool)
    >>> found = crossing_sets([[ward, ~ward], [sex, ~sex], []], 2)
    >>> [each.tolist() for each in found]
    [[True, True, True, True]]
    """
    others = [each for number, each in enumerate(sets) if number != value]
    if len(others) < 2 or not all(others):
        return []
    common = _common([_basis(np.array(each, dtype=np.float64)) for each in others])
    if sets[value] and len(common):
        own = _basis(np.array(sets[value], dtype=np.float64))
        common = _reduced(common)
        common = common[np.abs(common - (common @ own.T) @ own).max(axis=1) > NEAR]
    else:
        common = _reduced(common)
    found = [np.abs(row - 1) < 1e-6 for row in common]
    if any((np.abs(row - each) > 1e-6).any() for row, each in zip(common, found, strict=True)):
        return None
    return found


def _basis(rows: Floats) -> Floats:
    """Return an orthonormal basis of the span of rows."""
    _, sizes, found = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(found[sizes > NEAR * sizes[0]], dtype=np.float64)


def _common(bases: Sequence[Floats]) -> Floats:
    """Return a basis of what is in all spans: what of the smallest its projections on the others leave alone."""
    least, *more = sorted(bases, key=len)
    for each in more:
        if not len(least):
            break
        inside = least @ each.T
        values, vectors = np.linalg.eigh(inside @ inside.T)
        least = vectors[:, values > 1 - NEAR].T @ least
    return least


def _reduced(rows: Floats) -> Floats:
    """Return the same span by rows with a one of their own each: parts of people, where it has such."""
    left, place = rows.copy(), 0
    for column in range(left.shape[1]):
        if place == len(left):
            break
        best = place + int(np.abs(left[place:, column]).argmax())
        if abs(left[best, column]) < 1e-6:
            continue
        left[[place, best]] = left[[best, place]]
        left[place] /= left[place, column]
        others = np.arange(len(left)) != place
        left[others] -= np.outer(left[others, column], left[place])
        place += 1
    return left[:place]
