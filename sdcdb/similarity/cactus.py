"""CACTUS (Ganti, Gehrke and Ramakrishnan 1999), which the thesis (2007, 6.3 and 6.6.1) compares with DETECTIVE.

Two values of different columns are strongly connected when they share at least `factor` times as many records as they
would if columns were independent and values equally frequent, n / (|Da| |Db|). Two values of one column are similar
with respect to another column when both are strongly connected with a common value of it. A candidate cluster is a set
of values of each column such that all pairs across columns are strongly connected; it is a cluster if its support, the
number of records that have only its values, is greater than `support`.
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
    """What CACTUS finds: similar values, the other columns that say so, and clusters with their support."""

    similar: Mapping[str, tuple[tuple[str, str], ...]]
    respects: Mapping[str, Mapping[tuple[str, str], tuple[str, ...]]]
    clusters: tuple[Mapping[str, tuple[str, ...]], ...]
    supports: tuple[int, ...]


def cactus(columns: Mapping[str, Sequence[Any]], factor: float = 1.2, support: int = 0) -> Cactus:
    """Return what CACTUS finds in columns of categories; a missing value is None and does not count.

    The thesis's example (6.3): 360 records, three values of a, four of b; 36 records make a strong connection.

    >>> pairs = [("a1", "b1", 100), ("a2", "b1", 31), ("a3", "b1", 36), ("a2", "b2", 193)]
    >>> a, b = ([pair[n] for pair in pairs for _ in range(pair[2])] for n in (0, 1))
    >>> cactus({"a": [*a, None, None], "b": [*b, "b3", "b4"]}, 1.2).similar["a"]
    (('a1', 'a3'),)
    """
    if len(columns) < 2:
        raise DataError("CACTUS needs at least two columns")
    values = {name: sorted({str(v) for v in given if v is not None}) for name, given in columns.items()}
    strong = _strong(columns, values, factor)
    respects = {
        name: {
            (a, b): common
            for (i, a), (j, b) in combinations(enumerate(values[name]), 2)
            if (common := tuple(o for o in values if o != name and (strong[name, o][i] & strong[name, o][j]).any()))
        }
        for name in values
    }
    candidates = [(each, _support(columns, each)) for each in _clusters(values, strong)]
    kept = [(cluster, records) for cluster, records in candidates if records > support]
    similar = {name: tuple(pairs) for name, pairs in respects.items()}
    return Cactus(similar, respects, tuple(c for c, _ in kept), tuple(n for _, n in kept))


def _support(columns: Mapping[str, Sequence[Any]], cluster: Mapping[str, tuple[str, ...]]) -> int:
    """Count the records that have only values of a cluster."""
    rows = zip(*(columns[name] for name in cluster), strict=True)
    return sum(all(str(v) in own for v, own in zip(row, cluster.values(), strict=True)) for row in rows)


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
        made[a, b] = counts >= factor * counts.sum() / max(1, counts.size) * (1 - 1e-12)  # 1.2 x 30 is above 36
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
