"""What a log contains once it is read: who asked what and when, and what was wrong with the file."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sdcdb.gateway.ledger.entry import AnsweredFact

Rows = tuple[tuple[Any, ...], ...]


class Place(NamedTuple):
    """Where reading of a file can resume: the number of lines before it, and of bytes (in Parquet: rows) before it."""

    lines: int = 0
    offset: int = 0


START = Place()


@dataclass(frozen=True)
class Beginning:
    """The first bytes of a file, as a digest: a log that was rotated keeps its name and changes its beginning."""

    size: int
    digest: str


@dataclass(frozen=True)
class LoggedQuery:
    """One logged statement with its parameters inserted, and its answer where the log recorded one.

    `sql` may contain several statements, as they were sent. `error` is set when the log shows that the statement
    failed, with the message and its detail as the client saw them; `ran` when it failed while it ran, so that rows
    may have been sent before. `unbound` is set when it has parameters whose values are not logged, `cut` when the log
    contains only its beginning: what was asked is then unknown.
    The gateway's ledger adds its verdict, and in `facts` the query sets that it answered.
    """

    line: int
    time: datetime | None
    user: str | None
    sql: str
    answers: Rows | None
    source: str
    dialect: str = "duckdb"
    error: str | None = None
    unbound: bool = False
    ran: bool = False
    cut: bool = False
    verdict: str | None = None
    facts: tuple[AnsweredFact, ...] | None = None
    after: Place = START


@dataclass(frozen=True)
class LogProblem:
    """Something in a log that could not be read. The rest of the file is still read."""

    file: str
    line: int
    what: str

    def text(self) -> str:
        """Render as `file:line: what`, the form that editors can jump to."""
        return f"{self.file}:{self.line}: {self.what}"
