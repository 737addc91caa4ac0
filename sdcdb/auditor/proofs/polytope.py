"""The totals that sums leave possible. Sums that share no record are solved apart, each in the cheapest way.

One sum alone has a closed form. Otherwise most records are seen to be in no danger from one possible assignment (the
data themselves, where the answers were computed from them): the ellipsoid around it that fits into the ranges (Dikin)
lies inside the polytope, and so does the way from it in the direction of one record. Only what is left gets programmes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf
from scipy.sparse.csgraph import connected_components

from sdcdb.auditor.evidence import Sets
from sdcdb.auditor.proofs.peeling import peel
from sdcdb.auditor.proofs.projection import Projection, Room, reach_along, settle
from sdcdb.gateway.inference.intervals.programme import Programme

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
MARGIN = 1e-7
DENOMINATORS = (60, 5_000, 10**6)
BLOCK = 256
MANY = 40  # records left over: more are first tried by programmes in random directions


@dataclass(frozen=True, eq=False)
class Atoms:
    """Unknown totals: the number of records of each, the range of one record, and one possible assignment, if known."""

    size: NDArray[np.int64]
    low: Floats
    high: Floats
    ends: Sequence[tuple[Fraction, Fraction]]
    truth: Floats | None


@dataclass(eq=False)
class Reach:
    """The least and greatest total of each atom. `seen`: only a part, wide enough; `exact`: the ends in fractions."""

    least: Floats
    most: Floats
    seen: NDArray[np.bool_]
    beyond: NDArray[np.bool_]
    """Not computed, as the budget was used up or the solver gave no answer."""
    exact: dict[int, tuple[Fraction, Fraction]] = field(default_factory=dict)
    left: float = inf
    """What is left of the budget: a programme costs the number of its sums times that of their entries."""


class Infeasible(ValueError):  # noqa: N818 - what the sums are
    """No totals fit all sums."""


def reach(
    rows: Sets,
    answers: Sequence[Fraction],
    atoms: Atoms,
    todo: Indices,
    enough: float | None,
    *,
    fractions: bool,
    budget: int | None = None,
) -> Reach:
    """Find the totals that each atom of `todo` can have; one whose records keep `enough` may get only a part."""
    number = len(atoms.size)
    found = Reach(atoms.size * atoms.low, atoms.size * atoms.high, np.zeros(number, bool), np.zeros(number, bool))
    found.left = inf if budget is None else budget
    rows, answers = _distinct(rows, answers)
    wanted = np.zeros(len(atoms.size), bool)
    wanted[todo] = True
    rows, answers, columns_left = _without_known(rows, answers, atoms, found)
    for own, places in _components(rows):
        columns = columns_left[places]
        if atoms.truth is not None and not wanted[columns].any():
            continue
        inside = rows[np.ix_(own, places)]
        own_answers = [answers[at] for at in own]
        if len(own) == 1:
            _alone(own_answers[0], columns, columns[wanted[columns]], atoms, found)
        else:
            _Part(inside, own_answers, columns, atoms, found, enough, fractions=fractions).solve(wanted[columns])
    return found


def _without_known(
    rows: Sets, answers: Sequence[Fraction], atoms: Atoms, found: Reach
) -> tuple[Sets, Sequence[Fraction], Indices]:
    """Settle the totals that follow by subtraction; return what is left of the sums, over the atoms that are left."""
    peeled = peel(np.ones(len(atoms.size), np.int64), sparse.csr_matrix(rows, dtype=np.int64), answers)
    known = np.flatnonzero(peeled.fixed)
    totals = peeled.values[known].astype(np.float64) / peeled.unit
    slack = MARGIN * float((atoms.size * (atoms.high - atoms.low)).max(initial=0.0))
    if peeled.odd > slack or (totals < found.least[known] - slack).any() or (totals > found.most[known] + slack).any():
        raise Infeasible
    found.least[known] = found.most[known] = totals
    found.exact |= {int(a): (peeled.value(int(a)), peeled.value(int(a))) for a in known}
    left, rest = _distinct(peeled.rows, peeled.rest)
    return left, rest, peeled.cells


def _distinct(rows: Sets, answers: Sequence[Fraction]) -> tuple[Sets, list[Fraction]]:
    if not len(rows):
        return rows, []
    _, first, inverse = np.unique(np.packbits(rows, axis=1), axis=0, return_index=True, return_inverse=True)
    spread = max(abs(each) for each in answers) if answers else Fraction(0)
    if any(
        abs(answer - answers[first[own]]) > spread * Fraction(MARGIN)
        for answer, own in zip(answers, inverse.ravel(), strict=True)
    ):
        raise Infeasible
    chosen = np.sort(first)
    return rows[chosen], [answers[at] for at in chosen]


def _components(rows: Sets) -> list[tuple[Indices, Indices]]:
    """Return rows and columns that hang together."""
    if not len(rows):
        return []
    k = len(rows)
    matrix = sparse.csr_matrix(rows)
    graph = sparse.bmat([[None, matrix], [matrix.T, None]], format="csr")
    number, label = connected_components(graph, directed=False)
    by_row, by_column = np.argsort(label[:k], kind="stable"), np.argsort(label[k:], kind="stable")
    ends = np.arange(number + 1)
    row_at, column_at = np.searchsorted(label[:k][by_row], ends), np.searchsorted(label[k:][by_column], ends)
    return [
        (np.sort(by_row[row_at[c] : row_at[c + 1]]), np.sort(by_column[column_at[c] : column_at[c + 1]]))
        for c in range(number)
        if row_at[c + 1] > row_at[c]
    ]


def _alone(answer: Fraction, columns: Indices, wanted: Indices, atoms: Atoms, found: Reach) -> None:
    """A sum of its own: each total is what the others leave of it."""
    records: dict[tuple[Fraction, Fraction], int] = {}
    for c in columns.tolist():
        records[atoms.ends[c]] = records.get(atoms.ends[c], 0) + int(atoms.size[c])
    all_least = sum((number * low for (low, _), number in records.items()), Fraction(0))
    all_most = sum((number * high for (_, high), number in records.items()), Fraction(0))
    slack = MARGIN * float(all_most - all_least)
    if float(answer - all_least) < -slack or float(all_most - answer) < -slack:
        raise Infeasible
    for c in wanted.tolist():
        least, most = (int(atoms.size[c]) * end for end in atoms.ends[c])
        ends = max(least, answer - (all_most - most)), min(most, answer - (all_least - least))
        found.exact[c] = ends
        found.least[c], found.most[c] = float(ends[0]), float(ends[1])


class _Vertices(Programme):
    """The polytope of all totals that agree with the answers, and the spread of the vertices seen so far."""

    def __init__(self, rows: Sets, answers: Floats, low: Floats, high: Floats) -> None:
        super().__init__(rows, answers, low, high)
        self.lowest, self.highest = np.full(len(low), np.inf), np.full(len(low), -np.inf)

    def _run(self) -> float | None:
        found = super()._run()
        if found is not None:
            seen = np.asarray(self._solver.getSolution().col_value, dtype=np.float64)
            self.lowest, self.highest = np.minimum(self.lowest, seen), np.maximum(self.highest, seen)
        return found

    def wander(self, columns: Indices, rng: np.random.Generator) -> None:
        """Go to the vertices farthest in a random direction and in its opposite."""
        direction = np.zeros(len(self._low))
        direction[columns] = rng.standard_normal(len(columns))
        self.least(direction)
        self.least(-direction)

    def end(self, column: int, *, upper: bool) -> tuple[float, Floats] | None:
        """Return the greatest or least total of a column, with the prices of the sums."""
        self._solver.changeColCost(column, -1.0 if upper else 1.0)
        found = self._run()
        prices = np.asarray(self._solver.getSolution().row_dual, dtype=np.float64)
        self._solver.changeColCost(column, 0.0)
        return None if found is None else (-found if upper else found, -prices if upper else prices)


class _Part:
    """Sums that hang together, in units of the widest range."""

    def __init__(
        self,
        rows: Sets,
        answers: list[Fraction],
        columns: Indices,
        atoms: Atoms,
        found: Reach,
        enough: float | None,
        *,
        fractions: bool,
    ) -> None:
        self.rows, self.answers, self.columns, self.atoms, self.found = rows, answers, columns, atoms, found
        self.size = atoms.size[columns].astype(np.float64)
        self.low, self.high = self.size * atoms.low[columns], self.size * atoms.high[columns]
        self.unit = float(max((atoms.high[columns] - atoms.low[columns]).max(), 1e-300))
        self.enough, self.fractions = enough, fractions
        self.cost = len(rows) * int(rows.sum())
        self.settled = np.zeros(len(columns), bool)

    def solve(self, wanted: NDArray[np.bool_]) -> None:
        cleared = self._by_the_truth(wanted)
        todo = np.flatnonzero(wanted & ~cleared)
        if not len(todo) and self.atoms.truth is not None:
            return
        cost = self.cost
        if self.atoms.truth is not None and self.found.left < cost:
            self.found.beyond[self.columns[todo]] = True
            return
        base = self.low
        values, place = np.unique(base, return_inverse=True)
        times = sparse.csr_matrix(self.rows, dtype=np.int64) @ (place.ravel()[:, None] == np.arange(len(values)))
        parts = [Fraction(float(value)) for value in values]
        above = [
            float(answer - sum((int(n) * part for n, part in zip(own, parts, strict=True) if n), Fraction(0)))
            / self.unit
            for answer, own in zip(self.answers, np.asarray(times), strict=True)
        ]
        programme = _Vertices(self.rows, np.array(above), np.zeros(len(base)), (self.high - base) / self.unit)
        if self.atoms.truth is None and not programme.feasible():
            raise Infeasible
        if self.enough is not None and len(todo) > MANY:
            todo = self._by_vertices(programme, todo)
        for n, at in enumerate(todo):
            if self.enough is not None and n and n % MANY == 0:
                self._note(programme, todo)
            if self.found.seen[self.columns[at]]:
                continue
            if self.found.left < 2 * cost:
                self.found.beyond[self.columns[at]] = True
                continue
            self.found.left -= 2 * cost
            self._programme(programme, int(at))

    def _by_vertices(self, programme: _Vertices, todo: Indices) -> Indices:
        rng, before = np.random.default_rng(len(self.rows)), len(todo) + 1
        while MANY < len(todo) < before:
            before = len(todo)
            self.found.left -= 2 * self.cost
            if self.found.left < 0:
                break
            programme.wander(todo, rng)
            self._note(programme, todo)
            todo = todo[~self.found.seen[self.columns[todo]]]
        return todo

    def _note(self, programme: _Vertices, todo: Indices) -> None:
        """Note the totals that the vertices show, where they are enough."""
        held = np.isfinite(programme.lowest[todo])
        least = self.low[todo] + programme.lowest[todo] * self.unit
        most = self.low[todo] + programme.highest[todo] * self.unit
        self._clear(todo[held], least[held], most[held])

    def _clear(self, at: Indices, least: Floats, most: Floats) -> None:
        """Take these totals as a part of what is possible, where a record's interval is wide enough by them."""
        own = self.columns[at]
        low, high, others = self.atoms.low[own], self.atoms.high[own], self.size[at] - 1
        begin, end = np.maximum(low, least - others * high), np.minimum(high, most - others * low)
        wide = (end - begin >= (self.enough or 0) * (1 + MARGIN)) & ~self.found.seen[own]
        wide &= ~np.isin(own, list(self.found.exact))
        chosen = own[wide]
        self.found.least[chosen], self.found.most[chosen] = least[wide], most[wide]
        self.found.seen[chosen] = True

    def _by_the_truth(self, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Clear records by their own atom, by the ellipsoid around the data, then by the way in their direction."""
        truth, cleared = self.atoms.truth, np.zeros(len(self.columns), bool)
        if truth is None or self.enough is None or len(self.rows) > 3_000:
            return cleared
        x = truth[self.columns]
        self._clear(np.arange(len(x)), x, x)  # whoever shares an atom with others can trade with them
        if self.found.seen[self.columns[wanted]].all():
            return np.asarray(self.found.seen[self.columns], dtype=bool)
        room = np.minimum(x - self.low, self.high - x)
        free = np.flatnonzero(room > MARGIN * self.unit)
        if not len(free):
            return cleared
        matrix = self.rows[:, free].astype(np.float64)
        basis = _row_space(matrix * room[free])
        half = room[free] * np.sqrt(np.maximum(0.0, 1 - (basis**2).sum(axis=1))) * (1 - 1e-6)
        self._clear(free, x[free] - half, x[free] + half)
        todo = free[(wanted & ~self.found.seen[self.columns])[free]]
        if len(todo):
            self._by_projection(x, free, todo)
        return np.asarray(self.found.seen[self.columns] | self.settled, dtype=bool)

    def _by_projection(self, x: Floats, free: Indices, todo: Indices) -> None:
        """Settle totals that a combination of sums isolates, and clear those that can move far enough."""
        projection = Projection(sparse.csr_matrix(self.rows, dtype=np.int64))
        room = Room(np.maximum(x - self.low, 0.0), np.maximum(self.high - x, 0.0))
        inner = projection if len(free) == len(x) else Projection(projection.rows[:, free])
        for start in range(0, len(todo), BLOCK):
            own = todo[start : start + BLOCK]
            settled = settle(projection, self.answers, own, room, None)
            for at, value in settled.determined.items():
                atom = int(self.columns[at])
                self.found.exact[atom] = value, value
                self.found.least[atom] = self.found.most[atom] = float(value)
                self.settled[at] = True
            rest = own[~self.settled[own]]
            if not len(rest):
                continue
            place = np.searchsorted(free, rest)
            way = inner.ways(place, inner.weights(place))
            ahead, back = reach_along(way, Room(room.down[free], room.up[free]))
            step = np.maximum(way[place, np.arange(len(place))], 0.0) * (1 - 1e-6)
            self._clear(rest, x[rest] - back * step, x[rest] + ahead * step)
        left = todo[~self.settled[todo] & ~self.found.seen[self.columns[todo]]]
        if len(left):
            self._by_scaled_projection(x, free, left, room)

    def _by_scaled_projection(self, x: Floats, free: Indices, todo: Indices, room: Room) -> None:
        """Clear totals along directions in which each column moves in proportion to its room."""
        scale = np.minimum(room.down, room.up)[free]
        scale /= scale.max()
        projection = Projection(sparse.csr_matrix(self.rows[:, free] * scale))
        for start in range(0, len(todo), BLOCK):
            own = todo[start : start + BLOCK]
            place = np.searchsorted(free, own)
            way = projection.ways(place, projection.weights(place)) * scale[:, None]
            ahead, back = reach_along(way, Room(room.down[free], room.up[free]))
            step = np.maximum(way[place, np.arange(len(place))], 0.0) * (1 - 1e-6)
            self._clear(own, x[own] - back * step, x[own] + ahead * step)

    def _programme(self, programme: _Vertices, at: int) -> None:
        own = int(self.columns[at])
        least, most = programme.end(at, upper=False), programme.end(at, upper=True)
        if least is None or most is None:
            self.found.beyond[own] = True
            return
        self.found.least[own] = max(self.low[at], self.low[at] + least[0] * self.unit)
        self.found.most[own] = min(self.high[at], self.low[at] + most[0] * self.unit)
        if self.fractions:
            exact = self._exact(at, least[1], upper=False), self._exact(at, most[1], upper=True)
            if exact[0] is not None and exact[1] is not None:
                self.found.exact[own] = exact[0], exact[1]
                self.found.least[own], self.found.most[own] = float(exact[0]), float(exact[1])

    def _exact(self, at: int, prices: Floats, *, upper: bool) -> Fraction | None:
        """Return the bound that prices prove in fractions, if it is as good as the programme's.

        For any prices y, x_at = sum y b + sum (e_at - y A) x, and every x on the right lies between its ends.
        """
        own = int(self.columns[at])
        goal = float(self.found.most[own] if upper else self.found.least[own])
        sides = [
            (int(self.atoms.size[c]) * self.atoms.ends[c][0], int(self.atoms.size[c]) * self.atoms.ends[c][1])
            for c in self.columns
        ]
        for denominator in DENOMINATORS:
            weights = [Fraction(float(price)).limit_denominator(denominator) for price in prices]
            total = sum((w * b for w, b in zip(weights, self.answers, strict=True) if w), Fraction(0))
            factors = [Fraction(0)] * len(sides)
            for weight, row in zip(weights, self.rows, strict=True):
                if weight:
                    for column in np.flatnonzero(row):
                        factors[column] -= weight
            factors[at] += 1
            for factor, (low, high) in zip(factors, sides, strict=True):
                if factor:
                    total += factor * (high if (factor > 0) == upper else low)
            gap = float(total) - goal if upper else goal - float(total)
            if gap <= 1e-6 * self.unit:
                end: Fraction = min(total, sides[at][1]) if upper else max(total, sides[at][0])
                return end
        return None


def _row_space(matrix: Floats) -> Floats:
    """Return an orthonormal basis of the rows, one column each: by Cholesky with pivots, which also finds the rank."""
    entries = sparse.csr_matrix(matrix)
    gram = (entries @ entries.T).toarray()
    factor, pivots, rank, _ = dpstrf(gram, tol=1e-10 * max(float(gram.diagonal().max()), 1e-300), lower=1)
    chosen = matrix[pivots[:rank] - 1]
    return np.asarray(solve_triangular(factor[:rank, :rank], chosen, lower=True, check_finite=False).T)
