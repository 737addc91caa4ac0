"""Confidential columns without a numeric domain: which categories remain possible for each record.

Each set of categories that was asked about is an unknown of its own: one for a record that has one of them, zero
otherwise. What sums of these settle, by subtraction or because everybody or nobody in a set has them, narrows the
categories of a record. What all counts imply together, in whole numbers, is then looked for among the others
(`proofs.whole_counts`). The measure is what is left: H(0) is the logarithm of their number.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, log2

import numpy as np

from sdcdb.auditor.evidence import Domain, Evidence
from sdcdb.auditor.exposed import Level
from sdcdb.auditor.finding import Finding, Step, holders
from sdcdb.auditor.proofs.certificate import Certificate, certify
from sdcdb.auditor.proofs.combination import Combination
from sdcdb.auditor.proofs.interval import intervals
from sdcdb.auditor.proofs.uncertainty import Doubt
from sdcdb.auditor.proofs.whole_counts import Count, possible_categories
from sdcdb.auditor.reading.input_history import NOBODY, History, Item
from sdcdb.measures.cae_curve import Curve

Values = frozenset[str | None]
ABSENT = "(no value)"
_BINARY = Domain(Fraction(0), Fraction(1), Fraction(1))


@dataclass(frozen=True)
class CategoryAudit:
    """One confidential column of categories. `users`: how many records the answers of each expose on their own."""

    table: str
    column: str
    categories: tuple[str, ...]
    records: int
    answers: int
    findings: tuple[Finding, ...]
    users: Mapping[str, Mapping[Level, int]]
    exposing: frozenset[int]
    not_excluded: int = 0
    """How many records may be known by all counts together: no other tables were found that fit them."""
    doubtful: frozenset[int] = frozenset()
    """The answers about these, by their number in the history."""


@dataclass(frozen=True)
class _Pool:
    name: str
    items: Sequence[Item]
    users: frozenset[str] | None


@dataclass(frozen=True)
class _Narrowed:
    """What is left for a cell, and the sets of categories that narrowed it, with whether the record has one of them."""

    left: Values
    by: tuple[tuple[Values, bool], ...]


def audit_categories(
    history: History, table: str, column: str, together: str, proofs: int, names: Mapping[int, str], min_h0: float
) -> CategoryAudit:
    """Find the records of which too few categories remain possible."""
    items = history.of_categories(table, column)
    every = history.snapshot.all_categories(table, column)
    users = sorted({user for item in items for user in item.users} - {NOBODY})
    alone = [_pool(history, table, column, user, frozenset({user})) for user in users]
    teams = history.snapshot.policy.teams
    if together == "user":
        pools = alone
    elif together == "team":
        pools = [_pool(history, table, column, f"team {name}", frozenset(of)) for name, of in teams.items()]
        pools += [each for each in alone if history.snapshot.policy.team_of(each.name) is None]
    else:
        pools = [_Pool("everybody", items, None)]
    truth = history.snapshot.categories(table, column)
    about = _About(table, column, every, truth, min_h0, names)
    everybody = _Finder(_Pool("everybody", items, None), about)
    suspects = frozenset(everybody.whole) | everybody.open
    found: list[Finding] = []
    exposing: set[int] = set()
    open_cells: set[int] = set()
    finders = {pool.name: _Finder(pool, about, suspects) for pool in alone}
    for pool in pools:
        finder = everybody if pool.users is None else finders.get(pool.name) or _Finder(pool, about, suspects)
        own = [each for each in alone if pool.users is None or (each is not pool and each.name in pool.users)]
        made = finder.findings(proofs, [finders[each.name] for each in own])
        found += made
        open_cells |= finder.open
        exposing |= {at for each in made for at in each.proof}
    levels = {name: Counter(finder.levels().values()) for name, finder in finders.items()}
    shown = tuple(sorted(ABSENT if each is None else each for each in every))
    return CategoryAudit(
        table, column, shown, len(truth), len(items), tuple(found), levels, frozenset(exposing), len(open_cells),
        everybody.about_cells(open_cells),
    )  # fmt: skip


def _pool(history: History, table: str, column: str, name: str, users: frozenset[str]) -> _Pool:
    return _Pool(name, history.of_categories(table, column, users), users)


@dataclass(frozen=True, eq=False)
class _About:
    """The column: all its categories, that of each record, the least uncertainty, and how records are named."""

    table: str
    column: str
    every: Values
    truth: Sequence[str | None]
    min_h0: float
    names: Mapping[int, str]


class _Finder:
    """Finds what a pool knows, since when, and by which answers.

    With `suspects`, what counts imply together in whole numbers is looked for among these records only.
    """

    def __init__(self, pool: _Pool, about: _About, suspects: frozenset[int] | None = None) -> None:
        self.pool, self.about, self.suspects = pool, about, suspects
        self.every, self.min_h0, self.size = about.every, about.min_h0, len(about.truth)

    def levels(self) -> dict[int, Level]:
        """Return the level of each exposed cell."""
        return self._levels({**self._at_the_end, **self.whole}, len(self.pool.items))

    def findings(self, proofs: int, alone: Sequence["_Finder"]) -> list[Finding]:
        """Return the exposed records, the most exposed first; what one user holds alone is that user's."""
        narrowed = {**self._at_the_end, **self.whole}
        levels = self.levels()
        own: dict[int, tuple[_Finder, int]] = {}
        for finder in alone:
            user = finder.pool
            same = {cell: level for cell, level in finder.levels().items() if level >= levels.get(cell, Level.DIRECT)}
            for cell, at in finder.moments(same).items():
                if cell not in own or user.items[at].first_by(user.users).number < own[cell][0].number(own[cell][1]):
                    own[cell] = (finder, at)
        moments = self.moments({cell: level for cell, level in levels.items() if cell not in own})
        made = []
        for position, (cell, level) in enumerate(sorted(levels.items(), key=lambda pair: (-pair[1], pair[0]))):
            finder, at = own.get(cell) or (self, moments[cell])
            made.append(
                finder.finding(cell, level, narrowed[cell].left, at, prove=position < proofs, pool=self.pool.name)
            )
        return made

    @cached_property
    def _at_the_end(self) -> dict[int, _Narrowed]:
        return self._narrowed(len(self.pool.items))

    @cached_property
    def whole(self) -> dict[int, _Narrowed]:
        """What whole numbers alone narrow: records for which all tables that fit have too few categories."""
        return self._together[0]

    @cached_property
    def open(self) -> frozenset[int]:
        """Records for which too few such tables were found, though it is not proved that there are no more."""
        return self._together[1]

    @cached_property
    def _together(self) -> tuple[dict[int, _Narrowed], frozenset[int]]:
        enough = max(2, ceil(2**self.min_h0 - 1e-9))
        order = sorted(self.every, key=str)
        flags = [np.unpackbits(item.fact.packed, count=self.size).astype(bool) for item in self.pool.items]
        counts = [
            Count(inside, np.array([value in item.fact.values for value in order]))
            for inside, item in zip(flags, self.pool.items, strict=True)
            if item.fact.values is not None
        ]
        wanted = np.zeros(self.size, bool)
        if len(order) >= enough and len(counts) > 1:
            wanted = np.any([count.records for count in counts], axis=0)
            wanted[list(self._levels(self._at_the_end, len(self.pool.items)))] = False
            wanted &= True if self.suspects is None else np.isin(np.arange(self.size), list(self.suspects))
        if not wanted.any():
            return {}, frozenset()
        truth = np.array([order.index(value) for value in self.about.truth], dtype=np.int64)
        found = possible_categories(counts, truth, len(order), enough, wanted)
        short = wanted & (found.seen.sum(axis=1) < enough)
        left = {
            int(cell): _Narrowed(frozenset(order[at] for at in np.flatnonzero(found.seen[cell])), ())
            for cell in np.flatnonzero(short & found.proved)
        }
        return left, frozenset(np.flatnonzero(short & ~found.proved).tolist())

    def about_cells(self, cells: Collection[int]) -> frozenset[int]:
        """Return the answers about some cells, by their number in the history."""
        chosen = np.zeros(self.size, bool)
        chosen[list(cells)] = True
        packed = np.packbits(chosen)
        return frozenset(item.at for item in self.pool.items if (item.fact.packed & packed).any())

    def number(self, at: int) -> int:
        """Return the number of the statement that gave an answer to this pool."""
        return self.pool.items[at].first_by(self.pool.users).number

    def finding(self, cell: int, level: Level, left: Values, at: int, *, prove: bool, pool: str) -> Finding:
        """Prove what was known by the answers up to a moment."""
        certificate = None
        if prove and cell in self.whole:
            certificate = Certificate(tuple(range(len(self.pool.items))), smallest=False, whole_numbers=True)
        elif prove:
            certificate = self._certificate(cell, self._end(at))
        queries = certificate.queries if certificate is not None else (at,)
        items = [self.pool.items[n] for n in queries]
        users = holders(items, self.pool.users)
        steps = tuple(self._step(n, certificate, users) for n in queries) if certificate is not None else ()
        since = max((item.first_by(users) for item in items), key=lambda each: each.number)
        doubt = Doubt(log2(max(1, len(left))), 0.0)
        shown = tuple(sorted(ABSENT if each is None else each for each in left))
        flat = Curve(np.array([0.0]), np.array([doubt.h0]))
        return Finding(
            self.about.table, self.about.column, pool, self.about.names[cell], cell, level, 0.0, 0.0, (), doubt, doubt,
            flat, since, certificate, steps, users, tuple(item.at for item in items), shown,
        )  # fmt: skip

    def _step(self, at: int, certificate: Certificate | None, users: tuple[str, ...]) -> Step:
        item = self.pool.items[at]
        weight = None
        if certificate is not None and certificate.combination is not None:
            weight = certificate.combination.weights.get(at)
        records = int(np.unpackbits(item.fact.packed, count=self.size).sum())
        asked = " or ".join(sorted(ABSENT if each is None else each for each in item.fact.values or ()))
        held = tuple(user for user in item.users if self.pool.users is None or user in self.pool.users)
        return Step(item.first_by(users), f"count of {asked}", records, item.fact.answer, weight, held)

    def _levels(self, narrowed: Mapping[int, _Narrowed], number: int) -> dict[int, Level]:
        direct, isolated = self._direct(), self._isolated(number)
        found = {}
        for cell, each in narrowed.items():
            if len(each.left) <= 1:
                found[cell] = Level.DIRECT if cell in direct else Level.EXACT
            elif log2(len(each.left)) < self.min_h0 or cell in isolated:
                found[cell] = Level.CAE
        return found

    def _isolated(self, number: int) -> set[int]:
        """Return the records that were asked about alone: whatever narrows their categories is about one person."""
        found = set()
        for item in self.pool.items[:number]:
            flags = np.unpackbits(item.fact.packed, count=self.size)
            if flags.sum() == 1:
                found.add(int(flags.argmax()))
        return found

    def _direct(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for at, item in enumerate(self.pool.items):
            if (
                item.fact.direct
                and item.fact.values is not None
                and len(item.fact.values) == 1
                and item.fact.answer == 1
            ):
                found.setdefault(int(np.argmax(np.unpackbits(item.fact.packed, count=self.size))), at)
        return found

    def moments(self, levels: Mapping[int, Level]) -> dict[int, int]:
        """Return the answer with which each cell reached its level, by bisection over statements."""
        direct = self._direct()
        found = {cell: direct[cell] for cell, level in levels.items() if level is Level.DIRECT}
        numbers = [self.number(at) for at in range(len(self.pool.items))]
        starts = [at for at, number in enumerate(numbers) if at == 0 or number != numbers[at - 1]]
        ends = [*starts[1:], len(numbers)]

        def search(cells: Collection[int], low: int, high: int) -> None:
            if not cells:
                return
            if high - low == 1:
                found.update(dict.fromkeys(cells, starts[low]))
                return
            middle = (low + high) // 2
            reached = self._levels(self._narrowed(ends[middle - 1]), ends[middle - 1])
            early = {cell for cell in cells if cell in reached and reached[cell] >= levels[cell]}
            search(early, low, middle)
            search([cell for cell in cells if cell not in early], middle, high)

        search([cell for cell in levels if cell not in found], 0, len(starts))
        return found

    def _end(self, at: int) -> int:
        number = self.number(at)
        while at < len(self.pool.items) and self.number(at) == number:
            at += 1
        return at

    def _narrowed(self, number: int) -> dict[int, _Narrowed]:
        """Return what the first answers leave for each cell that they are about."""
        found: dict[int, _Narrowed] = {}
        for values, chosen in self._by_values(number).items():
            evidence = self._evidence(chosen)
            about = np.flatnonzero(evidence.sets().any(axis=0))
            known = intervals(evidence, about)
            for cell in about.tolist():
                if known.upper[cell] - known.lower[cell] < 0.5 and (cell in found or known.exact[cell]):
                    has = bool(known.lower[cell] > 0.5)
                    before = found.get(cell, _Narrowed(self.every, ()))
                    left = before.left & values if has else before.left - values
                    if left != before.left or (has and len(values) == 1):
                        found[cell] = _Narrowed(left, (*before.by, (values, has)))
        return found

    def _by_values(self, number: int) -> dict[Values, list[int]]:
        found: dict[Values, list[int]] = {}
        for at, item in enumerate(self.pool.items[:number]):
            if item.fact.values is not None:
                found.setdefault(item.fact.values, []).append(at)
        return dict(sorted(found.items(), key=lambda pair: (len(pair[0]), sorted(map(str, pair[0])))))

    def _evidence(self, chosen: Sequence[int]) -> Evidence:
        items = [self.pool.items[at] for at in chosen]
        packed = np.array([item.fact.packed for item in items])
        answers = tuple(item.fact.answer for item in items)
        numbers = tuple(self.number(at) for at in chosen)
        kinds = tuple(item.fact.kind for item in items)
        return Evidence(np.ones(self.size, np.int64), _BINARY, packed, kinds, answers, numbers)

    def _certificate(self, cell: int, number: int) -> Certificate:
        """Prove each narrowing of a cell; one that determines the category needs no other."""
        each = self._narrowed(number)[cell]
        by_values = self._by_values(number)
        decisive = [(values, has) for values, has in each.by if has and len(values) == 1]
        parts: list[tuple[int, ...]] = []
        for values, _ in decisive[:1] or each.by:
            chosen = by_values[values]
            evidence = self._evidence(chosen)
            proof = certify(evidence, cell, intervals(evidence, [cell]))
            parts.append(tuple(chosen[at] for at in proof.queries))
            if decisive and proof.combination is not None:
                weights = {chosen[at]: weight for at, weight in proof.combination.weights.items()}
                return Certificate(parts[0], proof.smallest, Combination(weights, proof.smallest))
        queries = tuple(sorted({at for part in parts for at in part}))
        return Certificate(queries, smallest=len(queries) <= 1)
