"""Over time: how many records fall below each threshold, how intervals shrink, and which answers cost the most."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log2

import numpy as np
from numpy.typing import NDArray

from sdcdb.auditor.evidence import Evidence
from sdcdb.auditor.proofs.interval import intervals
from sdcdb.gateway.inference.limits import Limits

SHARES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.25)
POINTS = 6
TRACKED = 20
COSTS = 16
BUDGET = 200_000_000  # of one moment's programmes, each its sums times their entries: a second or so


@dataclass(frozen=True)
class Moment:
    """After a number of different answers: the records in an interval narrower than each share of the domain."""

    answers: int
    below: tuple[int, ...]
    uncomputed: int = 0
    """Records whose bounds were not computed for this moment, as that would have exceeded the budget."""


@dataclass(frozen=True)
class Cost:
    """What one answer cost the records in danger: the bits by which their intervals shrank, in total."""

    answer: int
    bits: float
    records: int
    among: int = 1
    """How many statements the bits are of: over 1, the search ended before they could be told apart."""


@dataclass(frozen=True)
class Course:
    """The history of one column. Shares are of the domain's width; the first counts determined values.

    The costs are those of `tracked` records, the most exposed ones of `endangered`: the budget allows no more.
    """

    shares: tuple[float, ...]
    moments: tuple[Moment, ...]
    costs: tuple[Cost, ...]
    tracked: int
    endangered: int


def course(evidence: Evidence, limits: Limits, endangered: Sequence[int]) -> Course:
    """Follow a column through its answers."""
    wide = float(evidence.domain.width)
    shares = tuple(sorted({*SHARES, limits.min_interval / wide}))
    enough = max(shares) * wide
    ends = _statement_ends(evidence)
    steps = sorted({ends[round((len(ends) - 1) * n / POINTS)] for n in range(POINTS + 1)})
    moments = []
    cells = np.flatnonzero(evidence.counts > 0)
    for number in reversed(steps):  # intervals only shrink: who is in a wide one later was in a wide one before
        found = intervals(evidence.first(number), cells, enough, budget=BUDGET)
        cells = cells[found.open[cells] | (found.widths[cells] < enough)]
        widths, records = found.widths[cells], evidence.counts[cells]
        settled = ~found.open[cells]
        narrow = [
            int(records[settled & (widths <= 1e-6 * wide if share == 0 else widths < share * wide)].sum())
            for share in shares
        ]
        moments.append(Moment(number, tuple(narrow), int(records[~settled].sum())))
    moments.reverse()
    tracked = list(endangered[: min(TRACKED, BUDGET // max(1, _work(evidence)))])
    return Course(shares, tuple(moments), tuple(costs(evidence, tracked)), len(tracked), len(endangered))


def _statement_ends(evidence: Evidence) -> list[int]:
    """Return the numbers of answers after which a statement had given all of its answers, from none on."""
    numbers = evidence.numbers
    return [at for at in range(len(numbers) + 1) if at in (0, len(numbers)) or numbers[at - 1] != numbers[at]]


def _work(evidence: Evidence) -> int:
    """Return what the two programmes of one record cost at most, as a budget counts it; nothing for single records."""
    several = [at for at in evidence.of_kind("sum") if evidence.matrix.indptr[at + 1] - evidence.matrix.indptr[at] > 1]
    if not several:
        return 0
    sizes = np.diff(evidence.matrix.indptr)[several]
    return 2 * len(several) * int(sizes.sum())


def costs(evidence: Evidence, cells: Sequence[int]) -> list[Cost]:
    """Return the costliest answers, found by repeatedly halving the stretch that lost the most, for a limited time.

    A stretch that was not halved down to one statement is attributed to its last answer.
    """
    if not cells:
        return []
    step = float(evidence.domain.grid)

    def left(number: int) -> NDArray[np.float64]:
        widths = intervals(evidence.first(number), cells).widths[np.asarray(cells)]
        return np.array([log2(width / step + 1) for width in widths])

    cuts = _statement_ends(evidence)
    known = {0: left(0), len(evidence): left(len(evidence))}
    for _ in range(COSTS):
        between = [(a, b, cuts[bisect_right(cuts, a) : bisect_left(cuts, b)]) for a, b in pairwise(sorted(known))]
        stretches = [(float((known[a] - known[b]).sum()), middle) for a, b, middle in between if middle]
        loss, middle = max(stretches, default=(0.0, []))
        if loss < 1e-9:
            break
        known[middle[len(middle) // 2]] = left(middle[len(middle) // 2])
    ends = sorted(known)
    found = []
    for before, after in pairwise(ends):
        lost = known[before] - known[after]
        if lost.sum() > 1e-9:
            among = bisect_right(cuts, after) - bisect_right(cuts, before)
            found.append(Cost(after - 1, float(lost.sum()), int((lost > 1e-9).sum()), among))
    return sorted(found, key=lambda each: -each.bits)
