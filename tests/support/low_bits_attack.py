"""An intruder who looks at the last bits of noisy numbers (Mironov 2012): which originals can have given this number?

The intruder knows the technique, its parameters and what originals look like (whole euros), and not the key. A noisy
number is the result of a few operations in floating point: each original leaves marks in its last bits, such as
digits that an addition to a large number cuts off. An original that cannot have left the number is ruled out.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Possible = Callable[[Floats, float], Flags]
"""Says of each candidate whether the published number can come from it."""

UNIT = 2.0**-32  # of the uniform numbers of 32 bits


def remaining(published: Floats, candidates: Floats, near: float, possible: Possible) -> tuple[float, Floats]:
    """Return the mean share of candidates, among those `near` the number, that are left, and the share for each number.

    Without marks in the last bits it is 1.
    """
    shares = []
    for number in published:
        around = candidates[np.abs(candidates - number) <= near]
        shares.append(float(possible(around, number).mean()) if len(around) else 1.0)
    return float(np.mean(shares)), np.array(shares)


def multiple_of(number: float, unit: Floats) -> Flags:
    """Return whether a number is a whole multiple of powers of two."""
    with np.errstate(over="ignore"):
        return np.asarray(np.abs(number) / unit == np.floor(np.abs(number) / unit))


def by_addition(candidates: Floats, number: float) -> Flags:
    """x + noise: the noise is as large as number - x, and has no digit below its own last one; x is whole.

    A number near zero that comes from far away lacks digits: 300.1 - 299.9 has those of 300, not those of 0.2.
    """
    noise = np.abs(number - candidates)
    last = np.where(noise > 0, np.spacing(noise), np.spacing(np.abs(number)))
    return np.asarray((last <= np.spacing(abs(number))) | multiple_of(number, np.minimum(last / 2, 1.0)))


def by_wrapping(width: float, near: float) -> Possible:
    """x + noise beyond the end of [0, width], brought back by one width: digits were cut off beyond the end."""

    def possible(candidates: Floats, number: float) -> Flags:
        found = np.zeros(len(candidates), np.bool_)
        for turn in (-1, 0, 1):
            before = number + turn * width
            reached = np.abs(candidates - before) <= near
            if turn == 0:
                found |= reached & by_addition(candidates, number)
            elif turn == 1:  # before >= width: the sum had the digits of a number of that size, and kept them
                found |= reached & bool(multiple_of(number, np.array([np.spacing(before) / 2]))[0])
            else:  # what was below 0 is a small number that the width was added to: nothing is left of its digits
                found |= reached
        return found

    return possible


def by_factor(candidates: Floats, number: float) -> Flags:
    """x times a factor with 53 bits: some products are not among the numbers that x can give."""
    found = np.zeros(len(candidates), np.bool_)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = number / candidates
        for step in (-2, -1, 0, 1, 2):
            found |= candidates * (factor + step * np.spacing(factor)) == number
    return np.asarray(found)


def by_uniform_steps(steps: int) -> Possible:
    """Add -steps to steps, drawn by 32 bits: where steps outnumber draws, most are never drawn."""
    size = 2 * steps + 1

    def possible(candidates: Floats, number: float) -> Flags:
        drawn = number - candidates + steps  # floor(size x u), u = j / 2^32
        first = np.ceil(drawn / size / UNIT)
        return np.asarray(np.floor(size * (first * UNIT)) == drawn)

    return possible
