"""From the column's units to the audit's, in which the domain is [0, 1], and back."""

import math
from dataclasses import dataclass

from sdcdb.errors import DataError
from sdcdb.gateway.inference.intervals.equivocation import STEPS, area, h0, least_width, values_in
from sdcdb.gateway.inference.intervals.interval_rule import Room
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.score import Score

# Below this many values the linear programme leaves intervals that whole numbers cannot fill: it would call safe what
# is not. From 25 values on no such case was found.
FEWEST_VALUES = 25


@dataclass(frozen=True)
class Scale:
    """The public domain of a column, and the limits on it."""

    low: float
    high: float
    step: float | None
    limits: Limits

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            raise DataError(f"the domain runs from low to high, not from {self.low} to {self.high}")
        if self.step is not None and not self.step > 0:
            raise DataError(f"the step of a domain is positive, not {self.step}")

    @property
    def wide(self) -> float:
        """The width of the domain."""
        return self.high - self.low

    @property
    def grain(self) -> float:
        """The distance of neighbouring domain values; a domain without a step counts as 1,000 steps."""
        return self.step if self.step is not None else self.wide / STEPS

    @property
    def too_coarse(self) -> bool:
        """Whether the domain has too few values for the bounds to be trusted."""
        return self.wide == 0 or (self.step is not None and self.wide / self.step + 1 < FEWEST_VALUES)

    @property
    def interval_need(self) -> float:
        """The least interval in [0, 1] that whole numbers must leave, for the rule `interval`."""
        need = self.limits.min_interval
        if self.step is not None and need > 0:
            need = math.ceil(need / self.step - 1e-9) * self.step
        return need / self.wide if self.wide else math.inf

    @property
    def unit(self) -> float:
        """One step of the grid, in [0, 1]."""
        return self.grain / self.wide if self.wide else 1.0

    @property
    def cae_need(self) -> float:
        """The least width in [0, 1] for the rule `cae`."""
        if not self.wide:
            return math.inf
        most = values_in(self.wide, self.grain)
        return least_width(self.limits.min_h0, self.limits.min_area, self.grain, most) / self.wide

    def sum_to_unit(self, total: float, records: float) -> float:
        """Return a sum over so many records in units of the audit."""
        return (total - self.low * records) / self.wide

    def value_to_unit(self, value: float) -> float:
        """Return a value in units of the audit."""
        return (value - self.low) / self.wide

    def score(self, room: Room) -> Score:
        """Return the score of the room that is left in whole numbers."""
        interval = max(0.0, min(1.0, room.interval)) * self.wide
        number = values_in(max(0.0, min(1.0, room.values)) * self.wide, self.grain) if self.wide else 1
        bits, under = h0(number), area(number, self.grain) if self.wide else 0.0
        limits = self.limits
        ratios = {
            "interval": interval / limits.min_interval if limits.min_interval else math.inf,
            "cae": min(
                bits / limits.min_h0 if limits.min_h0 else math.inf,
                under / limits.min_area if limits.min_area else math.inf,
            ),
        }
        return Score(interval, bits, under, min(ratios, key=lambda rule: ratios[rule]))
