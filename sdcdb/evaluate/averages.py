"""H(0) and area of every class of records, averaged by how many attributes an intruder knows."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sdcdb.evaluate.beliefs import Beliefs
from sdcdb.evaluate.population import Classes, Floats, Ints, Population
from sdcdb.measures.cae_curve import cae_rows

ROOM = 4_000_000  # numbers of beliefs in memory at a time


@dataclass(frozen=True)
class Average:
    """Means at one number of known attributes.

    The paper averages over all attributes and all values: here over the classes of each combination of attributes,
    every class once, and then over the combinations (`h0`, `area`). A class of one record then counts as much as one of
    a thousand; `h0_record` and `area_record` count every record once instead.
    """

    known: int
    combinations: int
    classes: int
    h0: float
    area: float
    h0_record: float
    area_record: float


def averages(population: Population, beliefs: Beliefs) -> list[Average]:
    """Measure every combination of known attributes and every class of records in it."""
    alone = cae_rows(population.grid.points, beliefs.rows)
    found: dict[int, list[tuple[Floats, Floats, Classes]]] = {}
    for classes in population.classes:
        h0, area = _measured(population, classes, beliefs, alone)
        found.setdefault(classes.known, []).append((h0, area, classes))
    return [
        Average(
            known=known,
            combinations=len(each),
            classes=sum(len(classes.sizes) for _, _, classes in each),
            h0=float(np.mean([h0.mean() for h0, _, _ in each])),
            area=float(np.mean([area.mean() for _, area, _ in each])),
            h0_record=float(np.mean([np.average(h0, weights=classes.sizes) for h0, _, classes in each])),
            area_record=float(np.mean([np.average(area, weights=classes.sizes) for _, area, classes in each])),
        )
        for known, each in sorted(found.items())
    ]


def _measured(
    population: Population, classes: Classes, beliefs: Beliefs, alone: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """Return H(0) and area of each class. A class of one record, the most common case, takes that record's."""
    h0, area = np.empty(len(classes.sizes)), np.empty(len(classes.sizes))
    single = classes.sizes == 1
    kinds = beliefs.kinds[classes.order[classes.starts[single]]]
    h0[single], area[single] = alone[0][kinds], alone[1][kinds]
    several = np.flatnonzero(~single)
    limit = max(1, ROOM // population.grid.size)
    for part in _parts(classes.sizes[several], limit):
        some = several[part]
        h0[some], area[some] = cae_rows(population.grid.points, _means(classes, some, beliefs, limit))
    return h0, area


def _parts(sizes: Ints, limit: int) -> list[slice]:
    """Split classes into runs of about `limit` records."""
    if not len(sizes):
        return []
    run = np.cumsum(sizes) // limit
    cuts = [0, *(np.flatnonzero(np.diff(run)) + 1).tolist(), len(sizes)]
    return [slice(a, b) for a, b in pairwise(cuts)]


def _means(classes: Classes, some: Ints, beliefs: Beliefs, limit: int) -> Floats:
    """Return p of each class, one per row: the mean of its records' beliefs."""
    sizes = classes.sizes[some]
    if len(some) == 1 and sizes[0] > limit:  # one huge class: count its kinds instead of listing its records
        at = slice(classes.starts[some[0]], classes.starts[some[0]] + sizes[0])
        counts = np.bincount(beliefs.kinds[classes.order[at]], minlength=len(beliefs.rows))
        return np.asarray((counts @ beliefs.rows / sizes[0])[None, :])
    first = np.cumsum(sizes) - sizes
    within = np.arange(sizes.sum()) - np.repeat(first, sizes)
    records = classes.order[np.repeat(classes.starts[some], sizes) + within]
    return np.asarray(np.add.reduceat(beliefs.rows[beliefs.kinds[records]], first, axis=0) / sizes[:, None])
