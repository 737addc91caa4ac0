"""From query sets to a verdict: which groups of a statement's blocks may be answered."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.finding import Finding
from sdcdb.gateway.inference.question import Question
from sdcdb.gateway.rules.size import large_enough, parts
from sdcdb.gateway.rules.table import denied
from sdcdb.gateway.rules.verdict import Change
from sdcdb.gateway.rules.work import within_budget, work_of
from sdcdb.gateway.tables.asked import Asked, Row
from sdcdb.gateway.tables.cells import Cells, Indices
from sdcdb.gateway.tables.counted_values import AskedCount, asked_counts, counts_people, rectangles
from sdcdb.gateway.tables.groups import Group, each_once, same_cells, union
from sdcdb.gateway.tables.joint_audit import JointAudit
from sdcdb.gateway.tables.pool_history import PoolHistory
from sdcdb.gateway.tables.vault import Evaluated

AUDITED = frozenset({"sum", "min", "max"})


@dataclass(frozen=True)
class Merged:
    """Groups of one grouping set that are not shown by themselves, as one row without keys."""

    row: Row
    groups: tuple[Group, ...]
    union: Group | None
    """Their query sets together; None if they share a record."""


@dataclass(frozen=True, eq=False)
class Shown:
    """A set whose size a row of the result tells."""

    row: Row
    table: str
    cells: Indices
    size: int
    people: bool = False
    """Whether it is the people who are counted, and not their records."""
    weights: NDArray[np.int64] | None = None
    """Of a sum of a column that is not confidential, the weight of each cell; None where the size is told."""


@dataclass(frozen=True)
class Decided:
    """A statement after the decision: rows that are suppressed, by which rule, and what is asked of the others."""

    audits: Mapping[str, PoolHistory]
    """The audit of each table that it reads, for the pool of the user who asks."""
    evaluated: tuple[Evaluated, ...]
    suppressed: Mapping[Row, str]
    """Groups that are not shown by themselves."""
    merged: tuple[Merged, ...]
    """Rows that stand for some of them."""
    bare: frozenset[Row]
    """Rows of the result without numbers: groups that are marked, and merged rows that are refused as well."""
    asked: tuple[Asked, ...]
    findings: tuple[Finding, ...]
    shown: tuple[Shown, ...]
    """The sets whose sizes the result tells."""
    counts: tuple[AskedCount, ...] = ()
    """What is asked of categories."""

    @property
    def unseen(self) -> int:
        """How many rows of the result are suppressed, or stand for groups that are: not how many groups those are."""
        return len(self.bare | {each.row for each in self.merged})

    def changes(self) -> dict[str, Change]:
        """Return the scores before and after, per confidential column."""
        found: dict[str, Change] = {}
        for table, column in dict.fromkeys((each.table, each.column) for each in self.counts):
            score = self.audits[table].score(column)
            found[column] = Change(score, score)
        for asked, finding in zip(self.asked, self.findings, strict=True):
            first = found.get(asked.column)
            found[asked.column] = Change(first.before if first else finding.before, finding.after or finding.before)
        return found


def decide(evaluated: Sequence[Evaluated], audited: Mapping[str, PoolHistory]) -> Decided:
    """Decide a statement: size first, then, for what is large enough, the audit of every confidential column.

    A row of a result stands or falls as one: when one of its aggregates is refused, none is released. What becomes of
    refused rows is the policy's choice: `merge` makes one row of them, which is decided like any other; `mark` leaves
    them without numbers; with `deny`, or where nothing would be left of a block, one refused row denies the statement.
    A statement that would take too much work is denied before it is done.
    """
    suppressed: dict[Row, str] = {}
    for each in evaluated:
        suppressed |= _too_small(each, audited[each.block.table.name].cells)
    _all_or_nothing(suppressed, evaluated)
    own = [wanted for each in evaluated for wanted in _asked(each, each.groups, suppressed, audited)]
    refused_unions: set[tuple[Row, int]] = set()
    spent = 0
    while True:  # a row that one audit refuses is not asked of another: decide again without it
        merged = [union for each in evaluated for union in _merged(each, suppressed)]
        bare = _without_numbers(evaluated, suppressed, merged, refused_unions, audited)
        asked = [each for each in own if each.row not in suppressed]
        for each in evaluated:
            mine = [union.union for union in merged if union.row[0] == each.block.number and union.row not in bare]
            asked += _asked(each, [union for union in mine if union is not None], {}, audited)
        counts = list(_counts(evaluated, suppressed, [each for each in merged if each.row not in bare]))
        spent += _work(asked, audited) + _work_of_counts(counts, audited)
        if not within_budget(spent):
            raise denied("work")
        findings = _considered(asked, audited)
        shown = list(_shown(evaluated, suppressed, [each for each in merged if each.row not in bare]))
        refused = _too_telling(shown, audited)
        refused |= {a.row: f.rule or "interval" for a, f in zip(asked, findings, strict=True) if not f.allowed}
        refused |= _too_sure([each for each in counts if each.row not in refused], audited)
        if not refused:
            return Decided(
                audited,
                tuple(evaluated),
                suppressed,
                tuple(merged),
                frozenset(bare),
                tuple(asked),
                tuple(findings),
                tuple(shown),
                tuple(counts),
            )
        refused_unions |= {(each.row, len(each.groups)) for each in merged if each.row in refused}
        suppressed |= {row: rule for row, rule in refused.items() if row[1] >= 0}
        _all_or_nothing(suppressed, evaluated)


def _merged(evaluated: Evaluated, suppressed: Mapping[Row, str]) -> Iterator[Merged]:
    """Yield a row for the suppressed groups of each grouping set. Such rows have negative numbers."""
    number = evaluated.block.number
    if evaluated.block.table.limits.groups != "merge":
        return
    gone: dict[int, list[Group]] = {}
    for group in evaluated.groups:
        if (number, group.row) in suppressed:
            gone.setdefault(group.chosen, []).append(group)
    for chosen, groups in gone.items():
        yield Merged((number, -1 - chosen), tuple(groups), union(groups, -1 - chosen))


def _without_numbers(
    evaluated: Sequence[Evaluated],
    suppressed: Mapping[Row, str],
    merged: Sequence[Merged],
    refused: AbstractSet[tuple[Row, int]],
    audited: Mapping[str, PoolHistory],
) -> set[Row]:
    """Return the rows of the result that carry no numbers."""
    blocks = {each.block.number: each for each in evaluated}
    together = {(each.row[0], group.row) for each in merged for group in each.groups}
    found = set(suppressed) - together
    for each in merged:
        mine = blocks[each.row[0]]
        cells = audited[mine.block.table.name].cells
        if (each.row, len(each.groups)) in refused or each.union is None or not _fits(each.union, mine, cells):
            found.add(each.row)
    return found


def _work(asked: Sequence[Asked], audited: Mapping[str, PoolHistory]) -> int:
    """Return what it costs to consider questions. It follows from the questions and the past alone."""
    questions: dict[tuple[str, str], list[Question]] = {}
    for each in asked:
        questions.setdefault((each.table, each.audited), []).append(each.question)
    states = {(table, column): audited[table].knowledge(column) for table, column in questions}
    return sum(work_of(len(mine), states[of].rank, states[of].most_blocks(mine)) for of, mine in questions.items())


def _counts(
    evaluated: Sequence[Evaluated], suppressed: Mapping[Row, str], merged: Sequence[Merged]
) -> Iterator[AskedCount]:
    """Yield what rows with numbers ask of categories."""
    for each in evaluated:
        if each.block.category is not None:
            number = each.block.number
            unions = [one.union for one in merged if one.row[0] == number and one.union is not None]
            for group in [*(g for g in each.groups if (number, g.row) not in suppressed), *unions]:
                yield from asked_counts(each, group)


def _work_of_counts(counts: Sequence[AskedCount], audited: Mapping[str, PoolHistory]) -> int:
    columns = dict.fromkeys((each.table, each.column) for each in counts)
    return sum(
        work_of(
            sum((each.table, each.column) == (table, column) for each in counts),
            audited[table].beliefs_rank(column),
            audited[table].cells.size,
        )
        for table, column in columns
    )


def _too_sure(counts: Sequence[AskedCount], audited: Mapping[str, PoolHistory]) -> dict[Row, str]:
    """Return the rows whose counts would let somebody conclude too much about a person's category."""
    found: dict[Row, str] = {}
    for table, column in dict.fromkeys((each.table, each.column) for each in counts):
        mine = [each for each in counts if (each.table, each.column) == (table, column)]
        fine = audited[table].consider_counts(column, mine)
        found |= {each.row: "belief" for each, ok in zip(mine, fine, strict=True) if not ok}
    return found


