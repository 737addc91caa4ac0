"""The types of an audit document, `sdcdb audit --json`: the source of its JSON Schema, `schemas/audit.schema.json`."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter, with_config
from typing_extensions import TypedDict  # as pydantic asks before Python 3.12

LevelName = Literal["cae", "interval", "exact", "direct"]
Exposed = Annotated[dict[LevelName, Annotated[int, Field(ge=0)]], Field(description="Number of records by level.")]
Count = Annotated[int, Field(ge=0)]
_STRICT = ConfigDict(extra="forbid", use_attribute_docstrings=True)


@with_config(_STRICT)
class StatementData(TypedDict):
    """A statement of the log: its number among all, its place, when and by whom, and its text."""

    number: Annotated[int, Field(ge=1)]
    file: str
    line: int
    time: str | None
    user: str
    sql: str


@with_config(_STRICT)
class ListedData(StatementData):
    """A statement that is a finding by itself, or that was not understood. `since`: the first one of each user."""

    reason: str
    times: Count
    users: list[str]
    since: dict[str, StatementData]
    columns: list[str]
    records: dict[str, Count] | None


@with_config(_STRICT)
class StepData(StatementData):
    """A statement of a proof: what it asks of how many records, its answer, and its weight in the combination."""

    asks: str
    records: Count
    answer: int | float
    weight: str | None
    held_by: list[str]


@with_config(_STRICT)
class CertificateData(TypedDict):
    """How a finding is proved. `smallest`: fewer statements provably do not suffice."""

    form: Literal["combination", "witness", "bounds", "recomputed", "whole numbers"]
    smallest: bool
    words: str
    queries: list[StepData]


@with_config(_STRICT)
class CurveData(TypedDict):
    """H(eps) as a step function."""

    eps: list[float]
    h: list[float]


@with_config(_STRICT)
class FindingData(TypedDict):
    """One exposed record. Without a numeric domain, `possible` has what is left, and the ends are null.

    `given_known_exact`: false where a budget cut the search for the records that match; the figures given what is
    known are then not exact. Without a `certificate`, none was sought: `--proofs` says for how many findings one is.
    """

    table: str
    column: str
    record: str
    level: LevelName
    value: float | str | None
    lower: float | None
    upper: float | None
    width: float | None
    possible: list[str]
    candidates: list[float]
    h0: float
    area: float
    h0_given_known: float
    area_given_known: float
    given_known_exact: bool
    curve: CurveData
    pool: str
    users: list[str]
    first: StatementData
    certificate: CertificateData | None


@with_config(_STRICT)
class OutcomeData(TypedDict):
    """How many statements ended so; the numbers of all outcomes add up to the statements."""

    outcome: Literal["finding", "not understood", "harmless"]
    reason: str
    statements: Count


@with_config(_STRICT)
class ProblemsData(TypedDict):
    """What could not be read in the logs: how many problems, and the first ones with their file and line."""

    number: Count
    listed: list[str]
    places: list[tuple[str, int]]


@with_config(_STRICT)
class MomentData(TypedDict):
    """After a number of answers: how many records lie in an interval narrower than each threshold."""

    answers: Count
    after: StatementData | None
    below: list[Count]
    not_computed: Count


@with_config(_STRICT)
class CostData(StatementData):
    """The bits by which a statement narrowed the intervals of the records in danger.

    `among`: over 1, the search ended before the bits of so many statements, this the last of them, were told apart.
    """

    bits: float
    records: Count
    among: Annotated[int, Field(ge=1)]


@with_config(_STRICT)
class CourseData(TypedDict):
    """How exposure grew. Thresholds are shares of the domain; the first, 0, counts determined values.

    `costliest` counts `costliest_records` of the `endangered` records, the most exposed: the budget allows no more.
    """

    thresholds: list[float]
    moments: list[MomentData]
    costliest: list[CostData]
    costliest_records: Count
    endangered: Count


@with_config(_STRICT)
class UserData(TypedDict):
    """What one user or team knows without anybody else."""

    user: str
    answers: Count
    exposed: Exposed


@with_config(_STRICT)
class TogetherData(TypedDict):
    """Users whose answers prove findings only together."""

    users: list[str]
    findings: Count


@with_config(_STRICT)
class ColumnData(TypedDict):
    """One confidential column with a numeric domain: its limits, and what became known of it.

    `not_computed`: records without bounds, as the solver gave no answer. They may be exposed. `not_excluded`: records
    that may be known, since values are whole numbers of a step and no others were found that fit all answers.
    """

    table: str
    column: str
    domain: tuple[float, float]
    step: float | None
    min_interval: float
    min_h0: float
    min_area: float
    known: list[str]
    records: Count
    answers: Count
    exposed: Exposed
    not_computed: Count
    not_excluded: Count
    course: CourseData | None
    by_user: list[UserData]
    together: list[TogetherData]
    contradicting: list[StatementData]


@with_config(_STRICT)
class CategoryUserData(TypedDict):
    """What one user knows of a column of categories without anybody else."""

    user: str
    exposed: Exposed


@with_config(_STRICT)
class CategoriesData(TypedDict):
    """One confidential column without a numeric domain. `not_excluded`: records that all counts together may expose."""

    table: str
    column: str
    categories: list[str]
    records: Count
    answers: Count
    exposed: Exposed
    not_excluded: Count
    by_user: list[CategoryUserData]


@with_config(_STRICT)
class RefusedData(StatementData):
    """A statement that the gateway would have refused, with the rule."""

    rule: str | None
    reason: str


@with_config(_STRICT)
class ReplayData(TypedDict):
    """What the gateway would have answered under another policy (`--replay-with`)."""

    asked: Count
    verdicts: dict[str, Count]
    rules: dict[str, Count]
    refused: list[RefusedData]


@with_config(_STRICT)
class PeopleData(TypedDict):
    """People with several records: a combination of answers, or an extreme, is about the records of one of them alone.

    With `together`, the answers are about linked columns, which `column` lists, and follow from none by itself.
    `first`: the first statement that gave an answer about them; of linked columns, the last one that was needed.
    """

    table: str
    column: str
    together: bool
    people: list[str]
    first: StatementData


AuditDocument = TypedDict(
    "AuditDocument",
    {
        "sdcdb": str,
        "exceeds_policy": bool,
        "statements": Count,
        "from": str | None,
        "to": str | None,
        "users": dict[str, Count],
        "accounting": list[OutcomeData],
        "unknown_names": dict[str, Count],
        "table_changes": dict[str, StatementData],
        "uncertain_since": dict[str, StatementData],
        "direct_reads": list[ListedData],
        "not_understood": list[ListedData],
        "log_problems": ProblemsData,
        "columns": list[ColumnData],
        "categories": list[CategoriesData],
        "findings": list[FindingData],
        "people": list[PeopleData],
        "replay": ReplayData | None,
    },
)
DOCUMENT: TypeAdapter[object] = TypeAdapter(with_config(_STRICT)(AuditDocument))
