"""Making whole-number vectors with few entries shorter by others (machine code; rows as in `sparse_rows`)."""

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.lattice.sparse_rows import LARGEST, Entries
from sdcdb.gateway.inference.machine_code import FEW, machine_code

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_GAIN = 1e-9  # in squared length


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
