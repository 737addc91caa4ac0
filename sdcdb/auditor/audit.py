"""Audit a history: who is exposed, per confidential column and pool of users, and how that grew over time."""

import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sdcdb.auditor.categories import CategoryAudit, audit_categories
from sdcdb.auditor.evidence import Evidence
from sdcdb.auditor.exposed import Level
from sdcdb.auditor.finding import About, Finding, Pooled, findings, pooled
from sdcdb.auditor.linked import audit_linked
from sdcdb.auditor.names import Naming
from sdcdb.auditor.people import PeopleKnown, audit_people
from sdcdb.auditor.proofs.interval import Contradiction, intervals
from sdcdb.auditor.reading.input_history import NOBODY, History, Item
from sdcdb.auditor.replay import Replay
from sdcdb.auditor.tally import Tally, tally
from sdcdb.auditor.timeline import Course, course
from sdcdb.errors import DataError, choices
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.pools import team_pool

Together = Literal["all", "user", "team"]
EVERYBODY = "everybody"
CONTRADICTING = 50  # contradicting answers that are set aside one by one before the audit gives up
Say = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """How to audit. `known`: the columns an intruder knows; by default all quasi-identifiers."""

    together: Together = "all"
    known: tuple[str, ...] | None = None
    pseudonymise: bool = False
    proofs: int = 100
    show: tuple[str, ...] = ()
    """Columns that name a record in the report, beside its key."""
    key: bytes = field(default_factory=lambda: secrets.token_bytes(16), repr=False)
    """Of pseudonyms: thrown away with the report."""


@dataclass(frozen=True)
class UserExposure:
    """How many records the answers of one user or team expose on their own, by level."""

    name: str
    answers: int
    levels: Mapping[Level, int]


@dataclass(frozen=True, eq=False)
class ColumnAudit:
    """One confidential column."""

    table: str
    column: str
    unit: tuple[float, float, float | None]
    limits: Limits
    known: tuple[str, ...]
    records: int
    answers: int
    findings: tuple[Finding, ...]
    course: Course | None
    users: tuple[UserExposure, ...]
    together: tuple[tuple[tuple[str, ...], int], ...]
    """Sets of users whose answers together prove a finding, with the number of findings."""
    contradicting: tuple[Item, ...]
    everybody: Pooled
    heat: tuple[str, str, tuple[tuple[Any, Any, int, float], ...]] | None
    """Two quasi-identifiers; per combination, the number of records and the narrowest share of the domain."""
    exposing: frozenset[int] = frozenset()
    """The answers that are part of a finding, by their number in the history."""
    unsettled: frozenset[int] = frozenset()
    """Cells that may be known since values are whole numbers: no others were found that fit all answers of a pool."""
    doubtful: frozenset[int] = frozenset()
    """The answers about these, by their number in the history."""

    @property
    def not_computed(self) -> int:
        """How many records have no bounds, as the solver gave no answer: they may be exposed."""
        return int(self.everybody.evidence.counts[list(self.everybody.found.beyond)].sum())

    @property
    def not_excluded(self) -> int:
        """How many records may be known since values are whole numbers."""
        return int(self.everybody.evidence.counts[list(self.unsettled)].sum())


@dataclass(frozen=True, eq=False)
class Audit:
    """The result of an audit."""

    history: History
    naming: Naming
    options: Options
    columns: tuple[ColumnAudit, ...]
    categories: tuple[CategoryAudit, ...]
    tally: Tally
    people: tuple[PeopleKnown, ...] = ()
    """People of whom something is known by their records together, or by columns that determine each other."""
    replay: Replay | None = None

    @property
    def findings(self) -> list[Finding]:
        """Every finding about a record, the worst first."""
        every = [each for column in self.columns for each in column.findings]
        every += [each for column in self.categories for each in column.findings]
        return sorted(every, key=lambda each: (-each.level, each.width))

    @property
    def not_excluded(self) -> list[tuple[str, str, int]]:
        """How many records of which column may be known: no other whole numbers were found that fit all answers."""
        numbers = [(each.table, each.column, each.not_excluded) for each in self.columns]
        numbers += [(each.table, each.column, each.not_excluded) for each in self.categories]
        return [each for each in numbers if each[2]]

    @property
    def exceeds(self) -> bool:
        """Whether anything exceeds the policy, or might: also where something was lost or could not be certain."""
        computed = not self.not_excluded and not any(each.not_computed for each in self.columns)
        lost = self.history.problem_count or self.history.uncertain or not computed
        return bool(self.findings or self.people or self.tally.findings or self.tally.not_understood or lost)


