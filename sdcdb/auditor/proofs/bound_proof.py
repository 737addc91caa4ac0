"""Why a record cannot be above U or below L, as arithmetic that a reader can redo.

Give each sum a weight y_q; let w_j be the weights of the sums that record j is in. For record r, whatever the values,

    x_r = sum_q y_q answer_q + sum_j ([j = r] - w_j) x_j

and every x_j on the right lies between its ends: those of the domain, or those set by a MIN or MAX answer. Inserting
the end that makes the right side largest (or smallest) bounds x_r. Any weights give a valid bound; the dual of the
linear programme gives the best. The weights are fractions and the bound is computed in fractions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sdcdb.auditor.evidence import Evidence
from sdcdb.gateway.inference.intervals.atoms import classes

DENOMINATORS = (60, 5_000, 10**6, 10**9)


@dataclass(frozen=True)
class BoundProof:
    """An upper or lower bound of a record of a cell, with the weights of the sums, and the extremes that cap others."""

    upper: bool
    value: Fraction
    weights: Mapping[int, Fraction]
    caps: tuple[int, ...]

    @property
    def queries(self) -> tuple[int, ...]:
        """The answers that it uses."""
        return tuple(sorted({*self.weights, *self.caps}))

    def holds(self, evidence: Evidence, cell: int) -> bool:
        """Check by plain arithmetic that the weights and caps give this bound."""
        return bound(evidence, cell, self.weights, self.caps, upper=self.upper) == self.value


def bound(
    evidence: Evidence, cell: int, weights: Mapping[int, Fraction], caps: tuple[int, ...], *, upper: bool
) -> Fraction:
    """Return the bound that weights and caps prove, exactly."""
    number = len(evidence.counts)
    at = list(weights)
    sets = evidence.sets(at) if at else np.zeros((0, number), bool)
    total = sum((weights[query] * evidence.answers[query] for query in at), Fraction(0))
    ends = _ends(evidence, caps)
    for part in _parts(sets, np.array([ends[c] for c in range(number)], dtype=object), cell):
        weight = sum(
            (weights[query] for query, inside in zip(at, sets[:, part[0]], strict=True) if inside), Fraction(0)
        )
        records = int(evidence.counts[part].sum())
        low, high = ends[part[0]]
        if part[0] == cell:
            factor = 1 - weight
            total += factor * (high if (factor > 0) == upper else low)
            records -= 1
        total += records * -weight * (high if (weight < 0) == upper else low)
    return total


def _parts(sets: NDArray[np.bool_], ends: NDArray[np.object_], cell: int) -> list[NDArray[np.intp]]:
    """Group the cells that have the same weight and ends; the record's own cell is a group by itself."""
    label = classes(sets)
    codes: dict[object, int] = {}
    keys = [
        (-1, 0) if c == cell else (int(label[c]), codes.setdefault(tuple(ends[c]), len(codes)))
        for c in range(len(ends))
    ]
    grouped: dict[object, list[int]] = {}
    for c, key in enumerate(keys):
        grouped.setdefault(key, []).append(c)
    return [np.array(each, dtype=np.intp) for each in grouped.values()]


def _ends(evidence: Evidence, caps: tuple[int, ...]) -> list[tuple[Fraction, Fraction]]:
    """Return the least and greatest value that each cell's records may have, by the domain and these extremes."""
    ends = [(evidence.domain.low, evidence.domain.high)] * len(evidence.counts)
    for at in caps:
        value = evidence.answers[at]
        for c in np.flatnonzero(evidence.sets([at])[0]):
            low, high = ends[c]
            ends[c] = (max(low, value), high) if evidence.kinds[at] == "min" else (low, min(high, value))
    return ends


def prove(evidence: Evidence, cell: int, *, upper: bool, goal: float) -> BoundProof | None:
    """Find weights and caps that prove a bound as good as `goal`; None when sums and caps alone do not."""
    caps = tuple(evidence.of_kind("min", "max"))
    tolerance = 1e-6 * float(evidence.domain.width)
    plain = bound(evidence, cell, {}, caps, upper=upper)
    if _reaches(plain, goal, tolerance, upper=upper):
        return _with_few_caps(evidence, cell, {}, caps, plain, upper=upper)
    y = _dual(evidence, cell, caps, upper=upper)
    if y is None:
        return None
    for denominator in DENOMINATORS:
        weights = {at: w for at, each in y.items() if (w := Fraction(each).limit_denominator(denominator))}
        value = bound(evidence, cell, weights, caps, upper=upper)
        if _reaches(value, goal, tolerance, upper=upper):
            return _with_few_caps(evidence, cell, weights, caps, value, upper=upper)
    return None


def _reaches(value: Fraction, goal: float, tolerance: float, *, upper: bool) -> bool:
    return float(value) <= goal + tolerance if upper else float(value) >= goal - tolerance


def _with_few_caps(
    evidence: Evidence,
    cell: int,
    weights: Mapping[int, Fraction],
    caps: tuple[int, ...],
    value: Fraction,
    *,
    upper: bool,
) -> BoundProof:
    """Leave out the extremes that do not matter to the bound, those over fewer cells first."""
    kept = list(caps)
    if caps:
        sizes = evidence.sets(list(caps)).sum(axis=1)
        for at in [caps[n] for n in np.argsort(sizes, kind="stable")]:
            without = tuple(each for each in kept if each != at)
            if bound(evidence, cell, weights, without, upper=upper) == value:
                kept.remove(at)
    return BoundProof(upper, value, dict(weights), tuple(kept))


def _dual(evidence: Evidence, cell: int, caps: tuple[int, ...], *, upper: bool) -> dict[int, float] | None:
    """Solve the programme of one record, split from its cell, for the prices of its equations."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix

    sums = evidence.of_kind("sum")
    if not sums:
        return None
    sets, ends = evidence.sets(sums), _ends(evidence, caps)
    parts = _parts(sets, np.array([*ends, None], dtype=object)[:-1], cell)
    first = np.array([part[0] for part in parts])
    size = np.array([int(evidence.counts[part].sum()) - (part[0] == cell) for part in parts])
    own = next(n for n, part in enumerate(parts) if part[0] == cell)
    base, wide = evidence.domain.low, evidence.domain.width
    low = [float((ends[c][0] - base) / wide) for c in first]
    high = [float((ends[c][1] - base) / wide) for c in first]
    answers = [
        float((evidence.answers[at] - base * int(evidence.counts[row].sum())) / wide)
        for at, row in zip(sums, sets, strict=True)
    ]
    matrix = csr_matrix(np.concatenate([sets[:, first], sets[:, [cell]]], axis=1).astype(np.float64))
    limits = [(n * a, n * b) for n, a, b in zip(size, low, high, strict=True)] + [(low[own], high[own])]
    cost = np.zeros(len(first) + 1)
    cost[-1] = -1.0 if upper else 1.0
    solved = linprog(cost, A_eq=matrix, b_eq=answers, bounds=limits, method="highs-ds")
    if solved.status != 0:
        return None
    prices = -solved.eqlin.marginals if upper else solved.eqlin.marginals
    return {at: float(price) for at, price in zip(sums, prices, strict=True) if abs(price) > 1e-9}
