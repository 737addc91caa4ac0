"""Findings: who is exposed, how closely, by which queries, to whom and since when."""

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from sdcdb.auditor.evidence import Evidence, Ints
from sdcdb.auditor.exposed import Exposure, Level, enough, exposures, least_values
from sdcdb.auditor.proofs.certificate import Certificate, certify, of_one, smallest_cover
from sdcdb.auditor.proofs.combination import Combination
from sdcdb.auditor.proofs.interval import Intervals, intervals
from sdcdb.auditor.proofs.uncertainty import Doubt, Uncertainty
from sdcdb.auditor.proofs.whole_values import Room, in_whole_numbers
from sdcdb.auditor.reading.input_history import Item, Occurrence
from sdcdb.gateway.inference.limits import Limits
from sdcdb.measures.cae_curve import Curve

MATCHING = 200
BUDGET = 200_000_000  # of the programmes of matching records: a second or so


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
    proof: tuple[int, ...] = ()
    """The answers of the certificate, by their number in the history."""
    possible: tuple[str, ...] = ()
    """Of a column without a numeric domain: the categories that remain possible. The interval is then of no meaning."""
    known_exact: bool = True
    """Whether `given_known` is exact: a budget can leave the intervals of matching records known only in part."""

    @property
    def value(self) -> float | str | None:
        """The value, if it is determined."""
        if self.level < Level.EXACT:
            return None
        return self.possible[0] if self.possible else self.lower

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
    users: frozenset[str] | None = None
    """Who belongs to it; None for everybody."""

    @cached_property
    def numbers(self) -> list[int]:
        """The number of the statement that gave each answer; it never falls."""
        return [self.first(at).number for at in range(len(self.items))]

    @cached_property
    def records(self) -> Ints:
        """The number of records of each answer."""
        return np.asarray(self.evidence.matrix @ self.evidence.counts, dtype=np.int64).ravel()

    def first(self, at: int) -> Occurrence:
        """Return the statement by which somebody of the pool first received an answer."""
        return self.items[at].first_by(self.users)


def pooled(
    name: str,
    items: Sequence[Item],
    evidence: Evidence,
    limits: Limits,
    cells: Sequence[int] | None = None,
    users: frozenset[str] | None = None,
    doubtful: Collection[int] | None = None,
) -> Pooled:
    """Find what these answers expose, among all records or among some.

    What they expose in whole numbers only is looked for among all of these, or among the `doubtful` ones.
    """
    wide = enough(limits, evidence.domain)
    found = intervals(evidence, cells, wide)
    safe = ~(found.exact & (found.widths < wide)) & ~found.open
    among = [cell for cell in (np.flatnonzero(safe).tolist() if doubtful is None else doubtful) if safe[cell]]
    room = Room(limits.min_interval, least_values(limits, evidence.domain))
    found = in_whole_numbers(evidence, found, room, among)
    listed = exposures(evidence, found, limits)
    direct = _read_directly(items, evidence)
    wanted = None if cells is None else set(cells)
    chosen = [_raised(each, direct) for each in listed if wanted is None or each.cell in wanted]
    ordered = sorted(chosen, key=lambda each: (-each.level, each.upper - each.lower))
    return Pooled(name, items, evidence, found, ordered, users)


def _raised(exposure: Exposure, direct: Mapping[int, int]) -> Exposure:
    if exposure.cell not in direct:
        return exposure
    return Exposure(exposure.cell, Level.DIRECT, exposure.lower, exposure.upper, exposure.candidates, exposure.doubt)


def _read_directly(items: Sequence[Item], evidence: Evidence) -> dict[int, int]:
    """Return the records whose value a statement showed, with the first such answer."""
    found: dict[int, int] = {}
    matrix = evidence.matrix
    for at, item in enumerate(items):
        if item.fact.direct and matrix.indptr[at + 1] - matrix.indptr[at] == 1:
            found.setdefault(int(matrix.indices[matrix.indptr[at]]), at)
    return found


@dataclass(frozen=True)
class About:
    """What findings are about: a column, its limits, what an intruder knows, and how records are named."""

    table: str
    column: str
    limits: Limits
    known: Mapping[str, Sequence[object]]
    names: Mapping[int, str]


def findings(pool: Pooled, about: About, proofs: int, alone: Sequence[Pooled] = ()) -> list[Finding]:
    """Turn exposed records into findings, with certificates for what was read directly and for the first few others.

    Where one user of `alone` reaches the same level without the others, the finding is that user's, with that user's
    statements; otherwise it takes several together.
    """
    uncertain = Uncertainty(_exactly_known(pool, about.known), about.known, pool.evidence)
    holder = _holders_alone(pool, alone, about.limits)
    shared = [each for each in pool.exposed if each.cell not in holder]
    holder |= {cell: (pool, at) for cell, at in first_moments(replace(pool, exposed=shared), about.limits).items()}
    made, proved = [], 0
    for exposure in pool.exposed:
        cell = exposure.cell
        own, at = holder[cell]
        direct = exposure.level is Level.DIRECT  # proves itself, at no cost
        certificate = _certificate(own, exposure, at) if direct or proved < proofs else None
        proved += not direct
        queries = certificate.queries if certificate is not None else ()
        users = (own.name,) if own is not pool else holders([own.items[n] for n in queries], own.users)
        steps = tuple(_step(own, n, certificate, users) for n in queries)
        since = max((step.statement for step in steps), key=lambda each: each.number, default=own.first(at))
        doubt, curve = uncertain.of(cell)
        made.append(
            Finding(
                about.table, about.column, pool.name, about.names[cell], cell, exposure.level, exposure.lower,
                exposure.upper, exposure.candidates, exposure.doubt, doubt, curve, since, certificate, steps, users,
                tuple(own.items[n].at for n in queries), known_exact=uncertain.exact(cell),
            )
        )  # fmt: skip
    return made


