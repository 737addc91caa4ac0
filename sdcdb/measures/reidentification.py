"""Record entropy and confidential entropy: what a perturbed table reveals to an intruder who knows one person.

The setting of VICUS (2012), section 3.2. The intruder sees the perturbed table, knows the transition matrix of every
attribute (the share of originals i that are published as o is `matrix[i, o]`) and knows the original values of some
attributes of one person, the target. Two questions, both answered in bits:

*Which record is it?* Record x is the target's with probability px, proportional to the product, over the known
attributes, of matrix[known value, value observed in x]. (VICUS takes px as given; the product is the formula of
chapter 8 of the thesis, 2007.) The record entropy is H(px): log2 of the number of records when nothing is known.

*What is the confidential value?* Algorithm 2: D_i = sum over x of p(c_i | value observed in x) px, and the confidential
entropy is H(D). The probability p is Bayes' with the confidential attribute's matrix and a prior over original values.
The paper leaves the prior open. Here it is uniform, or empirical when the counts of the original values are given, an
intruder who knows how common each value is; every result says which one in `prior`.

Attributes and values are numbered from 0. A missing value is a value: it needs a code, and a row of the matrix.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sdcdb.errors import DataError
from sdcdb.measures.contraction import contract, worthwhile
from sdcdb.measures.distribution import SUM_TOLERANCE, Floats, normalise

Codes = NDArray[np.int64]
Prior = Literal["uniform", "empirical"]

# Represents log2(0): its power of two is 0, and unlike -inf it may be multiplied by 0.
IMPOSSIBLE = -1e9
# Targets are taken in blocks of this many (target, observed combination) pairs: 32 MB.
BLOCK = 4_000_000
TINY = 1e-250  # weights below this are compared by their logarithms, one target after another


@dataclass(frozen=True)
class PerturbedTable:
    """What the intruder has: observed `codes` (records x attributes), matrices, and p(original | observed)."""

    codes: Codes
    matrices: tuple[Floats, ...]
    confidential: int
    posterior: Floats
    prior: Prior

    @classmethod
    def of(
        cls, codes: ArrayLike, matrices: Sequence[ArrayLike], confidential: int, counts: ArrayLike | None = None
    ) -> "PerturbedTable":
        """Check the parts. `counts` of the original confidential values make the prior empirical, None uniform."""
        checked = tuple(_matrix(matrix, number) for number, matrix in enumerate(matrices))
        observed = _codes(codes, [matrix.shape[1] for matrix in checked], "observed")
        if len(observed) == 0:
            raise DataError("the perturbed table has no records: nothing to measure")
        if not 0 <= confidential < len(checked):
            raise DataError(
                f"confidential is {confidential}: it must be the number of a column, 0 to {len(checked) - 1}"
            )
        matrix = checked[confidential]
        prior = np.full(len(matrix), 1 / len(matrix)) if counts is None else normalise(counts)
        if len(prior) != len(matrix):
            raise DataError(f"{len(prior)} counts for {len(matrix)} confidential values: pass one count per value")
        joint = (prior[:, None] * matrix).T
        total = joint.sum(axis=1, keepdims=True)
        never = np.flatnonzero((total[:, 0] == 0) & (np.bincount(observed[:, confidential], minlength=len(joint)) > 0))
        if never.size:
            raise DataError(
                f"confidential value {never[0]} is in the perturbed table and no original value can become it: "
                "pass the matrix that perturbed the table, and the counts of the original values"
            )
        posterior = np.divide(joint, total, out=np.zeros_like(joint), where=total > 0)
        return cls(observed, checked, confidential, posterior, "uniform" if counts is None else "empirical")

    @property
    def others(self) -> tuple[int, ...]:
        """The attributes that an intruder may know: all but the confidential one."""
        return tuple(a for a in range(len(self.matrices)) if a != self.confidential)


@dataclass(frozen=True)
class Belief:
    """What the intruder believes about one target. `confidential_probs` also feeds `sdcdb.measures.cae_curve.cae`."""

    record_probs: Floats
    confidential_probs: Floats
    record_entropy: float
    confidential_entropy: float
    prior: Prior


@dataclass(frozen=True)
class AverageEntropies:
    """Means over targets and over `combinations` (of `possible` ones) of `known` attributes, and the least met.

    The arrays hold the mean over targets of each combination: which attribute reveals most (VICUS, Figure 6).
    """

    known: int
    combinations: tuple[tuple[int, ...], ...]
    possible: int
    targets: int
    record: float
    confidential: float
    least_record: float
    least_confidential: float
    record_by_combination: Floats
    confidential_by_combination: Floats
    prior: Prior


@dataclass(frozen=True)
class Draw:
    """What to draw at random where there are too many; the same `seed` draws the same.

    One known attribute: each in turn. Several: every combination if there are at most `combinations` of them, else
    that many distinct ones. Targets: every original record, or `targets` distinct ones.
    """

    combinations: int = 50
    targets: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.combinations < 1 or (self.targets is not None and self.targets < 1):
            raise DataError("nothing to average over: draw at least one combination and one target (None: all)")

    def targets_of(self, people: Codes) -> Codes:
        """Return the records to take as targets."""
        if self.targets is None or self.targets >= len(people):
            return people
        return people[np.random.default_rng(self.seed).choice(len(people), self.targets, replace=False)]

    def combinations_of(self, attributes: Sequence[int], number: int) -> tuple[tuple[int, ...], ...]:
        """Return the combinations of `number` attributes to average over, sorted."""
        if number == 1 or math.comb(len(attributes), number) <= self.combinations:
            return tuple(combinations(attributes, number))
        random, drawn = np.random.default_rng(self.seed), set[tuple[int, ...]]()
        while len(drawn) < self.combinations:
            drawn.add(tuple(sorted(random.choice(attributes, number, replace=False).tolist())))
        return tuple(sorted(drawn))


DRAW = Draw()


def belief(table: PerturbedTable, known: Mapping[int, int]) -> Belief:
    """Return the belief of an intruder who knows `known`, the original value by attribute, of one target.

    Three records, attribute 0 kept with probability 0.8, attribute 1 confidential and published as it is:

    >>> table = PerturbedTable.of([[0, 0], [0, 1], [1, 1]], [[[0.8, 0.2], [0.2, 0.8]], np.eye(2)], confidential=1)
    >>> believed = belief(table, {0: 0})
    >>> believed.record_probs.round(3).tolist(), believed.confidential_probs.round(3).tolist()
    ([0.444, 0.444, 0.111], [0.444, 0.556])
    >>> round(believed.record_entropy, 3), round(believed.confidential_entropy, 3), believed.prior
    (1.392, 0.991, 'uniform')
    """
    columns = list(known)
    if not set(columns) <= set(table.others):
        raise DataError(f"known names attributes {columns}: allowed are {list(table.others)}, not the confidential one")
    values = _codes([list(known.values())], [len(table.matrices[a]) for a in columns], "known")
    groups = _Groups.of(table, columns)
    weights, total, record = groups.weigh(values)
    probs = (weights / total[:, None])[0][groups.number]
    confidential = (weights @ groups.posterior / total[:, None])[0]
    return Belief(probs, confidential, float(record[0]), float(_entropies(confidential[None, :])[0]), table.prior)


def average_entropies(
    table: PerturbedTable, original: ArrayLike, known: int | None = None, draw: Draw = DRAW
) -> AverageEntropies:
    """Return the mean entropies when the intruder knows `known` attributes (None: all but the confidential one).

    Every record of `original` (codes, with the columns of the table) is a target in turn, and every combination of
    attributes is tried, except for what `draw` leaves out.

    Records with equal known attributes are handled once. A combination costs (distinct known combinations) x
    (distinct observed ones) x (known attributes + confidential values), so one known attribute is linear in the
    records, and all known are quadratic at worst. On a table of 5,644 records and 23 attributes, with every record a
    target, one known attribute takes a fraction of a second, and so do 50 combinations of three; all 22 take seconds.

    >>> table = PerturbedTable.of([[0, 0], [0, 1], [1, 1]], [[[0.8, 0.2], [0.2, 0.8]], np.eye(2)], confidential=1)
    >>> found = average_entropies(table, [[0, 0], [0, 1], [1, 1]], known=1)
    >>> found.combinations, round(found.record, 3), round(found.least_confidential, 3)
    (((0,),), 1.345, 0.65)
    """
    people = _codes(original, [len(matrix) for matrix in table.matrices], "original")
    number = len(table.others) if known is None else known
    if not 0 <= number <= len(table.others):
        raise DataError(f"known is {known}: it must be from 0 to {len(table.others)}, or None for all")
    if len(people) == 0:
        raise DataError("no original records: pass the codes of at least one target")
    people, chosen = draw.targets_of(people), draw.combinations_of(table.others, number)
    means, least = [], []
    for columns in chosen:
        first, alike = _distinct(people[:, columns])
        entropies = _of_targets(table, columns, people[first][:, columns])
        means.append(entropies @ np.bincount(alike) / len(people))
        least.append(entropies.min(axis=1))
    by_combination, worst = np.array(means).T, np.min(least, axis=0)
    return AverageEntropies(
        known=number,
        combinations=chosen,
        possible=math.comb(len(table.others), number),
        targets=len(people),
        record=float(by_combination[0].mean()),
        confidential=float(by_combination[1].mean()),
        least_record=float(worst[0]),
        least_confidential=float(worst[1]),
        record_by_combination=by_combination[0],
        confidential_by_combination=by_combination[1],
        prior=table.prior,
    )


def group_entropies(table: PerturbedTable, columns: Sequence[int], known: Codes) -> tuple[Floats, Floats]:
    """Return the record and the confidential entropy of each row of `known`; equal rows are handled once."""
    first, alike = _distinct(known)
    record, confidential = _of_targets(table, columns, known[first])
    return record[alike], confidential[alike]


def entropy_profile(table: PerturbedTable, original: ArrayLike, draw: Draw = DRAW) -> tuple[AverageEntropies, ...]:
    """Return `average_entropies` for 1, 2, 3 and all known attributes, as far as there are that many (VICUS, 3.3)."""
    numbers = sorted({n for n in (1, 2, 3) if n < len(table.others)} | {len(table.others)})
    return tuple(average_entropies(table, original, number, draw) for number in numbers)


@dataclass(frozen=True)
class _Groups:
    """The records of a table, grouped by what is observed in the known attributes."""

    number: Codes  # of each record
    sizes: Codes
    observed: Codes  # groups x known attributes
    logs: tuple[Floats, ...]  # log2 of the matrices of the known attributes
    posterior: Floats  # groups x confidential values, summed over records

    @classmethod
    def of(cls, table: PerturbedTable, columns: Sequence[int]) -> "_Groups":
        first, number = _distinct(table.codes[:, columns])
        width = len(table.posterior)
        joint = np.bincount(number * width + table.codes[:, table.confidential], minlength=len(first) * width)
        counted = joint.reshape(len(first), width) @ table.posterior
        logs = tuple(_logs(table.matrices[a], IMPOSSIBLE) for a in columns)
        return cls(number, np.bincount(number), table.codes[first][:, columns], logs, counted)

    def weigh(self, known: Codes) -> tuple[Floats, Floats, Floats]:
        """Return for each row of `known` the weight of each group's records, their total, and the record entropy."""
        bits = np.zeros((len(known), len(self.sizes)))
        for values, observed, log in zip(known.T, self.observed.T, self.logs, strict=True):
            bits += log[values][:, observed]
        top = bits.max(axis=1, keepdims=True)  # the product of many small probabilities would underflow
        if (top <= IMPOSSIBLE).any():
            raise DataError(
                f"no record of the perturbed table can come from known values {known[top.argmin()].tolist()}: "
                "pass the matrices that perturbed the table, and original values of a record in it"
            )
        bits -= top
        weights = np.exp2(bits)
        total: Floats = weights @ self.sizes.astype(np.float64)
        bits *= weights
        return weights, total, np.maximum(np.log2(total) - bits @ self.sizes / total, 0.0)


