"""What the rules `interval` and `cae` know: a point that agrees with all answers, and how far each record can move.

Questions are *tried*: their rows are added as if answered with what the point predicts, and taken back by `rewind`. The
unknown answers of several questions tried together move the point; how far, record by record, is kept as a `reach`, by
which the ranges are narrowed for the questions after them. Arrays are replaced, never written into, so a mark is cheap.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.audit.atoms import refine
from sdcdb.gateway.audit.certificate import widths
from sdcdb.gateway.audit.columns import Columns
from sdcdb.gateway.audit.geometry import LEAST, Geometry, Rest
from sdcdb.gateway.audit.judge import Case, judge
from sdcdb.gateway.audit.predictive import spreads
from sdcdb.gateway.audit.settle import margins, settle

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Cells = NDArray[np.bool_]

ROUNDS = 12  # alternating projections at a decision
LEARNING_ROUNDS = 60  # and when an answer is taken in: it must go in
COMFORT = 2.0  # the margin aimed at when learning, as a multiple of what the limits need


@dataclass(frozen=True)
class Tried:
    """A sum that was tried: the covered answers run from `low` to `high`, in the audit's units."""

    low: float
    high: float
    widths: Floats | None


class Ground:
    """See the module. All in units in which the domain is [0, 1]."""

    def __init__(self, counts: NDArray[np.int64], need: float) -> None:
        cells = len(counts)
        self.geometry = Geometry(counts.astype(np.float64))
        self.columns = Columns(
            number=counts.astype(np.float64),
            parent=np.arange(cells),
            labels=np.zeros(cells, dtype=np.int64),
            atoms=1 if cells else 0,
            point=np.full(cells, 0.5),
            low=np.zeros(cells),
            high=np.ones(cells),
            leverage=np.zeros(cells),
            held=np.zeros(cells, dtype=bool),
            need=np.full(cells, need),
            falls=np.zeros(cells),
            rises=np.zeros(cells),
        )
        self.blind = False
        self._cells = cells

    # ---- trying

    def mark(self) -> tuple[Columns, int]:
        """Remember where we are."""
        return self.columns, self.geometry.rows.number

    def rewind(self, mark: tuple[Columns, int]) -> None:
        """Forget what was tried since the mark."""
        self.columns = mark[0]
        self.geometry.truncate(mark[1])
        self.geometry.rows.drop_columns(len(mark[0].number))
        self.geometry.number = mark[0].number

    def split(self, cells: Cells) -> None:
        """Refine the atoms by a query set."""
        labels, atoms = refine(self.columns.labels, self.columns.atoms, self.spread_out(cells))
        self.columns = replace(self.columns, labels=labels, atoms=atoms)

    def spread_out(self, cells: Cells) -> Cells:
        """Return a query set with the split-off records of its cells."""
        return cells if len(self.columns.parent) == len(cells) else cells[self.columns.parent]

    def try_sum(self, cells: Cells, delta: float) -> Tried:
        """Try a sum (the atoms are refined already). If it is safe it stays tried, as a row with the expected answer."""
        inside = self.spread_out(cells)
        rest = self.geometry.rest(inside)
        c = self.columns
        expected = float((c.number * c.point) @ inside)
        if rest.length < LEAST:
            return Tried(expected, expected, None)
        below, above = spreads(rest.values, c.number, c.point - c.low, c.high - c.point, delta)
        low, high = self._ends()
        found = np.full(len(c.number), np.inf)
        for shift in (-below, above):
            width = judge(self._case(rest, shift, low, high))
            if width is None:
                return Tried(expected - below, expected + above, None)
            found = np.minimum(found, width)
        self._keep(inside, rest, expected, (below, above))
        return Tried(expected - below, expected + above, found)

    def _ends(self) -> tuple[Floats, Floats]:
        c = self.columns
        return c.low + np.sqrt(c.falls), c.high - np.sqrt(c.rises)

    def _case(self, rest: Rest | None, shift: float, low: Floats, high: Floats) -> Case:
        return Case(self.geometry, self.columns, rest, shift, low, high, ROUNDS)

    def _keep(self, inside: Cells, rest: Rest, answer: float, spread: tuple[float, float]) -> None:
        c, move = self.columns, rest.direction
        down = np.where(move > 0, spread[0], spread[1]) * move
        up = np.where(move > 0, spread[1], spread[0]) * move
        self.geometry.add(inside, rest, answer)
        self.columns = replace(
            c, leverage=self._leverage(rest), falls=c.falls + down * down, rises=c.rises + up * up
        )

    def _leverage(self, rest: Rest) -> Floats:
        return np.minimum(1.0, self.columns.leverage + rest.values**2 / rest.length)

    # ---- learning

    def learn_sum(self, cells: Cells, answer: float) -> None:
        """Take in a true answer; the atoms are refined by it."""
        self.split(cells)
        inside = self.spread_out(cells)
        rest = self.geometry.rest(inside)
        if rest.length < LEAST:
            self.blind = True  # independent but not to floating point: nothing can be certified any more
            return
        c = self.columns
        shift = answer - float((c.number * c.point) @ inside)
        self.geometry.add(inside, rest, answer)
        self.columns = replace(c, leverage=self._leverage(rest), point=c.point + shift * rest.direction)
        self.find_point()

    def find_point(self) -> None:
        """Put the point where it agrees with all answers and stands well inside; go blind if there is no such place."""
        c, g = self.columns, self.geometry
        point = g.corrected(c.point)
        for share in (COMFORT, 0.5, 0.1):
            margin = np.minimum(margins(c.leverage, c.need, c.held, share), 0.4 * (c.high - c.low))
            settled = settle(point, (c.low, c.high), margin, c.held, g.within, LEARNING_ROUNDS)
            if settled is not None:
                self.columns = replace(c, point=settled)
                return
        self.blind = True

    def widths(self) -> Floats:
        """Return a lower bound of the interval of one record of each column, as things stand."""
        c = self.columns
        if self.blind:
            return np.zeros(len(c.number))
        return widths(c.point, c.low, c.high, np.minimum(1.0, c.leverage + 1e-9), c.number, c.held)
