"""Who may hold an answered MIN or MAX, if no two people have the same value, over every pattern that answers can have.

That two values are equal to the last unit is possible, and the certificates allow for it, but an intruder will bet on
the contrary: whoever holds a MAX of value v lies in every set whose MAX is v and in no set whose MAX is lower. These
are the *suspects* of v. What the sets of one statement will answer is not known, so each of them may turn out equal
to v, lower, or higher, in any combination: a set that is equal keeps the suspects inside of it, a lower one those
outside, a higher one all. Starting from the suspects of each value answered so far, and from all who may hold a value
of the statement's own (those in no answered set with a lower one), all combinations are followed. Nobody left means
that the combination cannot be; otherwise `least` people or more must be left. Combinations that lead to the same
suspects are followed once; beyond a budget the answer is no.

MIN is MAX upside down.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.bool_]
Counts = NDArray[np.int64]

PATTERNS = 3000


class Answered(Protocol):
    """A MIN or MAX that was answered."""

    @property
    def kind(self) -> str: ...  # noqa: D102 - a field
    @property
    def cells(self) -> Cells: ...  # noqa: D102
    @property
    def value(self) -> float: ...  # noqa: D102


def stay_hidden(extremes: Sequence[Answered], sets: Sequence[Cells], kind: str, counts: Counts, least: int) -> bool:
    """Tell whether all extremes, answered and of the statement's `sets`, keep `least` suspects whatever is answered.

    The sets but the last were looked at before, as the statement's earlier questions.
    """
    mine = [each for each in extremes if each.kind == kind]
    budget = PATTERNS
    for suspects, own in _starts(mine, len(counts), kind):
        used = _follow(suspects, sets, counts, least, own=own, budget=budget)
        if used < 0:
            return False
        budget -= used
    return True


def _starts(mine: Sequence[Answered], cells: int, kind: str) -> Iterator[tuple[Cells, bool]]:
    """Yield the suspects of each value answered, and of a value of the statement's own between any two of them."""
    sign = 1.0 if kind == "max" else -1.0
    lower = np.zeros(cells, dtype=np.bool_)  # people in a set whose MAX is lower
    yield ~lower, True
    for value in sorted({sign * each.value for each in mine}):
        at = [each.cells for each in mine if sign * each.value == value]
        yield np.logical_and.reduce(at) & ~lower, False
        lower = lower | np.logical_or.reduce(at)
        yield ~lower, True


def _follow(start: Cells, sets: Sequence[Cells], counts: Counts, least: int, *, own: bool, budget: int) -> int:
    """Follow all combinations; return how many steps that took, or -1 if too few people are left in one of them.

    `own` says that nobody holds the value yet but the people of at least one of the sets.
    """
    seen: set[tuple[bytes, int, bool]] = set()
    todo = [(start, 0, own)]
    while todo:
        suspects, first, open_ = todo.pop()
        key = (suspects.tobytes(), first, open_)
        if key in seen:
            continue
        seen.add(key)
        if len(seen) > budget:
            return -1
        if not open_ and 0 < counts[suspects].sum() < least:
            return -1
        for number in range(first, len(sets)):
            inside = suspects & sets[number]
            if not inside.any():
                continue  # equal is impossible, lower changes nothing
            todo.append((inside, number + 1, False))
            if not (sets[number] | ~suspects).all():
                todo.append((suspects & ~sets[number], number + 1, open_))
    return len(seen)
