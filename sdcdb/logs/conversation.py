"""Follow each session of a PostgreSQL log: one statement is reported by several lines, and its failure by another.

A statement counts as answered unless the log proves that it failed (docs/decisions/036-failed-statements.md).
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from sdcdb.logs.auto_explain import Explained, explained
from sdcdb.logs.binding import bound, executed, parameters
from sdcdb.logs.entry import Entry, Said, may_say_more, said_by
from sdcdb.logs.pgaudit import PREFIX, SAME, Audited, audited
from sdcdb.logs.record import LoggedQuery, Place
from sdcdb.logs.script import statements
from sdcdb.logs.source import Source
from sdcdb.logs.tally import Fate

WINDOW = 10_000
"""Lines that a statement waits for the next entry of its session, which shows whether it failed."""
OPEN = 50  # statements of a session that further lines may be about: those inside of functions
_ASKS_NOTHING = re.compile(r"\s*(PREPARE|DEALLOCATE)\b", re.IGNORECASE)
_AUTHORIZED = re.compile(r"connection authorized: user=(\S+)")


@dataclass
class _Asked:
    """A statement, and the kinds of lines that reported it: `told`, `audited`, `explained`."""

    session: str
    query: LoggedQuery
    raw: str
    how: str
    transaction: str
    before: Place
    last: Place
    """The places before its first line and after the last line about it."""
    told: set[str] = field(default_factory=set)
    number: tuple[str, str] | None = None
    proven: bool = False
    """A duration or a plan shows that it ended well."""
    settled: bool = False


class Conversations:
    """Follows each session from entry to entry, and yields its statements in the order of the log."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._waiting: deque[_Asked] = deque()
        self._open: dict[str, list[_Asked]] = {}
        self._users: dict[str, str] = {}
        self._before = self._reached = source.start

    def hear(self, entry: Entry) -> Iterator[LoggedQuery]:
        """Add an entry; yield the statements that are now complete."""
        if entry.user is None and entry.session in self._users:
            entry = replace(entry, user=self._users[entry.session])
        self._before, self._reached = self._reached, entry.after
        self._source.tally.add(self._fate(entry), entry.lines)
        yield from self._settled(entry.line)

    def end(self) -> Iterator[LoggedQuery]:
        """Yield the statements that still wait when the log ends."""
        while self._waiting:
            asked = self._waiting.popleft()
            yield replace(asked.query, after=self._place(asked) if self._waiting else self._reached)
        self._open.clear()

    def _place(self, asked: _Asked) -> Place:
        """Return where reading can resume: after all lines about this statement, before those that still wait."""
        return min(asked.last, self._waiting[0].before) if self._waiting else asked.last

    def _fate(self, entry: Entry) -> Fate:
        message = entry.message
        if entry.failed:
            return self._error(entry)
        if message.startswith(PREFIX):
            report = audited(message)
            return self._unknown(entry, "a line of pgAudit") if report is None else self._audited(entry, report)
        if (plan := explained(message)) is not None:
            return self._unknown(entry, "a plan") if plan.sql is None else self._explained(entry, plan)
        if (said := said_by(message)) is not None:
            return self._told(entry, said)
        if message.startswith("duration: "):
            self._took(entry)
        elif found := _AUTHORIZED.match(message):
            self._users[entry.session] = found[1]
        elif message.startswith("disconnection: "):
            self._close(entry.session)
        elif may_say_more(message):
            return self._unknown(entry, "a message")
        return Fate.OTHER

    def _unknown(self, entry: Entry, what: str) -> Fate:
        self._source.report(
            entry.line,
            f"{what} that may contain a statement is not understood: {entry.message[:60]!r}",
            "not understood",
        )
        return Fate.PROBLEM

    def _error(self, entry: Entry) -> Fate:
        """Mark the statement that failed, if it is certain which; otherwise add the failed statement itself."""
        recent = self._open.get(entry.session, [])
        last = next((each for each in reversed(recent) if "told" in each.told), None)
        if not entry.statement:
            if entry.severity == "ERROR" and last is not None and not last.settled and not last.proven:
                self._source.report(
                    entry.line,
                    "the log does not say which statement failed (log_min_error_statement = error would): "
                    f"the one on line {last.query.line} counts as answered",
                    "an error without its statement",
                )
                return Fate.PROBLEM
            return Fate.OTHER  # the session ended while idle, or a background process failed
        if last is not None and self._certain(last, entry):
            last.query = replace(last.query, error=entry.told, ran=entry.ran)
            last.settled, last.last = True, entry.after
            return Fate.CONTINUED
        sql, unbound = bound(entry.statement, _values_in(entry.context) or ())
        self._ask(entry, entry.statement, sql, unbound=unbound, how="failed", told="failed")
        failed = self._open[entry.session][-1]
        failed.query = replace(failed.query, error=entry.told, ran=entry.ran)
        failed.settled = True
        return Fate.STATEMENT

    @staticmethod
    def _certain(last: _Asked, entry: Entry) -> bool:
        """Return whether the error is that of the last statement.

        Each simple query has its line, so the same text means the same statement. Of prepared statements, parsing and
        binding have none: only the command's tag tells a second binding of the same text from the execution.
        """
        if last.settled or last.proven or not _same(last.raw, entry.statement):
            return False
        if last.transaction and entry.transaction and last.transaction != entry.transaction:
            return False
        if last.how == "statement":
            return len(statements(last.raw)) <= 1  # of several, the first may have been answered
        return entry.tag not in ("", "PARSE", "BIND")

    def _told(self, entry: Entry, said: Said) -> Fate:
        if said.how in ("parse", "bind"):
            return Fate.OTHER  # asks nothing yet
        if _ASKS_NOTHING.match(said.sql) and len(statements(said.sql)) == 1:
            self._settle(entry.session)
            return Fate.OTHER
        raw, (sql, unbound) = said.sql, bound(said.sql, parameters(entry.detail) or [])
        if entry.detail.startswith("prepare: "):
            raw = entry.detail.removeprefix("prepare: ")
            sql, unbound = executed(said.sql, raw) or (said.sql, True)
        asked = self._same_execution(entry, raw, "told")
        if asked is None:
            self._settle(entry.session)
            asked = self._ask(entry, raw, sql, unbound=unbound, how=said.how, told="told")
            asked.proven = said.took
            return Fate.STATEMENT
        if asked.query.unbound:
            asked.query = replace(asked.query, sql=sql.strip(), unbound=unbound)
        asked.how, asked.proven = said.how, asked.proven or said.took
        for earlier in self._open[entry.session]:
            earlier.settled = earlier.settled or (earlier is not asked and "told" in earlier.told)
        return Fate.CONTINUED

    def _audited(self, entry: Entry, report: Audited) -> Fate:
        if report.command in ("PREPARE", "DEALLOCATE"):
            return Fate.OTHER
        recent = self._open.get(entry.session, [])
        raw = report.sql
        if raw == SAME:
            raw = next((each.raw for each in reversed(recent) if "audited" in each.told), raw)
        same = next((each for each in recent if each.number == report.statement), None)
        if same is not None:
            same.last = entry.after
            return Fate.CONTINUED
        if report.kind == "FUNCTION" and any(_same(each.raw, raw) for each in recent):
            return Fate.CONTINUED  # a function that an earlier line's statement calls
        asked = self._same_execution(entry, raw, "audited")
        if asked is not None:
            asked.number = report.statement
            return Fate.CONTINUED
        for each in recent:
            each.settled = each.settled or (each.number is not None and each.number[0] != report.statement[0])
        body = re.sub(r"(?is)^\s*prepare\s+\S+\s*(\([^)]*\))?\s*as\s+", "", raw)
        sql, unbound = bound(body, report.values or ())
        self._ask(entry, raw, sql, unbound=unbound, how="audited", told="audited").number = report.statement
        return Fate.STATEMENT

    def _explained(self, entry: Entry, plan: Explained) -> Fate:
        raw = plan.sql or ""
        asked = self._same_execution(entry, raw, "explained")
        sql, unbound = bound(raw, plan.values)
        fate = Fate.CONTINUED if asked is not None else Fate.STATEMENT
        if asked is None:
            asked = self._ask(entry, raw, sql, unbound=unbound, how="explained", told="explained")
        elif asked.query.unbound:
            asked.query = replace(asked.query, sql=sql.strip(), unbound=unbound)
        asked.proven = True
        return fate

    def _took(self, entry: Entry) -> None:
        """A bare duration proves success. Parsing and binding have one too, but only before the execution is told."""
        for asked in reversed(self._open.get(entry.session, [])):
            if "told" in asked.told:
                asked.proven = asked.settled = True
                asked.last = entry.after
                return

    def _same_execution(self, entry: Entry, raw: str, by: str) -> _Asked | None:
        """Return the statement that another kind of line has already reported."""
        for asked in reversed(self._open.get(entry.session, [])):
            if not asked.settled and by not in asked.told and "failed" not in asked.told and _same(asked.raw, raw):
                asked.told.add(by)
                asked.last = entry.after
                return asked
        return None

    def _ask(self, entry: Entry, raw: str, sql: str, *, unbound: bool, how: str, told: str) -> _Asked:
        query = LoggedQuery(
            entry.line, entry.time, entry.user, sql.strip(), None, self._source.name, "postgres",
            unbound=unbound, after=entry.after,
        )  # fmt: skip
        asked = _Asked(entry.session, query, raw, how, entry.transaction, self._before, entry.after, {told})
        recent = self._open.setdefault(entry.session, [])
        recent.append(asked)
        if len(recent) > OPEN:
            recent.pop(0).settled = True
        self._waiting.append(asked)
        return asked

    def _settle(self, session: str) -> None:
        """A new statement of the session arrived: the earlier ones have ended."""
        for asked in self._open.pop(session, []):
            asked.settled = True

    def _close(self, session: str) -> None:
        self._settle(session)
        self._users.pop(session, None)

    def _settled(self, line: int) -> Iterator[LoggedQuery]:
        while self._waiting and (self._waiting[0].settled or line - self._waiting[0].query.line > WINDOW):
            asked = self._waiting.popleft()
            asked.settled = True
            recent = self._open.get(asked.session, [])
            if recent and recent[0] is asked:
                recent.pop(0)
                if not recent:
                    del self._open[asked.session]
            yield replace(asked.query, after=self._place(asked))


def _values_in(context: str) -> Sequence[str | None] | None:
    """Return the parameters that an error's context names (log_parameter_max_length_on_error)."""
    found = re.search(r"with parameters: (\$1 = .*)", context, re.DOTALL)
    return parameters("parameters: " + found[1]) if found else None


def _same(first: str, second: str) -> bool:
    return first.strip().rstrip(";").rstrip() == second.strip().rstrip(";").rstrip()
