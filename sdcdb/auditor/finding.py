"""Findings: who is exposed, how closely, by which queries, to whom and since when."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sdcdb.auditor.evidence import Evidence
from sdcdb.auditor.exposed import Exposure, Level, enough, exposures
from sdcdb.auditor.proofs.certificate import Certificate, certify, smallest_cover
from sdcdb.auditor.proofs.combination import Combination
from sdcdb.auditor.proofs.interval import Intervals, intervals
from sdcdb.auditor.proofs.uncertainty import Doubt, given
from sdcdb.auditor.reading.input_history import Item, Occurrence
from sdcdb.auditor.reading.snapshot import AuditedTable
from sdcdb.gateway.inference.limits import Limits
from sdcdb.measures.cae_curve import Curve

MATCHING = 200


@dataclass(frozen=True)
class Step:
    """One answer of a certificate: the statement, what it revealed, and its weight in the combination, if any."""

    statement: Occurrence
    kind: str
    records: int
    answer: Fraction
    weight: Fraction | None
    users: tuple[str, ...]


@dataclass(frozen=True)
class Finding:
    """One exposed record. `steps` prove it; `users` together know all of them; `first` completed the exposure."""

    table: str
    column: str
    pool: str
    record: str
    cell: int
    level: Level
    lower: float
    upper: float
    candidates: tuple[float, ...]
    doubt: Doubt
    given_known: Doubt
    curve: Curve
    first: Occurrence
    certificate: Certificate | None
    steps: tuple[Step, ...]
    users: tuple[str, ...]

    @property
    def value(self) -> float | None:
        """The value, if it is determined."""
        return self.lower if self.level >= Level.EXACT else None

    @property
    def width(self) -> float:
        """How wide the interval is."""
        return self.upper - self.lower


@dataclass(frozen=True, eq=False)
class Pooled:
    """What a pool of users knows about one column: their answers in order, the intervals, and who is exposed."""

    name: str
    items: Sequence[Item]
    evidence: Evidence
    found: Intervals
    exposed: Sequence[Exposure]


def pooled(
    name: str, items: Sequence[Item], evidence: Evidence, limits: Limits, cells: Sequence[int] | None = None
) -> Pooled:
    """Find what these answers expose, among all records or among some."""
    found = intervals(evidence, cells, enough(limits, evidence.domain))
    listed = exposures(evidence, found, limits)
    direct = _read_directly(items, evidence)
    chosen = [_raised(each, direct) for each in listed if cells is None or each.cell in set(cells)]
    return Pooled(name, items, evidence, found, sorted(chosen, key=lambda each: (-each.level, each.upper - each.lower)))


def _raised(exposure: Exposure, direct: set[int]) -> Exposure:
    if exposure.cell not in direct:
        return exposure
    return Exposure(exposure.cell, Level.DIRECT, exposure.lower, exposure.upper, exposure.candidates, exposure.doubt)


def _read_directly(items: Sequence[Item], evidence: Evidence) -> set[int]:
    """Return the records whose value a statement showed."""
    found = set()
    for at, item in enumerate(items):
        if item.fact.direct:
            cells = np.flatnonzero(evidence.sets([at])[0])
            if len(cells) == 1:
                found.add(int(cells[0]))
    return found


def findings(
    pool: Pooled,
    table: AuditedTable,
    column: str,
    limits: Limits,
    known: Mapping[str, Sequence[object]],
    proofs: int,
    names: Mapping[int, str],
) -> list[Finding]:
    """Turn exposed records into findings, with certificates for the first few."""
    first = first_moments(pool, limits)
    found = _exactly_known(pool, known)
    made = []
    for position, exposure in enumerate(pool.exposed):
        cell = exposure.cell
        certificate = _certificate(pool, exposure) if position < proofs else None
        queries = certificate.queries if certificate is not None else ()
        users = holders([pool.items[at] for at in queries])
        steps = tuple(_step(pool, at, certificate, users) for at in queries)
        doubt, curve = given(found, cell, known, pool.evidence.counts, pool.evidence.domain)
        made.append(
            Finding(
                table.table.name, column, pool.name, names[cell], cell, exposure.level, exposure.lower, exposure.upper,
                exposure.candidates, exposure.doubt, doubt, curve, pool.items[first[cell]].first, certificate, steps,
                users,
            )
        )  # fmt: skip
    return made


def _exactly_known(pool: Pooled, known: Mapping[str, Sequence[object]]) -> Intervals:
    """Return the intervals, exact for records that match an exposed one in these columns.

    Beyond `MATCHING` such records, the part known to be possible replaces the interval: uncertainty is then
    understated, never overstated.
    """
    keys = {tuple(values[each.cell] for values in known.values()) for each in pool.exposed[:MATCHING]}
    held = np.flatnonzero(pool.evidence.counts > 0).tolist()
    matching = [c for c in held if not pool.found.exact[c] and tuple(v[c] for v in known.values()) in keys]
    if not matching or len(matching) > MATCHING:
        return pool.found
    solved = intervals(pool.evidence, matching)
    lower, upper, exact = pool.found.lower.copy(), pool.found.upper.copy(), pool.found.exact.copy()
    lower[matching], upper[matching], exact[matching] = solved.lower[matching], solved.upper[matching], True
    return Intervals(lower, upper, exact)


def _certificate(pool: Pooled, exposure: Exposure) -> Certificate:
    if exposure.level is Level.DIRECT:
        for at, item in enumerate(pool.items):
            if (
                item.fact.direct
                and pool.evidence.sets([at])[0].sum() == 1
                and pool.evidence.sets([at])[0][exposure.cell]
            ):
                return Certificate((at,), smallest=True, combination=Combination({at: Fraction(1)}, smallest=True))
    if len(exposure.candidates) == 2 and exposure.level is Level.INTERVAL:
        two = _two_points(pool.evidence, exposure)
        if two is not None:
            return Certificate(two, smallest=True)
    return certify(pool.evidence, exposure.cell, pool.found)


def _two_points(evidence: Evidence, exposure: Exposure) -> tuple[int, ...] | None:
    """Return the MIN and the MAX of one set of two records that leave this one two values."""
    by_set: dict[bytes, dict[str, int]] = {}
    for at in evidence.of_kind("min", "max"):
        flags = evidence.sets([at])[0] & (evidence.counts > 0)
        if flags[exposure.cell] and flags.sum() == 2:
            by_set.setdefault(flags.tobytes(), {})[evidence.kinds[at]] = at
    pair = next((each for each in by_set.values() if len(each) == 2), None)
    return None if pair is None else tuple(sorted(pair.values()))


def _step(pool: Pooled, at: int, certificate: Certificate | None, users: tuple[str, ...]) -> Step:
    item = pool.items[at]
    weight = None
    if certificate is not None and certificate.combination is not None:
        weight = certificate.combination.weights.get(at)
    records = int(pool.evidence.counts[pool.evidence.sets([at])[0]].sum())
    return Step(item.first_by(users), item.fact.kind, records, item.fact.answer, weight, tuple(item.users))


def holders(items: Sequence[Item]) -> tuple[str, ...]:
    """Return a smallest set of users who together were given all these answers."""
    if not items:
        return ()
    users = sorted({user for item in items for user in item.users})
    gave = np.array([[user in item.users for item in items] for user in users])
    cover = smallest_cover(gave, list(range(len(users))))
    return tuple(users[at] for at in sorted(cover[0])) if cover is not None else tuple(users)


def first_moments(pool: Pooled, limits: Limits) -> dict[int, int]:
    """Return, per exposed cell, the position of the answer that exposed it.

    What is known only grows, so the moment is found by bisection, for all records together: each step looks only at
    records whose moment may lie on either side.
    """
    found: dict[int, int] = {}
    width = enough(limits, pool.evidence.domain)

    def search(cells: list[int], low: int, high: int) -> None:
        """Of these cells, none is exposed by the first `low` answers and all are by the first `high`."""
        if not cells:
            return
        if high - low == 1:
            found.update(dict.fromkeys(cells, low))
            return
        middle = (low + high) // 2
        part = pool.evidence.first(middle)
        early = {each.cell for each in exposures(part, intervals(part, cells, width), limits)}
        search([cell for cell in cells if cell in early], low, middle)
        search([cell for cell in cells if cell not in early], middle, high)

    search([each.cell for each in pool.exposed], 0, len(pool.evidence))
    return found
