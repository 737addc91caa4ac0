"""The table as an experiment sees it: a confidential value per record on a grid, and the columns that may be known."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import DataError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_KNOWN = 12  # columns: 4,096 combinations


@dataclass(frozen=True)
class Grid:
    """The public domain of the confidential column: low, low + step, ..., `size` values."""

    low: float
    step: float
    size: int

    @cached_property
    def points(self) -> Floats:
        """The values themselves."""
        return np.asarray(self.low + self.step * np.arange(self.size), dtype=np.float64)

    @property
    def high(self) -> float:
        """The last value."""
        return self.low + self.step * (self.size - 1)


@dataclass(frozen=True)
class Classes:
    """The classes of records that an intruder who knows some columns cannot distinguish.

    `order` lists the records class by class, `starts` where each class begins in it, `sizes` how many it has: |Mo|.
    """

    known: int
    order: Ints
    starts: Ints
    sizes: Ints


@dataclass(frozen=True)
class Population:
    """`positions` are the confidential values, as places on the grid; `codes` has a column per attribute."""

    grid: Grid
    positions: Ints
    names: tuple[str, ...]
    codes: Ints

    def __post_init__(self) -> None:
        if not len(self.positions):
            raise DataError("no records to evaluate")
        if len(self.names) > MOST_KNOWN:
            raise DataError(
                f"{len(self.names)} columns have {2 ** len(self.names):,} combinations: "
                f"name at most {MOST_KNOWN} that an intruder may know"
            )

    @cached_property
    def classes(self) -> tuple[Classes, ...]:
        """One grouping for every combination of attributes, from none to all (CAE paper, section 5)."""
        columns = range(len(self.names))
        return tuple(
            self._classes(some) for known in range(len(self.names) + 1) for some in combinations(columns, known)
        )

    def _classes(self, columns: tuple[int, ...]) -> Classes:
        label = np.zeros(len(self.positions), dtype=np.int64)
        for column in columns:  # renumbered after each column, so that the product cannot overflow
            _, label = np.unique(label * (self.codes[:, column].max() + 1) + self.codes[:, column], return_inverse=True)
        order = np.argsort(label, kind="stable")
        sizes = np.bincount(label)
        return Classes(len(columns), order, np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
