"""What is kept for each cell. Arrays are replaced, never written into, so that remembering them costs nothing."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.intervals.atoms import Labels

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Columns:
    """One number per cell, in units in which the domain is [0, 1].

    `held` is the total of the records of the cell that are held at a value (`extremes`, `frozen`); `point`, `low`,
    `high`, `leverage` and `need`, the width that must be left, are those of one record that may move. `falls` and
    `rises` are squares of how far the answers of questions tried and not yet answered may move the point.
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

    @classmethod
    def fresh(cls, cells: int, need: float) -> "Columns":
        """Return what is known before the first answer: nothing."""
        zero = np.zeros(cells)
        return cls(
            labels=np.zeros(cells, dtype=np.int64),
            atoms=min(1, cells),
            held=zero,
            point=np.full(cells, 0.5),
            low=zero,
            high=np.ones(cells),
            leverage=zero,
            need=np.full(cells, need),
            falls=zero,
            rises=zero,
        )
