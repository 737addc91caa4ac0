"""What answered MIN, MAX and sums tell of everybody, found by trying every way in which they can have come about.

Values are real numbers in [0, 1]. An extreme is somebody's value, so a choice of one holder for each of them leaves a
linear programme; what is possible is what is possible under some choice.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Told:
    """An answer: the kind, the people it is about, and the value."""

    kind: str
    people: Flags
    value: float


def answer(kind: str, people: Flags, values: Floats) -> Told:
    """Answer a question about a table."""
    chosen = values[people]
    return Told(kind, people, float(chosen.sum() if kind == "sum" else chosen.max() if kind == "max" else chosen.min()))


def caps(told: Sequence[Told], number: int) -> tuple[Floats, Floats]:
    """Return the bounds that extremes set, whoever holds them."""
    low, high = np.zeros(number), np.ones(number)
    for each in told:
        if each.kind == "max":
            high[each.people] = np.minimum(high[each.people], each.value)
        elif each.kind == "min":
            low[each.people] = np.maximum(low[each.people], each.value)
    return low, high


def holders(told: Sequence[Told], number: int) -> Iterator[dict[int, float]]:
    """Yield every choice of one holder for each extreme, as the values that people then have."""
    low, high = caps(told, number)
    extremes = [each for each in told if each.kind != "sum"]
    able = [np.flatnonzero(e.people & (low <= e.value + 1e-12) & (high >= e.value - 1e-12)) for e in extremes]
    seen: set[tuple[tuple[int, float], ...]] = set()
    for choice in product(*able):
        fixed: dict[int, float] = {}
        if all(fixed.setdefault(int(i), e.value) == e.value for i, e in zip(choice, extremes, strict=True)):
            key = tuple(sorted(fixed.items()))
            if key not in seen:
                seen.add(key)
                yield fixed


def possible(told: Sequence[Told], number: int) -> tuple[Floats, Floats]:
    """Return the least and the greatest value that each person can have."""
    low, high = caps(told, number)
    least, most = np.full(number, np.inf), np.full(number, -np.inf)
    sums = [each for each in told if each.kind == "sum"]
    for fixed in holders(told, number):
        bounds = [(fixed[i], fixed[i]) if i in fixed else (low[i], high[i]) for i in range(number)]
        if not sums:
            least, most = np.minimum(least, [a for a, _ in bounds]), np.maximum(most, [b for _, b in bounds])
            continue
        rows, totals = np.array([e.people for e in sums], dtype=float), np.array([e.value for e in sums])
        for i in range(number):
            for sign in (1.0, -1.0):
                goal = np.zeros(number)
                goal[i] = sign
                found = linprog(goal, A_eq=rows, b_eq=totals, bounds=bounds, method="highs")
                if found.status == 0:
                    least[i], most[i] = min(least[i], found.x[i]), max(most[i], found.x[i])
    return least, most


def suspects(told: Sequence[Told], number: int) -> list[int]:
    """Count, for each extreme, the people who can hold it if no two people have the same value."""
    found = []
    for each in told:
        if each.kind == "sum":
            continue
        sign = 1.0 if each.kind == "max" else -1.0
        left = np.ones(number, dtype=np.bool_)
        for other in told:
            if other.kind == each.kind:
                if other.value == each.value:
                    left &= other.people
                elif sign * (other.value - each.value) < 0:
                    left &= ~other.people
        found.append(int(left.sum()))
    return found
