"""The slow log of MySQL and MariaDB: comment lines about a statement, then the statement with a semicolon added.

With `long_query_time = 0` it contains every statement; otherwise only the slow ones.
"""

import re
from collections.abc import Iterator
from datetime import datetime

from sdcdb.logs.clock import parse_time
from sdcdb.logs.mysql_general import HEADER, old_time
from sdcdb.logs.record import LoggedQuery, Place
from sdcdb.logs.source import Source
from sdcdb.logs.tally import Fate

SLOW_LINE = re.compile(r"# (?:Time: |User@Host: |Query_time: |Thread_id: )")
_USER = re.compile(r"# User@Host: (?P<name>.*?)\[(?P<login>.*?)\] @ ")
_TIME = re.compile(r"# Time: (.+?)\s*$")
_ERROR = re.compile(r"\bErrno: (\d+)")
_SET = re.compile(r"SET (?:.*,)?\s*timestamp=(\d+)(?:\.\d+)?(?:,.*)?;\s*$", re.IGNORECASE)
_USE = re.compile(r"use [^;]+;\s*$", re.IGNORECASE)
_PREPARE = re.compile(r"\s*(?:PREPARE\s+\S+\s+FROM|DEALLOCATE\s+PREPARE|DROP\s+PREPARE)\b", re.IGNORECASE)


class _Block:
    """What the comment lines say about the statement that follows, and the statement's lines."""

    def __init__(self) -> None:
        self.user: str | None = None
        self.time: datetime | None = None
        self.errno: str | None = None
        self.text: list[str] = []
        self.first = 0
        self.after = Place()

    def told(self, line: str) -> bool:
        """Take a comment line of the server; return whether it is one."""
        if not SLOW_LINE.match(line) and not (line.startswith("# ") and not self.text):
            return False
        if found := _USER.match(line):
            self.user = found["login"] or found["name"] or None
        elif found := _TIME.match(line):
            stamp = found[1]
            self.time = old_time(stamp) if re.match(r"\d{6} ", stamp) else parse_time(stamp)
        if (found := _ERROR.search(line)) and found[1] != "0":
            self.errno = found[1]
        return True


def read_mysql_slow(source: Source) -> Iterator[LoggedQuery]:
    """Yield the statements of a slow log."""
    block = _Block()
    for line in source.lines(whole=True):
        text = line.text
        starts = SLOW_LINE.match(text) is not None or HEADER.match(text) is not None
        if starts and block.text:
            yield from _statement(block, source)
            time, block = block.time, _Block()
            block.time = time
        if HEADER.match(text) or block.told(text):
            source.tally.add(Fate.OTHER)
        elif not block.text and (found := _SET.match(text)):
            block.time = parse_time(int(found[1]))
            source.tally.add(Fate.OTHER)
        elif not block.text and (_USE.match(text) or not text.strip()):
            source.tally.add(Fate.OTHER)
        else:
            source.tally.add(Fate.CONTINUED if block.text else Fate.STATEMENT)
            block.first = block.first or line.number
            block.text.append(text)
            block.after = line.after
    if block.text and not source.patient:
        yield from _statement(block, source)


def _statement(block: _Block, source: Source) -> Iterator[LoggedQuery]:
    text = "\n".join(block.text).rstrip()
    cut = not text.endswith(";")
    if cut:
        source.report(block.first, "the statement has no end: a semicolon closes each in a slow log", "no end")
    if _PREPARE.match(text) and not cut:
        return  # asks nothing yet: its execution is logged with the values
    error = f"error {block.errno}" if block.errno else None
    yield LoggedQuery(
        block.first, block.time, block.user, text.removesuffix(";").rstrip(), None, source.name, "mysql",
        error=error, ran=error is not None, cut=cut, after=block.after,
    )  # fmt: skip
