"""Who may hold an answered MIN or MAX, if no two people have the same value, over every pattern that answers can have.

That two values are equal to the last unit is possible, and the certificates allow for it, but an intruder will bet on
the contrary: whoever holds a MAX of value v lies in every set whose MAX is v and in no set whose MAX is lower. These
are the *suspects* of v. What the sets of one statement will answer is not known, so each of them may turn out equal
to v, lower, or higher, in any combination: a set that is equal keeps the suspects inside of it, a lower one those
outside, a higher one all. Starting from the suspects of each value answered so far, and from all who may hold a value
of the statement's own (those in no answered set with a lower one), all combinations are followed, but for those that
earlier answers rule out: where all who may hold a MAX lie in a set, that set is not lower. Nobody left means that the
combination cannot be; otherwise `least` people or more must be left. Combinations that lead to the same suspects are
followed once; beyond a budget the answer is no.

MIN is MAX upside down.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.bool_]
Size = Callable[[Cells], int]
"""Counts the people of a set."""

PATTERNS = 3000


class Answered(Protocol):
    """A MIN or MAX that was answered."""

    @property
    def kind(self) -> str: ...  # noqa: D102 - a field
    @property
    def cells(self) -> Cells: ...  # noqa: D102
    @property
    def value(self) -> float: ...  # noqa: D102


@dataclass(frozen=True)
class _Value:
    """A value that an extreme may have: who may hold it, and whether it is one of the statement's `own`."""

    suspects: Cells
    most: float
    """The value itself; an own value is lower than this."""
    own: bool

    def fits(self, at_least: float) -> bool:
        """Tell whether a set can have this extreme that has at least another: else it says nothing about it."""
        return at_least < self.most or (at_least == self.most and not self.own)


def stay_hidden(extremes: Sequence[Answered], sets: Sequence[Cells], kind: str, size: Size, least: int) -> bool:
    """Tell whether all extremes, answered and of the statement's `sets`, keep `least` suspects whatever is answered.

    The sets but the last were looked at before, as the statement's earlier questions.
    """
    mine = [each for each in extremes if each.kind == kind]
    sign = 1.0 if kind == "max" else -1.0
    inner = _at_least(mine, sets, sign)
    budget = PATTERNS
    for value in _values(mine, len(sets[0]), sign):
        fitting = [n for n, at_least in enumerate(inner) if value.fits(at_least)]
        lower = [inner[n] < value.most for n in fitting]
        used = _follow(value, [sets[n] for n in fitting], lower, size, least, budget)
        if used < 0:
            return False
        budget -= used
    return True


def _at_least(mine: Sequence[Answered], sets: Sequence[Cells], sign: float) -> list[float]:
    """Return the MAX that each set has at least: of an answered one whose holder, equal values or not, lies in it."""
    found = [-np.inf] * len(sets)
    lower = np.zeros(len(sets[0]), dtype=np.bool_)
    for value in sorted({sign * each.value for each in mine}):
        at = [each.cells for each in mine if sign * each.value == value]
        for n, cells in enumerate(sets):
            if any(not (one & ~lower & ~cells).any() for one in at):
                found[n] = value
        lower = lower | np.logical_or.reduce(at)
    return found


def _values(mine: Sequence[Answered], cells: int, sign: float) -> Iterator[_Value]:
    """Yield each value answered, and one of the statement's own between any two of them."""
    lower = np.zeros(cells, dtype=np.bool_)  # people in a set whose MAX is lower
    for value in [*sorted({sign * each.value for each in mine}), np.inf]:
        yield _Value(~lower, value, own=True)
        at = [each.cells for each in mine if sign * each.value == value]
        if at:
            yield _Value(np.logical_and.reduce(at) & ~lower, value, own=False)
            lower = lower | np.logical_or.reduce(at)


def _follow(value: _Value, sets: Sequence[Cells], lower: Sequence[bool], size: Size, least: int, budget: int) -> int:
    """Follow all combinations; return how many steps that took, or -1 if too few people are left in one of them.

    `lower` tells which sets can have a MAX below the value. An own value is nobody's until one of the sets is equal.
    """
    seen: set[tuple[bytes, int, bool]] = set()
    todo = [(value.suspects, 0, value.own)]
    while todo:
        suspects, first, open_ = todo.pop()
        key = (suspects.tobytes(), first, open_)
        if key in seen:
            continue
        seen.add(key)
        if len(seen) > budget:
            return -1
        if not open_ and 0 < size(suspects) < least:
            return -1
        for number in range(first, len(sets)):
            inside = suspects & sets[number]
            if not inside.any():
                continue  # equal is impossible, lower changes nothing
            todo.append((inside, number + 1, False))
            if lower[number] and not (sets[number] | ~suspects).all():
                todo.append((suspects & ~sets[number], number + 1, open_))
    return len(seen)
