"""The rules, in the order in which a question meets them, and the words of a denial.

`shape` is decided while the statement is read. `size` looks at a query set alone. The others look at what all answers
together would tell (`sdcdb.gateway.audit`). None of them sees the true answer of the question at hand, and none of the
words says anything about the data: not a size, not a value, not a record.
"""

from dataclasses import dataclass

from sdcdb.errors import Denied


@dataclass(frozen=True)
class Rule:
    """A rule: what it keeps, in the words of its denial, and what to try instead."""

    name: str
    reason: str
    hint: str


RULES = (
    Rule(
        "shape",
        "the statement is not an aggregate over columns that may be used",
        "COUNT, SUM, AVG, MIN or MAX of the table, with conditions on its other columns",
    ),
    Rule(
        "size",
        "a group, or all records outside of it, is too small",
        "widen a range, merge groups, or use the protected view",
    ),
    Rule(
        "overlap",
        "the records asked about are too much like those of an earlier question",
        "ask about clearly other records, or use the protected view",
    ),
    Rule(
        "exact",
        "together with earlier answers this would give away a few people's exact values",
        "widen or shift a range so that it does not differ from an earlier question by a few people",
    ),
    Rule(
        "interval",
        "together with earlier answers this could tell somebody's value too closely",
        "ask about larger groups, or use the protected view",
    ),
    Rule(
        "cae",
        "together with earlier answers this could leave too little doubt about somebody's value",
        "ask about larger groups, or use the protected view",
    ),
    Rule(
        "changes",
        "the question would separate records that have changed since earlier answers",
        "ask about all of the groups that have changed together, or about the whole table",
    ),
    Rule(
        "version",
        "the table is not the one that earlier answers were about",
        "the owner of the data declares the change with `sdcdb refresh`",
    ),
    Rule(
        "ledger",
        "the history of answers cannot be written or trusted, and without it nothing is answered",
        "the owner of the data looks at `sdcdb ledger verify`",
    ),
)
_BY_NAME = {rule.name: rule for rule in RULES}


def denied(rule: str) -> Denied:
    """Return the denial of a rule."""
    found = _BY_NAME[rule]
    return Denied(found.name, found.reason, found.hint)


def large_enough(records: int, everybody: int, least: int) -> bool:
    """Tell whether a query set and its complement are large enough; an empty complement is not a small one."""
    outside = everybody - records
    return records >= least and (outside == 0 or outside >= least)