def _considered(asked: Sequence[Asked], audited: Mapping[str, PoolHistory]) -> list[Finding]:
    found: dict[int, Finding] = {}
    for table, column in dict.fromkeys((each.table, each.audited) for each in asked):
        mine = [n for n, each in enumerate(asked) if (each.table, each.audited) == (table, column)]
        findings = audited[table].consider(column, [asked[n] for n in mine])
        found |= dict(zip(mine, findings, strict=True))
    for joint in joint_audits(audited):
        mine = [n for n, each in enumerate(asked) if found[n].allowed and joint.holds(each)]
        for n, rule in zip(mine, joint.consider([asked[n] for n in mine]), strict=True):
            if rule is not None:
                found[n] = replace(found[n], allowed=False, rule=rule, after=None)
    return [found[n] for n in range(len(asked))]


def _shown(evaluated: Sequence[Evaluated], suppressed: Mapping[Row, str], merged: Sequence[Merged]) -> Iterator[Shown]:
    """Yield the sets whose sizes the rows with numbers tell, each once."""
    for each in evaluated:
        number, table = each.block.number, each.block.table.name
        unions = [one.union for one in merged if one.row[0] == number and one.union is not None]
        for group in [*(g for g in each.groups if (number, g.row) not in suppressed), *unions]:
            heads = each.cells.owners is not None
            if each.block.category is None:
                found = [
                    (heads and measure.kind == "people", cells)
                    for measure in each.block.measures
                    for cells in group.counted(measure)
                ]
            else:
                heads = heads and counts_people(each.block.table, each.block.category)
                found = [(heads, one.cells) for one in rectangles(each, group) or ()]
            for people, cells in each_once(found):
                yield Shown((number, group.row), table, cells, len(cells), people)
            for measure in each.block.measures if each.block.category is None else ():
                weighed = group.weighed(measure)
                if weighed is not None:
                    yield Shown((number, group.row), table, weighed[0], len(weighed[0]), weights=weighed[1])


