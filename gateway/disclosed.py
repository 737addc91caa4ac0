"""What a decided statement discloses: facts for the ledger, and answers for the audit to learn."""

from collections.abc import Iterable, Iterator

from sdcdb.gateway.decide import Decided, joint_audits
from sdcdb.gateway.ledger.entry import AnsweredFact, CountedSet
from sdcdb.gateway.tables.asked import Asked


def disclosed_facts(decided: Decided) -> tuple[AnsweredFact, ...]:
    """Return what the ledger keeps of the answers, whatever they are."""
    by_value = [decided.audits[each.table].counted_fact(each) for each in decided.counts]
    return (*by_value, *_facts_of_numbers(decided))


def _facts_of_numbers(decided: Decided) -> tuple[AnsweredFact, ...]:
    return tuple(
        decided.audits[asked.table].fact(asked, finding, surprise=surprise)
        for asked, finding, surprise in zip(decided.asked, decided.findings, _surprises(decided), strict=True)
    )


def disclosed_counts(decided: Decided) -> tuple[CountedSet, ...]:
    """Take in the sets whose sizes are shown; return what the ledger keeps of them."""
    return tuple(
        new
        for table, audit in decided.audits.items()
        for new in audit.counted(
            [(each.cells, each.weights, each.people) for each in decided.shown if each.table == table]
        )
    )


def learn_answers(decided: Decided) -> None:
    """Take the answers into what is known."""
    for (table, column), mine in _by_column(decided.asked):
        decided.audits[table].learn(column, mine)
    for table, column in dict.fromkeys((each.table, each.column) for each in decided.counts):
        mine_too = [each for each in decided.counts if (each.table, each.column) == (table, column)]
        decided.audits[table].learn_counts(column, mine_too)
    for joint in joint_audits(decided.audits):
        joint.learn([each for each in decided.asked if joint.holds(each)])


def _surprises(decided: Decided) -> list[bool]:
    """Tell which answers leave somebody less room than the limits say: for the owner, in the ledger."""
    found: dict[int, bool] = {}
    for (table, column), mine in _by_column(decided.asked):
        flags = decided.audits[table].surprises(column, mine)
        found |= {id(asked): flag for asked, flag in zip(mine, flags, strict=True)}
    return [found[id(asked)] for asked in decided.asked]


def _by_column(asked: Iterable[Asked]) -> Iterator[tuple[tuple[str, str], list[Asked]]]:
    found: dict[tuple[str, str], list[Asked]] = {}
    for each in asked:
        found.setdefault((each.table, each.audited), []).append(each)
    yield from found.items()
