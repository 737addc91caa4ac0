"""Which records the answers expose beyond the policy, and how badly: from intervals and from extremes."""

from dataclasses import dataclass
from enum import IntEnum
from math import log2

import numpy as np

from sdcdb.auditor.evidence import Domain, Evidence
from sdcdb.auditor.proofs.interval import FEW, ROUNDING, Intervals, candidates
from sdcdb.auditor.proofs.uncertainty import Doubt, of_interval, of_points, values_in
from sdcdb.gateway.inference.limits import Limits


class Level(IntEnum):
    """How bad it is, the worst highest."""

    CAE = 1
    INTERVAL = 2
    EXACT = 3
    DIRECT = 4


def enough(limits: Limits, domain: Domain) -> float:
    """Return the width from which an interval breaks no limit: H(0) and the area grow with it."""
    return max(limits.min_interval, (least_values(limits, domain) - 1) * float(domain.grid))


def least_values(limits: Limits, domain: Domain) -> int:
    """Return the number of values that an interval must leave, so that H(0) and the area break no limit."""
    step, most = float(domain.grid), values_in(float(domain.low), float(domain.high), domain)
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        fits = log2(middle) >= limits.min_h0
        if fits and limits.min_area > 0:
            fits = of_interval(0.0, (middle - 1) * step, domain).area >= limits.min_area
        low, high = (low, middle) if fits else (middle + 1, high)
    return low


@dataclass(frozen=True)
class Exposure:
    """An exposed record: its interval, the few values that are left, and the remaining uncertainty."""

    cell: int
    level: Level
    lower: float
    upper: float
    candidates: tuple[float, ...]
    doubt: Doubt


def exposures(evidence: Evidence, found: Intervals, limits: Limits) -> list[Exposure]:
    """Return the exposed records, the most exposed first."""
    points = two_points(evidence)
    listed = []
    suspects = found.exact & (found.widths < enough(limits, evidence.domain))
    suspects[list(points)] = True
    for cell in np.flatnonzero((evidence.counts > 0) & suspects):
        exposure = _exposure(evidence, int(cell), found, points.get(int(cell), ()), limits)
        if exposure is not None:
            listed.append(exposure)
    return sorted(listed, key=lambda each: (-each.level, each.upper - each.lower, each.cell))


def _exposure(
    evidence: Evidence, cell: int, found: Intervals, points: tuple[float, ...], limits: Limits
) -> Exposure | None:
    lower, upper = float(found.lower[cell]), float(found.upper[cell])
    doubt = of_points(points) if points else of_interval(lower, upper, evidence.domain)
    exact = is_exact(evidence, found, cell)
    if exact:
        level = Level.EXACT
    elif upper - lower < limits.min_interval or (points and doubt.h0 <= 1):
        level = Level.INTERVAL
    elif doubt.h0 < limits.min_h0 or doubt.area < limits.min_area:
        level = Level.CAE
    else:
        return None
    left = (lower,) if exact else points or few_candidates(evidence, cell, found)
    return Exposure(cell, level, lower, upper, left, doubt)


def is_exact(evidence: Evidence, found: Intervals, cell: int) -> bool:
    """Tell whether only one value is left: on a grid exactly one, otherwise none apart by more than rounding."""
    grid = evidence.domain.snap
    slack = float(grid) / 2 if grid is not None else ROUNDING * float(evidence.domain.width)
    return bool(found.upper[cell] - found.lower[cell] < slack and evidence.counts[cell] >= 1)


def two_points(evidence: Evidence) -> dict[int, tuple[float, ...]]:
    """Return the pairs of records of which one has the minimum and the other the maximum of their set."""
    least: dict[bytes, float] = {}
    most: dict[bytes, float] = {}
    for at in evidence.of_kind("min", "max"):
        flags = evidence.sets([at])[0] & (evidence.counts > 0)
        if flags.sum() == 2 and evidence.counts[flags].sum() == 2:
            (least if evidence.kinds[at] == "min" else most)[flags.tobytes()] = float(evidence.answers[at])
    found: dict[int, tuple[float, ...]] = {}
    for key in least.keys() & most.keys():
        if least[key] < most[key]:
            for cell in np.flatnonzero(np.frombuffer(key, dtype=bool)):
                found[int(cell)] = (least[key], most[key])
    return found


def few_candidates(evidence: Evidence, cell: int, found: Intervals) -> tuple[float, ...]:
    """Return the answered extremes that only a few people can have, this one among them."""
    values = set()
    slack = ROUNDING * float(evidence.domain.width)
    for at in evidence.of_kind("min", "max"):
        if evidence.packed[at, cell // 8] >> (7 - cell % 8) & 1:
            able = candidates(evidence, at, found, slack)
            if cell in able and evidence.counts[able].sum() <= FEW:
                values.add(float(evidence.answers[at]))
    return tuple(sorted(values))