def _too_telling(shown: Sequence[Shown], audited: Mapping[str, PoolHistory]) -> dict[Row, str]:
    """Return the rows whose sizes would tell, with all that were shown, how many are in a set of too few.

    The smallest of them are left out: then fewest people are.
    """
    found: dict[Row, str] = {}
    for table, people in dict.fromkeys((each.table, each.people) for each in shown):
        mine = [each for each in shown if (each.table, each.people) == (table, people)]
        mine.sort(key=lambda each: -each.size)
        fine = audited[table].shows([(each.cells, each.weights) for each in mine], people=people)
        found |= {each.row: "counts" for each, ok in zip(mine, fine, strict=True) if not ok}
    return found


def joint_audits(audited: Mapping[str, PoolHistory]) -> list[JointAudit]:
    """Return the audits of linked columns that a statement meets, each once."""
    return list({id(joint): joint for each in audited.values() for joint in each.joints}.values())


def _too_small(evaluated: Evaluated, cells: Cells) -> dict[Row, str]:
    """Return the groups that are too small, or whose complement is."""
    number = evaluated.block.number
    return {(number, group.row): "size" for group in evaluated.groups if not _fits(group, evaluated, cells)}


def _fits(group: Group, evaluated: Evaluated, cells: Cells) -> bool:
    """Tell whether every query set that a row is about is large enough: by people, and by those with a value.

    That is the group, the set of each measure, and the parts of it that the measure tells apart. Where the row tells
    of the group as a whole, those whom a measure leaves out are a set as well.
    """
    least = evaluated.block.table.limits.min_set
    if evaluated.block.category is not None:
        return _counts_fit(group, evaluated, cells)
    if not _large(group.cells, cells, least):
        return False
    whole = any(measure.chosen is None for measure in evaluated.block.measures)
    for measure in evaluated.block.measures:
        chosen, wanted = group.of(measure), group.wanted(measure)
        if chosen is not group.cells and cells.people(chosen) < least:
            return False
        if wanted is not group.cells and not _large(wanted, cells, least):
            return False
        if whole and measure.chosen is not None and 0 < cells.people(np.setdiff1d(group.cells, wanted)) < least:
            return False
        if measure.confidential is not None and not _large(chosen, cells, least, measure.confidential):
            return False
        if measure.expression is not None:
            ranks, numbers = group.ranked(measure)
            people = None if cells.owners is None else cells.owners.by_value(chosen, ranks)
            told = parts(measure.kind, ranks, cells.records[chosen], numbers, least, plain=measure.plain, people=people)
            everybody = cells.people(np.arange(cells.size))
            if not all(large_enough(int(part), everybody, least) for part in told):
                return False
    return True


