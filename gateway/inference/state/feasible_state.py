"""What the rules `interval` and `cae` know: a point that agrees with all answers, and how far each record can move.

Questions are *tried*: their rows are added as if answered with what the point predicts, and taken back by `rewind`. The
unknown answers of several questions tried together move the point; how far, record by record, is kept as a reach, by
which the ranges are narrowed for the questions after them. Reaches of different questions are as good as independent
and add up in squares; that all answers of a statement together are safe is looked at again when they are known.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.geometry import Geometry, Rest
from sdcdb.gateway.inference.algebra.gram import Gram
from sdcdb.gateway.inference.algebra.growth import Growth
from sdcdb.gateway.inference.algebra.kernels import dot3
from sdcdb.gateway.inference.forecast import Forecast
from sdcdb.gateway.inference.intervals.atoms import refine
from sdcdb.gateway.inference.intervals.certificate import widths
from sdcdb.gateway.inference.intervals.interval_rule import Case, Room, Verdict, judge, room_of
from sdcdb.gateway.inference.state.cell_state import Columns
from sdcdb.gateway.inference.state.fixed_records import Extreme, Frozen
from sdcdb.gateway.inference.state.recentre import margins, settle

Floats = NDArray[np.float64]
Cells = NDArray[np.bool_]

LEARNING_ROUNDS = 60  # alternating projections when an answer is taken in: it must go in
COMFORT = (2.0, 0.5, 0.1)  # the margins tried then, as multiples of what the limits need


@dataclass(frozen=True)
class Mark:
    """Where a ground was."""

    columns: Columns
    geometry: tuple[Geometry, tuple[Gram, int, Floats]]
    answers: tuple[float, ...]
    extremes: tuple[Extreme, ...]
    frozen: tuple[Frozen, ...]
    dropped: tuple[tuple[Cells, float], ...]
    blind: bool


@dataclass(frozen=True)
class Tried:
    """The answers that a try covered, from `low` to `high` in [0, 1] units, and the room left; None if not safe."""

    low: float
    high: float
    room: Room | None


class Ground:
    """See the module. All in units in which the domain is [0, 1]."""

    def __init__(self, columns: Columns, forecast: Forecast | None = None) -> None:
        self.forecast = forecast  # what is publicly known of the values; else they count as spread over the domain
        self.geometry = Geometry(columns.lattice.counts)
        self.columns = columns
        self.answers: tuple[float, ...] = ()
        self.extremes: tuple[Extreme, ...] = ()
        self.frozen: tuple[Frozen, ...] = ()
        self.dropped: tuple[tuple[Cells, float], ...] = ()  # sums over records that are all held
        self.blind = False

    @property
    def plain(self) -> bool:
        """Whether only sums were answered, and everybody still moves."""
        return not (self.blind or self.extremes or self.frozen or self.dropped)

    def grow(self, growth: Growth, columns: Columns, forecast: Forecast | None) -> None:
        """Go on, from a plain ground, in the table's next version, of which the columns are given."""
        self.geometry.grow(growth, columns.lattice.counts)
        self.columns, self.forecast = columns, forecast

    def mark(self) -> Mark:
        """Remember where we are."""
        return Mark(
            self.columns,
            (self.geometry, self.geometry.mark()),
            self.answers,
            self.extremes,
            self.frozen,
            self.dropped,
            self.blind,
        )

    def rewind(self, mark: Mark) -> None:
        """Forget what was tried since the mark."""
        self.columns, self.answers, self.extremes = mark.columns, mark.answers, mark.extremes
        self.frozen, self.dropped, self.blind = mark.frozen, mark.dropped, mark.blind
        self.geometry = mark.geometry[0]
        self.geometry.rewind(mark.geometry[1])

    def split(self, cells: Cells) -> None:
        """Refine the atoms by a query set."""
        labels, atoms = refine(self.columns.labels, self.columns.atoms, cells)
        self.columns = replace(self.columns, labels=labels, atoms=atoms)

    def expected(self, cells: Cells) -> float:
        """Return the sum over a set at the point."""
        c, flags = self.columns, cells.astype(np.float64)
        return dot3(self.geometry.number, c.point, flags) + float(c.held[cells].sum())

    def safe(self) -> Verdict | None:
        """Judge the present state, but for the witnesses."""
        if self.blind:
            return None
        return judge(Case(self.geometry, self.columns, None, self.columns.point))

    def append(self, rest: Rest, answer: float) -> None:
        """Add a sum with an answer that the point agrees with, or will."""
        self.geometry.add(rest)
        self.answers += (answer,)
        leverage = np.minimum(1.0, self.columns.leverage + rest.values**2 / rest.length)
        self.columns = replace(self.columns, leverage=leverage)

    def settle_down(self) -> bool:
        """Put the point where it agrees with all answers and stands well inside; False if that place is not found."""
        c, g = self.columns, self.geometry
        held = g.number == 0
        wrong = np.array(self.answers) - g.rows.times(g.number * c.point + c.held)
        point = c.point + g.rows.combined(g.gram.solve(wrong))
        self.columns = replace(c, point=point)
        case = Case(g, c, None, point)
        low, high = case.ranges[:2]
        if (low >= high)[~held].any():
            low, high = c.low, c.high
        for share in COMFORT:
            margin = np.minimum(margins(c.leverage, case.need, held, share), 0.4 * np.maximum(high - low, 0.0))
            settled = settle(point, (low, high), margin, held, g.within, LEARNING_ROUNDS)
            if settled is not None:
                self.columns = replace(c, point=settled)
                return True
        return False

    def least_room(self) -> Room:
        """Return the room of the best-known record, as certified; a dearer certificate where the cheap one is low."""
        c, number = self.columns, self.geometry.number
        if self.blind:
            return Room(0.0, 0.0)
        case = Case(self.geometry, c, None, c.point)  # nothing is being tried: no reach
        found = widths(c.point, case.ranges, np.minimum(1.0, c.leverage + 1e-9), number, number == 0)
        found = case.for_everybody(found, c.point)
        if (found < case.need).any() and (verdict := self.safe()) is not None:
            self.columns, found = replace(c, point=verdict.point), verdict.widths
        room = room_of(found, case.margin, c.unit)
        for each in self.frozen:
            room = room.least(Room(each.width, each.width))
        return room
