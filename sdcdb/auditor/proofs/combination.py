"""Which few sums, added and subtracted, isolate one record: a proof that can be checked by hand.

Rows are query sets over columns (cells, records or atoms: any partition). A combination is a number y_q per query with
sum_q y_q row_q = the indicator of the target column; the target's total is then sum_q y_q answer_q, whatever the values
are. All arithmetic here is on whole numbers and fractions: nothing depends on rounding.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sdcdb.auditor.proofs.exact_solve import isolating_weights
from sdcdb.errors import InternalError

Sets = NDArray[np.bool_]
Ints = NDArray[np.int64]

TRIPLES = 3_000
"""Rows up to which every three are tried: every two are hashed, about a second at this number."""
REWEIGHTED = 3
LARGEST = 400
"""The most rows of a combination: nobody would check a longer proof."""
NOTHING = 1e-9


@dataclass(frozen=True)
class Combination:
    """A weight for each of a few queries. `smallest`: no fewer suffice; otherwise, none can be dropped."""

    weights: Mapping[int, Fraction]
    smallest: bool

    def value(self, answers: Sequence[Fraction | int | float]) -> Fraction:
        """Return the exact value of the combination of the answers."""
        return sum((weight * Fraction(answers[query]) for query, weight in self.weights.items()), Fraction(0))

    def isolates(self, rows: Sets, column: int) -> bool:
        """Check by plain arithmetic that the combination is one at the column and nothing elsewhere."""
        total: list[Fraction] = [Fraction(0)] * rows.shape[1]
        for query, weight in self.weights.items():
            for at in np.flatnonzero(rows[query]):
                total[at] += weight
        return total[column] == 1 and not any(each for at, each in enumerate(total) if at != column)


def isolating(rows: Sets, column: int) -> Combination | None:
    """Find a combination of few rows that isolates a column; None when there is none.

    One, two and three rows are searched in full, so that up to four rows the result is the smallest there is. Larger
    ones come from the least sum of absolute weights, which is sparse, and are irreducible: their rows are independent,
    so the weights are the only ones, and none of them is zero.
    """
    kept = _distinct(rows)
    sets = rows[kept]
    if not sets[:, column].any():
        return None
    found = _of_three(sets, column)
    exhausted = len(sets) <= TRIPLES
    if found is None:
        found = _sparse(sets, column)
        if found is None:
            return None
    combination = Combination(
        {int(kept[at]): weight for at, weight in sorted(found.items())},
        len(found) <= 3 or (exhausted and len(found) == 4),
    )
    if not combination.isolates(rows, column):
        raise InternalError(f"a combination of {len(found)} queries does not isolate column {column}")
    return combination


def _distinct(rows: Sets) -> Ints:
    """Return the first row of each query set that is not empty."""
    packed = np.packbits(rows, axis=1)
    _, first = np.unique(packed, axis=0, return_index=True)
    return np.sort(first[rows[first].any(axis=1)])


def _of_three(rows: Sets, column: int) -> dict[int, Fraction] | None:
    """Search all combinations of up to three rows.

    Elsewhere than at the target, the weights of the rows that meet must cancel. For distinct rows of 0 and 1 this
    leaves only e = r1, e = r1 - r2, e = r1 - r2 - r3, e = r1 + r2 - r3 (a tracker) and e = (r1 + r2 - r3) / 2. Rows are
    hashed by a random weight per column, a linear map, so that sums of rows are sums of hashes modulo 2^64.
    """
    drawn = np.random.default_rng(0x5DCDB).integers(0, (1 << 64) - 1, size=rows.shape[1], dtype=np.uint64)
    random: NDArray[np.uint64] = np.asarray(drawn, dtype=np.uint64)
    hashes = np.array([random[row].sum(dtype=np.uint64) for row in rows], dtype=np.uint64)
    for weights in _candidates(hashes, random[column], min(len(rows), TRIPLES)):
        total = np.zeros(rows.shape[1], np.int64)
        for at, weight in weights.items():
            total += int(2 * weight) * rows[at]
        if total[column] == 2 and np.count_nonzero(total) == 1:  # a hash may hit by chance
            return weights
    return None


def _candidates(hashes: NDArray[np.uint64], target: np.uint64, limit: int) -> Iterator[dict[int, Fraction]]:
    """Yield weighted rows whose hashes add up to the target's, fewer rows first."""
    order = np.argsort(hashes)
    ordered = hashes[order]

    def holders(wanted: NDArray[np.uint64]) -> Iterator[tuple[int, int]]:
        at = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
        for position in np.flatnonzero(ordered[at] == wanted):
            yield int(position), int(order[at[position]])

    if not len(hashes):
        return
    one = Fraction(1)
    for _, row in holders(np.array([target])):
        yield {row: one}
    for position, row in holders(hashes + target):
        yield {row: one, position: -one}
    for first in range(limit):
        pairs = hashes[first] + hashes[first + 1 : limit]
        for wanted, weight in ((pairs + target, -one), (pairs - target, one), (pairs - target - target, one / 2)):
            for position, row in holders(wanted):
                second = first + 1 + position
                if row not in (first, second):
                    yield {first: weight, second: weight, row: -weight}


def _sparse(rows: Sets, column: int) -> dict[int, Fraction] | None:
    """Minimise the sum of absolute weights, a few times over with small ones made dearer; keep the fewest rows."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix, hstack

    columns = np.unique(rows, axis=1, return_index=True)[1]
    if (np.delete(rows, column, axis=1) == rows[:, [column]]).all(axis=0).any():
        return None  # another column is in the same sets: no combination separates them
    matrix = csr_matrix(rows[:, columns].T.astype(np.float64))
    wanted = (columns == column).astype(np.float64)
    both, cost, best = hstack([matrix, -matrix]), np.ones(len(rows)), None
    for _ in range(REWEIGHTED):
        solved = linprog(np.tile(cost, 2), A_eq=both, b_eq=wanted, bounds=(0, None), method="highs-ds")
        if solved.status != 0:
            return best
        y = solved.x[: len(rows)] - solved.x[len(rows) :]
        exact = _exactly(rows, column, y)
        if exact is not None and (best is None or len(exact) < len(best)):
            best = exact
        cost = 1 / (np.abs(y) + 0.05)
    return best


def _exactly(rows: Sets, column: int, y: NDArray[np.float64]) -> dict[int, Fraction] | None:
    """Return exact weights for the rows that these numbers use, if they isolate the column."""
    used = np.flatnonzero(np.abs(y) > NOTHING)
    if not 0 < len(used) <= LARGEST:
        return None
    found = isolating_weights(rows[used], column)
    weights = {int(used[at]): weight for at, weight in (found or {}).items()}
    return weights if weights and Combination(weights, smallest=False).isolates(rows, column) else None
