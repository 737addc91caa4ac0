"""Whole-number vectors with few entries, as rows: adding them up and replacing them (machine code).

Row i has its columns, ascending, in `columns[starts[i]:starts[i + 1]]` and its numbers in `numbers` likewise. Lengths
are squared and weighted: sum of weight[j] b[j]^2. All arithmetic on the rows is in whole numbers, which take 32 bits.
"""

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.machine_code import FEW, machine_code

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Entries = NDArray[np.int32]
Rows = tuple[Ints, Entries, Entries]
Flat = tuple[Ints, Entries, Entries]  # how many entries each row has, then those of one row behind those of another
Flags = NDArray[np.bool_]

LARGEST = 1 << 30


@machine_code(few=FEW)
def sums_inside(starts: Ints, columns: Entries, numbers: Entries, inside: Flags) -> Ints:
    """Return the sum of each row over the columns of a set."""
    out = np.zeros(len(starts) - 1, np.int64)
    for i in range(len(out)):
        for t in range(starts[i], starts[i + 1]):
            if inside[columns[t]]:
                out[i] += numbers[t]
    return out


@machine_code(few=FEW)
def times(starts: Ints, columns: Entries, numbers: Entries, values: Floats) -> Floats:
    """Return each row times a vector."""
    out = np.zeros(len(starts) - 1)
    for i in range(len(out)):
        for t in range(starts[i], starts[i + 1]):
            out[i] += numbers[t] * values[columns[t]]
    return out


@machine_code(few=FEW)
def lengths(starts: Ints, columns: Entries, numbers: Entries, weight: Floats) -> Floats:
    """Return the squared length of each row."""
    out = np.zeros(len(starts) - 1)
    for i in range(len(out)):
        for t in range(starts[i], starts[i + 1]):
            out[i] += weight[columns[t]] * numbers[t] * numbers[t]
    return out


@machine_code(few=FEW)
def add_squares(starts: Ints, columns: Entries, numbers: Entries, rows: Ints, out: Floats) -> None:
    """Add the squares of the rows chosen to what there is for each column."""
    for i in rows:
        for t in range(starts[i], starts[i + 1]):
            out[columns[t]] += float(numbers[t]) * numbers[t]


@machine_code(few=FEW)
def by_column(
    starts: Ints, columns: Entries, numbers: Entries, rows: Ints, width: int
) -> tuple[Ints, Entries, Entries]:
    """Return, for each column, the rows chosen that have an entry there, and the number at that entry."""
    ends = np.zeros(width + 1, np.int64)
    for i in rows:
        for t in range(starts[i], starts[i + 1]):
            ends[columns[t] + 1] += 1
    for j in range(width):
        ends[j + 1] += ends[j]
    place = ends[:-1].copy()
    owner, value = np.zeros(ends[width], np.int32), np.zeros(ends[width], np.int32)
    for i in rows:
        for t in range(starts[i], starts[i + 1]):
            at = place[columns[t]]
            owner[at], value[at] = i, numbers[t]
            place[columns[t]] += 1
    return ends, owner, value


@by_column.in_numpy
def by_column_of_arrays(
    starts: Ints, columns: Entries, numbers: Entries, rows: Ints, width: int
) -> tuple[Ints, Entries, Entries]:
    """Return the same without loops."""
    entries = entries_of(starts, rows)
    order = np.argsort(columns[entries], kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(columns[entries], minlength=width))])
    owner = np.repeat(rows, starts[rows + 1] - starts[rows])[order]
    return ends, owner.astype(np.int32), numbers[entries][order]


