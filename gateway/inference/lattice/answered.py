"""One pass over the vectors when a set is answered, and over neighbours that are out of order (see `basis`)."""

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.machine_code import FEW, machine_code

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

QUALITY = 0.99
ACTIVE = 1e-9  # a direction with a smaller sum over a set does not move it
LONG = 1 << 10  # numbers that large are made smaller before they grow
FACTOR, ENTRY = 1 << 20, 1 << 40  # the largest of both in whole-number steps: their products fit into 64 bits


@machine_code(few=FEW)
def _euclid(a: int, b: int) -> tuple[int, int, int]:
    """Return the greatest common divisor, and how often to take a and b to get it."""
    x, y, u, v = 1, 0, 0, 1
    while b != 0:
        q = a // b
        a, b, x, u, y, v = b, a - q * b, u, x - q * u, v, y - q * v
    return (a, x, y) if a > 0 else (-a, -x, -y)


def answered(
    vectors: Ints, directions: Floats, squared: Floats, sums: Ints, inside: NDArray[np.bool_]
) -> tuple[Ints, Floats, Floats] | None:
    """Return the vectors that vanish on the set, their Gram-Schmidt vectors and the squared lengths of these.

    `sums` are those of the vectors over the set, not all 0. None if a number grows too large.
    """
    m, n = vectors.shape
    made = np.empty((m - 1, n), np.int64), np.empty((m - 1, n)), np.empty(m - 1)  # by numpy: it asks for large pages
    return made if _answered(vectors, directions, squared, sums, inside, *made) else None


@machine_code(few=FEW)
def _answered(  # noqa: PLR0912, PLR0913, PLR0917 - one loop in machine code
    vectors: Ints,
    directions: Floats,
    squared: Floats,
    sums: Ints,
    inside: NDArray[np.bool_],
    fresh: Ints,
    turned: Floats,
    lengths: Floats,
) -> bool:
    m, n = vectors.shape
    carrier, shadow = np.zeros(n, np.int64), np.zeros(n)  # a vector with sum `unit`; q projected on the span so far
    length, unit, row = 0.0, 0, 0
    for i in range(m):
        if unit == 0 and sums[i] == 0:
            for j in range(n):
                fresh[row, j], turned[row, j] = vectors[i, j], directions[i, j]
            lengths[row] = squared[i]
            row += 1
            continue
        along = 0.0
        for j in range(n):
            if inside[j]:
                along += directions[i, j]
        if unit == 0:
            unit = sums[i]
            for j in range(n):
                carrier[j] = vectors[i, j]
        else:
            scale, times, pulled = 1, 0, 0
            if sums[i] % unit == 0:
                times = sums[i] // unit
            else:
                divisor, x, y = _euclid(unit, sums[i])
                scale, times = unit // divisor, sums[i] // divisor
                pulled = 1
            if max(abs(scale), abs(times)) > FACTOR:
                return False
            for j in range(n):
                fresh[row, j] = scale * vectors[i, j] - times * carrier[j]
            if pulled:
                if max(abs(x), abs(y)) > FACTOR:
                    return False
                for j in range(n):
                    carrier[j] = x * carrier[j] + y * vectors[i, j]
                    if abs(carrier[j]) > ENTRY:
                        return False
                unit = divisor
            if abs(along) > ACTIVE:
                share = along / length
                for j in range(n):
                    turned[row, j] = scale * (directions[i, j] - share * shadow[j])
                lengths[row] = scale * scale * (squared[i] + along * along / length)
            else:
                for j in range(n):
                    turned[row, j] = scale * directions[i, j]
                lengths[row] = scale * scale * squared[i]
            row += 1
        if abs(along) > ACTIVE:
            for j in range(n):
                shadow[j] += along / squared[i] * directions[i, j]
            length += along * along / squared[i]
    return True