def _of_targets(table: PerturbedTable, columns: Sequence[int], known: Codes) -> Floats:
    """Return record and confidential entropy, one column per row of `known`."""
    groups = _Groups.of(table, columns)
    contracted = _by_attribute(table, columns, known, groups)
    if contracted is not None:
        return contracted
    step = max(1, BLOCK // len(groups.sizes))
    found = []
    for start in range(0, len(known), step):
        weights, total, record = groups.weigh(known[start : start + step])
        found.append(np.stack([record, _entropies(weights @ groups.posterior / total[:, None])]))
    return np.concatenate(found, axis=1)


def _by_attribute(table: PerturbedTable, columns: Sequence[int], known: Codes, groups: _Groups) -> Floats | None:
    """Return the entropies by contraction; None where that would cost more, or where weights would underflow."""
    met = [np.unique(values, return_inverse=True) for values in known.T]
    matrices = [table.matrices[a][values] for a, (values, _) in zip(columns, met, strict=True)]
    shapes = [(matrix.shape[0], matrix.shape[1]) for matrix in matrices]
    if not shapes or not worthwhile(shapes, 1 + groups.posterior.shape[1], len(known) * len(groups.sizes)):
        return None
    sums, logs = contract(groups.observed, np.column_stack([groups.sizes, groups.posterior]), matrices)
    places = tuple(place for _, place in met)
    total, *parts = (channel[places] for channel in sums)
    if not (total > TINY).all():
        return None
    record = np.maximum(np.log2(total) - logs[places] / total, 0.0)
    return np.stack([record, _entropies(np.stack(parts, axis=1) / total[:, None])])


def _entropies(probs: Floats) -> Floats:
    return np.asarray(np.maximum(-(probs * _logs(probs, 0.0)).sum(axis=1), 0.0))


def _logs(probs: Floats, of_zero: float) -> Floats:
    return np.log2(probs, out=np.full_like(probs, of_zero), where=probs > 0)


def _distinct(codes: Codes) -> tuple[Codes, Codes]:
    """Number the distinct rows: return where each is first met, and the number of every row."""
    number = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:
        number = np.unique(number * (column.max() + 1) + column, return_inverse=True)[1]
    return np.unique(number, return_index=True)[1], number


def _matrix(given: ArrayLike, number: int) -> Floats:
    try:
        matrix = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"matrix {number} is not a table of numbers ({error}): pass rows of equal length") from error
    if matrix.ndim != 2 or matrix.size == 0:
        raise DataError(
            f"matrix {number} has shape {matrix.shape}: pass one row per original, one column per observed value"
        )
    if not (matrix >= 0).all() or (np.abs(matrix.sum(axis=1) - 1) > SUM_TOLERANCE).any():
        raise DataError(f"matrix {number} is not row-stochastic: its rows must be probabilities that sum to 1")
    return np.asarray(matrix / matrix.sum(axis=1, keepdims=True))


def _codes(given: ArrayLike, sizes: Sequence[int], what: str) -> Codes:
    try:
        codes = np.asarray(given)
    except ValueError as error:
        raise DataError(f"the {what} codes are not a table ({error}): pass rows of equal length") from error
    if codes.size == 0:
        codes = codes.astype(np.int64)  # numpy takes an empty list for real numbers
    if codes.ndim != 2 or codes.dtype.kind not in "iu" or codes.shape[1] != len(sizes):
        raise DataError(
            f"the {what} codes have shape {codes.shape} and type {codes.dtype}: "
            f"pass integers, one row per record and {len(sizes)} columns, one per matrix"
        )
    if np.ma.is_masked(given):
        raise DataError(f"the {what} codes contain NULL: give missing values their own code, and a row of the matrix")
    for column, size in enumerate(sizes):
        if len(codes) and not 0 <= codes[:, column].min() <= codes[:, column].max() < size:
            raise DataError(f"the {what} codes of column {column} must be from 0 to {size - 1}, the size of its matrix")
    return codes.astype(np.int64)
