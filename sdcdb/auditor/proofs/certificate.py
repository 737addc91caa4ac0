"""The queries that prove what is known about one record: as few as can be found, with the arithmetic that shows it.

In order: a combination of sums that isolates the record; the only possible holder of a MIN or MAX; the best bounds from
sums and extremes. Where a proof needs several of these at once, only its queries are given (`recomputed`): none can be
left out, and the audit's own programmes confirm the finding from them alone. Where only the fact that values are whole
numbers settles a record, the proof is an integer programme over all sums (`whole numbers`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

import numpy as np

from sdcdb.auditor.evidence import Evidence, Sets
from sdcdb.auditor.proofs.bound_proof import BoundProof, prove
from sdcdb.auditor.proofs.combination import Combination, isolating
from sdcdb.auditor.proofs.interval import ROUNDING, Intervals, intervals
from sdcdb.errors import InternalError
from sdcdb.gateway.inference.intervals.atoms import classes

EXACT_COVER = 3


@dataclass(frozen=True)
class Witness:
    """Only this record can have the answered extreme: in each other cell of its set, `below` keeps values off it."""

    extreme: int
    below: tuple[int, ...]

    def holds(self, evidence: Evidence, cell: int) -> bool:
        """Check on the sets themselves: the others lie in sets whose own extremes do not reach this one."""
        value, kind = evidence.answers[self.extreme], evidence.kinds[self.extreme]
        others = evidence.sets([self.extreme])[0] & (evidence.counts > 0)
        if not others[cell] or evidence.counts[cell] != 1:
            return False
        others[cell] = False
        for at in self.below:
            answer = evidence.answers[at]
            off = answer < value if kind == "max" else answer > value
            if not off or evidence.kinds[at] != kind:
                return False
            others &= ~evidence.sets([at])[0]
        return not others.any()


@dataclass(frozen=True)
class Certificate:
    """The answers that prove a finding, by position in the evidence, and how they do.

    `smallest`: fewer provably do not suffice; otherwise it is only known that none can be left out.
    """

    queries: tuple[int, ...]
    smallest: bool
    combination: Combination | None = None
    witness: Witness | None = None
    lower: BoundProof | None = None
    upper: BoundProof | None = None
    whole_numbers: bool = False
    """Whether the values are whole numbers is part of the proof: the queries are all that were answered."""

    @property
    def form(self) -> str:
        """The kind of proof."""
        if self.combination is not None:
            return "combination"
        if self.witness is not None:
            return "witness"
        if self.whole_numbers:
            return "whole numbers"
        return "bounds" if self.lower is not None and self.upper is not None else "recomputed"

    def holds(self, evidence: Evidence, cell: int) -> bool:
        """Check it again, using only the answers it names."""
        if self.combination is not None:
            return self.combination.isolates(*_held(evidence, cell)) and bool(evidence.counts[cell] == 1)
        if self.witness is not None:
            return self.witness.holds(evidence, cell)
        return all(proof.holds(evidence, cell) for proof in (self.lower, self.upper) if proof is not None)


def _held(evidence: Evidence, cell: int) -> tuple[Sets, int]:
    """Return all sets, with empty cells left out, and the column of the cell."""
    held = evidence.counts > 0
    return evidence.sets()[:, held], int(held[:cell].sum())


def certify(evidence: Evidence, cell: int, found: Intervals) -> Certificate:
    """Find the certificate of a record of a cell whose interval is `found`."""
    if _tight(found, evidence, cell) and evidence.counts[cell] == 1:
        single = of_one(evidence, cell)
        if single is not None:
            return single
        exact = [each for each in (_combination(evidence, cell), _witness(evidence, cell)) if each is not None]
        if exact:
            best = min(exact, key=lambda each: len(each.queries))
            return replace(best, smallest=best.smallest and _none_is_shorter(evidence, cell, len(best.queries)))
    return _bounds(evidence, cell, found)


def _tight(found: Intervals, evidence: Evidence, cell: int) -> bool:
    slack = max(ROUNDING * float(evidence.domain.width), float(evidence.domain.snap or 0) / 2)
    return bool(found.upper[cell] - found.lower[cell] <= slack)


def of_one(evidence: Evidence, cell: int) -> Certificate | None:
    """Find a sum over this record alone."""
    alone = np.zeros(len(evidence.counts), bool)
    alone[cell] = True
    held = np.packbits(evidence.counts > 0)
    about = np.flatnonzero(evidence.packed[:, cell // 8] & (128 >> cell % 8))
    same = ((evidence.packed[about] & held) == np.packbits(alone)).all(axis=1)
    for at in about[same].tolist():
        if evidence.kinds[at] == "sum":
            return Certificate((at,), smallest=True, combination=Combination({at: Fraction(1)}, smallest=True))
    return None


def _none_is_shorter(evidence: Evidence, cell: int, number: int) -> bool:
    """Tell whether it is certain that fewer answers do not settle a record: of two, each is tried alone."""
    if number <= 1:
        return True
    if number > 2:
        return not _ends_may_do(evidence, cell)
    about = np.flatnonzero(evidence.sets()[:, cell]).tolist()
    return not any(_tight(intervals(evidence.only([at]), [cell]), evidence, cell) for at in about)


def _ends_may_do(evidence: Evidence, cell: int) -> bool:
    """Tell whether a shorter proof might use the ends of the domain or of extremes: then none is called the smallest.

    Such a proof needs a sum in which every other record is at an end. Where the data are strictly inside of all ranges,
    they can move along any direction that the sums leave open, so that only a combination of sums settles a record.
    """
    if evidence.truth is None:
        return True
    caps = [evidence.domain.low, evidence.domain.high, *(evidence.answers[at] for at in evidence.of_kind("min", "max"))]
    values = np.where(evidence.counts > 0, evidence.truth / np.maximum(evidence.counts, 1), np.nan)
    at_end = np.isin(values, [float(each) for each in caps]) | (evidence.counts == 0)
    at_end[cell] = True
    sums = evidence.of_kind("sum")
    sets = evidence.sets(sums)
    return bool((sets[:, cell] & (~sets | at_end).all(axis=1)).any()) if sums else False


def _combination(evidence: Evidence, cell: int) -> Certificate | None:
    """Isolate the record by sums, over atoms: cells that all sums treat alike count once."""
    sums = evidence.of_kind("sum")
    held = np.flatnonzero(evidence.counts > 0)
    sets = evidence.sets(sums)[:, held]
    label = classes(sets)
    own = label[np.searchsorted(held, cell)]
    if np.count_nonzero(label == own) > 1:
        return None
    first = np.unique(label, return_index=True)[1]
    found = isolating(sets[:, first], int(np.flatnonzero(first == np.searchsorted(held, cell))[0]))
    if found is None:
        return None
    combination = Combination({sums[at]: weight for at, weight in found.weights.items()}, found.smallest)
    return Certificate(tuple(combination.weights), found.smallest, combination=combination)


def _witness(evidence: Evidence, cell: int) -> Certificate | None:
    """Show that nobody else can have an extreme, with the fewest other extremes."""
    best: Certificate | None = None
    for at in evidence.of_kind("min", "max"):
        chosen = evidence.sets([at])[0]
        if not chosen[cell]:
            continue
        kind, value = evidence.kinds[at], evidence.answers[at]
        others = np.flatnonzero(chosen & (evidence.counts > 0))
        others = others[others != cell]
        off = [
            other
            for other in evidence.of_kind(kind)
            if (evidence.answers[other] < value if kind == "max" else evidence.answers[other] > value)
        ]
        cover = smallest_cover(evidence.sets(off)[:, others], off) if len(others) else ((), True)
        if cover is not None and (best is None or len(cover[0]) + 1 < len(best.queries)):
            best = Certificate((at, *cover[0]), cover[1], witness=Witness(at, tuple(cover[0])))
    return best


def smallest_cover(sets: Sets, names: Sequence[int]) -> tuple[tuple[int, ...], bool] | None:
    """Cover all columns by few rows: all choices of up to three are tried, then the greedy one, made irreducible."""
    if sets.shape[1] == 0:
        return (), True
    if not sets.any(axis=0).all():
        return None
    useful = np.flatnonzero(sets.any(axis=1)).tolist()
    for size in range(1, EXACT_COVER + 1):
        if len(useful) ** size > 2_000_000:
            break
        for chosen in combinations(useful, size):
            if sets[list(chosen)].any(axis=0).all():
                return tuple(names[n] for n in chosen), True
    open_columns, taken = np.ones(sets.shape[1], bool), list[int]()
    while open_columns.any():
        best = int(np.argmax(sets[:, open_columns].sum(axis=1)))
        taken.append(best)
        open_columns &= ~sets[best]
    for row in list(taken):
        rest = [each for each in taken if each != row]
        if rest and sets[rest].any(axis=0).all():
            taken = rest
    return tuple(names[n] for n in taken), len(taken) == EXACT_COVER + 1


def _bounds(evidence: Evidence, cell: int, found: Intervals) -> Certificate:
    """Prove both ends; where sums and caps do not suffice, name the answers that together do."""
    goal = float(found.lower[cell]), float(found.upper[cell])
    slack = float(evidence.domain.step or 0) + ROUNDING * float(evidence.domain.width)
    lower, upper = (
        _side(evidence, cell, end, upper=side, slack=slack) for end, side in zip(goal, (False, True), strict=True)
    )
    if lower is not None and upper is not None:
        return Certificate(tuple(sorted({*lower.queries, *upper.queries})), smallest=False, lower=lower, upper=upper)
    rounding = ROUNDING * float(evidence.domain.width)
    queries = core(len(evidence), lambda chosen: _still(evidence.only(chosen), cell, goal, rounding))
    return Certificate(tuple(queries), smallest=len(queries) <= 1)


def _side(evidence: Evidence, cell: int, goal: float, *, upper: bool, slack: float) -> BoundProof | None:
    """Prove one end, removing answers one at a time. A bound within a step of the goal is good enough."""
    near = goal + slack * 0.999 if upper else goal - slack * 0.999
    proof = prove(evidence, cell, upper=upper, goal=near)
    if proof is None:
        return None
    kept = list(proof.queries)
    for at in list(kept):
        rest = [each for each in kept if each != at]
        smaller = prove(evidence.only(rest), cell, upper=upper, goal=near)
        if smaller is not None:
            kept = [rest[each] for each in smaller.queries]
            proof = BoundProof(
                upper,
                smaller.value,
                {rest[q]: w for q, w in smaller.weights.items()},
                tuple(rest[q] for q in smaller.caps),
            )
        if not kept:
            break
    if not proof.holds(evidence, cell):
        raise InternalError(f"the proof of a bound of cell {cell} does not hold")
    return proof


def _still(evidence: Evidence, cell: int, goal: tuple[float, float], slack: float) -> bool:
    found = intervals(evidence, [cell])
    return bool(found.lower[cell] >= goal[0] - slack and found.upper[cell] <= goal[1] + slack)


def core(number: int, holds: Callable[[Sequence[int]], bool]) -> list[int]:
    """Return an irreducible part of `range(number)` for which a monotone property holds (QuickXplain, Junker 2004)."""

    def explain(background: list[int], added: bool, rest: list[int]) -> list[int]:  # noqa: FBT001 - as in the paper
        if added and holds(sorted(background)):
            return []
        if len(rest) == 1:
            return rest
        half = len(rest) // 2
        first, second = rest[:half], rest[half:]
        right = explain(background + first, bool(first), second)
        left = explain(background + right, bool(right), first)
        return left + right

    everything = list(range(number))
    if not everything or holds([]):
        return []
    return sorted(explain([], added=False, rest=everything))