def _large(chosen: Indices, cells: Cells, least: int, column: str | None = None) -> bool:
    """Tell whether a set has enough people, and those who have records outside of it are none or enough."""
    if cells.people(chosen, column) < least:
        return False
    outside = cells.people_outside(chosen, column)
    return outside == 0 or outside >= least


def _counts_fit(group: Group, evaluated: Evaluated, cells: Cells) -> bool:
    """Tell whether the sets of people that a row counts by a category are large enough, whatever their values.

    Where what is counted is no set of people and values, nothing is.
    """
    least, found = evaluated.block.table.limits.min_set, rectangles(evaluated, group)
    if not found or any(not len(group.of(measure)) for measure in evaluated.block.measures):
        return False
    return all(_large(each.cells, cells, least) for each in found)


def _asked(
    evaluated: Evaluated, groups: Iterable[Group], suppressed: Mapping[Row, str], audited: Mapping[str, PoolHistory]
) -> Iterator[Asked]:
    """Yield what groups ask of confidential columns: one question for each query set."""
    table = evaluated.block.table.name
    for group in groups:
        row = (evaluated.block.number, group.row)
        if row not in suppressed:
            for column, chosen, kinds in _wanted(evaluated, group):
                yield audited[table].asked(row, column, chosen, kinds)


def _wanted(evaluated: Evaluated, group: Group) -> Iterator[tuple[str, Indices, frozenset[str]]]:
    """Yield the query sets of confidential columns, each with all that is asked of it."""
    measures = [each for each in evaluated.block.measures if each.kind in AUDITED]
    found = [(measure.confidential, group.of(measure)) for measure in measures if measure.confidential is not None]
    for column, chosen in each_once(found):
        yield (
            column,
            chosen,
            frozenset(
                measure.kind
                for measure in measures
                if measure.confidential == column and same_cells(group.of(measure), chosen)
            ),
        )


def _all_or_nothing(suppressed: Mapping[Row, str], evaluated: Sequence[Evaluated]) -> None:
    for each in evaluated:
        if not each.groups:  # nobody at all looks like too few
            raise denied("size")
        rules = [rule for (number, _), rule in suppressed.items() if number == each.block.number]
        if rules and (each.block.table.limits.groups == "deny" or len(rules) == len(each.groups)):
            raise denied(rules[0])
