"""CACTUS (Ganti, Gehrke and Ramakrishnan 1999), which the thesis (2007, 6.3 and 6.6.1) compares with DETECTIVE.

Two values of different columns are strongly connected when they share more records than `factor` times what they would
if columns were independent and values equally frequent: n / (|Da| |Db|). Two values of one column are similar when they
are strongly connected with a common value of every other column that counts. A cluster is a set of values of each
column such that all pairs across columns are strongly connected.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import DataError

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Cactus:
    """What CACTUS finds: similar values of each column, with the number of columns that say so, and clusters."""

    similar: Mapping[str, tuple[tuple[str, str], ...]]
    clusters: tuple[Mapping[str, tuple[str, ...]], ...]


def cactus(columns: Mapping[str, Sequence[Any]], factor: float = 1.5) -> Cactus:
    """Return what CACTUS finds in columns of categories; a missing value is None and does not count."""
    if len(columns) < 2:
        raise DataError("CACTUS needs at least two columns")
    values = {name: sorted({str(v) for v in given if v is not None}) for name, given in columns.items()}
    strong = _strong(columns, values, factor)
    similar = {
        name: tuple(
            (a, b)
            for (i, a), (j, b) in combinations(enumerate(values[name]), 2)
            if all((strong[name, other][i] & strong[name, other][j]).any() for other in values if other != name)
        )
        for name in values
    }
    return Cactus(similar, tuple(_clusters(values, strong)))


def _strong(
    columns: Mapping[str, Sequence[Any]], values: Mapping[str, list[str]], factor: float
) -> dict[tuple[str, str], Flags]:
    made: dict[tuple[str, str], Flags] = {}
    for a, b in combinations(values, 2):
        place = {v: n for n, v in enumerate(values[a])}, {v: n for n, v in enumerate(values[b])}
        counts = np.zeros((len(values[a]), len(values[b])))
        for v, w in zip(columns[a], columns[b], strict=True):
            if v is not None and w is not None:
                counts[place[0][str(v)], place[1][str(w)]] += 1
        made[a, b] = counts > factor * counts.sum() / max(1, counts.size)
        made[b, a] = made[a, b].T
    return made


def _clusters(
    values: Mapping[str, list[str]], strong: Mapping[tuple[str, str], Flags]
) -> list[dict[str, tuple[str, ...]]]:
    """Grow clusters column by column: sets of values that are strongly connected with all values chosen so far."""
    names = list(values)
    partial: set[tuple[frozenset[int], ...]] = set()
    for first in range(len(values[names[0]])):
        partial.add((frozenset([first]),))
    for name in names[1:]:
        longer: set[tuple[frozenset[int], ...]] = set()
        for chosen in partial:
            fits = [
                n for n in range(len(values[name]))
                if all(strong[own, name][v, n] for own, vs in zip(names, chosen, strict=False) for v in vs)
            ]  # fmt: skip
            longer |= {(*chosen, frozenset([n])) for n in fits}
        partial = longer
    merged = _merged(partial)
    most = [c for c in merged if not any(c != d and all(a <= b for a, b in zip(c, d, strict=True)) for d in merged)]
    ordered = sorted(most, key=lambda c: -np.prod([len(part) for part in c]))
    return [
        {name: tuple(values[name][n] for n in sorted(part)) for name, part in zip(names, chosen, strict=True)}
        for chosen in ordered
    ]


def _merged(simple: set[tuple[frozenset[int], ...]]) -> set[tuple[frozenset[int], ...]]:
    """Unite clusters as long as every combination of the union is itself one."""
    merged, waiting = set(simple), list(simple)
    while waiting:
        one = waiting.pop()
        for other in simple:
            union = tuple(a | b for a, b in zip(one, other, strict=True))
            whole = all(tuple(frozenset([v]) for v in each) in simple for each in product(*union))
            if union not in merged and whole:
                merged.add(union)
                waiting.append(union)
    return merged
