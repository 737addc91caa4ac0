"""Clearing the sums of long whole-number vectors by short ones (machine code; rows as in `sparse_rows`).

A long vector with a sum over an answered set takes as many short ones with a sum as it needs, each time the one that
leaves it shortest, until its sum is 0. So it grows by a few entries, or shrinks, where the difference to another long
vector would have the entries of both. Lengths are compared in whole numbers: which vector is taken never hangs on
rounding.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.lattice.sparse_rows import LARGEST, Entries, Flat, Rows, entries_of
from sdcdb.gateway.inference.machine_code import machine_code

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FINEST = 1 << 16  # a weight of 1, in whole numbers
FACTOR = 1 << 20  # the largest number of a carrier, and how often one is taken: products fit into 64 bits
STEPS = 64  # a sum is cleared in about so many steps, however large it is


@dataclass(frozen=True, eq=False)
class Carriers:
    """Short rows with sums of one size: their columns, `wide`, and as rows over these; weights and products."""

    wide: Entries
    weight: Ints
    ends: Ints
    local: Ints
    number: Ints
    sums: Ints
    products: Ints

    @classmethod
    def of(cls, short: Ints, sums: Ints, rows: Rows, weight: Floats) -> "Carriers":
        """Take some of the rows; the sums of all rows are given."""
        starts, columns, numbers = rows
        entries = entries_of(starts, short)
        wide, local = np.unique(columns[entries], return_inverse=True)
        ends = np.concatenate([[0], np.cumsum(starts[short + 1] - starts[short])])
        whole = np.maximum(1, np.rint(weight[wide] * FINEST)).astype(np.int64)
        own = (ends, local.astype(np.int64), numbers[entries].astype(np.int64))
        return cls(wide.astype(np.int32), whole, *own, sums[short], _gram(*own, whole))

    def needed(self, sums: Ints) -> Ints | None:
        """Return how often a carrier is to be taken off rows with these sums; None if numbers would grow too large."""
        need = sums // abs(self.sums[0])
        return need if max(np.abs(need).max(initial=0), np.abs(self.number).max()) <= FACTOR else None


def clear_sums(long: Ints, sums: Ints, rows: Rows, carriers: Carriers) -> Flat | None:
    """Return the rows `long` without a sum, by taking carriers off; None if a number grows too large."""
    c, need = carriers, carriers.needed(sums[long])
    if need is None:
        return None
    sizes, wide, values = _cleared(long, need, *rows, c.wide, c.weight, c.ends, c.local, c.number, c.sums, c.products)
    return None if np.abs(values).max(initial=0) > LARGEST else (sizes, wide, values.astype(np.int32))


@machine_code()
def _gram(ends: Ints, local: Ints, number: Ints, whole: Ints) -> Ints:
    """Return the product of each row with each."""
    m = len(ends) - 1
    found, one = np.zeros((m, m), np.int64), np.zeros(len(whole), np.int64)
    for a in range(m):
        for t in range(ends[a], ends[a + 1]):
            one[local[t]] = whole[local[t]] * number[t]
        for b in range(a, m):
            product = 0
            for t in range(ends[b], ends[b + 1]):
                product += one[local[t]] * number[t]
            found[a, b] = product
            found[b, a] = product
        for t in range(ends[a], ends[a + 1]):
            one[local[t]] = 0
    return found


@_gram.in_numpy
def _gram_of_arrays(ends: Ints, local: Ints, number: Ints, whole: Ints) -> Ints:
    rows = np.zeros((len(ends) - 1, len(whole)), dtype=np.int64)
    rows[np.repeat(np.arange(len(rows)), np.diff(ends)), local] = number
    return np.asarray((rows * whole) @ rows.T)


@machine_code()
def take_carriers(  # noqa: PLR0913, PLR0917 - one loop in machine code
    need: int,
    here: Ints,
    along: Ints,
    whole: Ints,
    ends: Ints,
    local: Ints,
    number: Ints,
    sums: Ints,
    products: Ints,
) -> None:
    """Take carriers off a row, of which `here` are the numbers in their columns, until `need` times their sum is gone.

    In place. `along` is room for the products of the row with them.
    """
    m = len(sums)
    for a in range(m):
        along[a] = 0
        for t in range(ends[a], ends[a + 1]):
            along[a] += whole[local[t]] * number[t] * here[local[t]]
    while need != 0:
        step = max(1, abs(need) // STEPS)
        best, least, taken = -1, 0, 0
        for a in range(m):
            times = step if (need > 0) == (sums[a] > 0) else -step
            longer = times * (times * products[a, a] - 2 * along[a])
            if best < 0 or longer < least:
                best, least, taken = a, longer, times
        for t in range(ends[best], ends[best + 1]):
            here[local[t]] -= taken * number[t]
        for a in range(m):
            along[a] -= taken * products[a, best]
        need -= step if need > 0 else -step


@machine_code()
def _cleared(  # noqa: PLR0913, PLR0917 - one loop in machine code
    long: Ints,
    need: Ints,
    starts: Ints,
    columns: Entries,
    numbers: Entries,
    wide: Entries,
    whole: Ints,
    ends: Ints,
    local: Ints,
    number: Ints,
    sums: Ints,
    products: Ints,
) -> tuple[Ints, Entries, Ints]:
    room = len(wide) * len(long)
    for i in long:
        room += starts[i + 1] - starts[i]
    sizes, out, result, filled = np.zeros(len(long), np.int64), np.empty(room, np.int32), np.empty(room, np.int64), 0
    place = np.full(max(columns.max(), wide.max()) + 1, -1, np.int32)
    for u in range(len(wide)):
        place[wide[u]] = u
    here, along = np.zeros(len(wide), np.int64), np.empty(len(sums), np.int64)
    for r in range(len(long)):
        first, last = starts[long[r]], starts[long[r] + 1]
        here[:] = 0
        for t in range(first, last):
            if place[columns[t]] >= 0:
                here[place[columns[t]]] = numbers[t]
        take_carriers(need[r], here, along, whole, ends, local, number, sums, products)
        before, u = filled, 0
        for t in range(first, last):
            while u < len(wide) and wide[u] <= columns[t]:
                if here[u] != 0:
                    out[filled], result[filled] = wide[u], here[u]
                    filled += 1
                u += 1
            if place[columns[t]] < 0:
                out[filled], result[filled] = columns[t], numbers[t]
                filled += 1
        while u < len(wide):
            if here[u] != 0:
                out[filled], result[filled] = wide[u], here[u]
                filled += 1
            u += 1
        sizes[r] = filled - before
    return sizes, out[:filled], result[:filled]


@_cleared.in_numpy
def _cleared_of_arrays(  # noqa: PLR0913, PLR0917 - as above
    long: Ints,
    need: Ints,
    starts: Ints,
    columns: Entries,
    numbers: Entries,
    wide: Entries,
    whole: Ints,
    ends: Ints,
    local: Ints,
    number: Ints,
    sums: Ints,
    products: Ints,
) -> tuple[Ints, Entries, Ints]:
    rows = np.zeros((len(sums), len(wide)), dtype=np.int64)
    rows[np.repeat(np.arange(len(sums)), np.diff(ends)), local] = number
    scaled, own, up = rows * whole, np.diagonal(products), np.where(sums > 0, 1, -1)
    sizes, found, values = np.zeros(len(long), dtype=np.int64), [columns[:0]], [sums[:0]]
    for r, i in enumerate(long):
        row = slice(starts[i], starts[i + 1])
        inside = np.isin(columns[row], wide)
        here = np.zeros(len(wide), dtype=np.int64)
        here[np.searchsorted(wide, columns[row][inside])] = numbers[row][inside]
        along, left = scaled @ here, int(need[r])
        while left:
            step = max(1, abs(left) // STEPS) * (1 if left > 0 else -1)
            times = step * up
            best = int(np.argmin(times * (times * own - 2 * along)))
            here -= times[best] * rows[best]
            along -= times[best] * products[best]
            left -= step
        kept = here != 0
        column = np.concatenate([columns[row][~inside], wide[kept]])
        order = np.argsort(column)
        found.append(column[order])
        values.append(np.concatenate([numbers[row][~inside].astype(np.int64), here[kept]])[order])
        sizes[r] = len(column)
    return sizes, np.concatenate(found), np.concatenate(values)