def _holders_alone(pool: Pooled, alone: Sequence[Pooled], limits: Limits) -> dict[int, tuple[Pooled, int]]:
    """Return, per cell, the user who first reached the pool's level without anybody else, and by which answer."""
    found: dict[int, tuple[Pooled, int]] = {}
    levels = {each.cell: each.level for each in pool.exposed}
    for user in alone:
        same = [each for each in user.exposed if each.level >= levels.get(each.cell, Level.DIRECT)]
        moments = first_moments(replace(user, exposed=same), limits)
        for cell, at in moments.items():
            if cell not in found or user.first(at).number < found[cell][0].first(found[cell][1]).number:
                found[cell] = (user, at)
    return found


def _exactly_known(pool: Pooled, known: Mapping[str, Sequence[object]]) -> Intervals:
    """Return the intervals, exact for records that match an exposed one in these columns.

    Beyond `MATCHING` such records, or the budget, the part known to be possible replaces the interval: uncertainty
    given what is known is then not exact, and the finding says so.
    """
    keys = {tuple(values[each.cell] for values in known.values()) for each in pool.exposed[:MATCHING]}
    held = np.flatnonzero(pool.evidence.counts > 0).tolist()
    matching = [c for c in held if not pool.found.exact[c] and tuple(v[c] for v in known.values()) in keys]
    if not matching or len(matching) > MATCHING:
        return pool.found
    solved = intervals(pool.evidence, matching, budget=BUDGET)
    done = [cell for cell in matching if cell not in solved.beyond]
    lower, upper, exact = pool.found.lower.copy(), pool.found.upper.copy(), pool.found.exact.copy()
    lower[done], upper[done], exact[done] = solved.lower[done], solved.upper[done], True
    return Intervals(lower, upper, exact, {**pool.found.ends, **solved.ends})


def _certificate(pool: Pooled, exposure: Exposure, moment: int) -> Certificate:
    """Prove what was known at the moment of the exposure, by answers up to then."""
    cell = exposure.cell
    last = _statement_end(pool, moment)
    if exposure.level is Level.DIRECT:
        at = moment
        return Certificate((at,), smallest=True, combination=Combination({at: Fraction(1)}, smallest=True))
    if cell in pool.found.whole:
        return Certificate(tuple(pool.evidence.of_kind("sum")), smallest=False, whole_numbers=True)
    part = pool.evidence.first(last)
    if exposure.level is Level.EXACT and pool.evidence.counts[cell] == 1 and (single := of_one(part, cell)) is not None:
        return single
    if len(exposure.candidates) == 2 and exposure.level is Level.INTERVAL:
        two = _two_points(part, exposure)
        if two is not None:
            return Certificate(two, smallest=True)
    return certify(part, cell, intervals(part, [cell]))


def _statement_end(pool: Pooled, at: int) -> int:
    """Return the position after the last answer of the statement that gave this one."""
    return bisect_right(pool.numbers, pool.numbers[at])


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
    records = int(pool.records[at])
    held = tuple(user for user in item.users if pool.users is None or user in pool.users)
    return Step(item.first_by(users), item.fact.kind, records, item.fact.answer, weight, held)


def holders(items: Sequence[Item], among: frozenset[str] | None = None) -> tuple[str, ...]:
    """Return a smallest set of users, of a pool or of all, who together were given all these answers."""
    if not items:
        return ()
    users = sorted({user for item in items for user in item.users if among is None or user in among})
    gave = np.array([[user in item.users for item in items] for user in users])
    cover = smallest_cover(gave, list(range(len(users))))
    return tuple(users[at] for at in sorted(cover[0])) if cover is not None else tuple(users)


def first_moments(pool: Pooled, limits: Limits) -> dict[int, int]:
    """Return, per exposed cell, the position of the answer with which it first reached its level.

    What is known only grows, so the moment is found by bisection over statements, for all records together: each step
    looks only at records whose moment may lie on either side. What was read directly is known from that answer on.
    """
    direct = _read_directly(pool.items, pool.evidence)
    found = {each.cell: direct[each.cell] for each in pool.exposed if each.level is Level.DIRECT}
    levels = {each.cell: each.level for each in pool.exposed if each.cell not in found}
    width = enough(limits, pool.evidence.domain)
    numbers = pool.numbers
    starts = [at for at, number in enumerate(numbers) if at == 0 or number != numbers[at - 1]]
    ends = [*starts[1:], len(numbers)]

    def search(cells: list[int], low: int, high: int) -> None:
        """Of these cells, none has its level by the first `low` statements and all have by the first `high`."""
        if not cells:
            return
        if high - low == 1:
            found.update(dict.fromkeys(cells, starts[low]))
            return
        middle = (low + high) // 2
        part = pool.evidence.first(ends[middle - 1])
        early = {
            each.cell
            for each in exposures(part, intervals(part, cells, width), limits)
            if each.level >= levels.get(each.cell, Level.DIRECT)
        }
        search([cell for cell in cells if cell in early], low, middle)
        search([cell for cell in cells if cell not in early], middle, high)

    search(list(levels), 0, len(starts))
    return found
