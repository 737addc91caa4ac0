"""One question to one confidential column: a query set and the aggregates asked of it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import DataError, choices

Cells = NDArray[np.bool_]

KINDS = frozenset({"sum", "min", "max"})


@dataclass(frozen=True, eq=False)
class Question:
    """A query set, as a flag per cell, and the kinds of answer wanted: `sum` (AVG is the same), `min`, `max`.

    `user` is who asks; None for nobody in particular, whose share is not counted.
    """

    cells: Cells
    kinds: frozenset[str]
    user: str | None = None

    def __post_init__(self) -> None:
        cells = np.asarray(self.cells)
        if cells.ndim != 1 or cells.dtype != np.bool_:
            raise DataError(f"a query set is one flag per cell, not {cells.dtype} of shape {cells.shape}")
        for kind in self.kinds:
            if kind not in KINDS:
                raise DataError(f"unknown kind of question {kind!r}: {choices(kind, sorted(KINDS))}")
        if not self.kinds:
            raise DataError(f"a question asks for something: {', '.join(sorted(KINDS))}")
