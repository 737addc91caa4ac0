"""A table's next version, as the audit sees it: cells that lost a part of their records, and cells of people who came.

Whoever came is in no set that was answered, and the parts of a cell are in the sets that it was in. So what is known
goes along: cells keep their places, parts and newcomers follow behind, and nothing is computed anew.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Number = TypeVar("Number", np.float64, np.int64)

CAME = -1


@dataclass(frozen=True, eq=False)
class Growth:
    """The number of cells before, the records of all cells now, and the cell that each further one was a part of.

    `CAME` is for cells of newcomers.
    """

    before: int
    counts: Ints
    origins: Ints

    @cached_property
    def came(self) -> Flags:
        """Which of the further cells hold newcomers."""
        return np.asarray(self.origins == CAME, dtype=np.bool_)

    @cached_property
    def newcomers(self) -> int:
        """How many records came."""
        return int(self.counts[self.before :][self.came].sum())

    def within(self, live: Ints) -> "Growth | None":
        """Return the growth of the cells that hold records, of which `live` did before; None if one holds none now."""
        here = np.flatnonzero(self.counts)
        known = int(np.searchsorted(here, self.before))
        if not np.array_equal(here[:known], live):
            return None
        place = np.full(self.before, CAME, dtype=np.int64)
        place[live] = np.arange(len(live))
        origins = self.origins[here[known:] - self.before]
        return Growth(known, self.counts[here], np.where(origins == CAME, CAME, np.append(place, CAME)[origins]))

    def values(self, held: NDArray[Number], fresh: float | Floats) -> NDArray[Number]:
        """Return a number for every cell: that of its origin, or `fresh` for newcomers.

        >>> Growth(2, np.array([3, 1, 2, 4]), np.array([0, CAME])).values(np.array([5.0, 6.0]), 0.5).tolist()
        [5.0, 6.0, 5.0, 0.5]
        """
        further = np.where(self.came, fresh, held[self.origins]) if len(held) else np.full(len(self.origins), fresh)
        return np.concatenate([held, further.astype(held.dtype)])

    def labels(self, held: Ints, number: int) -> tuple[Ints, int]:
        """Return the class of every cell, newcomers being a class of their own, and how many classes there are."""
        return self.values(held, number), number + int(self.came.any())

    def shared(self, part: Ints, whole: Ints, rng: np.random.Generator) -> Ints:
        """Share out at random, among the parts of each cell, some of its records: `part` of `whole`.

        Newcomers keep all of theirs.
        """
        origins = self.origins[~self.came]
        left, rest = part.copy(), whole.copy()
        found = self.counts[self.before :].copy()
        for place, origin in zip(np.flatnonzero(~self.came), origins, strict=True):
            if not left[origin]:
                found[place] = 0
                continue
            own = int(found[place])
            taken = int(rng.hypergeometric(left[origin], rest[origin] - left[origin], own))
            found[place] = taken
            left[origin], rest[origin] = left[origin] - taken, rest[origin] - own
        return np.concatenate([left, found])

    def flags(self, held: Flags) -> Flags:
        """Return a set as a flag for every cell: newcomers are not in it."""
        further = np.zeros(len(self.origins), dtype=np.bool_)
        further[~self.came] = held[self.origins[~self.came]]
        return np.concatenate([held, further])
