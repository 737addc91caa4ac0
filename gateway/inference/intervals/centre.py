"""The analytic centre, and the certificate in its own scale: the costlier and sharper of the two.

The point that maximises the sum of the logarithms of all distances to the ends is found by Newton's method. There each
record is measured in units of its distance s_i to the nearer end (the Dikin ellipsoid), which suits polytopes that are
long in one direction and short in another. Records that the closed form leaves uncertified are tried along their own
direction, with the exact step to the first end that is met.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.lapack import cholesky, solve_factored, solve_lower

Floats = NDArray[np.float64]

STEPS = 40


@dataclass(frozen=True)
class Polytope:
    """Atoms that can move: `rows` (0/1), `answers` to the sums over them, `size`, and the range of one record.

    The range is what is left when answers that are not known yet move the point by up to `falls` and `rises`.
    """

    rows: Floats
    answers: Floats
    size: Floats
    low: Floats
    high: Floats
    falls: Floats
    rises: Floats


def centre(polytope: Polytope, start: Floats) -> Floats | None:
    """Return the analytic centre, or None when Newton's method does not reach a point that agrees with the answers."""
    low, high, size, rows = polytope.low, polytope.high, polytope.size, polytope.rows
    wide = high - low
    x = np.clip(start, low + 0.02 * wide, high - 0.02 * wide)
    weighted = rows * size
    scale = 1.0 + np.abs(polytope.answers)
    for _ in range(STEPS):
        below, above = x - low, high - x
        if not (min(below.min(initial=1.0), above.min(initial=1.0)) > 1e-12):
            return None  # no inside left to stand in
        curve = 1.0 / below**2 + 1.0 / above**2
        slope = 1.0 / below - 1.0 / above
        wrong = polytope.answers - weighted @ x
        factor = _factor((weighted / curve) @ rows.T, forgive=True)
        if factor is None:
            return None
        dual = solve_factored(factor, wrong - weighted @ (slope / curve))
        move = (slope + rows.T @ dual) / curve
        with np.errstate(divide="ignore"):
            room = float(np.where(move > 0, above / np.maximum(move, 1e-300), below / np.maximum(-move, 1e-300)).min())
        length = min(1.0, 0.9 * room)
        x = x + length * move
        decrement = float((size * curve) @ move**2)
        if length == 1.0 and decrement < 1e-2 * max(1.0, 1e-3 * len(x)):
            break
        if length < 1e-7:
            return None
    wrong = polytope.answers - weighted @ x
    inside = bool(((x > low) & (x < high)).all())
    return x if inside and float(np.abs(wrong / scale).max(initial=0.0)) < 1e-9 else None


def scaled_widths(polytope: Polytope, x: Floats, need: Floats) -> Floats:
    """Return a lower bound of the interval of one record of each atom, sharpened for those below `need`."""
    below, above = x - polytope.low, polytope.high - x
    s = np.minimum(below, above)
    rows, size = polytope.rows * s, polytope.size
    factor = _factor((rows * size) @ rows.T)
    if factor is None:
        return np.zeros(len(x))
    basis = solve_lower(factor, rows)
    leverage = np.minimum(1.0, (basis**2).sum(axis=0) + 1e-9)
    left = np.maximum(1.0 - leverage, 0.0)
    most = float(leverage.max(initial=1e-12))
    step = np.maximum(
        1.0 / np.sqrt(np.maximum(leverage * most, 1e-300)),
        1.0 / np.sqrt(np.maximum(left * float(left.max(initial=1e-12)), 1e-300)),
    )
    move = s * left * step
    room = below, above, polytope.falls, polytope.rises
    out = _own(room, move, move)
    doubtful = np.flatnonzero(out < need)
    for start in range(0, len(doubtful), 256):
        tried = doubtful[start : start + 256]
        out[tried] = np.maximum(out[tried], _along(tried, basis, (s, *room), size))
    return out


def _along(tried: NDArray[np.int64], basis: Floats, slack: tuple[Floats, ...], size: Floats) -> Floats:
    """Return how far each record gets along its own direction, up and down together."""
    s, below, above = slack[:3]
    push = -(basis[:, tried].T @ basis) * s  # what one unit of each record's move does to every other
    rows = np.arange(len(tried))
    own = s[tried] + push[rows, tried]
    alone = size[tried] == 1
    push[rows[alone], tried[alone]] = 0.0  # no other record in its atom
    rising, falling = np.maximum(push, 1e-300), np.maximum(-push, 1e-300)
    with np.errstate(over="ignore"):
        up = np.where(push > 0, above / rising, below / falling).min(axis=1)
        down = np.where(push > 0, below / rising, above / falling).min(axis=1)
    room = tuple(each[tried] for each in slack[1:])
    return np.where(own > 1e-9 * s[tried], _own(room, own * down, own * up), 0.0)


def _own(room: tuple[Floats, ...], down: Floats, up: Floats) -> Floats:
    """Return the room of records that the others let move so far, wherever unknown answers put them."""
    below, above, falls, rises = room  # below and above are what is left after falling and rising
    fallen = np.minimum(up, above + rises + falls) + np.minimum(down, below)
    risen = np.minimum(up, above) + np.minimum(down, below + falls + rises)
    return np.asarray(np.minimum(fallen, risen), dtype=np.float64)


def _factor(matrix: Floats, *, forgive: bool = False) -> Floats | None:
    """Return the Cholesky factor; `forgive` dependent rows where the result is checked afterwards."""
    if len(matrix) == 0:
        return np.zeros((0, 0))
    try:
        return cholesky(matrix)
    except np.linalg.LinAlgError:
        if not forgive:
            return None
        ridge = 1e-13 * float(np.trace(matrix)) / len(matrix)
        try:
            return cholesky(matrix + ridge * np.eye(len(matrix)))
        except np.linalg.LinAlgError:
            return None
