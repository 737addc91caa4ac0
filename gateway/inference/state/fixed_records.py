"""Records that are held at a value: witnesses of a MIN or MAX, and records with too little room left."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Extreme:
    """An answered MIN or MAX: its set, its value in [0, 1], and the cell of which one record is held there.

    `shared` says that the record is held by another one already. While a MIN or MAX is tried, `value` is the plausible
    one that says most (the least MAX), and `far` the one at the other end.
    """

    kind: str
    cells: Cells
    value: float
    witness: int
    shared: bool
    far: float | None = None

    def may_pass(self, value: float) -> bool:
        """Tell whether it may turn out beyond a value: a MAX above it, a MIN below."""
        sign, end = (1.0 if self.kind == "max" else -1.0), self.value if self.far is None else self.far
        return sign * (end - value) > 1e-12


@dataclass(frozen=True, eq=False)
class Frozen:
    """An atom whose records have less room than they need: `width` of it, and `number` records per cell."""

    cells: Cells
    number: NDArray[np.float64]
    width: float
