"""What PostgreSQL writes before each line of its text log: guessed, or read by the server's `log_line_prefix`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sdcdb.errors import DataError
from sdcdb.logs.clock import parse_time

SEVERITY = "LOG|ERROR|FATAL|PANIC|WARNING|NOTICE|INFO|DEBUG[1-5]?"
MORE = ("DETAIL", "HINT", "STATEMENT", "CONTEXT", "QUERY", "LOCATION", "BACKTRACE")
_LEVEL = rf"(?P<severity>{SEVERITY}|{'|'.join(MORE)}):  (?P<message>.*)"
TEXT_LINE = re.compile(rf"(?P<prefix>.*?)\b{_LEVEL}", re.DOTALL)

_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?: (?:[A-Z]{2,5}|[+-]\d\d(?::?\d\d)?))?")
_USER = (re.compile(r"\b(?:user|usr|u)=([^,\s\]]+)"), re.compile(r"(?:^|[\s\[(:,])([\w.-]+)@[\w.-]*"))
_SESSION = re.compile(r"\[(\d+)(?:-\d+)?\]|\b([0-9a-f]{8}\.[0-9a-f]+)\b|:(\d+):|\bpid=(\d+)")
_TRANSACTION = re.compile(r"(?<![\w/.])(\d+/\d+)(?![\w/])")

_ESCAPES = {
    "a": r".*?", "u": r"(?P<user>\S*?)", "d": r"\S*?", "r": r"\S*?", "h": r"\S*?", "b": r".*?",
    "p": r"(?P<pid>\d+)", "P": r"\d*", "t": r"(?P<t>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \S+)",
    "m": r"(?P<m>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \S+)", "n": r"(?P<n>\d+\.\d+)", "i": r"(?P<tag>[A-Za-z ]*?)",
    "e": r"(?P<code>[0-9A-Z]{5})", "c": r"(?P<session>[0-9a-f]+\.[0-9a-f]+)", "l": r"\d+", "Q": r"-?\d+",
    "s": r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \S+", "v": r"(?P<transaction>\d*/?\d*)", "x": r"\d+", "q": "", "%": "%",
}  # fmt: skip


@dataclass(frozen=True)
class Started:
    """One line's prefix: its severity or the part that it adds to the entry before, and the rest of the line."""

    severity: str
    message: str
    time: datetime | None = None
    user: str | None = None
    session: str = ""
    transaction: str = ""
    tag: str = ""
    code: str = ""


Prefix = Callable[[str], Started | None]


def guessed(text: str) -> Started | None:
    """Read a line whose prefix is not known: the time, the process or session and the user are recognised."""
    found = TEXT_LINE.match(text)
    if found is None:
        return None
    prefix, severity, message = found["prefix"], found["severity"], found["message"]
    time = _TIME.search(prefix)
    rest = _TIME.sub("", prefix)
    user = next((match[1] for form in _USER if (match := form.search(rest))), None)
    session = _SESSION.search(rest)
    transaction = _TRANSACTION.search(rest)
    if user is None and session is not None and (word := rest[session.end() :].strip(" :")) and word.isidentifier():
        user = word
    name = next(filter(None, session.groups())) if session else re.sub(r"\d", "", rest)
    return Started(
        severity, message, parse_time(time.group()) if time else None, user, name,
        transaction[1] if transaction else "",
    )  # fmt: skip


def by_setting(setting: str) -> Prefix:
    """Return the reader of lines that start as `log_line_prefix` says.

    >>> by_setting("%m [%p] %q%u@%d ")("2026-01-02 03:04:05.678 UTC [77] ann@hr LOG:  statement: SELECT 1").user
    'ann'
    """
    whole, optional = "", False
    for escape, plain in re.findall(r"%(-?\d*[a-zA-Z%])|([^%]+|%$)", setting):
        if not escape:
            whole += re.escape(plain)
            continue
        if escape[-1] not in _ESCAPES:
            raise DataError(f"--prefix: log_line_prefix has no %{escape[-1]}")
        if escape == "q":
            whole, optional = whole + "(?:", True
            continue
        whole += f" *{_ESCAPES[escape[-1]]} *" if len(escape) > 1 else _ESCAPES[escape[-1]]
    try:
        form = re.compile(f"{whole}{')?' if optional else ''}{_LEVEL}", re.DOTALL)
    except re.error:
        raise DataError(f"--prefix {setting!r} names the same thing twice") from None

    def read(text: str) -> Started | None:
        found = form.match(text)
        if found is None:
            return None
        part = {name: value or "" for name, value in found.groupdict().items()}
        time = parse_time(part.get("m") or part.get("t") or part.get("n"))
        session = part.get("session") or part.get("pid") or ""
        return Started(
            part["severity"], part["message"], time, part.get("user") or None, session,
            part.get("transaction", ""), part.get("tag", ""), part.get("code", ""),
        )  # fmt: skip

    return read
