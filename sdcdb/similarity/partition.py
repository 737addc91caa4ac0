"""Subsets of similar values: the partition within which VICUS perturbs. VICUS (2012), section 3.1.

The values of a column are the vertices of a graph, their similarity S the weight of its edges. The paper asks for k
subsets, each of at least `min_size` values (its minS), with the least cut-size: the sum of weights across subsets. As
printed this has a flaw where all values are somewhat similar, as they mostly are: whatever the weights, few pairs are
cut when all subsets but one are as small as allowed. So here an edge weighs the similarity **above a baseline**, by
default the mean similarity of the column, and the best partition has the largest

    fitness = sum over pairs of values in one subset of (S_ij - baseline)

Pairs within and pairs across make up all pairs, so this is the smallest cut too. Pairs that are more similar than usual
are kept together, the others apart, which is what the paper wants ("maximise similarity within a partition, and
minimise similarity across partitions"), and partitions into different numbers of subsets can be compared: by
default, `partition` tries k = 1, 2, 3, ... until three in a row are no better, and keeps the fittest, of equals the one
with fewer subsets. `baseline=0` is the cut-size as printed; it needs a k, because cutting nothing is then always best.

Two optimisers of the same objective:

- `genetic` is the paper's heuristic: a population of partitions; a child takes each value's subset from one of two good
  parents, mutates, has short subsets refilled, and replaces the worst. Of `restarts` runs (30 in the paper) the best.
- `local` tries all partitions of up to nine values. For more it starts from average linkage, from random partitions and
  from shaken copies of the best, and improves by swaps and by chains of moves that may get worse on the way (Kernighan
  and Lin 1970, Fiduccia and Mattheyses 1982), until nothing improves.

Both are deterministic: the same seed gives the same partition.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, ParamSpec, TypeVar, get_args

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from sdcdb.errors import DataError, choices, counted

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Method = Literal["local", "genetic"]
P = ParamSpec("P")
R = TypeVar("R")

_EXACT = 9  # values: 21,147 partitions
_GAIN = 1e-10  # smaller differences are rounding
_PATIENCE = 3  # numbers of subsets without a better partition
_SHAKES, _SHAKEN = 3, 64  # shaken copies per restart, for up to this many values; beyond, starts differ enough
_POPULATION, _CHILDREN = 20, 400


@dataclass(frozen=True)
class Partition:
    """The subset of each value, numbered from 0 in the order of their first values, and the fitness of the whole."""

    labels: tuple[int, ...]
    fitness: float

    def subsets(self, values: Sequence[Any]) -> tuple[tuple[Any, ...], ...]:
        """Return the values of each subset."""
        named = list(zip(values, self.labels, strict=True))
        return tuple(tuple(value for value, label in named if label == n) for n in range(max(self.labels) + 1))


def partition(
    similarity: ArrayLike,
    k: int | None = None,
    min_size: int = 2,
    method: Method = "local",
    *,
    baseline: float | None = None,
    seed: int = 0,
    restarts: int = 30,
) -> Partition:
    """Return the fittest partition found into `k` subsets (None: choose, see above) of at least `min_size` values.

    Fewer than twice `min_size` values stay one subset. The diagonal of `similarity` does not matter.

    >>> pairs = [[1, 0.8, 0.1, 0], [0.8, 1, 0, 0.2], [0.1, 0, 1, 0.6], [0, 0.2, 0.6, 1]]
    >>> found = partition(pairs)
    >>> found.subsets(["a", "b", "c", "d"]), round(found.fitness, 3)
    ((('a', 'b'), ('c', 'd')), 0.833)
    """
    weights = _weights(similarity, baseline)
    size = len(weights)
    if method not in get_args(Method):
        raise DataError(f"no method {method!r}; {choices(method, get_args(Method))}")
    if min_size < 1 or restarts < 1:
        raise DataError(f"min_size is {min_size} and restarts is {restarts}: both must be 1 or more")
    most = max(1, size // min_size)
    if k is not None and not 1 <= k <= most:
        raise DataError(
            f"k is {k}, but {counted(size, 'value')} make 1 to {counted(most, 'subset')} of at least {min_size}: "
            "use a smaller k or a smaller min_size, or leave k out"
        )
    rng = np.random.default_rng(seed)
    search = _local if method == "local" else _genetic
    best, waited = _partition(weights, np.zeros(size, np.int64)), 0
    for n in range(2, most + 1) if k is None else {k} - {1}:  # one subset needs no search
        found = _partition(weights, search(weights, n, min_size, rng, restarts))
        better = k is not None or found.fitness > best.fitness + _GAIN
        best, waited = (found, 0) if better else (best, waited + 1)
        if waited == _PATIENCE:
            break
    return best


def fitness(similarity: ArrayLike, labels: Sequence[int], baseline: float | None = None) -> float:
    """Return the sum of similarities above the baseline, over all pairs of values in one subset: the objective.

    >>> fitness([[1, 0.8, 0.1], [0.8, 1, 0], [0.1, 0, 1]], [0, 0, 1])
    0.5
    """
    return _partition(_weights(similarity, baseline), np.asarray(labels, np.int64)).fitness


def _weights(similarity: ArrayLike, baseline: float | None) -> Floats:
    given = np.array(similarity, np.float64)
    if given.ndim != 2 or given.shape[0] != given.shape[1] or not len(given):
        raise DataError(f"the similarity must be a square matrix of at least one value, not of shape {given.shape}")
    np.fill_diagonal(given, 0.0)
    if not np.isfinite(given).all() or (given < 0).any() or not np.allclose(given, given.T, rtol=0, atol=1e-9):
        raise DataError("the similarity must be symmetric, with numbers of zero or more and no NaN")
    mean = given.sum() / max(1, len(given) * (len(given) - 1))
    weights: Floats = (given + given.T) / 2 - (mean if baseline is None else baseline)
    np.fill_diagonal(weights, 0.0)
    return weights


def _partition(weights: Floats, labels: Ints) -> Partition:
    _, first, names = np.unique(labels, return_index=True, return_inverse=True)
    ordered = np.argsort(np.argsort(first))[names]
    return Partition(tuple(ordered.tolist()), round(float(weights.sum()) / 2 - _cut(weights, ordered), 12) + 0.0)


def _local(weights: Floats, k: int, min_size: int, rng: np.random.Generator, restarts: int) -> Ints:
    size = len(weights)
    if size <= _EXACT:
        return _best_of_all(weights, k, min_size)
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    tree = linkage(squareform(weights.max() - weights, checks=False), "average")
    best = np.asarray(fcluster(tree, k, "maxclust"), np.int64) - 1
    least = _descend(weights, best, k, min_size)
    starts = 1 + (_SHAKES if size <= _SHAKEN else 0)
    for n in range(restarts * starts):
        share = 1.0 if n % starts == 0 else rng.uniform(0.1, 0.4)
        labels = np.where(rng.random(size) < share, rng.integers(0, k, size), best)
        value = _descend(weights, labels, k, min_size)
        if value < least - _GAIN:
            best, least = labels, value
    return best


def _genetic(weights: Floats, k: int, min_size: int, rng: np.random.Generator, restarts: int) -> Ints:
    size = len(weights)
    runs = []
    for _ in range(restarts):
        people = rng.integers(0, k, (_POPULATION, size))
        parents = rng.integers(0, _POPULATION, (_CHILDREN, 4))
        genes = rng.integers(-2, 0, (_CHILDREN, size))
        mutants = rng.random(genes.shape) < 1 / size
        genes[mutants] = rng.integers(0, k, mutants.sum())
        runs.append(_evolved(weights, k, min_size, people, parents, genes))
    return min(runs, key=lambda labels: _cut(weights, labels))


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile with numba, keeping the types that numba's own decorator loses."""
    fast: Callable[P, R] = njit(cache=True, nogil=True)(function)
    return fast


