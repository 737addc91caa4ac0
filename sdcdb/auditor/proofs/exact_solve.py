"""Solving a square system of zeros and ones in fractions: digits modulo a prime, then the fraction they belong to.

J. D. Dixon, Exact solution of linear equations using p-adic expansions (1982). The solution of M y = b is found digit
by digit in base p, each by one product with the inverse of M modulo p; as many digits as the Hadamard bound asks for
fix the fractions, which continued fractions then read off. Every step is on whole numbers below 2^63.
"""

from fractions import Fraction
from math import isqrt, log2

import numpy as np
from numpy.typing import NDArray

PRIME = (1 << 31) - 1
Ints = NDArray[np.int64]
Sets = NDArray[np.bool_]


def isolating_weights(rows: Sets, column: int) -> dict[int, Fraction] | None:
    """Return the weights with which independent ones among these rows isolate a column, if modulo a prime they can.

    There may be a few hundred rows at most. The caller must check the result, since only the pivot columns have been
    looked at.
    """
    order = np.concatenate([[column], np.delete(np.arange(rows.shape[1]), column)])
    chosen, pivots = _independent(rows[:, order].astype(np.int64))
    if 0 not in pivots:
        return None
    matrix = rows[chosen][:, order[pivots]].T.astype(np.int64)
    wanted = (np.array(pivots) == 0).astype(np.int64)
    y = _solve(matrix, wanted)
    return None if y is None else {row: weight for row, weight in zip(chosen, y, strict=True) if weight}


def _independent(a: Ints) -> tuple[list[int], list[int]]:
    """Return rows that are independent modulo the prime, and a pivot column for each."""
    chosen, pivots = [], []
    for row in range(len(a)):
        at = np.flatnonzero(a[row])
        if len(at) == 0:
            continue
        pivot = int(at[0])
        a[row] = a[row] * pow(int(a[row, pivot]), -1, PRIME) % PRIME
        below = row + 1 + np.flatnonzero(a[row + 1 :, pivot])
        a[below] = (a[below] - a[below, pivot][:, None] * a[row] % PRIME) % PRIME
        chosen.append(row)
        pivots.append(pivot)
    return chosen, pivots


def _inverse(matrix: Ints) -> Ints | None:
    k = len(matrix)
    work = np.concatenate([matrix % PRIME, np.eye(k, dtype=np.int64)], axis=1)
    for i in range(k):
        at = np.flatnonzero(work[i:, i])
        if len(at) == 0:
            return None
        work[[i, i + at[0]]] = work[[i + at[0], i]]
        work[i] = work[i] * pow(int(work[i, i]), -1, PRIME) % PRIME
        others = np.flatnonzero(work[:, i])
        others = others[others != i]
        work[others] = (work[others] - work[others, i][:, None] * work[i] % PRIME) % PRIME
    return work[:, k:]


def _times(matrix: Ints, vector: Ints) -> Ints:
    """Multiply modulo the prime: products fit, their sums would not, so each is reduced first."""
    return np.asarray((matrix * vector % PRIME).sum(axis=1) % PRIME, dtype=np.int64)


def _solve(matrix: Ints, wanted: Ints) -> list[Fraction] | None:
    inverse = _inverse(matrix)
    if inverse is None:
        return None
    k = len(matrix)
    bits = 2 * (k / 2 * log2(k + 1) + log2(k + 1)) + 4  # twice Hadamard's bound on a determinant of zeros and ones
    rest, digits = wanted.copy(), list[Ints]()
    for _ in range(int(bits / 30) + 2):
        digit = _times(inverse, rest % PRIME)
        digits.append(digit)
        rest = (rest - matrix @ digit) // PRIME  # exact: the digit makes it divisible
    modulus = PRIME ** len(digits)
    values = [sum(int(digit[i]) * PRIME**place for place, digit in enumerate(digits)) for i in range(k)]
    return [_fraction(value, modulus) for value in values]


def _fraction(value: int, modulus: int) -> Fraction:
    """Return the fraction with small parts that is `value` modulo `modulus`: half-way through Euclid's algorithm."""
    bound = isqrt(modulus // 2)
    before, now, s, t = modulus, value, 0, 1
    while now > bound:
        quotient = before // now
        before, now = now, before - quotient * now
        s, t = t, s - quotient * t
    return Fraction(now, t) if t else Fraction(0)
