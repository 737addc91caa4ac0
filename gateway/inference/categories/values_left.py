"""What counts of several values say of the others: who has none of them has one of those that are left.

Of people of whom it is known how many have flu, and how many have asthma, all others have a cold or hiv. If that is
nobody, nobody has hiv; if it is everybody, nearly all have. So the values that are left count as one value, whose count
is known where those of all others are; of a group its share f, where u is public, leaves a sensitive value of public
share p a belief of f p / u. What one value leaves is judged by its own limits (`Limits`); here are several.

They may have been counted over other sets, and all over a small group by whatever chain. But no count of a value is
told over a group below its least size. So sizes are raised until those values that are told over groups of n people
leave a union whose counts are harmless from n people on. The rarest of them is raised, which is seldom counted in small
groups anyway.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sdcdb.gateway.inference.categories.counting import LITTLE, Caps, Cells, Floats, Ints
from sdcdb.gateway.inference.categories.plausible import LARGEST, chance_of_breach, least_size

SEVERAL = 2


@dataclass(frozen=True, eq=False)
class ValuesLeft:
    """The values of a category that are left by those that were counted; `public` are shares by cell."""

    counts: Ints
    public: Floats
    sensitive: Sequence[int]
    caps: Caps
    _known: dict[tuple[int, frozenset[int]], int] = field(default_factory=dict)

    def raised(self, least: Sequence[int]) -> list[int]:
        """Return the least size of a group for each value, given those by the limits of the value alone."""
        found = list(least)
        for each in self.sensitive:
            while (more := self._unsafe(each, found)) is not None:
                value, size = more
                found[value] = size
        return found

    def _unsafe(self, sensitive: int, least: Sequence[int]) -> tuple[int, int] | None:
        """Return a value that may be told, beside others, over too small a group, and how large that must be."""
        for size in sorted(set(least)):
            told = [value for value, own in enumerate(least) if own <= size and value != sensitive]
            if len(told) >= SEVERAL and (needed := self._least_left(sensitive, frozenset(told))) > size:
                return min(told, key=lambda value: (float(self.public[:, value].max(initial=0.0)), -value)), needed
        return None

    def _least_left(self, sensitive: int, told: frozenset[int]) -> int:
        if (sensitive, told) not in self._known:
            left, own = self._shares(told), self.public[:, sensitive]
            sizes = []
            for cell in {int(left.argmin()), int(left.argmax())} if len(left) else ():
                most, absent = self._limits(sensitive, float(own[cell]), float(left[cell]))
                sizes.append(least_size(float(left[cell]), most, self.caps.delta, absent) if own[cell] > 0 else 0)
            self._known[sensitive, told] = min(LARGEST, max(sizes, default=0) * self.caps.records)
        return self._known[sensitive, told]

    def breach(self, cells: Cells, told: Collection[int], table: Floats) -> bool:
        """Tell whether counts of these values over a set would say too much of a sensitive one, by what is believed."""
        people = self.counts[cells]
        size, records = int(people.sum()), self.caps.records
        for each in self.sensitive:
            others = frozenset(told) - {each}
            if len(others) < SEVERAL or not size:
                continue
            share = float(people @ self._shares(others)[cells]) / size
            own = float(people @ self.public[cells, each]) / size
            mean = 1 - float(people @ table[cells][:, sorted(others)].sum(axis=1)) / size
            most, absent = self._limits(each, own, share)
            number = size // records
            if own > 0 and chance_of_breach(number, mean * number, share, most, absent) > self.caps.delta:
                return True
        return False

    def _shares(self, told: Collection[int]) -> Floats:
        """Return the public share of the values that are left, by cell."""
        return np.asarray(1 - self.public[:, sorted(told)].sum(axis=1), dtype=np.float64)

    def _limits(self, sensitive: int, own: float, left: float) -> tuple[float, float]:
        """Return the largest share of the values left, and how much of their public share may be missing."""
        if own <= 0:
            return 1.0, 1.0
        most = max(self.caps.of(sensitive)[0] / own, LITTLE) * left
        return most, replace(self.caps, records=1).of(sensitive)[0]