@_answered.in_numpy
def _answered_of_arrays(  # noqa: PLR0913, PLR0917 - as above
    vectors: Ints,
    directions: Floats,
    squared: Floats,
    sums: Ints,
    inside: NDArray[np.bool_],
    fresh: Ints,
    turned: Floats,
    lengths: Floats,
) -> bool:
    first = int(np.flatnonzero(sums)[0])
    fresh[:first], turned[:first], lengths[:first] = vectors[:first], directions[:first], squared[:first]
    scales = _without_carrier(vectors[first:], sums[first:].tolist(), fresh[first:])
    if scales is None:
        return False
    rest = directions[first:]
    along = rest[:, inside].sum(axis=1)
    moved = np.abs(along) > ACTIVE
    along = np.where(moved, along, 0.0)
    shadow = np.cumsum((along / squared[first:])[:, None] * rest, axis=0)[:-1]
    length = np.cumsum(along * along / squared[first:])[:-1]
    share = np.divide(along[1:], length, out=np.zeros(len(length)), where=moved[1:])
    np.multiply(scales[:, None], rest[1:] - share[:, None] * shadow, out=turned[first:])
    np.multiply(scales * scales, squared[first + 1 :] + along[1:] * share, out=lengths[first:])
    return True


def _without_carrier(vectors: Ints, sums: list[int], fresh: Ints) -> Floats | None:
    """Take multiples of one vector off those after the first, so that their sums vanish; return their scales."""
    carrier, unit, start = vectors[0], sums[0], 1
    scales, times = [1] * len(sums), [0] * len(sums)
    for i in range(1, len(sums)):
        if sums[i] % unit == 0:
            times[i] = sums[i] // unit
            continue
        divisor, x, y = _euclid.py_func(unit, sums[i])
        scales[i], times[i] = unit // divisor, sums[i] // divisor
        if max(abs(scales[i]), abs(times[i]), abs(x), abs(y)) > FACTOR:
            return None
        _take_off(vectors, carrier, scales, times, fresh, start, i + 1)
        carrier, unit, start = x * carrier + y * vectors[i], divisor, i + 1
        if np.abs(carrier).max() > ENTRY:
            return None
    if max(map(abs, times)) > FACTOR:
        return None
    _take_off(vectors, carrier, scales, times, fresh, start, len(sums))
    return np.array(scales[1:], dtype=np.float64)


def _take_off(
    vectors: Ints, carrier: Ints, scales: list[int], times: list[int], fresh: Ints, start: int, end: int
) -> None:
    """Fill the rows of some vectors: so many times the vector, less so many times the carrier."""
    scale, taken = (np.array(each[start:end], dtype=np.int64)[:, None] for each in (scales, times))
    np.subtract(scale * vectors[start:end], taken * carrier, out=fresh[start - 1 : end - 1])


@machine_code()
def shorten_rows(vectors: Ints, directions: Floats, squared: Floats, weight: Floats, rows: Ints) -> bool:
    """Take whole multiples of the vectors before it off each of some vectors, until what they share is half or less.

    In place, the rows ascending. Gram-Schmidt vectors stay what they are. False if a number grows too large.
    """
    n = vectors.shape[1]
    for i in rows:
        for earlier in range(i - 1, -1, -1):
            part = 0.0
            for j in range(n):
                part += weight[j] * vectors[i, j] * directions[earlier, j]
            if abs(part) > ENTRY * squared[earlier]:
                return False
            times = np.int64(np.rint(part / squared[earlier]))
            if times != 0:
                for j in range(n):
                    if abs(vectors[earlier, j]) > FACTOR:
                        return False
                    vectors[i, j] -= times * vectors[earlier, j]
                    if abs(vectors[i, j]) > ENTRY:
                        return False
    return True


