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

CLOSE = 1e-11  # bits: gains nearer than this are equal, and the lower threshold is taken


@njit(cache=True, nogil=True)
def _xlogx(x: float) -> float:
    return x * math.log2(x) if x > 1e-12 else 0.0


@njit(cache=True, nogil=True)
def class_counts(rows: Ints, weights: Floats, labels: Ints, classes: int) -> Floats:
    """Return the weight of each class among the cases."""
    counts = np.zeros(classes)
    for i in range(len(rows)):
        counts[labels[rows[i]]] += weights[i]
    return counts


@njit(cache=True, nogil=True)
def category_gain(
    rows: Ints, weights: Floats, labels: Ints, codes: Ints, cells: Floats, bags: Floats, sums: Floats, least: float
) -> tuple[float, float]:
    """Return gain and ratio of one branch per value; (-1, 0) where fewer than two branches have `least` cases.

    `cells` (values x classes), `bags` (values) and `sums` (classes) are zero before and after: only what the cases
    touch is visited, so that a small node costs little however many values there are.
    """
    classes = len(sums)
    total, known = 0.0, 0.0
    for i in range(len(rows)):
        total += weights[i]
        code = codes[rows[i]]
        if code >= 0:
            label = labels[rows[i]]
            cells[code * classes + label] += weights[i]
            bags[code] += weights[i]
            sums[label] += weights[i]
            known += weights[i]
    inside, between, before, large = 0.0, 0.0, 0.0, 0
    for i in range(len(rows)):
        code = codes[rows[i]]
        if code >= 0:
            label = labels[rows[i]]
            cell = code * classes + label
            inside += _xlogx(cells[cell])
            cells[cell] = 0.0
            if bags[code] > 0.0:
                between += _xlogx(bags[code])
                if bags[code] >= least - 1e-6:
                    large += 1
                bags[code] = 0.0
            before += _xlogx(sums[label])
            sums[label] = 0.0
    if large < 2:
        return -1.0, 0.0
    gain = (_xlogx(known) - before - between + inside) / total
    split = (_xlogx(total) - between - _xlogx(total - known)) / total
    return gain, gain / split if split > 1e-12 else 0.0


@njit(cache=True, nogil=True)
def number_gain(
    rows: Ints, weights: Floats, labels: Ints, order: Ints, ranks: Ints, classes: int, least: float
) -> tuple[float, float, int, int]:
    """Return gain, ratio, and the ranks on both sides of the best threshold; gain -1 where there is none.

    `order` lists the cases that have the number, from the least. Each side must have `least` cases, or a tenth of the
    cases per class where that is more, up to 25 (as C4.5 does).
    """
    total, known = 0.0, 0.0
    left, right = np.zeros(classes), np.zeros(classes)
    for i in range(len(rows)):
        total += weights[i]
    for i in range(len(order)):
        at = order[i]
        right[labels[rows[at]]] += weights[at]
        known += weights[at]
    side = max(least, min(0.1 * known / classes, 25.0))
    if known < 2 * side - 1e-6:
        return -1.0, 0.0, -1, -1
    left_sum, right_sum = 0.0, 0.0
    for label in range(classes):
        right_sum += _xlogx(right[label])
    before = right_sum
    best, tried, below, above, best_moved, moved = -1.0, 0, -1, -1, 0.0, 0.0
    for i in range(len(order) - 1):
        at, weight = order[i], weights[order[i]]
        label = labels[rows[at]]
        left_sum += _xlogx(left[label] + weight) - _xlogx(left[label])
        right_sum += _xlogx(right[label] - weight) - _xlogx(right[label])
        left[label] += weight
        right[label] -= weight
        moved += weight
        if known - moved < side - 1e-6:
            break
        rank, following = ranks[rows[at]], ranks[rows[order[i + 1]]]
        if rank < following and moved >= side - 1e-6:
            tried += 1
            gain = (_xlogx(known) - before - _xlogx(moved) + left_sum - _xlogx(known - moved) + right_sum) / total
            if gain > best + CLOSE:
                best, below, above, best_moved = gain, rank, following, moved
    if tried == 0:
        return -1.0, 0.0, -1, -1
    best -= math.log2(tried) / total
    if best <= 0.0:
        return -1.0, 0.0, -1, -1
    split = (_xlogx(total) - _xlogx(best_moved) - _xlogx(known - best_moved) - _xlogx(total - known)) / total
    return best, best / split if split > 1e-12 else 0.0, below, above
