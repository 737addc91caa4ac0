"""What everybody can foretell of people's values: a prior for each class of cells, in units of the audit."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.draws import Draws
from sdcdb.gateway.inference.prior import Prior

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Forecast:
    """Priors, and the number of the one that each cell has."""

    priors: tuple[Prior, ...]
    place: Ints

    @classmethod
    def same(cls, prior: Prior, cells: int) -> "Forecast":
        """Return the forecast that is the same for all cells."""
        return cls((prior,), np.zeros(cells, dtype=np.int64))

    def of(self, cells: NDArray[np.intp]) -> "Forecast":
        """Return the forecast for some of the cells."""
        return Forecast(self.priors, self.place[cells])

    def in_units(self, low: float, wide: float) -> "Forecast":
        """Return the same with the domain as [0, 1]."""
        return Forecast(tuple(prior.in_units(low, wide) for prior in self.priors), self.place)

    @property
    def means(self) -> Floats:
        """The mean value in each cell."""
        return self.draws.means

    @cached_property
    def draws(self) -> Draws:
        """Independent draws from the priors."""
        drawn = [prior.drawn for prior in self.priors]
        most = max(len(values) for values, _ in drawn)
        values, chances = np.zeros((len(drawn), most)), np.zeros((len(drawn), most))
        for row, (points, parts) in enumerate(drawn):
            values[row, : len(points)], chances[row, : len(points)] = points, parts
        return Draws(values, chances, self.place)

    def log_chance_up_to(self, cells: Flags, number: Floats, value: float, *, above: bool) -> float:
        """Return the logarithm of the chance that nobody in these cells is above this value, or nobody is below."""
        counts = np.bincount(self.place[cells], weights=number[cells], minlength=len(self.priors))
        found = 0.0
        for count, prior in zip(counts, self.priors, strict=True):
            if count:
                share = prior.up_to(value) if above else 1.0 - prior.below(value)
                found += float(count) * (math.log(share) if share > 0 else -math.inf)
        return found
