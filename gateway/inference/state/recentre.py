"""Moving the point away from the ends of the ranges without changing an answer.

The certificate is as good as the smallest s_j / sqrt(l_j), so every record needs a distance to its ends in proportion
to the root of its leverage. Alternating projections find such a point if there is one: put each record where it should
be, then take out of that move whatever would change an answer, and again, a little further each time than asked for.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Project = Callable[[Floats], Floats]

OVERSHOOT = 1.6  # any factor below 2 converges; this one is fast
ENOUGH = 0.8  # of the margin asked for


def margins(leverage: Floats, need: Floats, held: Flags, share: float, pinned: Floats | None = None) -> Floats:
    """Return the distances with which the certificate reaches `share` of the width that each record needs.

    `pinned` is the share of each record's own move that is taken back: its leverage, or more (`person_rule`).
    """
    pinned = leverage if pinned is None else np.minimum(pinned, 0.9)
    free = ~held
    if not free.any():
        return np.zeros(len(leverage))
    left = np.maximum(1.0 - pinned[free], 1e-9)
    factor = share * float((need[free] * np.sqrt(pinned[free]) / left).max())
    return np.where(held, 0.0, factor * np.sqrt(leverage))


def settle(
    point: Floats, ends: tuple[Floats, Floats], margin: Floats, held: Flags, project: Project, rounds: int
) -> Floats | None:
    """Return a point whose distance to both ends is nearly `margin`, or None if some rounds do not find one."""
    low, high = ends
    lower, upper = low + margin, high - margin
    if (lower[~held] > upper[~held]).any():
        return None
    least, most = low + ENOUGH * margin, high - ENOUGH * margin
    for number in range(rounds + 1):
        inside = (point > least) & (point < most) | held
        if inside.all():
            return point
        if number < rounds:
            move = np.where(held, 0.0, np.clip(point, lower, upper) - point)
            point = point + OVERSHOOT * project(move)
    return None
