"""Does every part of every person's records keep its room? Where a person has several, their total counts as well.

Let v be a vector on the records of one person p, Q the projection on the span of the answered sets (`geometry`), and
theta the largest eigenvalue of Q on the records of p. Moving all records by t P v, with P = 1 - Q, changes no answer.

- v(x) changes by t (|v|^2 - |Q v|^2) >= t (1 - theta) |v|^2.
- Any record j moves, apart from t v_j, by t |(Q v)_j| <= t sqrt(l_j theta) |v|, with l the leverages; and by no more
  than t sqrt(1 - l_j) |v|, if it is not one of p.

Take v = 1 on any r of the records of p and 0 elsewhere. With s_j the distance of record j to the nearer end of its
range, a step of t = min( min_j s_j / sqrt(l_j theta r), own ) leaves everybody inside, where `own` is such that a
record of p itself, which moves by at most t (1 + sqrt(l_j theta r)), stays inside too. So the total of these r records
goes up and down by r (1 - theta) t. This is concave in r, and what whole numbers need is convex in it (r times the
margin of one): if it is enough for r = 2 and for all records of p, it is enough for every part between. A part of one
record is judged as any record is.

theta is at most the sum of the leverages of the records of p. Where that does not do, it is computed: as one number
per atom, a person's part of an atom being r equal records.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.geometry import Geometry, Rest
from sdcdb.gateway.inference.people import People

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

WORK = 2e9  # multiplications for exact eigenvalues


@dataclass(frozen=True)
class Wanted:
    """What a record needs: the width, and the share of the domain to be filled at one step (`unit`) each."""

    need: Floats
    margin: Floats
    fewest: float
    unit: float

    def of(self, records: Floats, need: Floats, margin: Floats) -> Floats:
        """Return the width in reals that a total of so many records needs."""
        values = self.fewest * (2 * records * margin / self.unit + 1) if self.unit > 0 else 0.0
        return np.where(need > 0, np.maximum(need + 2 * records * margin, values), 0.0)


class PersonTest:
    """The people at one state of the sums; `leverage` is that of a record of each cell, with the new set's."""

    def __init__(self, people: People, geometry: Geometry, rest: Rest | None, labels: Ints, leverage: Floats) -> None:
        self._held = geometry.number == 0
        several = people.with_several if not self._held.any() else _free(people, self._held).with_several
        self._geometry, self._rest, self._labels, self._leverage = geometry, rest, labels, leverage
        self._matrix, self._records = several.matrix, several.records
        self._theta = np.minimum(self._matrix @ leverage, 1.0)
        self._exact = np.zeros(len(self._records), dtype=np.bool_)

    @property
    def shares(self) -> Floats:
        """Return for each cell the largest theta of somebody in it, or its own leverage."""
        found = self._leverage.copy()
        np.maximum.at(found, self._matrix.indices, np.repeat(self._theta, np.diff(self._matrix.indptr)))
        return found

    def short(self, point: Floats, ranges: tuple[Floats, Floats, Floats, Floats], wanted: Wanted) -> Floats:
        """Return for each cell by how much somebody in it has less room than needed: 0 or less if nobody has."""
        found = np.full(len(point), -np.inf)
        if len(self._records):
            lacking = self._lacking(point, ranges, wanted)
            doubtful = np.flatnonzero((lacking > 0) & ~self._exact)
            if len(doubtful) and self._sharpen(doubtful):
                lacking = self._lacking(point, ranges, wanted)
            np.maximum.at(found, self._matrix.indices, np.repeat(lacking, np.diff(self._matrix.indptr)))
        return found

    def _lacking(self, point: Floats, ranges: tuple[Floats, Floats, Floats, Floats], wanted: Wanted) -> Floats:
        low, high, falls, rises = ranges
        down, up = point - falls - low, high - rises - point
        slack = np.where(self._held, np.inf, np.minimum(down, up))
        if not (slack > 0).all():
            return np.full(len(self._records), np.inf)
        pushed = float((slack / np.sqrt(np.maximum(self._leverage, 1e-300))).min(initial=np.inf))
        ball = float((slack / np.sqrt(np.maximum(1 - self._leverage, 1e-300))).min(initial=np.inf))
        own = [self._least(each) for each in (down, up)]
        most, margin, need = (self._most(each) for each in (self._leverage, wanted.margin, wanted.need))
        theta = self._theta
        found = np.full(len(self._records), -np.inf)
        for records in (np.full(len(self._records), 2.0), self._records):
            others = np.maximum(pushed / np.sqrt(np.maximum(theta * records, 1e-300)), ball / np.sqrt(records))
            give = 1 + np.sqrt(most * theta * records)
            width = records * (1 - theta) * sum(np.minimum(others, each / give) for each in own)
            found = np.maximum(found, wanted.of(records, need, margin) - width)
        return found

    def _least(self, values: Floats) -> Floats:
        return _by_person(np.minimum, values, self._matrix.indices, self._matrix.indptr)

    def _most(self, values: Floats) -> Floats:
        return _by_person(np.maximum, values, self._matrix.indices, self._matrix.indptr)

    def _sharpen(self, doubtful: Ints) -> bool:
        """Compute theta of some people exactly; False if that takes too long."""
        rows = self._matrix[doubtful].tocoo()
        columns, place = np.unique(self._labels[rows.col], return_inverse=True)
        rank = self._geometry.rows.number
        if len(columns) * rank * rank > WORK or len(columns) * len(doubtful) > WORK / 100:
            return False
        _, first = np.unique(self._labels, return_index=True)
        at = first[np.searchsorted(np.unique(self._labels), columns)]
        half = self._geometry.gram.halves(self._geometry.rows.some(at))
        if self._rest is not None:
            half = np.concatenate([half, (self._rest.values[at] / np.sqrt(self._rest.length))[None, :]])
        order = np.argsort(rows.row, kind="stable")
        ends = np.searchsorted(rows.row[order], np.arange(len(doubtful) + 1))
        for n, person in enumerate(doubtful):
            mine = order[ends[n] : ends[n + 1]]
            atoms, where = np.unique(place[mine], return_inverse=True)
            number = np.bincount(where, weights=rows.data[mine])
            part = half[:, atoms] * np.sqrt(number)
            small = part @ part.T if len(atoms) > len(half) else part.T @ part
            largest = float(np.linalg.eigvalsh(small)[-1]) if small.size else 0.0
            self._theta[person] = min(self._theta[person], largest * (1 + 1e-9) + 1e-9)
        self._exact[doubtful] = True
        return True


def _free(people: People, held: Flags) -> People:
    """Leave out cells in which no record can move: they have been judged when they were held."""
    kept = people.matrix.multiply(~held).tocsr()
    kept.eliminate_zeros()
    return People(kept)


def _by_person(reduce: np.ufunc, values: Floats, indices: Ints, ends: Ints) -> Floats:
    if len(ends) < 2:
        return np.zeros(0)
    return np.asarray(reduce.reduceat(values[indices], ends[:-1]), dtype=np.float64)
