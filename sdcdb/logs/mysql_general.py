"""The general log of MySQL and MariaDB: one entry per command, with the thread; `Connect` says who a thread is.

It does not say whether a statement failed, so all count as answered.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from sdcdb.logs.clock import parse_time
from sdcdb.logs.record import LoggedQuery, Place
from sdcdb.logs.source import Line, Source
from sdcdb.logs.tally import Fate

_STAMP = (
    r"(?:(?P<old>\d{6} {1,2}\d{1,2}:\d\d:\d\d)|(?P<new>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)))"
)
GENERAL_LINE = re.compile(
    rf"(?:{_STAMP}\t|\t\t) *(?P<thread>\d+) (?P<command>[A-Z][A-Za-z_ ]*?)(?:\t(?P<argument>.*))?$"
)
HEADER = re.compile(r"\S*(?:mysqld|mariadbd)\S*, Version: |Tcp port: |Time +Id Command +Argument|Time\s+Id Command")
_WHO = re.compile(r"(?P<user>.*?)@(?P<host>\S*)(?: on | as |$)")
HARMLESS = frozenset({
    "Connect", "Quit", "Init DB", "Ping", "Statistics", "Close stmt", "Reset stmt", "Field List", "Change user",
    "Processlist", "Refresh", "Shutdown", "Debug", "Kill", "Sleep", "Daemon", "Set option", "Long Data", "Prepare",
    "Reset connection", "Fetch", "Create DB", "Drop DB", "Error", "Connect Out", "Register Slave", "Time",
})  # fmt: skip
_PREPARE = re.compile(r"\s*(?:PREPARE\s+\S+\s+FROM|DEALLOCATE\s+PREPARE|DROP\s+PREPARE)\b", re.IGNORECASE)
_EXECUTE = re.compile(r"\s*EXECUTE\b", re.IGNORECASE)


@dataclass(frozen=True)
class _Command:
    """One entry; its text may continue on further lines."""

    line: int
    time: datetime | None
    thread: str
    command: str
    text: str
    after: Place
    lines: int = 1


def read_mysql_general(source: Source) -> Iterator[LoggedQuery]:
    """Yield the statements of a general log."""
    users: dict[str, str] = {}
    waiting: dict[str, tuple[LoggedQuery, Place]] = {}  # EXECUTE, which the server repeats with its values
    before = reached = source.start
    for each in _commands(source, users):
        before, reached = reached, each.after
        held = waiting.pop(each.thread, None)
        if held is not None and each.command != "Execute":
            yield held[0]
        if each.command in ("Connect", "Change user") and (who := _WHO.match(each.text)):
            users[each.thread] = who["user"]
        asks = each.command in ("Query", "Execute", "Bulk_execute", "Bulk Execute") and each.text.strip()
        if not asks or _PREPARE.match(each.text):
            known = asks or each.command in HARMLESS or not each.text.strip()
            if not known:
                source.report(each.line, f"the command {each.command!r} may read data and is not understood", "command")
            source.tally.add(Fate.OTHER if known else Fate.PROBLEM, each.lines)
            continue
        source.tally.add(Fate.STATEMENT, each.lines)
        query = LoggedQuery(
            each.line, each.time, users.get(each.thread), each.text.strip(), None, source.name, "mysql",
            after=min([each.after, *(place for _, place in waiting.values())]),
        )  # fmt: skip
        if each.command == "Query" and _EXECUTE.match(each.text):
            waiting[each.thread] = replace(query, unbound=True), before
        else:
            yield query
    yield from (query for query, _ in waiting.values())


def _commands(source: Source, users: dict[str, str]) -> Iterator[_Command]:
    current: _Command | None = None
    clock: datetime | None = None
    for line in source.lines(whole=True):
        found = GENERAL_LINE.match(line.text)
        if found is not None:
            if current is not None:
                yield current
            clock = _time(found) or clock
            text = found["argument"] or ""
            current = _Command(line.number, clock, found["thread"], found["command"].strip(), text, line.after)
        elif HEADER.match(line.text):
            if current is not None:
                yield current
            current = None
            if "Version: " in line.text:
                users.clear()  # the server started again: threads are numbered anew
            source.tally.add(Fate.OTHER)
        elif current is None:
            _stray(source, line)
        else:
            current = replace(current, text=f"{current.text}\n{line.text}", after=line.after, lines=current.lines + 1)
    if current is not None and not source.leaves(current.lines):
        yield current


def _stray(source: Source, line: Line) -> None:
    if line.text.strip():
        source.report(line.number, "belongs to no command of the log", "stray line")
    source.tally.add(Fate.PROBLEM if line.text.strip() else Fate.OTHER)


def _time(found: re.Match[str]) -> datetime | None:
    if found["new"]:
        return parse_time(found["new"])
    return old_time(found["old"]) if found["old"] else None


def old_time(text: str) -> datetime | None:
    """Read `261117 23:34:30`, as MariaDB writes.

    >>> old_time("261117  9:04:05").isoformat()
    '2026-11-17T09:04:05+00:00'
    """
    date, clock = text.split()
    return parse_time(f"20{date[:2]}-{date[2:4]}-{date[4:]} {clock.zfill(8)}")
