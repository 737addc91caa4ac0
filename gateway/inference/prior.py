"""What is publicly known of a column's distribution: a coarse histogram, with point masses.

It stands in for the uniform distribution on the domain wherever it is asked which answers are plausible. Within a bin
all values count as equally likely.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import DataError

Floats = NDArray[np.float64]

PARTS = 8  # of a bin, each as a point in its middle
USUAL = (0.05, 0.95)  # between these points lies what is usual


@dataclass(frozen=True)
class Prior:
    """Shares of the bins between `edges`, and `points` with a share of their own, in the column's units."""

    edges: tuple[float, ...]
    shares: tuple[float, ...]
    points: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        if len(self.edges) != len(self.shares) + 1 or any(
            b <= a for a, b in zip(self.edges, self.edges[1:], strict=False)
        ):
            raise DataError("a histogram has one edge more than shares, and its edges rise")
        given = [*self.shares, *(share for _, share in self.points)]
        if min(given) < 0 or not math.isclose(sum(given), 1.0, abs_tol=1e-6):
            raise DataError(f"the shares of a histogram are not negative and add up to 1, not to {sum(given)}")

    @classmethod
    def of(cls, bins: Iterable[tuple[float, float, float]]) -> "Prior":
        """Return the prior of (low, high, share); low and high of a point are the same. Between bins lies nobody."""
        given = sorted(bins)
        edges: list[float] = []
        shares: list[float] = []
        for low, high, share in given:
            if low < high:
                if edges and low > edges[-1]:
                    shares.append(0.0)
                if not edges or low > edges[-1]:
                    edges.append(low)
                edges.append(high)
                shares.append(share)
        points = tuple((low, share) for low, high, share in given if low == high)
        return cls(tuple(edges or [given[0][0]]), tuple(shares), points)

    @cached_property
    def drawn(self) -> tuple[Floats, Floats]:
        """Values and their probabilities, in order: each bin as a few points."""
        edges, shares = np.array(self.edges), np.array(self.shares)
        middles = (np.arange(PARTS) + 0.5) / PARTS
        values = (edges[:-1, None] + np.diff(edges)[:, None] * middles).ravel()
        values = np.concatenate([values, [value for value, _ in self.points]])
        chances = np.concatenate([np.repeat(shares / PARTS, PARTS), [share for _, share in self.points]])
        values, chances = values[chances > 0], chances[chances > 0]
        order = np.argsort(values, kind="stable")
        return values[order], chances[order] / chances.sum()

    def up_to(self, value: float) -> float:
        """Return the share of people whose value is not above this one."""
        found: float = sum(share for point, share in self.points if point <= value)
        for low, high, share in zip(self.edges, self.edges[1:], self.shares, strict=False):
            found += share * min(1.0, max(0.0, (value - low) / (high - low)))
        return found

    def below(self, value: float) -> float:
        """Return the share of people whose value is below this one."""
        return self.up_to(value) - sum(share for point, share in self.points if point == value)

    def quantile(self, share: float) -> float:
        """Return the least value that at most this share of people does not pass."""
        ends: list[float] = []
        for low, high, part in zip(self.edges, self.edges[1:], self.shares, strict=False):
            ends += [low, high] if part else []
        places: list[float] = sorted({*(point for point, part in self.points if part), *ends})
        before, reached = places[0], 0.0
        for place in places:
            if self.below(place) >= share - 1e-12:  # between two places the share rises evenly
                now = self.below(place)
                return place if now <= reached else before + (place - before) * (share - reached) / (now - reached)
            before, reached = place, self.up_to(place)
            if reached >= share - 1e-12:
                return place
        return places[-1]

    @property
    def mean(self) -> float:
        """The mean value."""
        values, chances = self.drawn
        return float(values @ chances)

    @property
    def spread(self) -> float:
        """The width of what is usual: from the 5% point to the 95% point.

        It is no less than the median distance of the others from the commonest value: where nearly everybody has
        nothing, both points are 0.
        """
        width = self.quantile(USUAL[1]) - self.quantile(USUAL[0])
        if not self.points:
            return width
        at, most = max(self.points, key=lambda point: point[1])
        apart = sorted((abs(value - at), share) for value, share in zip(*self.drawn, strict=True) if value != at)
        reached = 0.0
        for distance, share in apart:
            reached += share
            if reached >= (1 - most) / 2:
                return max(width, float(distance))
        return width

    def in_units(self, low: float, wide: float) -> "Prior":
        """Return the same with the domain as [0, 1]."""
        return Prior(
            tuple((edge - low) / wide for edge in self.edges),
            self.shares,
            tuple(((value - low) / wide, share) for value, share in self.points),
        )


def floor_of(prior: Prior, share: float) -> float:
    """Return `min_interval` as a share of what is usual, for columns whose domain is much wider than most values."""
    return share * prior.spread