def audit(history: History, options: Options, say: Say | None = None) -> Audit:
    """Audit a history column by column."""
    naming = Naming(history.snapshot, options.key if options.pseudonymise else None, options.show)
    columns = []
    for table, column in history.columns():
        if say:
            say(f"auditing {table}.{column}")
        columns.append(_column(history, table, column, options, naming))
    categories = []
    for table, column in history.category_columns():
        limit = history.snapshot.tables[table].table.limits.min_h0
        names = naming.records(table)
        categories.append(audit_categories(history, table, column, options.together, options.proofs, names, limit))
    exposing = {at for each in columns for at in each.exposing} | {at for each in categories for at in each.exposing}
    doubtful = {at for each in columns for at in each.doubtful} | {at for each in categories for at in each.doubtful}
    people = (*audit_people(history), *audit_linked(history))
    exposing |= {at for each in people for at in each.answers}
    tallied = tally(history, exposing, doubtful, options.together)
    return Audit(history, naming, options, tuple(columns), tuple(categories), tallied, people)


def _column(history: History, table: str, column: str, options: Options, naming: Naming) -> ColumnAudit:
    audited = history.snapshot.tables[table]
    spec = audited.table.confidential[column]
    limits = audited.table.limits_of(spec)
    known = {name: audited.known[name] for name in _known(options, audited.known, table)}
    items, contradicting = consistent(history, history.of(table, column))
    everybody = pooled(EVERYBODY, items, history.evidence(items), limits)
    exposed = [each.cell for each in everybody.exposed]
    about = About(table, column, limits, known, naming.records(table))
    made: list[Finding] = []
    exposing: set[int] = set()
    unsettled: set[int] = set()
    doubtful: set[int] = set()
    each_user = _each_user(history, items, everybody, limits)
    each_team = _each_team(history, items, everybody, limits)
    for pool in _pools(history, everybody, each_user, each_team, options):
        among = [user for user in each_user if pool.users is None or (user is not pool and user.name in pool.users)]
        found = findings(pool, about, options.proofs, among)
        exposing |= _exposing(pool, found)
        unsettled |= pool.found.unsettled
        doubtful |= _about(pool, list(pool.found.unsettled))
        made += found
    users = [_alone(pool) for pool in [*each_user, *each_team]]
    sets = Counter(each.users for each in made if len(each.users) > 1)
    return ColumnAudit(
        table, column, (spec.low, spec.high, spec.step), limits, tuple(known), int(everybody.evidence.counts.sum()),
        len(items), tuple(made), course(everybody.evidence, limits, exposed), tuple(users),
        tuple(sets.most_common()), tuple(contradicting), everybody, _heat(everybody, audited.known),
        frozenset(exposing), frozenset(unsettled), frozenset(doubtful),
    )  # fmt: skip


def _exposing(pool: Pooled, found: Sequence[Finding]) -> set[int]:
    """Return the answers of certificates; of a finding without one, all answers about its record."""
    cells = [each.cell for each in found if each.certificate is None]
    return {at for each in found for at in each.proof} | _about(pool, cells)


def _about(pool: Pooled, cells: list[int]) -> set[int]:
    """Return the answers about these cells, by their number in the history."""
    used = np.unique(pool.evidence.matrix[:, cells].nonzero()[0]).tolist() if cells else []
    return {pool.items[at].at for at in used}


def _known(options: Options, quasi: Mapping[str, Sequence[Any]], table: str) -> tuple[str, ...]:
    if options.known is None:
        return tuple(quasi)
    folded = {name.casefold(): name for name in quasi}
    for name in options.known:
        if name.casefold() not in folded:
            raise DataError(f"{name!r} is not a quasi-identifier of {table!r}; {choices(name, quasi)}")
    return tuple(folded[name.casefold()] for name in options.known)


