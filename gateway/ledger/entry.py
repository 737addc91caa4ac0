"""What the ledger's records hold, typed: one reader, one writer, and a version of the format.

A record carries `format`, the version it was written in. Records without one are of format 1, from before there was a
version; they are read as what they mean today. A record of a later format, of an unknown kind, or with other fields is
refused: a history that is not understood must not count as empty.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from sdcdb.errors import LedgerError
from sdcdb.fields.strict import Strict
from sdcdb.gateway.ledger.record import Record

FORMAT = 3

VerdictKind = Literal["allow", "suppress", "estimate", "deny", "unsupported"]
Aggregate = Literal["sum", "min", "max", "count"]


class AnsweredFact(Strict):
    """One query set of one confidential column that was answered."""

    table: str
    """The restricted table."""
    column: str
    """The confidential column."""
    cells: str
    """The cells of the query set as bits, packed: cells are numbered in the order of the table's version."""
    kinds: tuple[Aggregate, ...]
    """What was answered about the set."""
    answers: dict[Aggregate, str]
    """The answers, exactly as digits; `None` over no value."""
    values: tuple[str, ...] = ()
    """The values of a category that were counted; `null` for no value."""
    people: bool = False
    """Whether people with such a value were counted, and not their records."""
    implied: bool = False
    """Whether the answer followed from earlier ones, so that it told nothing new."""
    tail: bool = False
    """In ledgers of before: the answer was learnt by the audit and not given. It counts as known."""
    surprise: bool = False
    """Whether the answer, outside of all that was plausible, left somebody less room than the limits say."""
    pool: str = "all"
    """Whose knowledge it became: `all`, `user NAME` or `team NAME`."""


class CountedSet(Strict):
    """A query set whose size was shown, or over which a column was summed up that is not confidential."""

    table: str
    """The restricted table."""
    cells: str
    """Its cells as bits, packed, as in a fact."""
    weights: str = ""
    """Of a sum, the values of these cells in order, less the least, in steps, packed; without them, the size."""
    people: bool = False
    """Whether the people in it were counted, and not their records."""
    pool: str = "all"
    """Whose knowledge it became."""


class QuestionEntry(Strict):
    """A statement, and what became of it."""

    kind: Literal["question"] = "question"
    format: int = FORMAT
    """The version of this format."""
    user: str
    """Who asked."""
    sql: str
    """The statement, as it was sent."""
    verdict: VerdictKind
    """What the gateway decided."""
    rule: str | None
    """The rule that denied or suppressed."""
    reason: str
    """The reason, in the words that the user was told."""
    facts: tuple[AnsweredFact, ...]
    """What was answered of confidential columns."""
    counted: tuple[CountedSet, ...] = ()
    """The sets whose sizes were shown, but for those that followed from earlier ones."""

    @property
    def refused(self) -> bool:
        """Whether the question got no answer at all."""
        return self.verdict in {"deny", "unsupported"}


class ExplainEntry(Strict):
    """A statement whose verdict was asked for, and nothing more: it counts as asked, and nothing was answered."""

    kind: Literal["explain"] = "explain"
    format: int = FORMAT
    """The version of this format."""
    user: str
    """Who asked."""
    sql: str
    """The statement, as it was sent."""
    verdict: VerdictKind
    """What the gateway would decide."""
    rule: str | None
    """The rule that would deny or suppress."""
    reason: str
    """The reason, in the words that the user was told."""


class VersionEntry(Strict):
    """A restricted table as it was when questions about it began, or after a refresh."""

    kind: Literal["version"] = "version"
    format: int = FORMAT
    """The version of this format."""
    table: str
    """The restricted table."""
    version: str
    """The keyed fingerprint of its records."""
    cells: str
    """How many cells it has and, per confidential column, their numbers of values and one keyed digest, packed."""
    formerly: str | None = None
    """The name under which the ledger knew the same records before."""
    named: dict[str, str] = Field(default_factory=dict)
    """Columns that had another name in the version before: the name now, and then."""
    moves: dict[str, str] = Field(default_factory=dict)
    """By column, since the version before: how many records went from which class of records to which cell, packed."""
    people: dict[str, str] = Field(default_factory=dict)
    """The same for people whatever their values, of columns in which a value has changed."""
    records: str = ""
    """The name of the file beside the ledger that holds the digest of every record; none where keys repeat."""
    as_new: str = ""
    """The owner's reason to take all records as other people than those before, whose answers then count no more."""
    sketches: dict[str, str] = Field(default_factory=dict)
    """By confidential column: the smallest keyed digests of its records, packed. Under any name, they are the same."""
    values: dict[str, str] = Field(default_factory=dict)
    """By confidential column: the smallest keyed digests of its values, as they are and converted, packed."""


class ColumnLimits(Strict):
    """The thresholds of one confidential column, in its own units, and the domain they are measured on."""

    low: float
    """The least value of the public domain."""
    high: float
    """The greatest value of the public domain."""
    step: float | None
    """The grid in the domain."""
    min_set: int
    """The least number of records in a query set."""
    min_interval: float
    """The narrowest interval that may be left for a record."""
    min_h0: float
    """The least H(0) in bits."""
    min_area: float
    """The least area under H(eps)."""
    max_overlap: int | None
    """The most records that two query sets may share."""
    known: str = ""
    """The shares of values that were declared public."""
    small_totals: Literal["forbid", "allow"] = "forbid"
    """Whether answers may be combined to the total of fewer than `min_set` people."""


