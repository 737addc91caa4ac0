"""A sound lower bound of every record's interval, from one point inside and the leverages: no linear programme.

Let P = 1 - Q be the projection on the moves that change no answered sum (`geometry`). Moving record i by P e_i keeps
all answers. Record i itself moves by 1 - l_i, with l the leverages, and another record j by |P_ij|, for which

    |P_ij| <= sqrt(l_i l_j)   and   |P_ij| <= sqrt((1 - l_i)(1 - l_j)),

because Q and P are projections. With s_j the distance of record j to the nearer end of its range, a step of

    t_i = max( min_j s_j / sqrt(l_i l_j),  min_j s_j / sqrt((1 - l_i)(1 - l_j)) )

leaves everyone else inside, so record i can go up and down by (1 - l_i) t_i or to the end of its own range, whichever
comes first. All of it costs a pass over the cells. The second bound is the inscribed ball; the first uses that a record
in a large set pushes every other one by very little only. It holds for each record by itself, so also for skewed data
where all records sit near the low end, and for the m records of an atom (l <= 1/m) it is not worse than letting the
others give way.
"""

import math

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.machine_code import machine_code

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@machine_code()
def widths(
    point: Floats, ranges: tuple[Floats, Floats, Floats, Floats], leverage: Floats, number: Floats, held: Flags
) -> Floats:
    """Return a lower bound of the interval of a record of each cell; 0 for all when the point is not inside.

    `ranges` are low and high, and how far unknown answers may yet move the point down and up: by that much less the
    others can be pushed, and from each of the two ends the record itself must have its room. `number` is the records
    per cell: only a cell of one record has no other like it. Held cells cannot move and are not judged: their width is
    given as infinite.
    """
    low, high, falls, rises = ranges
    cells = len(point)
    out = np.zeros(cells)
    pushed, ball = np.full(2, math.inf), np.full(2, math.inf)  # the smallest and the next, for records other than i
    first_pushed, first_ball = -1, -1
    for j in range(cells):
        if held[j]:
            continue
        slack = min(point[j] - falls[j] - low[j], high[j] - rises[j] - point[j])
        if not slack > 0.0:
            return out
        a = slack / math.sqrt(max(leverage[j], 1e-300))
        if a < pushed[0]:
            pushed[1], pushed[0], first_pushed = pushed[0], a, j
        elif a < pushed[1]:
            pushed[1] = a
        b = slack / math.sqrt(max(1.0 - leverage[j], 1e-300))
        if b < ball[0]:
            ball[1], ball[0], first_ball = ball[0], b, j
        elif b < ball[1]:
            ball[1] = b
    for i in range(cells):
        if held[i]:
            out[i] = math.inf
            continue
        share = leverage[i]
        a = pushed[1] if i == first_pushed and number[i] == 1.0 else pushed[0]
        b = ball[1] if i == first_ball and number[i] == 1.0 else ball[0]
        step = max(a / math.sqrt(max(share, 1e-300)), b / math.sqrt(max(1.0 - share, 1e-300)))
        move = (1.0 - share) * step
        down, up = point[i] - low[i], high[i] - point[i]
        fallen = min(move, up + falls[i]) + min(move, down - falls[i])
        risen = min(move, up - rises[i]) + min(move, down + rises[i])
        out[i] = min(fallen, risen)
    return out


@widths.in_numpy
def _widths_plainly(
    point: Floats, ranges: tuple[Floats, Floats, Floats, Floats], leverage: Floats, number: Floats, held: Flags
) -> Floats:
    low, high, falls, rises = ranges
    slack = np.minimum(point - falls - low, high - rises - point)
    if not np.all((slack > 0.0) | held):
        return np.zeros(len(point))
    away, near = np.maximum(1.0 - leverage, 1e-300), np.maximum(leverage, 1e-300)
    single = number == 1.0
    step = np.maximum(
        _smallest_of_others(np.where(held, math.inf, slack / np.sqrt(near)), single) / np.sqrt(near),
        _smallest_of_others(np.where(held, math.inf, slack / np.sqrt(away)), single) / np.sqrt(away),
    )
    move = (1.0 - leverage) * step
    down, up = point - low, high - point
    fallen = np.minimum(move, up + falls) + np.minimum(move, down - falls)
    risen = np.minimum(move, up - rises) + np.minimum(move, down + rises)
    return np.where(held, math.inf, np.minimum(fallen, risen))


def _smallest_of_others(pushed: Floats, single: Flags) -> Floats:
    """Return for each cell the smallest number, not its own if it has one record only."""
    out = np.full(len(pushed), pushed.min(initial=math.inf))
    if len(pushed):
        first = int(pushed.argmin())
        if single[first]:
            out[first] = np.delete(pushed, first).min(initial=math.inf)
    return out
