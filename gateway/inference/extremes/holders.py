"""Who may hold an answered MIN or MAX, if no two people have the same value.

That two values are equal to the last unit is possible, and the certificates allow for it, but an intruder will bet on
the contrary: the people in all sets with the same MAX, and in no set with a lower one, hold that value between them.
Halving sets finds the one. So a further MIN or MAX must neither pick few of them out nor leave few of them over.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.bool_]


class Answered(Protocol):
    """A MIN or MAX that was answered."""

    @property
    def kind(self) -> str: ...  # noqa: D102 - a field
    @property
    def cells(self) -> Cells: ...  # noqa: D102
    @property
    def value(self) -> float: ...  # noqa: D102


def stay_hidden(extremes: Sequence[Answered], cells: Cells, kind: str, counts: NDArray[np.int64], least: int) -> bool:
    """Tell whether the holders of every answered extreme stay `least` people or more, whatever the new one will be."""
    mine = [each for each in extremes if each.kind == kind]
    for value in {each.value for each in mine}:
        holders = np.ones(len(cells), dtype=np.bool_)
        for each in mine:
            if each.value == value:
                holders &= each.cells
            elif (each.value < value) == (kind == "max"):
                holders &= ~each.cells
        if any(0 < counts[part].sum() < least for part in (holders & cells, holders & ~cells)):
            return False
    return True
