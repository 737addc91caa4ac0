"""Columns that are a factor and an offset away from another one: their questions go to that column's audit."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.score import Score
from sdcdb.policy.links import Equation

_OTHER = {"min": "max", "max": "min", "sum": "sum"}


@dataclass(frozen=True)
class Linear:
    """A column that is factor * base + offset in every record."""

    base: str
    factor: float = 1.0
    offset: float = 0.0

    def kinds(self, kinds: frozenset[str]) -> frozenset[str]:
        """Return what an answer says about the base: with a negative factor the greatest value is of the least."""
        return kinds if self.factor > 0 else frozenset(_OTHER[kind] for kind in kinds)

    def answers(self, answers: Mapping[str, float], records: int) -> dict[str, float]:
        """Return answers about the base, from those about the column over so many values.

        >>> Linear("month", 12.0).answers({"sum": 2400, "max": 1200}, 2)
        {'sum': 200.0, 'max': 100.0}
        """
        if self.factor == 1 and self.offset == 0:
            return dict(answers)
        found = {}
        for kind, value in answers.items():
            told = kind if self.factor > 0 else _OTHER[kind]
            found[told] = (value - self.offset * (records if kind == "sum" else 1)) / self.factor
        return found

    def span(self, low: float, high: float) -> tuple[float, float]:
        """Return the range of the base, from that of the column."""
        ends = sorted(((low - self.offset) / self.factor, (high - self.offset) / self.factor))
        return ends[0], ends[1]

    def limits(self, mine: Limits) -> Limits:
        """Return the limits of the column in units of the base."""
        wide = abs(self.factor)
        return replace(mine, min_interval=mine.min_interval / wide, min_area=mine.min_area / wide)

    def score(self, base: Score) -> Score:
        """Return a score of the base in units of the column."""
        wide = abs(self.factor)
        return replace(base, interval=base.interval * wide, area=base.area * wide)


def resolved(equations: list[Equation]) -> dict[str, Linear]:
    """Return every column on the left of an equation, in terms of one that is on no left.

    >>> resolved([Equation("c", "b", 2, 1), Equation("b", "a", 3, 5)])["c"]
    Linear(base='a', factor=6, offset=11)
    """
    steps = {each.left: Linear(each.right, each.factor, each.offset) for each in equations}
    found = {}
    for name, first in steps.items():
        step = first
        for _ in steps:
            further = steps.get(step.base)
            if further is None:
                break
            step = Linear(further.base, step.factor * further.factor, step.factor * further.offset + step.offset)
        found[name] = step
    return found


def strictest(limits: list[Limits]) -> Limits:
    """Return limits that keep all of these."""
    overlaps = [each.max_overlap for each in limits if each.max_overlap is not None]
    return replace(
        limits[0],
        min_set=max(each.min_set for each in limits),
        min_interval=max(each.min_interval for each in limits),
        min_h0=max(each.min_h0 for each in limits),
        min_area=max(each.min_area for each in limits),
        delta=min(each.delta for each in limits),
        max_overlap=min(overlaps) if overlaps else None,
        small_totals="forbid" if any(each.small_totals == "forbid" for each in limits) else "allow",
    )
