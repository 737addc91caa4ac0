"""What is kept for each cell. Arrays are replaced, never written into, so that remembering them costs nothing."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.growth import Growth
from sdcdb.gateway.inference.intervals.atoms import Labels
from sdcdb.gateway.inference.lattice.lattice import Lattice
from sdcdb.gateway.inference.people import People

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Columns:
    """One number per cell, in units in which the domain is [0, 1].

    `held` is the total of the records of the cell that are held at a value (`extremes`, `frozen`); `point`, `low`,
    `high`, `leverage` and `need`, the width that must be left, are those of one record that may move. `falls` and
    `rises` are squares of how far the answers of questions tried and not yet answered may move the point. `lattice`
    knows how far a record must be moved to stand on the column's grid, in steps of `unit`; `fewest` is the least
    share of the domain that its values must fill, at one step each. `people` are given where somebody has several
    records. `whole` says that all values lie on the grid; otherwise the grid is one that the audit assumes.
    """

    labels: Labels
    atoms: int
    held: Floats
    point: Floats
    low: Floats
    high: Floats
    leverage: Floats
    need: Floats
    falls: Floats
    rises: Floats
    lattice: Lattice
    unit: float
    fewest: float
    people: People | None = None
    whole: bool = True

    @classmethod
    def fresh(
        cls,
        need: float,
        lattice: Lattice,
        unit: float,
        fewest: float,
        mean: float | Floats = 0.5,
        people: People | None = None,
    ) -> "Columns":
        """Return what is known before the first answer: nothing but, perhaps, the mean."""
        cells = len(lattice.counts)
        zero = np.zeros(cells)
        return cls(
            labels=np.zeros(cells, dtype=np.int64),
            atoms=min(1, cells),
            held=zero,
            point=np.full(cells, mean, dtype=np.float64),
            low=zero,
            high=np.ones(cells),
            leverage=zero,
            need=np.full(cells, need),
            falls=zero,
            rises=zero,
            lattice=lattice,
            unit=unit,
            fewest=fewest,
            people=people,
        )

    def grown(self, growth: Growth, lattice: Lattice, mean: float | Floats, need: float, people: People | None) -> Self:
        """Return what is known in the table's next version, of which no record is held at a value.

        Of newcomers that is nothing but, perhaps, the mean of each cell.
        """
        labels, atoms = growth.labels(self.labels, self.atoms)
        fresh = mean if isinstance(mean, float) else mean[growth.before :]
        return replace(
            self,
            labels=labels,
            atoms=atoms,
            point=growth.values(self.point, fresh),
            high=growth.values(self.high, 1.0),
            need=growth.values(self.need, need),
            lattice=lattice,
            people=people,
            held=growth.values(self.held, 0.0),
            low=growth.values(self.low, 0.0),
            leverage=growth.values(self.leverage, 0.0),
            falls=growth.values(self.falls, 0.0),
            rises=growth.values(self.rises, 0.0),
        )

    def margin(self, number: Floats) -> Floats:
        """Return how far a record of each cell must be moved to stand on the grid, `number` of them being free."""
        if self.unit == 0:  # asked without the grid
            return np.zeros(len(number))
        return np.minimum(self.lattice.margins(number) * self.unit, 1.0)
