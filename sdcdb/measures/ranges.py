"""Bounds of every record from SUM queries over ranges of records in one order: all at once, and exact.

The CAE paper (2014, appendix) solves two linear programmes per record. When every query set is a range [start, end) of
the records in one order, the programmes have a special form. With the prefix sums S_0 = 0, S_1, ..., S_n as
unknowns, record i is S_(i+1) - S_i, and everything known is a difference of two unknowns:

    S_end - S_start = answer            low <= S_(i+1) - S_i <= high

The largest possible S_b - S_a is then the length of the shortest path from a to b in the graph that has an edge from u
to v of length c for each S_v - S_u <= c, and a cycle of negative length means that the answers contradict each other or
the domain. Three steps keep that graph small:

1. Only cuts matter: the ends of queries, 0 and n. Between two neighbouring cuts the records are interchangeable, and m
   of them with a total in [T0, T1] have L = max(low, T0 - (m-1) high) and U = min(high, T1 - (m-1) low) each.
2. Cuts that answers connect differ by a known amount: each connected group of them is one vertex.
3. The paper's sliding windows leave two or three vertices, whatever n. In general there are at most as many as cuts;
   potentials (Bellman, Ford) make all lengths positive, and one search per vertex (Dijkstra) gives all distances.

The matrix of a system of ranges is totally unimodular: with values on a grid, bounds of the linear programme lie on the
grid, and are the true bounds. With `step`, everything is counted in steps, in integers, without rounding.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, dijkstra

from sdcdb.errors import DataError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDING = 1e-9  # of the largest total: answers that differ by less are equal
SOURCES = 256  # searches at a time, so that their distances fit into memory
WHOLE = 2.0**53  # up to here a float counts steps exactly
_CONFLICT = "the answers contradict each other or the domain [{low:g}, {high:g}]: {what}"


def range_bounds(
    starts: ArrayLike,
    ends: ArrayLike,
    answers: ArrayLike,
    n: int,
    low: float,
    high: float,
    step: float | None = None,
) -> tuple[Floats, Floats]:
    """Return L and U of records 0 to n - 1, given the sums over the ranges [start, end) and a domain [low, high].

    With `step`, values are low, low + step, ... up to `high`. Without it they may be any numbers, and `low` and `high`
    may be infinite.

    >>> low, high = range_bounds([0, 1], [2, 3], [30, 50], n=4, low=0, high=40)
    >>> low.tolist(), high.tolist()
    ([0.0, 10.0, 20.0, 0.0], [20.0, 30.0, 40.0, 40.0])
    """
    first, last = _positions(starts, "starts"), _positions(ends, "ends")
    sums = np.asarray(answers, dtype=np.float64).reshape(-1)
    if n < 0 or not low <= high:
        raise DataError(f"{n} records with a domain [{low:g}, {high:g}]: n must be 0 or more, and low <= high")
    _check(first, last, sums, n)
    if step is not None:
        return _on_grid(first, last, sums, n, (low, high, step))
    box = _Box(low, high, ROUNDING * _scale(sums, n, low, high))
    return _bounds(first, last, sums, n, box)


@dataclass(frozen=True)
class _Box:
    """What is known about every single value, and how far apart equal totals may be."""

    low: float
    high: float
    slack: float

    def conflict(self, what: str) -> DataError:
        return DataError(_CONFLICT.format(low=self.low, high=self.high, what=what))


def _on_grid(first: Ints, last: Ints, sums: Floats, n: int, grid: tuple[float, float, float]) -> tuple[Floats, Floats]:
    """Count everything in steps above `low`, in integers, so that sums and differences are exact."""
    low, high, step = grid
    if not (step > 0 and np.isfinite([low, high, step]).all()):
        raise DataError(
            f"a grid from {low:g} to {high:g} in steps of {step:g}: the ends must be finite and the step above 0"
        )
    most = float(np.floor((high - low) / step + 1e-6))
    if most * max(n, 1) >= WHOLE:
        raise DataError(
            f"{n:,} records of {most:,.0f} steps each are more than can be counted exactly: use larger steps"
        )
    steps = (sums - (last - first) * low) / step
    whole = np.round(steps)
    off = np.flatnonzero(np.abs(steps - whole) > 1e-6 + 1e-12 * np.abs(steps))
    if off.size:
        raise DataError(
            f"the sum {sums[off[0]]:g} of range {off[0] + 1} is not possible for {last[off[0]] - first[off[0]]} values "
            f"of {low:g}, {low + step:g}, ...: check the step"
        )
    lower, upper = _bounds(first, last, whole, n, _Box(0.0, most, 0.5))
    return low + lower * step, low + upper * step


def _bounds(first: Ints, last: Ints, sums: Floats, n: int, box: _Box) -> tuple[Floats, Floats]:
    cut = np.zeros(n + 1, dtype=bool)
    cut[[0, n]] = cut[first] = cut[last] = True
    cuts, place = np.flatnonzero(cut), np.cumsum(cut) - 1
    records = np.diff(cuts)
    vertex, height = _groups(place[first], place[last], sums, len(cuts), box)
    # Between neighbouring cuts a and b: S_b - S_a = rise + (shift of b's vertex against a's), shift 0 inside a vertex.
    rise = np.diff(height)
    least, most = _times(records, box.low), _times(records, box.high)
    a, b = vertex[:-1], vertex[1:]
    same = a == b
    wrong = same & ((rise > most + box.slack) | (rise < least - box.slack))
    if wrong.any():
        k = int(np.flatnonzero(wrong)[0])
        raise box.conflict(f"records {cuts[k]} to {cuts[k + 1] - 1} would sum to {rise[k]:g}")
    total_low, total_high = rise.copy(), rise.copy()
    if not same.all():
        apart = np.flatnonzero(~same)
        edges = _Edges.between(a[apart], b[apart], most[apart] - rise[apart], rise[apart] - least[apart])
        forth, back = edges.distances(a[apart], b[apart], box)
        total_high[apart] += forth
        total_low[apart] -= back
    others = records - 1
    lower = np.maximum(box.low, total_low - _times(others, box.high))
    upper = np.minimum(box.high, total_high - _times(others, box.low))
    crossed = lower > upper  # by rounding only: the graph has no negative cycle
    lower[crossed] = upper[crossed] = (lower[crossed] + upper[crossed]) / 2
    return np.repeat(lower, records), np.repeat(upper, records)


def _times(count: Ints, value: float) -> Floats:
    """Return count x value, where 0 x infinity is 0."""
    return np.where(count == 0, 0.0, count * value) if np.isfinite(value) else np.where(count == 0, 0.0, value)


def _groups(a: Ints, b: Ints, sums: Floats, cuts: int, box: _Box) -> tuple[Ints, Floats]:
    """Return the group of each cut, and its height: how far its prefix sum lies above that of the group's first cut."""
    linked = csr_array((np.ones(len(a)), (a, b)), shape=(cuts, cuts))
    _, group = connected_components(linked, directed=False)
    # One search finds a forest: a root beyond the cuts is joined to the first cut of every group.
    heads = np.unique(group, return_index=True)[1]
    rows, columns = np.concatenate([a, np.full(len(heads), cuts)]), np.concatenate([b, heads])
    joined = csr_array((np.ones(len(rows)), (rows, columns)), shape=(cuts + 1, cuts + 1))
    _, parent = breadth_first_order(joined, cuts, directed=False)
    up = np.where(parent < 0, cuts, parent).astype(np.int64)
    height = np.zeros(cuts + 1)
    inner = np.flatnonzero(up < cuts)
    if inner.size:
        code = a * cuts + b
        order = np.argsort(code, kind="stable")
        wanted = np.minimum(inner, up[inner]) * cuts + np.maximum(inner, up[inner])
        answer = sums[order[np.searchsorted(code, wanted, sorter=order)]]
        height[inner] = np.where(up[inner] < inner, answer, -answer)
    while (up < cuts).any():  # each round doubles how far up the forest a height has been added
        height, up = height + height[up], up[up]
    off = np.abs(height[b] - height[a] - sums)
    if off.size and off.max() > box.slack:
        k = int(off.argmax())
        raise box.conflict(f"answer {k + 1} is {sums[k]:g}, and others imply {height[b[k]] - height[a[k]]:g}")
    return np.asarray(group, dtype=np.int64), height[:-1]