@machine_code(few=FEW)
def combine(
    first: Entries, numbers: Entries, second: Entries, others: Entries, factor: int, out: Entries, result: Entries
) -> int:
    """Write the first row minus `factor` times the second; return its number of entries, -1 if one is too large."""
    a, b, filled = 0, 0, 0
    while a < len(first) or b < len(second):
        if b >= len(second) or (a < len(first) and first[a] < second[b]):
            column, number = first[a], numbers[a]
            a += 1
        elif a >= len(first) or second[b] < first[a]:
            column, number = second[b], -factor * others[b]
            b += 1
        else:
            column, number = first[a], numbers[a] - factor * others[b]
            a, b = a + 1, b + 1
        if number != 0:
            if abs(number) > LARGEST:
                return -1
            out[filled], result[filled] = column, number
            filled += 1
    return filled


def entries_of(starts: Ints, rows: Ints) -> Ints:
    """Return where the entries of some rows are."""
    sizes = starts[rows + 1] - starts[rows]
    return np.asarray(np.repeat(starts[rows] - (np.cumsum(sizes) - sizes), sizes) + np.arange(int(sizes.sum())))


def chosen(starts: Ints, columns: Entries, numbers: Entries, rows: Ints) -> Rows:
    """Return some of the rows."""
    entries = entries_of(starts, rows)
    ends = np.concatenate([[0], np.cumsum(starts[rows + 1] - starts[rows])])
    return ends, columns[entries], numbers[entries]


@machine_code(few=FEW)
def replaced(starts: Ints, columns: Entries, numbers: Entries, changed: Ints, new: Flat, dropped: int) -> Rows:
    """Return the rows with some of them replaced and one, if not negative, left out."""
    sizes, fresh, values = new
    which, begins = np.full(len(starts) - 1, -1, np.int64), np.zeros(len(changed) + 1, np.int64)
    for r in range(len(changed)):
        which[changed[r]], begins[r + 1] = r, begins[r] + sizes[r]
    ends, row = np.zeros(len(starts) - (1 if dropped >= 0 else 0), np.int64), 0
    for i in range(len(which)):
        if i != dropped:
            ends[row + 1] = ends[row] + (sizes[which[i]] if which[i] >= 0 else starts[i + 1] - starts[i])
            row += 1
    out, result, row, kept = np.empty(ends[-1], np.int32), np.empty(ends[-1], np.int32), 0, 0
    for i in range(len(which) + 1):  # rows that stay are copied together, up to the next one that does not
        if i < len(which) and which[i] < 0 and i != dropped:
            continue
        if kept < i:
            at, end = ends[row], ends[row + i - kept]
            out[at:end], result[at:end] = columns[starts[kept] : starts[i]], numbers[starts[kept] : starts[i]]
            row += i - kept
        if i < len(which) and i != dropped:
            r = which[i]
            at, end = ends[row], ends[row + 1]
            out[at:end], result[at:end] = fresh[begins[r] : begins[r + 1]], values[begins[r] : begins[r + 1]]
            row += 1
        kept = i + 1
    return ends, out, result


@machine_code(few=FEW)
def differences(
    first: Ints, second: Ints, factors: Ints, starts: Ints, columns: Entries, numbers: Entries
) -> Flat | None:
    """Return row first[r] minus factors[r] times row second[r], for every r; None if one grows too large."""
    sizes, room, filled = np.zeros(len(first), np.int64), 0, 0
    for r in range(len(first)):
        room += starts[first[r] + 1] - starts[first[r]] + starts[second[r] + 1] - starts[second[r]]
    out, result = np.empty(room, np.int32), np.empty(room, np.int32)
    for r in range(len(first)):
        a, b = slice(starts[first[r]], starts[first[r] + 1]), slice(starts[second[r]], starts[second[r] + 1])
        many = combine(columns[a], numbers[a], columns[b], numbers[b], factors[r], out[filled:], result[filled:])
        if many < 0:
            return None
        sizes[r] = many
        filled += many
    return sizes, out[:filled], result[:filled]


def joined(first: Flat, second: Flat) -> Flat:
    """Return some rows and then others."""
    sizes, columns, numbers = first
    more, further, others = second
    return np.concatenate([sizes, more]), np.concatenate([columns, further]), np.concatenate([numbers, others])
