"""PostgreSQL's logs: csvlog, jsonlog and the plain text log, with or without pgAudit in them."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sdcdb.logs.clock import parse_time
from sdcdb.logs.csv_lines import records
from sdcdb.logs.entry import Conversations, Entry
from sdcdb.logs.record import LoggedQuery
from sdcdb.logs.source import Line, Source

COLUMNS = (23, 24, 26)
"""Fields of a csvlog line: to version 12, in 13 (backend_type), since 14 (leader_pid, query_id); 23 are the same."""
TIME, USER, SESSION, SEVERITY, MESSAGE, DETAIL = 0, 1, 5, 11, 13, 14

_SEVERITY = "LOG|ERROR|FATAL|PANIC|WARNING|NOTICE|INFO|DEBUG[1-5]?"
_MORE = "DETAIL|HINT|STATEMENT|CONTEXT|QUERY|LOCATION|BACKTRACE"
TEXT_LINE = re.compile(rf"(?P<prefix>.*?)\b(?P<severity>{_SEVERITY}|{_MORE}):  (?P<message>.*)", re.DOTALL)
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?: (?:[A-Z]{2,5}|[+-]\d\d(?::?\d\d)?))?")
_USER = (re.compile(r"\buser=([^,\s\]]+)"), re.compile(r"(?:^|[\s\[(:,])([\w.-]+)@[\w.-]*"))
_SESSION = re.compile(r"\[(\d+)(?:-\d+)?\]|\b([0-9a-f]{8}\.[0-9a-f]+)\b|:(\d+):|\bpid=(\d+)")


def csv_entries(source: Source) -> Iterator[Entry]:
    """Yield the entries of a csvlog, by position: PostgreSQL only ever appends columns."""
    for record in records(source, source.lines()):
        fields = record.fields
        if len(fields) not in COLUMNS:
            expected = ", ".join(map(str, COLUMNS))
            source.report(record.line, f"{len(fields)} fields where a csvlog has {expected}", "not a line of a csvlog")
            continue
        time = parse_time(fields[TIME])
        if time is None:
            source.report(record.line, f"{fields[TIME][:30]!r} is not a timestamp", "no timestamp")
        yield Entry(
            record.line, time, fields[USER] or None, fields[SESSION], fields[SEVERITY], fields[MESSAGE], fields[DETAIL],
            record.after,
        )  # fmt: skip


def json_entries(source: Source) -> Iterator[Entry]:
    """Yield the entries of a jsonlog (version 15 and later): one object per line."""
    for line in source.lines():
        entry = object_on(line, source)
        if entry is None:
            continue
        words = {
            key: str(entry.get(key) or "") for key in ("user", "session_id", "error_severity", "message", "detail")
        }
        if not words["message"]:
            source.report(line.number, "no message in this entry", "no message")
            continue
        yield Entry(
            line.number, parse_time(entry.get("timestamp")), words["user"] or None, words["session_id"],
            words["error_severity"], words["message"], words["detail"], line.after,
        )  # fmt: skip


def object_on(line: Line, source: Source) -> dict[str, Any] | None:
    """Return the JSON object on a line; report a line without one."""
    text = line.text.strip().rstrip(",")
    if text in ("", "[", "]"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        source.report(line.number, f"not JSON ({str(problem).split(':')[0].lower()})", "not JSON")
        return None
    if not isinstance(found, dict):
        source.report(line.number, "JSON, but not an object", "not a JSON object")
        return None
    return found


def text_entries(source: Source) -> Iterator[Entry]:
    """Yield the entries of a plain text log: any `log_line_prefix` with the time, the process and the user in it."""
    current: Entry | None = None
    part = "message"
    for line in source.lines():
        if current is not None and line.text.startswith("\t"):
            current = replace(current, after=line.after, **_longer(current, part, "\n" + line.text[1:]))
            continue
        found = TEXT_LINE.match(line.text)
        if found is None:
            if line.text.strip():
                source.report(line.number, "no severity such as `LOG:` on this line", "not a line of a server log")
            continue
        if found["severity"] in _MORE.split("|"):
            part = "detail" if found["severity"] == "DETAIL" else "other"
            if current is not None:
                current = replace(current, after=line.after, **_longer(current, part, found["message"]))
            continue
        if current is not None:
            yield current
        current, part = _text_entry(line, found), "message"
    if current is not None:
        yield current


def _longer(entry: Entry, part: str, more: str) -> dict[str, Any]:
    return {} if part == "other" else {part: getattr(entry, part) + more}


def _text_entry(line: Line, found: re.Match[str]) -> Entry:
    prefix = found["prefix"]
    time = _TIME.search(prefix)
    rest = _TIME.sub("", prefix)
    user = next((match[1] for form in _USER if (match := form.search(rest))), None)
    session = _SESSION.search(rest)
    name = next(filter(None, session.groups())) if session else rest
    when = parse_time(time.group()) if time else None
    return Entry(line.number, when, user, name, found["severity"], found["message"], "", line.after)


def read_postgres(source: Source, form: str) -> Iterator[LoggedQuery]:
    """Yield the statements of a server log in one of its three forms."""
    conversations = Conversations(source.name)
    entries = {"csvlog": csv_entries, "jsonlog": json_entries, "textlog": text_entries}[form]
    for entry in entries(source):
        yield from conversations.hear(entry)
    yield from conversations.end()
