"""A question about a confidential category: how many records of some cells have one of some values."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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

    `belief` is the limit for a group whose count becomes determined, `person` that of the maximum-entropy table for
    one person. More than `delta` of the plausible answers must not breach them. `likelihood` is by how much one
    published record of a protected view raises the odds of a value.
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
        group, person = self.belief / self.records, self.person / self.records
        return _share(_odds(group) / ratio), _share(_odds(person) / ratio)


def _odds(share: float) -> float:
    return share / (1 - share)


def _share(odds: float) -> float:
    return odds / (1 + odds)
