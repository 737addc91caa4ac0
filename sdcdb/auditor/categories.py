"""Confidential columns without a numeric domain: which categories remain possible for each record.

Each set of categories that was asked about is an unknown of its own: one for a record that has one of them, zero
otherwise. What sums of these settle, by subtraction or because everybody or nobody in a set has them, narrows the
categories of a record. The measure is what is left: H(0) is the logarithm of their number.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log2

import numpy as np

from sdcdb.auditor.evidence import Domain, Evidence
from sdcdb.auditor.exposed import Level
from sdcdb.auditor.finding import Finding, Step, holders
from sdcdb.auditor.proofs.certificate import Certificate, certify
from sdcdb.auditor.proofs.combination import Combination
from sdcdb.auditor.proofs.interval import intervals
from sdcdb.auditor.proofs.uncertainty import Doubt
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
    size = history.snapshot.tables[table].cells.size
    found: list[Finding] = []
    exposing: set[int] = set()
    for pool in pools:
        made = _Finder(pool, every, size, min_h0, (table, column), names).findings(
            proofs, [each for each in alone if pool.users is None or (each is not pool and each.name in pool.users)]
        )
        found += made
        exposing |= {at for each in made for at in each.proof}
    levels = {
        pool.name: Counter(_Finder(pool, every, size, min_h0, (table, column), names).levels().values())
        for pool in alone
    }
    shown = tuple(sorted(ABSENT if each is None else each for each in every))
    return CategoryAudit(table, column, shown, size, len(items), tuple(found), levels, frozenset(exposing))


def _pool(history: History, table: str, column: str, name: str, users: frozenset[str]) -> _Pool:
    return _Pool(name, history.of_categories(table, column, users), users)


class _Finder:
    """Finds what a pool knows, since when, and by which answers."""

    def __init__(
        self, pool: _Pool, every: Values, size: int, min_h0: float, about: tuple[str, str], names: Mapping[int, str]
    ) -> None:
        self.pool, self.every, self.size, self.min_h0 = pool, every, size, min_h0
        self.about, self.names = about, names

    def levels(self) -> dict[int, Level]:
        """Return the level of each exposed cell."""
        return self._levels(self._narrowed(len(self.pool.items)), len(self.pool.items))

    def findings(self, proofs: int, alone: Sequence[_Pool]) -> list[Finding]:
        """Return the exposed records, the most exposed first; what one user holds alone is that user's."""
        narrowed = self._narrowed(len(self.pool.items))
        levels = self._levels(narrowed, len(self.pool.items))
        own: dict[int, tuple[_Finder, int]] = {}
        for user in alone:
            finder = _Finder(user, self.every, self.size, self.min_h0, self.about, self.names)
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

    def number(self, at: int) -> int:
        """Return the number of the statement that gave an answer to this pool."""
        return self.pool.items[at].first_by(self.pool.users).number

    def finding(self, cell: int, level: Level, left: Values, at: int, *, prove: bool, pool: str) -> Finding:
        """Prove what was known by the answers up to a moment."""
        certificate = self._certificate(cell, self._end(at)) if prove else None
        queries = certificate.queries if certificate is not None else (at,)
        items = [self.pool.items[n] for n in queries]
        users = holders(items, self.pool.users)
        steps = tuple(self._step(n, certificate, users) for n in queries) if certificate is not None else ()
        since = max((item.first_by(users) for item in items), key=lambda each: each.number)
        doubt = Doubt(log2(max(1, len(left))), 0.0)
        shown = tuple(sorted(ABSENT if each is None else each for each in left))
        flat = Curve(np.array([0.0]), np.array([doubt.h0]))
        return Finding(
            *self.about, pool, self.names[cell], cell, level, 0.0, 0.0, (), doubt, doubt, flat, since, certificate,
            steps, users, tuple(item.at for item in items), shown,
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
