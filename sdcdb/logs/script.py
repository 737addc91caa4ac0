"""Plain SQL scripts: split into statements at semicolons outside quotes, dollar quotes and comments."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from sdcdb.logs.clock import parse_time
from sdcdb.logs.record import LoggedQuery, Place
from sdcdb.logs.source import LONGEST, Line, Source

_DOLLAR = re.compile(r"\$(?:[A-Za-z_\x80-\uffff][\w\x80-\uffff]*)?\$")
_NEXT = re.compile(r"""['"`;]|--|#(?=\s)|/\*|\*/|\$""")
_ENDS = {"'": re.compile(r"'"), '"': re.compile(r'"'), "`": re.compile(r"`")}
_ABOUT = re.compile(r"--\s*(user|time)\s*[:=]\s*(.+?)\s*$", re.IGNORECASE)


@dataclass
class Splitter:
    """Takes text piece by piece and finds where each statement ends.

    PostgreSQL nests block comments, other engines do not; `E'..\\'..'` is the only form with backslashes.
    """

    inside: str = ""
    depth: int = 0
    escapes: bool = False
    _ended: bool = field(default=False, repr=False)

    def ends(self, text: str) -> Iterator[int]:
        """Yield the positions after each semicolon that ends a statement."""
        at = 0
        while at < len(text):
            at = self._inside(text, at) if self.inside else self._outside(text, at)
            if at > 0 and not self.inside and text[at - 1] == ";" and self._ended:
                yield at

    def _outside(self, text: str, at: int) -> int:
        self._ended = False
        found = _NEXT.search(text, at)
        if found is None:
            return len(text)
        sign, end = found.group(), found.end()
        if sign == ";":
            self._ended = True
        elif sign in ("--", "#"):
            if sign == "--" or text[: found.start()].strip() == "":
                return len(text)
        elif sign == "/*":
            self.inside, self.depth = "/*", 1
        elif sign == "$":
            quote = _DOLLAR.match(text, found.start())
            before = text[found.start() - 1 : found.start()]
            if quote and not (before.isalnum() or before == "_"):
                self.inside, end = quote.group(), quote.end()
        elif sign != "*/":
            self.inside = sign
            self.escapes = sign == "'" and re.search(r"(?<![\w$])[eE]$", text[: found.start()]) is not None
        return end

    def _inside(self, text: str, at: int) -> int:
        self._ended = False
        if self.inside == "/*":
            found = re.compile(r"/\*|\*/").search(text, at)
            if found is None:
                return len(text)
            self.depth += 1 if found.group() == "/*" else -1
            if self.depth == 0:
                self.inside = ""
            return found.end()
        if self.inside in _ENDS:
            while at < len(text):
                if self.escapes and text[at] == "\\":
                    at += 2
                elif text[at] == self.inside:
                    if text[at + 1 : at + 2] == self.inside:
                        at += 2
                    else:
                        self.inside = ""
                        return at + 1
                else:
                    at += 1
            return len(text)
        end = text.find(self.inside, at)
        if end < 0:
            return len(text)
        at, self.inside = end + len(self.inside), ""
        return at


def statements(sql: str) -> list[str]:
    """Split a text into its statements, without those that are empty or comments only.

    >>> statements("select ';'; -- a; b\\nselect $x$;$x$ /* ; */; ;")
    ["select ';'", '-- a; b\\nselect $x$;$x$ /* ; */']
    """
    splitter, found, current = Splitter(), list[str](), ""
    for line in sql.splitlines(keepends=True):
        start = 0
        for end in splitter.ends(line):
            found.append(current + line[start : end - 1])
            current, start = "", end
        current += line[start:]
    found.append(current)
    return [each.strip() for each in found if said(each)]


def said(text: str) -> bool:
    """Return whether a statement contains more than comments."""
    plain = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    return bool(re.sub(r"--[^\n]*", " ", plain).strip(" \t\r\n;"))


def read_script(source: Source) -> Iterator[LoggedQuery]:
    """Yield the statements of a script. `-- user: NAME` and `-- time: STAMP` on lines of their own say who and when.

    A script is always read from its start, since those lines apply to what follows; a place counts statements.
    """
    splitter, text, first, found = Splitter(), list[str](), 0, 0
    about: dict[str, str] = {}

    def query(number: int, last: int) -> LoggedQuery:
        sql, time = "".join(text).strip(), parse_time(about.get("time"))
        return LoggedQuery(number, time, about.get("user"), sql, None, source.name, after=Place(last, found))

    line: Line | None = None
    for line in source.lines(Place()):
        given = None if splitter.inside else _ABOUT.match(line.text.strip())
        if given:
            about[given[1].lower()] = given[2]
            continue
        start, whole = 0, line.text + "\n"
        for end in splitter.ends(whole):
            text.append(whole[start : end - 1])
            if said("".join(text)):
                found += 1
                if found > source.start.offset:
                    yield query(first or line.number, line.number)
            text, start, first = [], end, 0
        if whole[start:].strip():
            first = first or line.number
            text.append(whole[start:])
        if text and sum(map(len, text)) > LONGEST:
            source.report(first, "a statement that never ends was skipped from here")
            splitter, text, first = Splitter(), [], 0
    if splitter.inside:
        source.report(first, f"the file ends inside {'a comment' if splitter.inside == '/*' else 'a quoted text'}")
    elif line is not None and said("".join(text)):
        found += 1
        if found > source.start.offset:
            yield query(first, line.number)
