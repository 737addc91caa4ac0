"""SUM: trying a question before it is answered, and taking in its answer."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.audit.frozen import still_free
from sdcdb.gateway.audit.geometry import LEAST
from sdcdb.gateway.audit.ground import Ground, Tried
from sdcdb.gateway.audit.judge import Case, judge
from sdcdb.gateway.audit.predictive import spreads
from sdcdb.gateway.audit.refit import find_point

Cells = NDArray[np.bool_]


def try_sum(ground: Ground, cells: Cells, delta: float) -> Tried:
    """Try a sum (the atoms are refined already). If it is safe it stays tried, as a row with the expected answer."""
    g, c = ground.geometry, ground.columns
    rest, expected = g.rest(cells), ground.expected(cells)
    if rest.length < LEAST or not ground.witnesses_hidden():
        return Tried(expected, expected, None)
    below, above = spreads(rest.values, g.number, c.point - c.low, c.high - c.point, delta)
    found = np.full(len(c.point), np.inf)
    for shift in (-below, above):
        case = Case(g, c, rest, c.point + shift * rest.direction, *ground.ends())
        verdict = judge(case)
        if verdict is None or not still_free(ground.frozen, ground.dropped, case):
            return Tried(expected - below, expected + above, None)
        found = np.minimum(found, verdict.widths)
    move = rest.direction
    ground.append(rest, expected)
    down, up = np.where(move > 0, below, above) * move, np.where(move > 0, above, below) * move
    ground.columns = replace(ground.columns, falls=c.falls + down**2, rises=c.rises + up**2)
    return Tried(expected - below, expected + above, found)


def learn_sum(ground: Ground, cells: Cells, answer: float) -> None:
    """Take in the answer to a sum. A ground that finds no point any more is blind: it certifies nothing."""
    ground.split(cells)
    rest = ground.geometry.rest(cells)
    if not ground.geometry.number[cells].any():
        ground.dropped += ((cells, answer),)  # of records that are all held
        return
    if rest.length < LEAST:
        ground.blind = True  # independent, but not to floating point
        return
    shift = answer - ground.expected(cells)
    ground.append(rest, answer)
    ground.columns = replace(ground.columns, point=ground.columns.point + shift * rest.direction)
    find_point(ground)
