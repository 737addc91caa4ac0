"""MIN and MAX before and after values have changed.

To the audit a changed value is a new unknown, so a MAX before a raise and one after it are about different numbers. Who
knows the raises still compares them: that of everybody before, and that of all but one after, say whether the one holds
it; and where everybody got another raise, the difference says whose it is. So once a MIN or MAX was answered, none is
answered in a later version about a set in which somebody of the earlier set has another value. How the values changed
is not kept, so it cannot be looked at more closely.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]
Told = Sequence[tuple[Sequence[str], Flags]]
"""What was asked of sets, and the sets."""


@dataclass(frozen=True, eq=False)
class EarlierExtremes:
    """The sets of earlier MIN and MAX, as people and as values, and how many are in each class of both."""

    people: Ints
    values: Ints
    sets: Sequence[tuple[Flags, Flags]]

    @classmethod
    def of(cls, people: Ints, told: Told, values: Ints, told_of_values: Told) -> Self:
        """Take those of the answers that were a MIN or MAX: their sets as people, and as values."""
        both = zip(told, told_of_values, strict=True)
        return cls(people, values, [(one, other) for (kinds, one), (_, other) in both if not set(kinds) <= {"sum"}])

    def changed_within(self, people: Flags, values: Flags) -> bool:
        """Tell whether somebody in a set was in an earlier one with another value.

        >>> everybody, before, now = np.array([True]), np.array([True, True, False]), np.array([True, False, True])
        >>> EarlierExtremes(np.array([3]), np.array([2, 1, 1]), [(everybody, before)]).changed_within(everybody, now)
        True
        """
        return any(
            int(self.people[people & one].sum()) > int(self.values[values & other].sum()) for one, other in self.sets
        )
