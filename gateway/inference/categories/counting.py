"""A question about a confidential category: how many records of some cells have one of some values."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


LITTLE = 1.1
"""A belief that grows by so little over what everybody knows is no breach, however high it was."""


@dataclass(frozen=True, eq=False)
class Counting:
    """A query set, as a flag per cell, and places of values. Its answer is the number of records with such a value."""

    cells: Cells
    values: frozenset[int]

    def told(self, number: int) -> frozenset[int]:
        """Return the values of `number` whose counts over the cells the answer at most tells, one by one.

        The size of the set is known, so the answer tells the other values' count as well: of the two sides the smaller
        one counts as told value by value, which is more than the answer says. A side of one value is told exactly.

        >>> most, one = (Counting(np.ones(1, bool), frozenset(values)) for values in ({0, 1, 2}, {0}))
        >>> sorted(most.told(4)), sorted(one.told(2))
        ([3], [0, 1])
        """
        others = frozenset(range(number)) - self.values
        smaller, larger = sorted((self.values, others), key=lambda side: (len(side), sorted(side)))
        return smaller | larger if len(larger) == 1 else smaller


@dataclass(frozen=True)
class Caps:
    """How sure anybody may become: the owner's limit, and what stands beside it.

    `belief` is the limit for a group whose count becomes determined, and of the maximum-entropy table for one person,
    which stays below `person` in any case. More than `delta` of the plausible answers must not breach them.
    `likelihood` is by how much one published record of a protected view raises the odds of a value.
    """

    belief: float
    person: float = 0.95
    delta: float = 1e-3
    likelihood: tuple[float, ...] = ()
    spent: float = 0.5
    """The share of a person's entropy that answers may use up."""
    records: int = 1
    """How many records, each with a value of its own, the person with most of them has.

    That one of somebody's r records has a value is at most r times as likely as that one record has it, so a record's
    limit is the person's divided by r.
    """

    def of(self, value: int) -> tuple[float, float]:
        """Return the limits for a group and for a person, with what a protected view tells by itself.

        Odds multiply: after a count that leaves odds o, a published value with likelihood ratio L leaves o L.
        """
        ratio = self.likelihood[value] if self.likelihood else 1.0
        group, person = self.belief / self.records, min(self.belief, self.person) / self.records
        return _share(_odds(group) / ratio), _share(_odds(person) / ratio)


@dataclass(frozen=True)
class Limits:
    """How far counts of one value may go: the most of a group, and of a person's belief, and how few.

    Of the public share of the value at least 1 - `absent` must be left in a group, and `unlikely` of a person's belief.
    """

    group: float
    person: float
    absent: float
    unlikely: float = 0.0

    @classmethod
    def of(cls, value: int, shares: Sequence[float], sensitive: Sequence[int], caps: Caps) -> "Limits":
        """Return the limits of a value.

        Whoever is known to have a value that is not sensitive has no sensitive one, and whoever is known not to have
        it has one more probably. So of those without it there must be some, and not too many: a share f of a group
        leaves a sensitive value of public share p a belief of f p / (1 - q), q being the share of this value.

        >>> found = Limits.of(0, (0.8, 0.03, 0.17), (2,), Caps(0.8))
        >>> round(found.group, 3), round(0.8 * (1 - found.absent), 3)
        (0.96, 0.059)
        """
        alone = replace(caps, records=1)
        if value in sensitive:
            return cls(*caps.of(value), alone.of(value)[0])
        own, rest = shares[value], 1 - shares[value]
        named = [each for each in sensitive if shares[each] > 0]
        most, most_of_one = (
            min((max(caps.of(each)[kind] / shares[each], LITTLE) * rest for each in named), default=1.0)
            for kind in (0, 1)
        )
        kept = min((alone.of(each)[0] for each in named), default=1.0)
        few = math.ceil(1000 * max(0.0, 1 - most)) / 1000  # a share that must have this value, rounded up
        absent = 1.0 if few <= 0 or own <= 0 else max(0.0, 1 - few / own)
        return cls(1 - (1 - kept) * rest, math.inf, absent, max(0.0, 1 - most_of_one))


def _odds(share: float) -> float:
    return share / (1 - share)


def _share(odds: float) -> float:
    return odds / (1 + odds)
