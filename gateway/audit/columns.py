"""What is kept for each cell, and for each record that was split off from its cell."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.audit.atoms import Labels

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Columns:
    """One number per column: the cells, and behind them single records that were split off as witnesses."""

    number: Floats
    parent: NDArray[np.int64]
    labels: Labels
    atoms: int
    point: Floats
    low: Floats
    high: Floats
    leverage: Floats
    held: Flags
    need: Floats
    falls: Floats  # squared reach of the point towards low, from questions tried and not yet answered
    rises: Floats