@machine_code()
def lower_peaks(  # noqa: PLR0912 - one loop in machine code
    vectors: Ints, directions: Floats, squared: Floats, weight: Floats, most: float, budget: int
) -> int:
    """Exchange neighbours, as Lenstra, Lenstra and Lovasz do, where a length is above `most`; return how often.

    In place. -1 if a number grows too large. Gram-Schmidt vectors are at hand, so that an exchange costs one pass over
    two vectors.
    """
    m, n = vectors.shape
    swaps, k = 0, 1
    while k < m:
        if squared[k - 1] <= most or squared[k] >= QUALITY * squared[k - 1]:
            k += 1
            continue
        part = 0.0
        for j in range(n):
            part += weight[j] * vectors[k, j] * directions[k - 1, j]
        part /= squared[k - 1]
        if abs(part) > FACTOR:
            return -1
        times = np.int64(np.rint(part))
        part -= times
        if times != 0:
            largest = 0
            for j in range(n):
                vectors[k, j] -= times * vectors[k - 1, j]
                largest = max(largest, abs(vectors[k, j]))
            if largest > ENTRY:
                return -1
            if largest > LONG:
                if not shorten_rows(vectors, directions, squared, weight, np.array([k])):
                    return -1
                part = 0.0  # one half may have been rounded the other way
                for j in range(n):
                    part += weight[j] * vectors[k, j] * directions[k - 1, j]
                part /= squared[k - 1]
        whole = squared[k] + part * part * squared[k - 1]
        if whole >= QUALITY * squared[k - 1]:
            k += 1
            continue
        swaps += 1
        share = part * squared[k - 1] / whole
        for j in range(n):
            low, high = directions[k - 1, j], directions[k, j]
            front = high + part * low
            directions[k - 1, j], directions[k, j] = front, low - share * front
            vectors[k - 1, j], vectors[k, j] = vectors[k, j], vectors[k - 1, j]
        squared[k] = squared[k - 1] * squared[k] / whole
        squared[k - 1] = whole
        if swaps >= budget:
            break
        k = max(1, k - 1)
    return swaps


@machine_code(few=FEW)
def sums_of(vectors: Ints, columns: Ints) -> Ints:
    """Return the sum of each vector over some columns."""
    out = np.zeros(len(vectors), np.int64)
    for i in range(len(vectors)):
        for j in columns:
            out[i] += vectors[i, j]
    return out


@sums_of.in_numpy
def _sums_of_array(vectors: Ints, columns: Ints) -> Ints:
    return np.asarray(vectors[:, columns].sum(axis=1))


@machine_code(few=FEW)
def column_sums(vectors: Ints, directions: Floats, squared: Floats, weight: Floats) -> tuple[Floats, Floats, float]:
    """Return the sums of sizes and of squares in each column, and how far b_i b*_i is from |b*_i|^2 in all."""
    whole, squares, off = np.zeros(directions.shape[1]), np.zeros(directions.shape[1]), 0.0
    for i in range(directions.shape[0]):
        along = 0.0
        for j in range(directions.shape[1]):
            value = directions[i, j]
            whole[j] += abs(value)
            squares[j] += value * value
            along += weight[j] * value * vectors[i, j]
        off += abs(along - squared[i])
    return whole, squares, off


@column_sums.in_numpy
def _column_sums_of_arrays(
    vectors: Ints, directions: Floats, squared: Floats, weight: Floats
) -> tuple[Floats, Floats, float]:
    along = np.einsum("j,ij,ij->i", weight, directions, vectors)
    squares = np.einsum("ij,ij->j", directions, directions)
    return np.abs(directions).sum(axis=0), squares, float(np.abs(along - squared).sum())


@machine_code(few=FEW)
def largest_entries(vectors: Ints) -> Ints:
    """Return the largest number of each vector."""
    out = np.zeros(len(vectors), np.int64)
    for i in range(len(vectors)):
        for j in range(vectors.shape[1]):
            out[i] = max(out[i], abs(vectors[i, j]))
    return out


@largest_entries.in_numpy
def _largest_entries_of_array(vectors: Ints) -> Ints:
    return np.asarray(np.abs(vectors).max(axis=1, initial=0))
