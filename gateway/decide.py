"""From query sets to a verdict: which groups of a statement's blocks may be answered."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sdcdb.gateway.inference.finding import Finding
from sdcdb.gateway.reading.aggregate import Measure
from sdcdb.gateway.rules.size import large_enough
from sdcdb.gateway.rules.table import denied
from sdcdb.gateway.rules.verdict import Change
from sdcdb.gateway.tables.asked import Asked, Row
from sdcdb.gateway.tables.cells import Cells, Indices
from sdcdb.gateway.tables.table_history import PoolHistory
from sdcdb.gateway.tables.vault import Evaluated, Group

AUDITED = frozenset({"sum", "min", "max"})


@dataclass(frozen=True)
class Decided:
    """A statement after the decision: rows that are suppressed, by which rule, and what is asked of the others."""

    audits: Mapping[str, PoolHistory]
    """The audit of each table that it reads, for the pool of the user who asks."""
    evaluated: tuple[Evaluated, ...]
    suppressed: Mapping[Row, str]
    asked: tuple[Asked, ...]
    findings: tuple[Finding, ...]

    def changes(self) -> dict[str, Change]:
        """Return the scores before and after, per confidential column."""
        found: dict[str, Change] = {}
        for asked, finding in zip(self.asked, self.findings, strict=True):
            first = found.get(asked.column)
            found[asked.column] = Change(first.before if first else finding.before, finding.after or finding.before)
        return found


def decide(evaluated: Sequence[Evaluated], audited: Mapping[str, PoolHistory]) -> Decided:
    """Decide a statement: size first, then, for what is large enough, the audit of every confidential column.

    A row of a result stands or falls as one: when one of its aggregates is refused, none is released. Where the policy
    says `groups: deny`, or where nothing would be left of a block, one refused row denies the statement.
    """
    suppressed: dict[Row, str] = {}
    for each in evaluated:
        suppressed |= _too_small(each, audited[each.block.table.name].cells)
    _all_or_nothing(suppressed, evaluated)
    asked = [wanted for each in evaluated for wanted in _asked(each, suppressed, audited)]
    while True:  # a row that one audit refuses is not asked of another: decide again without it
        asked = [each for each in asked if each.row not in suppressed]
        findings = _considered(asked, audited)
        refused = {a.row: f.rule or "interval" for a, f in zip(asked, findings, strict=True) if not f.allowed}
        if not refused:
            return Decided(audited, tuple(evaluated), suppressed, tuple(asked), tuple(findings))
        suppressed |= refused
        _all_or_nothing(suppressed, evaluated)


def _considered(asked: Sequence[Asked], audited: Mapping[str, PoolHistory]) -> list[Finding]:
    found: dict[int, Finding] = {}
    for table, column in dict.fromkeys((each.table, each.column) for each in asked):
        mine = [n for n, each in enumerate(asked) if (each.table, each.column) == (table, column)]
        findings = audited[table].consider(column, [asked[n].question for n in mine])
        found |= dict(zip(mine, findings, strict=True))
    return [found[n] for n in range(len(asked))]


def _too_small(evaluated: Evaluated, cells: Cells) -> dict[Row, str]:
    """Return the groups that are too small, or whose complement is: by records, and by values of each column asked."""
    least = evaluated.block.table.limits.min_set
    everybody = int(cells.records.sum())
    refused = {}
    for group in evaluated.groups:
        for measure in (*evaluated.block.measures, Measure("rows")):
            chosen = group.of(measure)
            fits = large_enough(int(cells.records[chosen].sum()), everybody, least)
            if measure.confidential is not None:
                totals = cells.totals[measure.confidential]
                fits = fits and large_enough(totals.count(chosen), int(totals.counts.sum()), least)
            if not fits:
                refused[evaluated.block.number, group.row] = "size"
    return refused


def _asked(evaluated: Evaluated, suppressed: Mapping[Row, str], audited: Mapping[str, PoolHistory]) -> Iterator[Asked]:
    """Yield what the groups ask of confidential columns: one question for each query set."""
    table = evaluated.block.table.name
    for group in evaluated.groups:
        row = (evaluated.block.number, group.row)
        if row not in suppressed:
            for (column, _), (chosen, kinds) in _wanted(evaluated, group).items():
                yield Asked(row, table, column, chosen, audited[table].question(chosen, frozenset(kinds), column))


def _wanted(evaluated: Evaluated, group: Group) -> dict[tuple[str, bytes], tuple[Indices, set[str]]]:
    wanted: dict[tuple[str, bytes], tuple[Indices, set[str]]] = {}
    for measure in evaluated.block.measures:
        if measure.confidential is not None and measure.kind in AUDITED:
            chosen = np.sort(group.of(measure))
            _, kinds = wanted.setdefault((measure.confidential, chosen.tobytes()), (chosen, set()))
            kinds.add(measure.kind)
    return wanted


def _all_or_nothing(suppressed: Mapping[Row, str], evaluated: Sequence[Evaluated]) -> None:
    for each in evaluated:
        rules = [rule for (number, _), rule in suppressed.items() if number == each.block.number]
        if rules and (each.block.table.limits.groups == "deny" or len(rules) == len(each.groups)):
            raise denied(rules[0])