class CategoryLimits(Strict):
    """What was public of one confidential category, and how sure anybody may become."""

    known: str
    """The values and their public shares."""
    sensitive: tuple[str, ...]
    """The values that nobody may be known to have."""
    max_belief: float
    """The limit of certainty."""
    min_set: int
    """The least number of records in a query set."""


class TablePolicy(Strict):
    """What the policy says about one restricted table."""

    pool: Literal["all", "user", "team"]
    """Whose answers add up."""
    aggregates: tuple[str, ...]
    """Aggregates that may be asked."""
    columns: dict[str, ColumnLimits]
    """The thresholds by confidential column."""
    categories: dict[str, CategoryLimits] = Field(default_factory=dict)
    """The limits by confidential category."""
    views: str = ""
    """A digest of how its protected views were fitted: what is plausible follows from them."""
    linked: tuple[str, ...] = ()
    """What is audited together: equations, and pairs of columns of this table or of another one."""
    distinct: tuple[str, ...] = ()
    """Tables that hold the records of other people, as the owner says."""
    person: str = ""
    """The column that says whose record it is; empty where the key does."""
    published: tuple[str, ...] = ()
    """Categories of which all counts are public."""


class PolicyEntry(Strict):
    """The policy under which the answers behind it were given: written when it changes, and by whom."""

    kind: Literal["policy"] = "policy"
    format: int = FORMAT
    """The version of this format."""
    by: str
    """The account that opened the gateway with it, or the owner who accepted looser limits."""
    reason: str = ""
    """Why limits were loosened, in the owner's words."""
    tables: dict[str, TablePolicy]
    """The restricted tables."""
    teams: dict[str, tuple[str, ...]]
    """Users by team."""


class OpenEntry(Strict):
    """What was found at opening: the remains of a crash, or a database that was last used with another ledger."""

    kind: Literal["open"] = "open"
    format: int = FORMAT
    """The version of this format."""
    torn: str | None = None
    """The file that holds what was left of a record that was never acknowledged."""
    bytes: int | None = None
    """How much that was."""
    anchor: str | None = None
    """What was wrong with the anchor."""
    adopted: str | None = None
    """Why the owner went on with this ledger, though the database was last used with another one."""


class LoginEntry(Strict):
    """An attempt to come in through a door of the server."""

    kind: Literal["login"] = "login"
    format: int = FORMAT
    """The version of this format."""
    user: str
    """The name that was given."""
    door: str
    """The door: `postgres`, `http` or `console`."""
    address: str
    """Where the attempt came from."""
    admitted: bool
    """Whether they came in."""
    reason: str = ""
    """Why not."""


class ActEntry(Strict):
    """An act of an owner: on a table, the policy, a view, a user or a token."""

    kind: Literal["act"] = "act"
    format: int = FORMAT
    """The version of this format."""
    user: str
    """The owner, or the account on the command line."""
    act: str
    """What was done."""
    about: str = ""
    """With what."""
    done: str = ""
    """When, if the entry was written later."""


Entry = QuestionEntry | ExplainEntry | VersionEntry | PolicyEntry | OpenEntry | LoginEntry | ActEntry
ENTRY: TypeAdapter[Entry] = TypeAdapter(Annotated[Entry, Field(discriminator="kind")])


def fields_of(entry: Entry) -> dict[str, Any]:
    """Return an entry as the plain fields that a record holds."""
    return entry.model_dump(mode="json", exclude_none=isinstance(entry, OpenEntry))


def entry_of(fields: Mapping[str, Any], number: int) -> Entry:
    """Read the fields of record `number`, in whatever format it was written."""
    written = fields.get("format", 1)
    if not isinstance(written, int) or written > FORMAT:
        raise LedgerError(
            f"record {number} of the ledger has format {written!r}; this version reads up to {FORMAT}: upgrade sdcdb"
        )
    try:
        return ENTRY.validate_python(_from_format_1(fields) if written == 1 else dict(fields))
    except ValidationError as problem:
        where = ".".join(str(part) for part in problem.errors()[0]["loc"])
        raise LedgerError(
            f"record {number} of the ledger is not understood ({where}: {problem.errors()[0]['msg']}): "
            "run `sdcdb ledger verify`, and use the version of sdcdb that wrote it"
        ) from None


def entries(records: Iterator[Record]) -> Iterator[Entry]:
    """Read records one by one."""
    for record in records:
        yield entry_of(record.entry, record.number)


def _from_format_1(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Read what the first versions wrote: no `format`, and teams were called groups."""
    found = {**fields, "format": FORMAT}
    facts = fields.get("facts")
    if isinstance(facts, list):
        found["facts"] = [_fact_of_format_1(fact) if isinstance(fact, Mapping) else fact for fact in facts]
    return found


def _fact_of_format_1(fact: Mapping[str, Any]) -> dict[str, Any]:
    pool = str(fact.get("pool") or "all")
    return {**fact, "pool": f"team {pool.removeprefix('group ')}" if pool.startswith("group ") else pool}
