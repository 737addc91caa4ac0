"""The interval that a list of sums leaves for every record: exact, by linear programmes over atoms.

All records of an atom are alike to every answer. If the total of an atom of m records can be anything in [S0, S1], one
of its records can be anything in

    L = max(low, S0 - (m - 1) high),    U = min(high, S1 - (m - 1) low)

because the others can take any total between (m - 1) low and (m - 1) high. So two programmes per atom replace two per
record (CAE paper, section on query restriction, which solves two per record), and the result is the same.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sdcdb.errors import DataError
from sdcdb.gateway.inference.intervals.atoms import classes
from sdcdb.gateway.inference.intervals.programme import Programme

Floats = NDArray[np.float64]


def bounds(
    membership: ArrayLike,
    answers: ArrayLike,
    low: float,
    high: float,
    step: float | None = None,
    weights: ArrayLike | None = None,
) -> tuple[Floats, Floats]:
    """Return the least and the greatest value of every record that agree with all sums.

    `membership[q, i]` says whether record i is in the set of sum q. With `weights`, column i is a cell of that many
    records, and the interval is that of one of them. With a `step`, L is rounded up and U down to low + k step.

    Two people of whom one earns twice the least, when nobody earns more than 4:

    >>> bounds([[True, True]], [6], 0, 4)
    (array([2., 2.]), array([4., 4.]))
    """
    sets, y, m = _checked(membership, answers, low, high, step, weights)
    wide = high - low
    if sets.shape[1] == 0 or wide == 0:
        if not np.allclose(y, low * (sets @ m), atol=1e-6 * max(1.0, abs(low))):
            raise DataError("the answers contradict each other or the domain: no values fit them all")
        return np.full(len(m), float(low)), np.full(len(m), float(high))
    atom = classes(sets)
    number = int(atom.max()) + 1
    size = np.asarray(np.bincount(atom, weights=m, minlength=number), dtype=np.float64)
    first = np.array([np.flatnonzero(atom == a)[0] for a in range(number)])
    totals = (y - low * (sets @ m)) / wide
    found = atom_bounds(sets[:, first], totals, size, np.zeros(number), np.ones(number))
    if found is None:
        raise DataError("the answers contradict each other or the domain: no values fit them all")
    lower, upper = low + wide * found[0][atom], low + wide * found[1][atom]
    return (lower, upper) if step is None else on_grid(lower, upper, low, high, step)


def atom_bounds(
    sets: NDArray[np.bool_], totals: Floats, size: Floats, low: Floats, high: Floats
) -> tuple[Floats, Floats] | None:
    """Return the bounds of one record of each atom, whose records lie between `low` and `high`; None if none fit."""
    programme = Programme(sets, totals, size * low, size * high)
    if not programme.feasible():
        return None
    least, greatest = low.copy(), high.copy()
    for a in np.flatnonzero(size > 0):
        if (reach := programme.reach(int(a))) is not None:
            least[a] = max(low[a], reach[0] - (size[a] - 1) * high[a])
            greatest[a] = min(high[a], reach[1] - (size[a] - 1) * low[a])
    return least, greatest


def on_grid(lower: Floats, upper: Floats, low: float, high: float, step: float) -> tuple[Floats, Floats]:
    """Round the lower bounds up and the upper ones down to low + k step."""
    last = np.floor((high - low) / step + 1e-9)
    slack = 1e-6  # an optimum that is a grid value up to rounding stays that value
    up = np.clip(np.ceil((lower - low) / step - slack), 0, last)
    down = np.clip(np.floor((upper - low) / step + slack), 0, last)
    return low + step * up, low + step * down


def _checked(
    membership: ArrayLike, answers: ArrayLike, low: float, high: float, step: float | None, weights: ArrayLike | None
) -> tuple[NDArray[np.bool_], Floats, Floats]:
    sets = np.asarray(membership, dtype=bool)
    y = np.asarray(answers, dtype=np.float64)
    if sets.ndim != 2:
        raise DataError(f"membership is a matrix, one row per answer and one column per record, not {sets.ndim}-D")
    if y.shape != (len(sets),):
        raise DataError(f"{len(sets)} rows of membership need as many answers, not {y.size}")
    if not (np.isfinite(y).all() and np.isfinite([low, high]).all()):
        raise DataError("answers and the ends of the domain are finite numbers")
    if high < low:
        raise DataError(f"the domain runs from low to high, not from {low} to {high}")
    if step is not None and not step > 0:
        raise DataError(f"the step of a domain is positive, not {step}")
    m = np.ones(sets.shape[1]) if weights is None else np.asarray(weights, dtype=np.float64)
    if m.shape != (sets.shape[1],) or not (m >= 0).all():
        raise DataError("weights are one number of records, zero or more, per column")
    return sets, y, m