@compiled
def _cut(weights: Floats, labels: Ints) -> float:
    total = 0.0
    for i in range(len(labels)):
        for j in range(i):
            if labels[i] != labels[j]:
                total += weights[i, j]
    return total


@compiled
def _links(weights: Floats, labels: Ints, k: int) -> tuple[Floats, Ints]:
    """Return the weight between each value and each subset, and the sizes of the subsets."""
    links, sizes = np.zeros((len(labels), k)), np.zeros(k, np.int64)
    for i in range(len(labels)):
        sizes[labels[i]] += 1
        for j in range(len(labels)):
            links[i, labels[j]] += weights[i, j]
    return links, sizes


@compiled
def _move(weights: Floats, labels: Ints, links: Floats, sizes: Ints, v: int, to: int) -> None:
    origin = labels[v]
    labels[v] = to
    sizes[origin] -= 1
    sizes[to] += 1
    for i in range(len(labels)):
        links[i, origin] -= weights[i, v]
        links[i, to] += weights[i, v]


@compiled
def _best_of_all(weights: Floats, k: int, min_size: int) -> Ints:
    """Enumerate the partitions into k subsets: label strings in which each label is at most one above all before."""
    n = len(weights)
    labels, highest, best, least = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64), np.inf
    at = n - 1
    while at > 0:
        if at == n - 1:
            sizes = np.zeros(k, np.int64)
            for v in range(n):
                sizes[labels[v]] += 1
            value = _cut(weights, labels) if sizes.min() >= min_size else np.inf
            if value < least - _GAIN:
                best, least = labels.copy(), value
        if labels[at] == k - 1 or labels[at] > highest[at - 1]:
            at -= 1
            continue
        labels[at] += 1
        highest[at] = max(highest[at - 1], labels[at])
        for v in range(at + 1, n):
            labels[v], highest[v] = 0, highest[at]
        at = n - 1
    return best


