"""The tree of least length among whole-number vectors with few entries (machine code; rows as in `sparse_rows`)."""

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.lattice.sparse_rows import Entries, by_column, by_column_of_arrays, entries_of
from sdcdb.gateway.inference.machine_code import FEW, machine_code

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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
    ends, owner, value = by_column_of_arrays(starts, columns, numbers, others, len(weight))
    entries = entries_of(starts, rows)
    row, column = np.repeat(np.arange(len(rows)), np.diff(starts)[rows]), columns[entries]
    shares = np.diff(ends)[column]
    share = np.repeat(weight[column] * numbers[entries], shares)
    at = np.repeat(ends[column] - (np.cumsum(shares) - shares), shares) + np.arange(int(shares.sum()))
    key = np.repeat(row, shares) * len(starts) + owner[at]
    keys, first, which = np.unique(key, return_index=True, return_inverse=True)
    products = np.bincount(which, share * value[at], len(keys)).astype(np.float64)
    order = np.argsort(first)
    return rows[keys[order] // len(starts)], keys[order] % len(starts), products[order]


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
