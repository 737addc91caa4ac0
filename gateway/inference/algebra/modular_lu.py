"""A block LU factorisation modulo a prime of the answered query sets, on their pivot cells, that rows are added to.

With B the 0/1 matrix of independent query sets and J one pivot cell per row, B[:, J] = L U, where L has identity blocks
on its diagonal and U has blocks D whose inverses are kept. Adding s rows to r costs two triangular solves, r^2 s
products, as part of matrix products. Blocks beyond `rank` may be overwritten: a fork shares the arrays with its origin
and writes only there.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.modular import inverse_matrix, reduced

Floats = NDArray[np.float64]


@dataclass
class Factors:
    """L below and U on and above the diagonal blocks, in one square array of float32, which holds residues exactly."""

    prime: int
    starts: list[int] = field(default_factory=lambda: [0])
    diagonals: list[Floats] = field(default_factory=list)
    square: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))

    @property
    def rank(self) -> int:
        """The number of rows."""
        return self.starts[-1]

    def fork(self) -> "Factors":
        """Return a copy that may be added to and thrown away."""
        return Factors(self.prime, list(self.starts), list(self.diagonals), self.square)

    def left(self, rows: Floats) -> Floats:
        """Return X with X U = rows."""
        x = np.array(rows, dtype=np.float64)
        for (a, b), inverse in zip(self._blocks(), self.diagonals, strict=True):
            x[:, a:b] = reduced(x[:, a:b] @ inverse, self.prime)
            x[:, b:] = reduced(x[:, b:] - x[:, a:b] @ self.square[a:b, b : self.rank].astype(np.float64), self.prime)
        return x

    def forward(self, columns: Floats) -> Floats:
        """Return Y with L Y = columns."""
        y = np.array(columns, dtype=np.float64)
        for a, b in self._blocks():
            y[b:] = reduced(y[b:] - self.square[b : self.rank, a:b].astype(np.float64) @ y[a:b], self.prime)
        return y

    def solve(self, columns: Floats) -> Floats:
        """Return V with L U V = columns."""
        v = self.forward(columns)
        for (a, b), inverse in reversed(list(zip(self._blocks(), self.diagonals, strict=True))):
            v[a:b] = reduced(inverse @ v[a:b], self.prime)
            v[:a] = reduced(v[:a] - self.square[:a, a:b].astype(np.float64) @ v[a:b], self.prime)
        return v

    def schur(self, rows_at_old: Floats, old_at_new: Floats, rows_at_new: Floats) -> tuple[Floats, Floats, Floats]:
        """Return X and Y of the two solves, and what the rows are at the new cells after elimination."""
        x, y = self.left(rows_at_old), self.forward(old_at_new)
        reduced_rows = np.array(rows_at_new, dtype=np.float64)
        for a, b in self._blocks():
            reduced_rows = reduced(reduced_rows - x[:, a:b] @ y[a:b], self.prime)
        return x, y, reduced_rows

    def append(self, x: Floats, y: Floats, diagonal: Floats) -> bool:
        """Add a block from the result of `schur` at its pivot cells; False, and nothing changed, if it is singular."""
        inverse, regular = inverse_matrix(diagonal, float(self.prime))
        if not regular:
            return False
        r, s = self.rank, len(diagonal)
        if r + s > len(self.square):
            larger = np.zeros((max(3 * len(self.square) // 2, r + s, 256),) * 2, np.float32)
            larger[:r, :r] = self.square[:r, :r]
            self.square = larger
        self.square[r : r + s, :r] = x
        self.square[:r, r : r + s] = y
        self.square[r : r + s, r : r + s] = diagonal
        self.diagonals.append(inverse)
        self.starts.append(r + s)
        return True

    def _blocks(self) -> list[tuple[int, int]]:
        return list(zip(self.starts[:-1], self.starts[1:], strict=True))