@dataclass(frozen=True)
class _Edges:
    """The shortest edge from each vertex to each neighbour, ordered by `head`, the vertex it leads to."""

    tail: Ints
    head: Ints
    length: Floats

    @classmethod
    def between(cls, a: Ints, b: Ints, forth: Floats, back: Floats) -> "_Edges":
        tail, head, length = np.concatenate([a, b]), np.concatenate([b, a]), np.concatenate([forth, back])
        finite = np.isfinite(length)
        size = int(max(tail.max(), head.max())) + 1
        code, length = (head * size + tail)[finite], length[finite]
        order = np.argsort(code, kind="stable")
        code = code[order]
        first = np.flatnonzero(np.concatenate([[True], code[1:] != code[:-1]])[: len(code)])
        shortest = np.minimum.reduceat(length[order], first) if len(code) else length
        return cls(code[first] % size, code[first] // size, shortest)

    def distances(self, a: Ints, b: Ints, box: _Box) -> tuple[Floats, Floats]:
        """Return the lengths of the shortest paths from each a to its b, and back."""
        size = int(max(a.max(), b.max())) + 1
        potential = self._potentials(size, box)
        positive = np.maximum(self.length + potential[self.tail] - potential[self.head], 0.0)
        graph = csr_array((positive, (self.tail, self.head)), shape=(size, size))
        forth, back = np.full(len(a), np.inf), np.full(len(a), np.inf)
        sources = np.flatnonzero(np.bincount(a, minlength=size) + np.bincount(b, minlength=size))
        for start in range(0, len(sources), SOURCES):
            some = sources[start : start + SOURCES]
            found = dijkstra(graph, indices=some)
            for one, other, result in ((a, b, forth), (b, a, back)):
                mine = np.flatnonzero((one >= some[0]) & (one <= some[-1]))
                result[mine] = found[np.searchsorted(some, one[mine]), other[mine]]
        shift = potential[b] - potential[a]
        return forth + shift, back - shift

    def _potentials(self, size: int, box: _Box) -> Floats:
        """Return the distances from a vertex that has an edge of length 0 to every other (Bellman, Ford)."""
        potential = np.zeros(size)
        if not len(self.head):
            return potential
        starts = np.flatnonzero(np.concatenate([[True], self.head[1:] != self.head[:-1]]))
        heads = self.head[starts]
        for _ in range(size + 1):
            reached = np.minimum.reduceat(potential[self.tail] + self.length, starts)
            gain = potential[heads] - reached
            if gain.max() <= box.slack * 1e-3:
                return potential
            potential[heads] = np.minimum(potential[heads], reached)
        if gain.max() > box.slack:
            raise box.conflict("no values fit them all")
        return potential


def _positions(given: ArrayLike, what: str) -> Ints:
    array = np.asarray(given)
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise DataError(f"the {what} of ranges must be a list of integers, counted from 0")
    return array.astype(np.int64)


def _scale(sums: Floats, n: int, low: float, high: float) -> float:
    """Return the largest total that may occur in a computation."""
    ends = [abs(end) * n for end in (low, high) if np.isfinite(end)]
    return float(max([1e-300, *ends, *np.abs(sums).tolist()]))


def _check(first: Ints, last: Ints, sums: Floats, n: int) -> None:
    if not len(first) == len(last) == len(sums):
        raise DataError(f"{len(first)} starts, {len(last)} ends and {len(sums)} answers: pass one of each per query")
    bad = np.flatnonzero((first < 0) | (last > n) | (first >= last))
    if bad.size:
        k = int(bad[0])
        raise DataError(
            f"range {k + 1} is [{first[k]}, {last[k]}): a range must contain at least one of records 0 to {n - 1}"
        )
    if not np.isfinite(sums).all():
        raise DataError("the answers contain NULL, NaN or infinity: leave those queries out")