@compiled
def _repair(weights: Floats, labels: Ints, k: int, min_size: int) -> None:
    """Fill subsets that are too small with the values that lose least."""
    filled = np.zeros(k, np.int64)
    for v in range(len(labels)):
        filled[labels[v]] += 1
    if filled.min() >= min_size:
        return
    links, sizes = _links(weights, labels, k)
    for to in range(k):
        while sizes[to] < min_size:
            best, chosen = -np.inf, -1
            for v in range(len(labels)):
                gain = links[v, to] - links[v, labels[v]]
                if sizes[labels[v]] > min_size and gain > best:
                    best, chosen = gain, v
            _move(weights, labels, links, sizes, chosen, to)


@compiled
def _swapped(weights: Floats, labels: Ints, links: Floats, sizes: Ints) -> bool:
    """Make every swap of two values that improves the cut, in one sweep; return whether there was one."""
    any_swap = False
    for u in range(len(labels)):
        for v in range(u):
            a, b = labels[u], labels[v]
            if a != b and links[u, b] + links[v, a] - links[u, a] - links[v, b] - 2 * weights[u, v] > _GAIN:
                _move(weights, labels, links, sizes, u, b)
                _move(weights, labels, links, sizes, v, a)
                any_swap = True
    return any_swap


@compiled
def _chained(weights: Floats, labels: Ints, links: Floats, sizes: Ints, min_size: int) -> bool:
    """Move each value once, the best first, even at a loss, and go back to the best state on the way.

    One subset may be one short: then the next move refills it, from a subset that may become short in turn.
    """
    n, k = len(labels), len(sizes)
    moved, origins, locked = np.empty(n, np.int64), np.empty(n, np.int64), np.zeros(n, np.bool_)
    short, gained, best, kept, steps = -1, 0.0, _GAIN, 0, 0
    while steps < n:
        most, v, to = -np.inf, -1, -1
        for i in range(n):
            origin = labels[i]
            if locked[i] or sizes[origin] < min_size:
                continue
            for b in range(k):
                gain = links[i, b] - links[i, origin]
                if b != origin and (short < 0 or b == short) and gain > most:
                    most, v, to = gain, i, b
        if v < 0:
            break
        moved[steps], origins[steps], locked[v] = v, labels[v], True
        _move(weights, labels, links, sizes, v, to)
        steps += 1
        gained += most
        short = origins[steps - 1] if sizes[origins[steps - 1]] < min_size else -1
        if short < 0 and gained > best:
            best, kept = gained, steps
    for step in range(steps - 1, kept - 1, -1):
        _move(weights, labels, links, sizes, moved[step], origins[step])
    return kept > 0


@compiled
def _descend(weights: Floats, labels: Ints, k: int, min_size: int) -> float:
    _repair(weights, labels, k, min_size)
    while True:
        links, sizes = _links(weights, labels, k)  # recomputed, so that rounding errors do not accumulate
        chained = _chained(weights, labels, links, sizes, min_size)
        if not _swapped(weights, labels, links, sizes) and not chained:
            return _cut(weights, labels)


@compiled
def _aligned(parent: Ints, other: Ints, k: int) -> Ints:
    """Return `other` with its subsets numbered like those of `parent` with which they share most values."""
    shared = np.zeros((k, k), np.int64)
    for v in range(len(parent)):
        shared[other[v], parent[v]] += 1
    names = np.empty(k, np.int64)
    for _ in range(k):
        most = shared.argmax()
        names[most // k] = most % k
        for label in range(k):
            shared[most // k, label] = shared[label, most % k] = -1
    renamed = np.empty_like(other)
    for v in range(len(other)):
        renamed[v] = names[other[v]]
    return renamed


@compiled
def _evolved(weights: Floats, k: int, min_size: int, people: Ints, parents: Ints, genes: Ints) -> Ints:
    """Evolve `people`, one child per row of `parents`: of the first two and of the last two the better is a parent.

    `genes` says for each child where each value's subset comes from: the mother (-1), the father (-2) or chance.
    """
    cuts = np.empty(len(people))
    for p in range(len(people)):
        _repair(weights, people[p], k, min_size)
        cuts[p] = _cut(weights, people[p])
    for row in range(len(parents)):
        a, b = parents[row, 0], parents[row, 1]
        mother = people[a if cuts[a] < cuts[b] else b]
        a, b = parents[row, 2], parents[row, 3]
        child = _aligned(mother, people[a if cuts[a] < cuts[b] else b], k)
        for v in range(len(child)):
            if genes[row, v] == -1:
                child[v] = mother[v]
            elif genes[row, v] >= 0:
                child[v] = genes[row, v]
        _repair(weights, child, k, min_size)
        value, worst = _cut(weights, child), cuts.argmax()
        if value < cuts[worst]:
            cuts[worst] = value
            for v in range(len(child)):
                people[worst, v] = child[v]
    best: Ints = people[cuts.argmin()]
    return best
