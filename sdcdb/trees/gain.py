"""The measure of a split: gain and gain ratio of every attribute at one node, in one compiled pass.

Quinlan's C4.5 (1993), with release 8's correction for numbers (Quinlan 1996, "Improved use of continuous attributes"):

    gain(A)  = (known / all) x (info(known cases) - sum over branches of their share x info(branch))
    ratio(A) = gain(A) / split info, where cases with A missing count as one more branch
    numbers: gain is lowered by log2(thresholds tried) / cases

A sum of x log2 x over counts gives all of these. Numbers are visited in their sorted order, each case moving from the
right side to the left, so that a threshold costs the same whatever the number of classes.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]
Space = tuple[Floats, Floats, Floats]

SLACK = 1e-3  # bits: as C4.5 and J48 do
CLOSE = 1e-11  # bits: gains closer than this are equal, and the lower threshold is taken


@njit(cache=True, nogil=True)
def _xlogx(x: float, table: Floats) -> float:
    """Return x log2 x: looked up for integers, which most counts are."""
    if x <= 1e-12:
        return 0.0
    whole = int(x)
    return table[whole] if whole == x else x * math.log2(x)


def xlogx_table(largest: int) -> Floats:
    """Return x log2 x for the integers up to the largest."""
    numbers = np.arange(largest + 1, dtype=np.float64)
    return numbers * np.log2(np.maximum(numbers, 1))


@njit(cache=True, nogil=True)
def class_counts(rows: Ints, weights: Floats, labels: Ints, ends: Ints, classes: int) -> Floats:
    """Return the weight of each class between each end and the next: a row for each branch."""
    counts = np.zeros((len(ends) - 1, classes))
    for branch in range(len(ends) - 1):
        for i in range(ends[branch], ends[branch + 1]):
            counts[branch, labels[rows[i]]] += weights[i]
    return counts


@njit(cache=True, nogil=True)
def category_gain(
    weights: Floats, labels: Ints, codes: Ints, space: Space, table: Floats, least: float
) -> tuple[float, float]:
    """Return gain and ratio of one branch per value; (-1, 0) where fewer than two branches have `least` cases.

    `space`, zero before and after, holds cells (values x classes), bags (values) and sums (classes). A small node
    visits only what its cases touch, so that it costs little however many values there are.
    """
    cells, bags, sums = space
    classes = len(sums)
    total, known, last = 0.0, 0.0, -1
    for i in range(len(codes)):
        total += weights[i]
        code = codes[i]
        if code >= 0:
            cells[code * classes + labels[i]] += weights[i]
            bags[code] += weights[i]
            sums[labels[i]] += weights[i]
            known += weights[i]
            last = max(last, code)
    inside, between, before, large = 0.0, 0.0, 0.0, 0
    all_cells = (last + 1) * classes < len(codes)
    for i in range((last + 1) * classes if all_cells else len(codes)):
        code, label = divmod(i, classes) if all_cells else (codes[i], labels[i])
        if code >= 0:
            cell = code * classes + label
            inside += _xlogx(cells[cell], table)
            cells[cell] = 0.0
            if bags[code] > 0.0:
                between += _xlogx(bags[code], table)
                large += bags[code] >= least - 1e-6
                bags[code] = 0.0
            before += _xlogx(sums[label], table)
            sums[label] = 0.0
    if large < 2:
        return -1.0, 0.0
    gain = (_xlogx(known, table) - before - between + inside) / total
    split = (_xlogx(total, table) - between - _xlogx(total - known, table)) / total
    return gain, gain / split if split > 1e-12 else 0.0


@njit(cache=True, nogil=True)
def number_gain(
    weights: Floats, labels: Ints, ranks: Ints, order: Ints, classes: int, table: Floats, least: float
) -> tuple[float, float, int, int]:
    """Return gain, ratio, and the ranks on both sides of the best threshold; gain -1 where there is none.

    `order` lists the cases that have the number, from the least. Each side must have `least` cases, or a tenth of the
    cases per class where that is more, up to 25 (as C4.5 does).
    """
    total, known = weights.sum(), 0.0
    left, right = np.zeros(classes), np.zeros(classes)
    for i in range(len(order)):
        right[labels[order[i]]] += weights[order[i]]
        known += weights[order[i]]
    side = max(least, min(0.1 * known / classes, 25.0))
    if known < 2 * side - 1e-6:
        return -1.0, 0.0, -1, -1
    left_sum, right_sum, whole = 0.0, 0.0, _xlogx(known, table)
    for label in range(classes):
        right_sum += _xlogx(right[label], table)
    before = whole - right_sum
    best, tried, below, above, best_moved, moved = -1.0, 0, -1, -1, 0.0, 0.0
    for i in range(len(order) - 1):
        at, weight = order[i], weights[order[i]]
        label = labels[at]
        left_sum += _xlogx(left[label] + weight, table) - _xlogx(left[label], table)
        right_sum += _xlogx(right[label] - weight, table) - _xlogx(right[label], table)
        left[label] += weight
        right[label] -= weight
        moved += weight
        if known - moved < side - 1e-6:
            break
        rank, following = ranks[at], ranks[order[i + 1]]
        if rank < following and moved >= side - 1e-6:
            tried += 1
            after = _xlogx(moved, table) - left_sum + _xlogx(known - moved, table) - right_sum
            if (before - after) / total > best + CLOSE:
                best, below, above, best_moved = (before - after) / total, rank, following, moved
    if tried == 0 or best <= math.log2(tried) / total:
        return -1.0, 0.0, -1, -1
    best -= math.log2(tried) / total
    bags = _xlogx(best_moved, table) + _xlogx(known - best_moved, table) + _xlogx(total - known, table)
    split = (_xlogx(total, table) - bags) / total
    return best, best / split if split > 1e-12 else 0.0, below, above


@njit(cache=True, nogil=True)
def best_split(  # noqa: PLR0913, PLR0917 - compiled: it takes arrays
    rows: Ints, weights: Floats, labels: Ints, values: Ints, orders: Ints, lengths: Ints, sizes: Ints, usable: Flags,
    many: Flags, space: Space, table: Floats, least: float,
) -> tuple[int, int, int]:  # fmt: skip
    """Return the attribute of the best ratio among those with at least average gain, and its threshold's ranks; or -1.

    A gain `SLACK` below the average still competes. Attributes with `many` values do not count for the average.
    """
    gains, ratios = np.full(len(values), -1.0), np.zeros(len(values))
    below, above = np.full(len(values), -1, np.int32), np.full(len(values), -1, np.int32)
    own, local = labels[rows], np.empty(len(rows), np.int32)
    average, fair = 0.0, 0
    for a in range(len(values)):
        if not usable[a]:
            continue
        for i in range(len(rows)):
            local[i] = values[a, rows[i]]
        if sizes[a] < 0:
            gains[a], ratios[a], below[a], above[a] = number_gain(
                weights, own, local, orders[a, : lengths[a]], len(space[2]), table, least
            )
        else:
            gains[a], ratios[a] = category_gain(weights, own, local, space, table, least)
        if gains[a] >= 0.0 and not many[a]:
            average += gains[a]
            fair += 1
    best, ratio = -1, 0.0
    for a in range(len(values)):
        if fair and gains[a] >= 0.0 and gains[a] >= average / fair - SLACK and ratios[a] > ratio + 1e-6:
            best, ratio = a, ratios[a]
    return (best, below[best], above[best]) if best >= 0 else (-1, -1, -1)
