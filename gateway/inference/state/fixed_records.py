"""Records that are held at a value: witnesses of a MIN or MAX, and records with too little room left."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Extreme:
    """An answered MIN or MAX: its set, its value in [0, 1], and the cell of which one record is held there.

    `shared` says that the record is held by another one already.
    """

    kind: str
    cells: Cells
    value: float
    witness: int
    shared: bool


@dataclass(frozen=True, eq=False)
class Frozen:
    """An atom whose records have less room than they need: `width` of it, and `number` records per cell."""

    cells: Cells
    number: NDArray[np.float64]
    width: float
