"""PostgreSQL's logs: csvlog, jsonlog and the plain text log, with pgAudit and auto_explain in any of them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sdcdb.logs.clock import parse_time
from sdcdb.logs.conversation import Conversations
from sdcdb.logs.csv_lines import records
from sdcdb.logs.entry import Entry
from sdcdb.logs.json_objects import objects
from sdcdb.logs.record import LoggedQuery
from sdcdb.logs.source import Line, Source
from sdcdb.logs.tally import Fate
from sdcdb.logs.text_prefix import MORE, Started, by_setting, guessed

COLUMNS = (23, 24, 26)
"""Fields of a csvlog line: to version 12, in 13 (backend_type), since 14 (leader_pid, query_id); 23 are the same."""
TIME, USER, SESSION, TAG, TRANSACTION, SEVERITY, CODE, MESSAGE, DETAIL, CONTEXT, QUERY = (
    0,
    1,
    5,
    7,
    9,
    11,
    12,
    13,
    14,
    18,
    19,
)


def csv_entries(source: Source) -> Iterator[Entry]:
    """Yield the entries of a csvlog, by position: PostgreSQL only ever appends columns."""
    for record in records(source, source.lines(whole=True), check=_of_csvlog):
        fields = record.fields
        yield Entry(
            record.line, parse_time(fields[TIME]), fields[USER] or None, fields[SESSION], fields[SEVERITY],
            fields[MESSAGE], fields[DETAIL], record.after, fields[QUERY], fields[TAG], fields[TRANSACTION],
            fields[CODE], fields[CONTEXT], record.lines,
        )  # fmt: skip


def _of_csvlog(fields: list[str]) -> str | None:
    if len(fields) not in COLUMNS:
        return f"{len(fields)} fields where a csvlog has {', '.join(map(str, COLUMNS))}"
    return None if parse_time(fields[TIME]) else f"{fields[TIME][:30]!r} is not a timestamp"


def json_entries(source: Source) -> Iterator[Entry]:
    """Yield the entries of a jsonlog (version 15 and later): one object per line."""
    names = (
        "user", "session_id", "error_severity", "message", "detail", "statement", "ps", "vxid", "state_code", "context",
    )  # fmt: skip
    for each in objects(source, spread=False, whole=True):
        words = {name: str(each.content.get(name) or "") for name in names}
        if not words["message"]:
            source.report(each.line, "no message in this entry", "no message")
            source.tally.add(Fate.PROBLEM, each.lines)
            continue
        yield Entry(
            each.line, parse_time(each.content.get("timestamp")), words["user"] or None, words["session_id"],
            words["error_severity"], words["message"], words["detail"], each.after, words["statement"], words["ps"],
            words["vxid"], words["state_code"], words["context"], each.lines,
        )  # fmt: skip


def text_entries(source: Source, prefix: str | None = None) -> Iterator[Entry]:
    """Yield the entries of a plain text log: the prefix is read by the server's setting, or guessed."""
    start = by_setting(prefix) if prefix else guessed
    current: Entry | None = None
    part = "message"
    for line in source.lines(whole=True):
        if current is not None and line.text.startswith("\t"):
            current = _longer(current, part, "\n" + line.text[1:], line)
            continue
        found = start(line.text)
        if found is None:
            if line.text.strip():
                source.report(line.number, "no severity such as `LOG:` on this line", "not a line of a server log")
            source.tally.add(Fate.PROBLEM if line.text.strip() else Fate.OTHER)
            continue
        if found.severity in MORE:
            part = found.severity.lower()
            if current is not None and current.session == found.session:
                current = _longer(current, part, found.message, line)
                continue
            source.report(line.number, f"a {found.severity} line that belongs to no line before it", "stray line")
            source.tally.add(Fate.PROBLEM)
            continue
        if current is not None:
            yield current
        current, part = _text_entry(line, found), "message"
    if current is not None and not source.leaves(current.lines):
        yield current


def _longer(entry: Entry, part: str, more: str, line: Line) -> Entry:
    added: dict[str, Any] = {"after": line.after, "lines": entry.lines + 1}
    if part in ("message", "detail", "statement", "context"):
        added[part] = getattr(entry, part) + more
    return replace(entry, **added)


def _text_entry(line: Line, found: Started) -> Entry:
    return Entry(
        line.number, found.time, found.user, found.session, found.severity, found.message, "", line.after,
        tag=found.tag, transaction=found.transaction, code=found.code,
    )  # fmt: skip


def read_postgres(source: Source, form: str, prefix: str | None = None) -> Iterator[LoggedQuery]:
    """Yield the statements of a server log in one of its three forms."""
    conversations = Conversations(source)
    entries = {
        "csvlog": lambda: csv_entries(source),
        "jsonlog": lambda: json_entries(source),
        "textlog": lambda: text_entries(source, prefix),
    }
    for entry in entries[form]():
        yield from conversations.hear(entry)
    if not source.patient:
        yield from conversations.end()
