"""All rules, in the order in which a question meets them: what each keeps, what decides it, and the words of a denial.

No rule looks at the true answer of the question at hand, and no words say anything about the data: not a size, not a
value, not a record. Nothing else in the gateway names a rule that is not in this table.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sdcdb.errors import Denied
from sdcdb.gateway.inference.categories.beliefs import Beliefs
from sdcdb.gateway.inference.count_audit import CountAudit
from sdcdb.gateway.inference.statement_rules import Statement
from sdcdb.gateway.rules.size import large_enough
from sdcdb.gateway.rules.versions import same_version
from sdcdb.gateway.rules.work import within_budget

MOST_ROWS = 1_000_000  # of one result: they are held in memory before they leave


class Stage(StrEnum):
    """When a rule is met."""

    READING = "while the statement is read"
    TABLE = "when the table is looked up"
    GROUP = "for each group of the result"
    HISTORY = "for each query set, against all earlier answers"
    WRITING = "before the answer leaves"
    RUNNING = "while the rest of the statement runs on released results"


@dataclass(frozen=True)
class Rule:
    """A rule. `decided_by` is the function that decides it; None where an event does, such as a failed write."""

    name: str
    stage: Stage
    keeps: str
    reason: str
    hint: str
    decided_by: Callable[..., Any] | None = None


RULES = (
    Rule(
        "busy",
        Stage.READING,
        "A user has a limited number of statements at work and waiting, so that nobody else has to wait for them.",
        "too many of your statements are at work or waiting",
        "wait for their answers, then ask again",
    ),
    Rule(
        "shape",
        Stage.READING,
        "Only aggregates over columns that may be used are answered. What is not understood is refused.",
        "the statement is not an aggregate over columns that may be used",
        "COUNT, SUM, AVG, MIN or MAX of the table, with conditions on its other columns",
    ),
    Rule(
        "joins",
        Stage.TABLE,
        "A join that would compare too many pairs of rows is refused before it runs.",
        "a join would compare too many pairs of rows",
        "join on equal columns, and on ones that are unique in one of the tables",
    ),
    Rule(
        "policy",
        Stage.TABLE,
        "Limits are loosened only by an act of the owner, which the ledger keeps.",
        "the limits of this table were loosened, and the owner has not confirmed it",
        "ask the owner of the data to run `sdcdb refresh --accept-looser REASON`",
    ),
    Rule(
        "linked",
        Stage.TABLE,
        "Linked columns of two tables have one audit, for which people are matched by their keys.",
        "the people of this table cannot be matched with those of a table that it is linked with",
        "ask the owner of the data to run `sdcdb status`, which says what to do",
    ),
    Rule(
        "version",
        Stage.TABLE,
        "Answers are about the table that earlier answers were about, or about a declared new version of it.",
        "the table has changed since earlier queries were answered",
        "ask the owner of the data to run `sdcdb refresh`",
        same_version,
    ),
    Rule(
        "changes",
        Stage.TABLE,
        "A new version of a table is followed record by record: who stayed, came, left or has another value.",
        "the table has changed in a way that cannot be followed record by record",
        "ask the owner of the data to run `sdcdb status`, which says what to do",
    ),
    Rule(
        "size",
        Stage.GROUP,
        "A query set, and everybody outside it, has at least `min_set` records.",
        "a group, or everybody outside it, is too small",
        "widen a range, merge groups, or use the protected view",
        large_enough,
    ),
    Rule(
        "work",
        Stage.HISTORY,
        "Deciding a statement takes a limited amount of work, counted in query sets, answers and cells.",
        "deciding this statement would take too much work",
        "ask about fewer groups at once",
        within_budget,
    ),
    Rule(
        "counts",
        Stage.HISTORY,
        "How many people are in a set of fewer than `min_set` does not follow from the sizes that were shown.",
        "together with earlier answers this would reveal how many people are in a group that is too small",
        "widen or shift a range, merge groups, or leave the small group out with WHERE",
        CountAudit.consider,
    ),
    Rule(
        "overlap",
        Stage.HISTORY,
        "Two different query sets share at most `max_overlap` records, where the policy sets that.",
        "the query set overlaps too much with an earlier one",
        "ask about clearly different records, or use the protected view",
        Statement.overlap,
    ),
    Rule(
        "belief",
        Stage.HISTORY,
        "Nobody becomes surer than `max_belief` of a sensitive value of a confidential category of anybody.",
        "together with earlier answers this could let somebody conclude a person's category",
        "count in larger groups, put values together, or use the protected view",
        Beliefs.consider,
    ),
    Rule(
        "exact",
        Stage.HISTORY,
        "No total of too few people becomes determined, and nobody can be pinned as the holder of a MIN or MAX.",
        "together with earlier answers this would reveal the exact values of a few people",
        "widen or shift a range so that it does not differ from an earlier query by a few people",
        Statement.determined,
    ),
    Rule(
        "interval",
        Stage.HISTORY,
        "Everybody's value keeps an interval of at least `min_interval`.",
        "together with earlier answers this could narrow one person's value too far",
        "ask about larger groups, or use the protected view",
        Statement.room,
    ),
    Rule(
        "cae",
        Stage.HISTORY,
        "Everybody's value keeps an equivocation of at least `min_h0` bits and an area of at least `min_area`.",
        "together with earlier answers this could leave too little doubt about one person's value",
        "ask about larger groups, or use the protected view",
        Statement.room,
    ),
    Rule(
        "ledger",
        Stage.WRITING,
        "An answer is on disk, in the ledger, before it leaves.",
        "the history of answers cannot be written or trusted, and without it nothing is answered",
        "ask the owner of the data to run `sdcdb ledger verify`",
    ),
    Rule(
        "hidden",
        Stage.RUNNING,
        "Nothing is computed on groups that are not shown: a total without them would look exact.",
        "some groups are not shown, and the rest of the statement would compute on them",
        "leave the small groups out with WHERE, group more coarsely, or ask for the total itself",
    ),
    Rule(
        "time",
        Stage.RUNNING,
        "A statement runs for a limited time.",
        "the statement took too long and was stopped",
        "ask for less at once",
    ),
    Rule(
        "cancelled",
        Stage.RUNNING,
        "A statement that was cancelled ends without an answer.",
        "the statement was cancelled",
        "ask again; the ledger says whether it counts as asked",
    ),
    Rule(
        "memory",
        Stage.RUNNING,
        "A statement runs in a limited amount of memory, and writes nothing to disk.",
        "the statement needed too much memory and was stopped",
        "ask for less at once: fewer rows, shorter texts, smaller groups",
    ),
    Rule(
        "result",
        Stage.RUNNING,
        "A result has a limited size.",
        "the result is too large to be sent",
        "aggregate, choose fewer columns, or add a LIMIT",
    ),
    Rule(
        "rows",
        Stage.RUNNING,
        f"A result has at most {MOST_ROWS:,} rows.",
        f"the result has more than {MOST_ROWS:,} rows",
        "aggregate, or add a LIMIT",
    ),
    Rule(
        "error",
        Stage.RUNNING,
        "What the engine says of an error is not passed on: it could repeat a value.",
        "the statement failed while it ran",
        "check casts, divisions and sizes",
    ),
)
_BY_NAME = {rule.name: rule for rule in RULES}


def denied(rule: str) -> Denied:
    """Return the denial of a rule."""
    found = _BY_NAME[rule]
    return Denied(found.name, found.reason, found.hint)
