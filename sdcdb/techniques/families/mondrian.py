"""Mondrian (LeFevre et al. 2006): cut the records at the median of the widest attribute while both halves stay good."""

from collections.abc import Sequence

import numpy as np

from sdcdb.techniques.families.crowds import Bools, Crowd, Floats, Ints, Targets, satisfied


def mondrian(places: Sequence[Floats], crowd: Crowd, targets: Targets) -> Ints:
    """Return the part that each record belongs to, numbered from 0. `places` says where it lies in each attribute."""
    points = np.column_stack([_ranked(each) for each in places])
    parts = np.zeros(len(points), np.int64)
    waiting, number = [np.arange(len(points))], 0
    while waiting:
        part = waiting.pop()
        cut = _cut(points, part, crowd, targets)
        if cut is None:
            parts[part] = number
            number += 1
        else:
            waiting += [part[cut], part[~cut]]
    return parts


def _ranked(values: Floats) -> Floats:
    """Return places from 0 to 1; missing ones before all others."""
    filled = np.where(np.isnan(values), -np.inf, values)
    distinct, codes = np.unique(filled, return_inverse=True)
    return codes.reshape(-1) / max(1, len(distinct) - 1)


def _cut(points: Floats, part: Ints, crowd: Crowd, targets: Targets) -> Bools | None:
    """Return which records lie below the cut, or None where no attribute can be cut."""
    if crowd.weights[part].sum() < 2 * targets.k:
        return None
    inside = points[part]
    for attribute in np.argsort(-(inside.max(axis=0) - inside.min(axis=0)), kind="stable"):
        values = inside[:, attribute]
        order = np.argsort(values, kind="stable")
        reached = np.cumsum(crowd.weights[part][order])
        middle = values[order][int(np.searchsorted(reached, reached[-1] / 2))]
        for below in (values <= middle, values < middle):
            if below.any() and not below.all():
                halves = crowd.part(part)
                if satisfied((~below).astype(np.int64), halves, targets, crowd).all():
                    return np.asarray(below)
    return None
