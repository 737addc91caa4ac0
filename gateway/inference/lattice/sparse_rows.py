"""Whole-number vectors with few entries, as rows: combining, eliminating and shortening them (machine code).

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
Flags = NDArray[np.bool_]

WIDEST = 16_384  # entries of one row
LARGEST = 1 << 30
LEAST_GAIN = 1e-9


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
def _by_column_of_arrays(
    starts: Ints, columns: Entries, numbers: Entries, rows: Ints, width: int
) -> tuple[Ints, Entries, Entries]:
    entries = _entries(starts, rows)
    order = np.argsort(columns[entries], kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(columns[entries], minlength=width))])
    owner = np.repeat(rows, starts[rows + 1] - starts[rows])[order]
    return ends, owner.astype(np.int32), numbers[entries][order]


@machine_code(few=FEW)
def combine(
    first: Entries, numbers: Entries, second: Entries, others: Entries, factor: int, out: Entries, result: Entries
) -> int:
    """Write the first row minus `factor` times the second; return its number of entries, -1 if there are too many."""
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
            if filled >= len(out) or abs(number) > LARGEST:
                return -1
            out[filled], result[filled] = column, number
            filled += 1
    return filled


@machine_code(few=FEW)
def _root(parents: Ints, i: int) -> int:
    while parents[i] != i:
        parents[i] = parents[parents[i]]
        i = parents[i]
    return i


@machine_code(few=FEW)
def overlaps(  # noqa: PLR0913, PLR0917 - one loop in machine code
    i: int,
    starts: Ints,
    columns: Entries,
    numbers: Entries,
    weight: Floats,
    index: tuple[Ints, Entries, Entries],
    passed: Ints,
    products: Floats,
    found: Ints,
) -> int:
    """Fill in the products of row i with later rows of the index that share a column with it; return how many they are.

    Those rows are written into `found`, some of them twice if a product was 0 in between. `passed` is, for each column,
    how many entries of rows before i the index has there; it is brought up to i.
    """
    ends, owner, value = index
    number = 0
    for t in range(starts[i], starts[i + 1]):
        j = columns[t]
        share = weight[j] * numbers[t]
        passed[j] += 1
        for s in range(ends[j] + passed[j], ends[j + 1]):
            other = owner[s]
            before = products[other]
            if before == 0.0:
                found[number] = other
                number += 1
            products[other] = before + share * value[s]
    return number


@machine_code(few=FEW)
def most_overlaps(starts: Ints, columns: Entries, rows: Ints, ends: Ints) -> int:
    """Return the greatest number of entries that share a column with one of some rows."""
    most = 0
    for i in rows:
        own = 0
        for t in range(starts[i], starts[i + 1]):
            own += ends[columns[t] + 1] - ends[columns[t]]
        most = max(most, own)
    return most


def cheapest_tree(
    active: Ints, sums: Ints, starts: Ints, columns: Entries, numbers: Entries, weight: Floats, size: Floats
) -> tuple[Ints, Ints]:
    """Return pairs of rows, all with sums of one size, whose differences span all combinations without a sum.

    They are a spanning tree of least length: rows that share columns by their difference, others by way of the shortest
    row. Among all spanning trees it is also one whose longest difference is shortest. A difference that is longer than
    both ways by the shortest row is in no such tree and is left out from the start.
    """
    shortest = int(active[np.argmin(size[active])])
    left, right, cost = _differences_worth_trying(active, shortest, sums, starts, columns, numbers, weight, size)
    order = np.argsort(cost, kind="stable")  # by numpy: sorting takes seconds to compile
    return _tree_along(left[order], right[order], len(sums), len(active) - 1)


@machine_code(few=FEW // 10)  # each with each
def _differences_worth_trying(  # noqa: PLR0913, PLR0917 - one loop in machine code
    active: Ints,
    shortest: int,
    sums: Ints,
    starts: Ints,
    columns: Entries,
    numbers: Entries,
    weight: Floats,
    size: Floats,
) -> tuple[Ints, Ints, Floats]:
    """Return pairs of rows and the squared lengths of their differences."""
    index = by_column(starts, columns, numbers, active, len(weight))
    products, passed = np.zeros(len(sums)), np.zeros(len(weight), np.int64)
    found = np.empty(most_overlaps(starts, columns, active, index[0]), np.int64)
    room = 4 * len(active)
    left, right, cost, number = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room), 0
    for i in active:
        shared = overlaps(i, starts, columns, numbers, weight, index, passed, products, found)
        if number + shared + 1 > room:
            room = 2 * room + shared + 1
            wider, wider_right, wider_cost = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)
            for e in range(number):
                wider[e], wider_right[e], wider_cost[e] = left[e], right[e], cost[e]
            left, right, cost = wider, wider_right, wider_cost
        if i != shortest:
            left[number], right[number], cost[number] = i, shortest, size[i] + size[shortest]
            number += 1
        for f in range(shared):
            other = found[f]
            if products[other] != 0.0:
                sign = 1.0 if sums[i] == sums[other] else -1.0
                length = size[i] + size[other] - 2.0 * sign * products[other]
                if length <= max(size[i], size[other]) + size[shortest]:
                    left[number], right[number], cost[number] = i, other, length
                    number += 1
            products[other] = 0.0
    return left[:number], right[:number], cost[:number]


@_differences_worth_trying.in_numpy
def _differences_of_arrays(  # noqa: PLR0913, PLR0917 - as above
    active: Ints,
    shortest: int,
    sums: Ints,
    starts: Ints,
    columns: Entries,
    numbers: Entries,
    weight: Floats,
    size: Floats,
) -> tuple[Ints, Ints, Floats]:
    left, right, products = _products(active, active, starts, columns, numbers, weight)
    later = (right > left) & (products != 0.0)
    left, right, products = left[later], right[later], products[later]
    cost = size[left] + size[right] - 2.0 * np.where(sums[left] == sums[right], 1.0, -1.0) * products
    fine = cost <= np.maximum(size[left], size[right]) + size[shortest]
    left, right, cost = left[fine], right[fine], cost[fine]
    others = active[active != shortest]
    where = np.searchsorted(left, others)
    longer: Floats = np.insert(cost, where, size[others] + size[shortest])
    return np.insert(left, where, others), np.insert(right, where, shortest), longer


def _products(
    rows: Ints, others: Ints, starts: Ints, columns: Entries, numbers: Entries, weight: Floats
) -> tuple[Ints, Ints, Floats]:
    """Return pairs of rows that share a column, in the order in which `overlaps` finds them, and their products."""
    ends, owner, value = _by_column_of_arrays(starts, columns, numbers, others, len(weight))
    entries = _entries(starts, rows)
    row, column = np.repeat(np.arange(len(rows)), np.diff(starts)[rows]), columns[entries]
    shares = np.diff(ends)[column]
    share = np.repeat(weight[column] * numbers[entries], shares)
    at = np.repeat(ends[column] - (np.cumsum(shares) - shares), shares) + np.arange(int(shares.sum()))
    key = np.repeat(row, shares) * len(starts) + owner[at]
    keys, first, which = np.unique(key, return_index=True, return_inverse=True)
    products = np.bincount(which, share * value[at], len(keys)).astype(np.float64)
    order = np.argsort(first)
    return rows[keys[order] // len(starts)], keys[order] % len(starts), products[order]


def _entries(starts: Ints, rows: Ints) -> Ints:
    """Return where the entries of some rows are."""
    sizes = starts[rows + 1] - starts[rows]
    return np.asarray(np.repeat(starts[rows] - (np.cumsum(sizes) - sizes), sizes) + np.arange(int(sizes.sum())))


@machine_code(few=FEW)
def _tree_along(left: Ints, right: Ints, rows: int, branches: int) -> tuple[Ints, Ints]:
    """Return the first pairs, in the order given, that connect all rows (Kruskal)."""
    parents = np.arange(rows)
    ends, other_ends, done = np.empty(branches, np.int64), np.empty(branches, np.int64), 0
    for e in range(len(left)):
        a, b = _root(parents, left[e]), _root(parents, right[e])
        if a != b:
            parents[a] = b
            ends[done], other_ends[done] = left[e], right[e]
            done += 1
            if done == len(ends):
                break
    return ends, other_ends


@machine_code(few=FEW)
def replaced(
    starts: Ints, columns: Entries, numbers: Entries, changed: Ints, new: tuple[Ints, Entries, Entries], dropped: int
) -> Rows:
    """Return the rows with some of them replaced and one, if not negative, left out."""
    sizes, wide, values = new
    m = len(starts) - 1
    which = np.full(m, -1, np.int64)
    for r in range(len(changed)):
        which[changed[r]] = r
    kept = m - (1 if dropped >= 0 else 0)
    total = 0
    for i in range(m):
        if i != dropped:
            total += sizes[which[i]] if which[i] >= 0 else starts[i + 1] - starts[i]
    ends, out, result = np.zeros(kept + 1, np.int64), np.empty(total, np.int32), np.empty(total, np.int32)
    row, at = 0, 0
    for i in range(m):
        if i == dropped:
            continue
        if which[i] >= 0:
            r = which[i]
            for t in range(sizes[r]):
                out[at], result[at] = wide[r, t], values[r, t]
                at += 1
        else:
            for t in range(starts[i], starts[i + 1]):
                out[at], result[at] = columns[t], numbers[t]
                at += 1
        row += 1
        ends[row] = at
    return ends, out, result


@machine_code(few=FEW)
def differences(
    first: Ints, second: Ints, factors: Ints, starts: Ints, columns: Entries, numbers: Entries
) -> tuple[Ints, Entries, Entries] | None:
    """Return row first[r] minus factors[r] times row second[r], for every r; None if one grows too large."""
    sizes = np.zeros(len(first), np.int64)
    widest = 0
    for r in range(len(first)):
        widest = max(widest, starts[first[r] + 1] - starts[first[r]] + starts[second[r] + 1] - starts[second[r]])
    widest = min(widest, WIDEST)
    wide, values = np.empty((len(first), widest), np.int32), np.empty((len(first), widest), np.int32)
    for r in range(len(first)):
        a, b = slice(starts[first[r]], starts[first[r] + 1]), slice(starts[second[r]], starts[second[r] + 1])
        filled = combine(columns[a], numbers[a], columns[b], numbers[b], factors[r], wide[r], values[r])
        if filled < 0:
            return None
        sizes[r] = filled
    return sizes, wide, values


@machine_code(few=FEW // 10)  # each with each
def shorter(  # noqa: PLR0912, PLR0913, PLR0915, PLR0917 - one loop in machine code
    wanted: Ints,
    starts: Ints,
    columns: Entries,
    numbers: Entries,
    weight: Floats,
    size: Floats,
    index: tuple[Ints, Entries, Entries],
    rounds: int,
) -> tuple[Ints, Ints, Entries, Entries]:
    """Take from the rows wanted, one after the other, whole multiples of rows that make them shorter.

    Rows that serve are as they were at first: one that was changed serves no longer. So what is spanned stays. Returns
    which rows changed, how many entries each of them has, and their entries, one row behind the other.
    """
    ends, owner, value = index
    width = len(weight)
    products, found, listed = np.zeros(len(size)), np.empty(len(size), np.int64), np.zeros(len(size), np.bool_)
    changed, current, inside = np.zeros(len(size), np.bool_), np.zeros(width, np.int64), np.zeros(width, np.bool_)
    touched = np.empty(width, np.int64)
    which, sizes, number, filled = np.empty(len(wanted), np.int64), np.empty(len(wanted), np.int64), 0, 0
    out, result = np.empty(4 * width, np.int32), np.empty(4 * width, np.int32)
    for i in wanted:
        many = 0
        for t in range(starts[i], starts[i + 1]):
            j = columns[t]
            current[j], inside[j], touched[many] = numbers[t], True, j
            many += 1
        for _ in range(rounds):
            shared = 0
            for k in range(many):
                j = touched[k]
                share = weight[j] * current[j]
                for s in range(ends[j], ends[j + 1]):
                    other = owner[s]
                    if not listed[other]:
                        listed[other], found[shared] = True, other
                        shared += 1
                    products[other] += share * value[s]
            best, times, gain = -1, 0, LEAST_GAIN
            for f in range(shared):
                other = found[f]
                product = products[other]
                if other == i or changed[other] or 2.0 * abs(product) <= size[other]:
                    continue
                c = np.rint(product / size[other])
                gained = 2.0 * c * product - c * c * size[other]
                if gained > gain:
                    best, times, gain = other, int(c), gained
            for f in range(shared):
                products[found[f]], listed[found[f]] = 0.0, False
            if best < 0:
                break
            for t in range(starts[best], starts[best + 1]):
                j = columns[t]
                if not inside[j]:
                    inside[j], touched[many] = True, j
                    many += 1
                current[j] -= times * int(numbers[t])
            changed[i] = True
        largest = 0
        for k in range(many):
            largest = max(largest, abs(current[touched[k]]))
        if changed[i] and largest > LARGEST:  # then it stays as it is
            changed[i] = False
        if changed[i]:
            if filled + many > len(out):
                wider, wider_result = np.empty(2 * len(out) + many, np.int32), np.empty(2 * len(out) + many, np.int32)
                for k in range(filled):
                    wider[k], wider_result[k] = out[k], result[k]
                out, result = wider, wider_result
            before = filled
            for j in range(width):
                if inside[j] and current[j] != 0:
                    out[filled], result[filled] = j, current[j]
                    filled += 1
            which[number], sizes[number] = i, filled - before
            number += 1
        for k in range(many):
            current[touched[k]], inside[touched[k]] = 0, False
    return which[:number], sizes[:number], out[:filled], result[:filled]


@machine_code(few=FEW)
def with_changed(
    starts: Ints, columns: Entries, numbers: Entries, changed: Ints, new: tuple[Ints, Entries, Entries]
) -> Rows:
    """Return the rows with some of them replaced by others, which are given one behind the other."""
    sizes, fresh, values = new
    which, begins = np.full(len(starts) - 1, -1, np.int64), np.zeros(len(changed) + 1, np.int64)
    for r in range(len(changed)):
        which[changed[r]], begins[r + 1] = r, begins[r] + sizes[r]
    ends = np.zeros(len(starts), np.int64)
    for i in range(len(which)):
        ends[i + 1] = ends[i] + (sizes[which[i]] if which[i] >= 0 else starts[i + 1] - starts[i])
    out, result = np.empty(ends[-1], np.int32), np.empty(ends[-1], np.int32)
    for i in range(len(which)):
        at, r = ends[i], which[i]
        for t in range(ends[i + 1] - at):
            if r >= 0:
                out[at + t], result[at + t] = fresh[begins[r] + t], values[begins[r] + t]
            else:
                out[at + t], result[at + t] = columns[starts[i] + t], numbers[starts[i] + t]
    return ends, out, result