def consistent(history: History, items: list[Item]) -> tuple[list[Item], list[Item]]:
    """Set aside answers that contradict earlier ones: they are about another version of the table."""
    if all(item.fact.computed for item in items):
        return items, []  # the data fit all that was computed from them
    aside: list[Item] = []
    for _ in range(CONTRADICTING + 1):
        evidence = history.evidence(items)
        if _fits(evidence, len(items)):
            return items, aside
        low, high = 0, len(items)  # the first `low` fit, the first `high` do not
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if _fits(evidence, middle) else (low, middle)
        aside.append(items[high - 1])
        items = items[: high - 1] + items[high:]
    raise DataError(
        f"more than {CONTRADICTING} recorded answers contradict the others: is this the version of the data that was "
        "queried? Name that snapshot as DB, or leave the recorded answers out"
    )


def _fits(evidence: Evidence, number: int) -> bool:
    try:
        intervals(evidence.first(number), [], enough=0.0)
    except Contradiction:
        return False
    return True


def _some(
    history: History, name: str, users: frozenset[str], items: list[Item], everybody: Pooled, limits: Limits
) -> Pooled | None:
    """Audit what some users know. They can only expose records that all users together expose."""
    kept = set(map(id, items))
    fact = items[0].fact
    mine = [item for item in history.of(fact.table, fact.column, users) if id(item) in kept]
    if not mine:
        return None
    if len(mine) == len(items) and all(one is other for one, other in zip(mine, items, strict=True)):
        return replace(everybody, name=name, users=users)  # a log of one user
    evidence = everybody.evidence
    if evidence.truth is None:
        own = history.evidence(mine)
    else:
        place = {id(item): at for at, item in enumerate(items)}
        own = evidence.only([place[id(item)] for item in mine])  # shares what was computed for everybody
    cells = [each.cell for each in everybody.exposed] + sorted(everybody.found.unsettled)
    return pooled(name, mine, own, limits, cells, users, everybody.found.whole | everybody.found.unsettled)


def _each_user(history: History, items: list[Item], everybody: Pooled, limits: Limits) -> list[Pooled]:
    users = sorted({user for item in items for user in item.users})
    found = (_some(history, user, frozenset({user}), items, everybody, limits) for user in users if user != NOBODY)
    return [pool for pool in found if pool is not None]


def _each_team(history: History, items: list[Item], everybody: Pooled, limits: Limits) -> list[Pooled]:
    teams = history.snapshot.policy.teams
    found = (
        _some(history, team_pool(name), frozenset(users), items, everybody, limits) for name, users in teams.items()
    )
    return [pool for pool in found if pool is not None]


def _pools(
    history: History, everybody: Pooled, users: list[Pooled], teams: list[Pooled], options: Options
) -> list[Pooled]:
    """Return the pools whose findings are wanted."""
    if options.together == "all":
        return [everybody]
    if options.together == "user":
        return users
    policy = history.snapshot.policy
    return teams + [each for each in users if policy.team_of(each.name) is None]


def _alone(pool: Pooled) -> UserExposure:
    return UserExposure(pool.name, len(pool.items), Counter(each.level for each in pool.exposed))


def _heat(
    pool: Pooled, known: Mapping[str, Sequence[Any]]
) -> tuple[str, str, tuple[tuple[Any, Any, int, float], ...]] | None:
    """Cross two quasi-identifiers and find the narrowest record of each combination."""
    by_size = sorted((len(set(values)), name) for name, values in known.items() if len(set(values)) > 1)
    if len(by_size) < 2:
        return None
    (first, second) = _two(by_size)
    share: dict[tuple[Any, Any], tuple[int, float]] = {}
    widths: NDArray[np.float64] = pool.found.widths / float(pool.evidence.domain.width)
    for cell in np.flatnonzero(pool.evidence.counts > 0).tolist():
        key = (known[first][cell], known[second][cell])
        number, narrowest = share.get(key, (0, 1.0))
        shown = float(widths[cell]) if pool.found.exact[cell] else 1.0
        share[key] = (number + int(pool.evidence.counts[cell]), min(narrowest, shown))
    ordered = sorted(share.items(), key=lambda pair: (str(pair[0][0]), str(pair[0][1])))
    return first, second, tuple((*key, *value) for key, value in ordered)


def _two(by_size: list[tuple[int, str]]) -> tuple[str, str]:
    """Choose the two that make a readable map: at most 60 columns across, otherwise as many values as possible."""
    fitting = [name for number, name in by_size if number <= 60]
    chosen = fitting[-2:] if len(fitting) >= 2 else [name for _, name in by_size[:2]]
    return chosen[0], chosen[1]
