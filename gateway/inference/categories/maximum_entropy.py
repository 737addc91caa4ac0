"""The maximum-entropy table: what somebody who knows the public shares and all answers believes of each cell.

Among all tables that agree with the answers, take the one nearest to the public shares in relative entropy. It has the
form belief[c, v] proportional to share[c, v] exp(sum of lambda_q over the answers q that c and v are in), and is found
by iterative proportional fitting (Deming and Stephan 1940; Csiszar 1975): one answer after the other is met by its
lambda, until all are met. A cell's beliefs add up to one at every step.
"""

from collections.abc import Sequence

import numpy as np

from sdcdb.gateway.inference.categories.counting import Counting, Floats, Ints

SWEEPS = 30
NEAR = 0.1  # people, by which an answer may be missed
STEEPEST = 40.0  # of a lambda: exp(40) is certainty
WORK = 400_000_000  # numbers that one fit may touch


def fit_beliefs(
    beliefs: Floats, sizes: Ints, asked: Sequence[Counting], answers: Sequence[int], sweeps: int = SWEEPS
) -> Floats:
    """Return the beliefs, a row for each cell, tilted until every answer is met; `beliefs` is where to begin.

    >>> sex = Counting(np.array([True, False]), frozenset({0}))
    >>> fit_beliefs(np.full((2, 2), 0.5), np.array([10, 10]), [sex], [8]).round(3).tolist()
    [[0.8, 0.2], [0.5, 0.5]]
    """
    table = beliefs.copy()
    members = [np.flatnonzero(each.cells & (sizes > 0)) for each in asked]
    work = sum(len(each) for each in members) * beliefs.shape[1] * 4
    for _ in range(min(sweeps, max(2, WORK // max(work, 1)))):
        missed = 0.0
        for each, rows, answer in zip(asked, members, answers, strict=True):
            missed = max(missed, _meet(table, sizes, rows, sorted(each.values), answer))
        if missed <= NEAR:
            break
    return table


def _meet(table: Floats, sizes: Ints, rows: Ints, values: list[int], answer: int) -> float:
    """Tilt the cells of one answer so that it is met; return by how much it was missed."""
    share = table[:, values][rows].sum(axis=1) if len(values) > 1 else table[rows, values[0]]
    people = sizes[rows].astype(np.float64)
    missed = float(share @ people) - answer
    if abs(missed) <= NEAR:
        return abs(missed)
    tilt, low, high = 0.0, -STEEPEST, STEEPEST
    for _ in range(60):
        now = _tilted(share, tilt)
        off = float(now @ people) - answer
        if abs(off) < NEAR / 10:
            break
        low, high = (low, tilt) if off > 0 else (tilt, high)
        slope = float((now * (1 - now)) @ people)
        step = tilt - off / slope if slope > 0 else low
        tilt = step if low < step < high else (low + high) / 2
    now = _tilted(share, tilt)
    inside = np.divide(now, share, out=np.zeros_like(now), where=share > 0)
    outside = np.divide(1 - now, 1 - share, out=np.zeros_like(now), where=share < 1)
    factor = np.repeat(outside[:, None], table.shape[1], axis=1)
    factor[:, values] = inside[:, None]
    table[rows] *= factor
    table[rows] /= np.maximum(table[rows].sum(axis=1, keepdims=True), 1e-300)
    return abs(missed)


def _tilted(share: Floats, tilt: float) -> Floats:
    grown = share * np.exp(min(max(tilt, -STEEPEST), STEEPEST))
    return np.asarray(grown / (grown + (1 - share) + 1e-300))
