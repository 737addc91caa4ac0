"""PostgreSQL's log entries, whatever their format on disk, and the statements they report."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from sdcdb.logs.binding import bound, executed, parameters
from sdcdb.logs.pgaudit import SAME, Audited, audited
from sdcdb.logs.record import LoggedQuery, Place
from sdcdb.logs.script import statements

WINDOW = 10_000
"""Lines that a statement waits for the next entry of its session, which shows whether it failed."""
FAILED = ("ERROR", "FATAL", "PANIC")
_SAID = re.compile(
    r"(?:duration: [\d.]+ ms  )?(statement|execute|parse|bind|execute fetch from) ?([^:]*): ?(.*)", re.DOTALL
)


@dataclass(frozen=True)
class Entry:
    """One message of the server."""

    line: int
    time: datetime | None
    user: str | None
    session: str
    severity: str
    message: str
    detail: str
    after: Place


@dataclass
class _Asked:
    """A statement of which it is not yet known whether it failed. Several lines may report the same statement."""

    session: str
    query: LoggedQuery
    raw: str
    told: set[str] = field(default_factory=set)
    number: tuple[str, str] | None = None
    settled: bool = False


class Conversations:
    """Follows each session from entry to entry, and yields its statements in the order of the log."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._waiting: deque[_Asked] = deque()
        self._last: dict[str, _Asked] = {}

    def hear(self, entry: Entry) -> Iterator[LoggedQuery]:
        """Add an entry; yield the statements that are now complete."""
        previous = self._last.get(entry.session)
        report = audited(entry.message)
        if report is not None:
            self._audited(entry, report, previous)
        elif (said := _SAID.match(entry.message)) and said[1] not in ("parse", "bind"):
            self._told(entry, said, previous)
        elif previous is not None:
            if entry.severity in FAILED and len(statements(previous.raw)) <= 1:
                previous.query = replace(previous.query, error=entry.message)
            # A bare duration may be that of parsing or binding, which pgAudit reports before the execution.
            previous.settled = (
                previous.settled or entry.severity in FAILED or (said is None and "told" in previous.told)
            )
        yield from self._settled(entry.line)

    def end(self) -> Iterator[LoggedQuery]:
        """Yield the statements that still wait when the log ends."""
        for asked in self._waiting:
            yield asked.query
        self._waiting.clear()
        self._last.clear()

    def _settled(self, line: int) -> Iterator[LoggedQuery]:
        while self._waiting and (self._waiting[0].settled or line - self._waiting[0].query.line > WINDOW):
            asked = self._waiting.popleft()
            if self._last.get(asked.session) is asked and asked.settled:
                del self._last[asked.session]
            yield asked.query

    def _told(self, entry: Entry, said: re.Match[str], previous: _Asked | None) -> None:
        if re.match(r"\s*(PREPARE|DEALLOCATE)\b", said[3], re.IGNORECASE) and len(statements(said[3])) == 1:
            return  # asks nothing yet
        raw, (sql, unbound) = said[3], bound(said[3], parameters(entry.detail) or [])
        if entry.detail.startswith("prepare: "):
            raw = entry.detail.removeprefix("prepare: ")
            sql, unbound = executed(said[3], raw) or (said[3], True)
        if previous and "told" not in previous.told and "audited" in previous.told and _same(previous.raw, raw):
            if previous.query.unbound:
                previous.query = replace(previous.query, sql=sql, unbound=unbound)
            previous.told.add("told")
            return
        self._ask(entry, raw, sql, unbound=unbound, told="told")

    def _audited(self, entry: Entry, report: Audited, previous: _Asked | None) -> None:
        if report.command in ("PREPARE", "DEALLOCATE"):
            return
        raw = previous.raw if previous and report.sql == SAME else report.sql
        if previous and "audited" in previous.told and previous.number == report.statement:
            return
        if previous and "audited" not in previous.told and _same(previous.raw, raw):
            previous.told.add("audited")
            previous.number = report.statement
            return
        body = re.sub(r"(?is)^\s*prepare\s+\S+\s*(\([^)]*\))?\s*as\s+", "", raw)
        sql, unbound = bound(body, report.values or ())
        self._ask(entry, raw, sql, unbound=unbound, told="audited", number=report.statement)

    def _ask(
        self, entry: Entry, raw: str, sql: str, *, unbound: bool, told: str, number: tuple[str, str] | None = None
    ) -> None:
        if entry.session in self._last:
            self._last[entry.session].settled = True
        query = LoggedQuery(
            entry.line,
            entry.time,
            entry.user,
            sql.strip(),
            None,
            self._source,
            "postgres",
            unbound=unbound,
            after=entry.after,
        )
        asked = _Asked(entry.session, query, raw, {told}, number, settled=False)
        self._last[entry.session] = asked
        self._waiting.append(asked)


def _same(first: str, second: str) -> bool:
    return first.strip().rstrip(";").rstrip() == second.strip().rstrip(";").rstrip()
