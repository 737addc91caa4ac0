"""Transition matrices: the probability that a value becomes each other one, and what can be inferred afterwards.

Four ways to make one: `vicus` and `random` from a partition (VICUS 2012, section 3.1), `warner` (randomised response)
and `given` (PRAM with a given matrix). One way to use it: alias tables of integers, which every SQL engine
turns into the same draws. Two ways to look back: `estimate` gives unbiased counts of the original values, `posterior`
what an intruder who knows the matrix believes about the original value of a record.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sdcdb.errors import DataError, counted
from sdcdb.measures.distribution import SUM_TOLERANCE, normalise

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_BITS = 32  # of the uniform numbers of the sampler, unless told otherwise
_ROUNDING = 1e-12  # sums this near to one are left alone, so that a matrix read back from JSON is identical
_SINGULAR = 1e12  # a condition number beyond which solving keeps fewer than four of sixteen digits
_MARKED = {kind.__name__: kind for kind in (dt.datetime, dt.date, dt.time, Decimal, UUID)}


@dataclass(frozen=True, eq=False)
class AliasTables:
    """Walker's alias method in integers, a row of K thresholds and K aliases for each original value.

    With u uniform on 0 .. 2^b - 1, let i be `u * K >> b` and the rest `u * K & (2^b - 1)`. Row r draws position i if
    the rest is below `thresholds[r, i]`, else `aliases[r, i]`. Thresholds lie in 0 .. 2^b; positions count from 0.
    """

    thresholds: Ints
    aliases: Ints
    bits: int = _BITS


@dataclass(frozen=True, eq=False)
class TransitionMatrix:
    """`matrix[i, j]` is the probability that `values[i]` becomes `values[j]`. Rows sum to one.

    >>> warner(["yes", "no"], 0.75).matrix.tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """

    values: tuple[Any, ...]
    matrix: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))
        object.__setattr__(self, "matrix", _stochastic(self.values, self.matrix))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TransitionMatrix)
            and self.values == other.values
            and np.array_equal(self.matrix, other.matrix)
        )

    def __hash__(self) -> int:
        return hash((self.values, self.matrix.tobytes()))

    def to_dict(self) -> dict[str, Any]:
        """Return a form that `json.dumps` accepts; values that JSON lacks are marked with their type.

        >>> warner([dt.date(2024, 2, 29)], 1).to_dict()
        {'values': [{'date': '2024-02-29'}], 'matrix': [[1.0]]}
        """
        return {"values": [_marked(value) for value in self.values], "matrix": self.matrix.tolist()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "TransitionMatrix":
        """Return the matrix from the result of `to_dict`."""
        return cls(tuple(_unmarked(value) for value in data["values"]), np.array(data["matrix"], np.float64))

    def alias(self, bits: int = _BITS) -> AliasTables:
        """Return tables for drawing: each probability is exact to within 2^-bits, and 0 and 1 are exact."""
        return alias_tables(self.matrix, bits)

    def sample(self, codes: ArrayLike, u: ArrayLike, bits: int = _BITS) -> Ints:
        """Return the drawn position for each original position and each uniform number, as the SQL does.

        >>> warner(["yes", "no"], 0.75).sample([0, 0, 1, 1], [0, 2**31, 0, 2**31]).tolist()
        [0, 1, 0, 1]
        """
        tables, rows = self.alias(bits), np.asarray(codes, np.int64)
        product = np.asarray(u, np.uint64) * np.uint64(len(self.values))
        at = (product >> np.uint64(bits)).astype(np.int64)
        rest = (product & np.uint64(2**bits - 1)).astype(np.int64)
        return np.where(rest < tables.thresholds[rows, at], at, tables.aliases[rows, at])

    def estimate(self, observed: ArrayLike) -> Floats:
        """Return unbiased estimates of the original counts, given the counts after perturbation.

        Observed counts o have the expectation P^T x, so x = (P^T)^-1 o (Warner 1965 for two values; PRAM, Gouweleeuw
        et al. 1998). Estimates may be negative or fractional; their sum is that of the observed counts.

        >>> warner(["yes", "no"], 0.75).estimate([40, 60]).round(6).tolist()
        [30.0, 70.0]
        """
        counts = self._one_each(observed, "counts")
        if len(counts) and np.linalg.cond(self.matrix) > _SINGULAR:
            raise DataError(
                "the original counts cannot be estimated: the transition matrix is singular, so that different "
                "originals look the same after perturbation; keep values with a higher probability"
            )
        return np.asarray(np.linalg.solve(self.matrix.T, counts), np.float64)

    def standard_errors(self, observed: ArrayLike) -> Floats:
        """Return the standard errors of `estimate`, by the perturbation alone, the originals being fixed.

        Given the originals x, observed counts have the covariance sum over i of x_i (diag(p_i) - p_i p_i^T), p_i being
        row i; estimating x makes it diag(o) - P^T diag(x) P (Warner 1965 for two values). Propagated through the
        inverse.

        >>> warner(["yes", "no"], 0.75).standard_errors([40, 60]).round(3).tolist()
        [8.66, 8.66]
        """
        counts = self._one_each(observed, "counts")
        estimated = self.estimate(counts)
        covariance = np.diag(counts) - self.matrix.T @ np.diag(estimated) @ self.matrix
        inverse = np.linalg.inv(self.matrix.T)
        variances = np.diag(inverse @ covariance @ inverse.T)
        return np.asarray(np.sqrt(np.maximum(variances, 0.0)), np.float64)

    def posterior(self, prior: ArrayLike | None = None) -> Floats:
        """Return P(original = i | observed = o) in row o, by Bayes; VICUS (2012) needs it for Algorithm 2.

        `prior` is None for a uniform prior, or counts or shares of the original values for an empirical one. A value
        that cannot be observed has a row of NaN.

        >>> warner(["yes", "no"], 0.75).posterior([1, 3]).round(3).tolist()
        [[0.5, 0.5], [0.1, 0.9]]
        """
        weights = normalise(np.ones(len(self.values)) if prior is None else self._one_each(prior, "prior weights"))
        joint = (weights[:, None] * self.matrix).T
        totals = joint.sum(axis=1, keepdims=True)
        beliefs: Floats = np.divide(joint, totals, out=np.full_like(joint, np.nan), where=totals > 0)
        return beliefs

    def _one_each(self, numbers: ArrayLike, what: str) -> Floats:
        array = np.asarray(numbers, np.float64)
        if array.shape != (len(self.values),) or not np.isfinite(array).all() or (array < 0).any():
            raise DataError(
                f"there must be one {what[:-1]} for each of the {counted(len(self.values), 'value')}, zero or more"
            )
        return array


def alias_tables(rows: Floats, bits: int = _BITS) -> AliasTables:
    """Return tables for drawing from several distributions, one per row. Rows must sum to one.

    >>> alias_tables(np.array([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]])).aliases.tolist()
    [[1, 1], [0, 1], [0, 0]]
    """
    size, span = rows.shape[1], 1 << bits
    starts = [-(-i * span // size) for i in range(size + 1)]  # the first u of each i
    made = [_alias_row(shares_of(row, span), starts) for row in rows]
    kept, aliases = (np.array([row[n] for row in made], np.int64) for n in (0, 1))
    ends = (np.array(starts[:-1]) + kept) * size - np.arange(size) * span
    return AliasTables(np.where(kept == 0, 0, np.minimum(ends, span)), aliases, bits)


def rounded_rows(rows: Floats, bits: int) -> Floats:
    """Return distributions in multiples of 2^-bits, as near as that can be; what is not zero does not become zero.

    >>> rounded_rows(np.array([[0.7, 0.3, 0.0], [1e-9, 0.0, 1 - 1e-9]]), 2).tolist()
    [[0.75, 0.25, 0.0], [0.25, 0.0, 0.75]]
    """
    span = 1 << bits
    found = np.array([shares_of(row, span) for row in rows], np.int64)
    for row, shares in zip(rows, found, strict=True):
        lost = (row > 0) & (shares == 0)
        shares[lost] = 1
        for _ in range(int(lost.sum())):
            shares[shares.argmax()] -= 1
    return np.asarray(found / span, np.float64)


def shares_of(row: Floats, span: int) -> Ints:
    """Return a distribution as numbers out of `span`, by largest remainder."""
    scaled = row * span
    floors = np.floor(scaled)
    share: Ints = floors.astype(np.int64)
    most = np.argsort(floors - scaled, kind="stable")[: span - int(share.sum())]
    share[most] += 1
    return share


def vicus(values: Sequence[Any], subsets: Sequence[Sequence[Any]], k1: float, k2: float) -> TransitionMatrix:
    """Return the matrix of VICUS, eqs. (8) to (11), for a partition of the values into subsets.

    A value is `k1` times more likely to stay than to become a given other value of its subset, and that `k2` times more
    likely than to become a given value of another subset.

    >>> vicus(["a", "b", "c"], [["a", "b"], ["c"]], k1=2, k2=3).matrix.round(3).tolist()
    [[0.6, 0.3, 0.1], [0.3, 0.6, 0.1], [0.125, 0.125, 0.75]]
    """
    same = _same_subset(values, subsets)
    _positive(k1=k1, k2=k2)
    weights = np.where(same, k2, 1.0)
    np.fill_diagonal(weights, k1 * k2)
    return TransitionMatrix(tuple(values), weights / weights.sum(axis=1, keepdims=True))


def random(values: Sequence[Any], subsets: Sequence[Sequence[Any]], k1: float, k2: float) -> TransitionMatrix:
    """Return the matrix of Random, eq. (12): values are kept as often as with `vicus`, or change to any other.

    >>> random(["a", "b", "c"], [["a", "b"], ["c"]], k1=2, k2=3).matrix.round(3).tolist()
    [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.125, 0.125, 0.75]]
    """
    return _kept(values, np.diag(vicus(values, subsets, k1, k2).matrix))


def warner(values: Sequence[Any], p: float) -> TransitionMatrix:
    """Return randomised response: a value is kept with probability `p`, otherwise all others are equally likely.

    Warner (1965) for two values. A single value is kept.
    """
    if not 0 <= p <= 1:
        raise DataError(f"p is {p}: the probability of keeping a value must be from 0 to 1")
    return _kept(values, np.full(len(values), float(p)))


def given(values: Sequence[Any], matrix: ArrayLike) -> TransitionMatrix:
    """Return PRAM with a given matrix: `matrix[i][j]` is the probability of `values[i]` becoming `values[j]`."""
    return TransitionMatrix(tuple(values), _stochastic(values, matrix))


def _kept(values: Sequence[Any], kept: Floats) -> TransitionMatrix:
    size = len(values)
    matrix = np.tile(((1 - kept) / max(size - 1, 1))[:, None], (1, size))
    np.fill_diagonal(matrix, kept if size > 1 else 1.0)
    return TransitionMatrix(tuple(values), matrix)


def _positive(**numbers: float) -> None:
    for name, number in numbers.items():
        if not 0 < number < np.inf:
            raise DataError(f"{name} is {number}: it must be a positive number")


def _same_subset(values: Sequence[Any], subsets: Sequence[Sequence[Any]]) -> NDArray[np.bool_]:
    """Return which pairs of values share a subset, after checking that every value is in exactly one."""
    subset = {value: n for n, members in enumerate(subsets) for value in members}
    if len(subset) != sum(map(len, subsets)):
        raise DataError("a value is in two subsets, or twice in one: put each value into exactly one subset")
    odd = [value for value in values if value not in subset] or [value for value in subset if value not in set(values)]
    if odd:
        raise DataError(f"{odd[0]!r} is in only one of values and subsets: put each value into exactly one subset")
    labels = np.array([subset[value] for value in values])
    return np.asarray(labels[:, None] == labels)


def _stochastic(values: Sequence[Any], matrix: ArrayLike) -> Floats:
    """Check a matrix and return it read-only, with rows that sum to one."""
    try:
        rows = np.array(matrix, np.float64)
    except (TypeError, ValueError) as problem:
        raise DataError(f"the transition matrix must be a table of numbers: {problem}") from None
    size = len(values)
    if not size or len(set(values)) != size:
        raise DataError("a transition matrix needs at least one value, and each value only once")
    if rows.shape != (size, size):
        raise DataError(f"{counted(size, 'value')} need a matrix of {size} x {size}, not of shape {rows.shape}")
    sums = rows.sum(axis=1)
    for value, row, total in zip(values, rows, sums, strict=True):
        if not np.isfinite(row).all() or (row < 0).any():
            raise DataError(f"the row of {value!r} contains a negative number, NaN or infinity: use probabilities")
        if abs(total - 1) > SUM_TOLERANCE:
            raise DataError(f"the row of {value!r} sums to {total:.6g}, not to 1: use probabilities")
    rows /= np.where(np.abs(sums - 1) > _ROUNDING, sums, 1.0)[:, None]
    rows.flags.writeable = False
    return rows


def _alias_row(shares: Ints, starts: list[int]) -> tuple[list[int], list[int]]:
    """Return how many u of each i are kept, and the alias of the rest.

    `shares` says how many u lead to each value. Each i has `room` for the u that lead to it, one more or less; Vose's
    pairing of the short with the long then works in integers, without error.
    """
    left = shares.tolist()
    room = [end - start for start, end in pairwise(starts)]
    kept, aliases = list(room), list(range(len(left)))
    short = [i for i in range(len(left)) if left[i] < room[i]]
    long = [i for i in range(len(left)) if left[i] > room[i]]
    while short:
        i, j = short.pop(), long[-1]
        kept[i], aliases[i] = left[i], j
        left[j] -= room[i] - left[i]
        if left[j] <= room[j]:
            long.pop()
            if left[j] < room[j]:
                short.append(j)
    return kept, aliases


def _marked(value: Any) -> Any:
    plain = value.item() if isinstance(value, np.generic) else value
    if plain is None or isinstance(plain, str | int | float | bool):
        return plain
    name = type(plain).__name__
    if name not in _MARKED:
        raise DataError(f"{value!r} is a {name}, which JSON cannot represent: cast the column to VARCHAR")
    return {name: plain.isoformat() if isinstance(plain, dt.date | dt.time) else str(plain)}


def _unmarked(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    ((name, text),) = value.items()
    kind: Any = _MARKED[name]
    return kind.fromisoformat(text) if hasattr(kind, "fromisoformat") else kind(text)
