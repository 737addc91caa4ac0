"""Split a text into its statements, at semicolons outside quotes and comments of the dialect."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

BACKSLASH = ("mysql", "bigquery", "spark", "spark2", "databricks", "hive", "snowflake", "clickhouse", "doris",
             "starrocks", "singlestore", "drill")  # fmt: skip
"""Dialects in which a backslash escapes the next character of every quoted text."""
MYSQL = ("mysql", "doris", "starrocks", "singlestore")
DOLLARS = ("", "duckdb", "postgres", "redshift", "materialize", "risingwave", "snowflake", "databricks")
FLAT = (*BACKSLASH, "sqlite", "oracle")
"""Dialects in which block comments do not nest."""
_DOLLAR = re.compile(r"\$(?:[A-Za-z_\x80-\uffff][\w\x80-\uffff]*)?\$")
_CODE = re.compile(r"/\*M?!\d*")
_GO = re.compile(r"\s*GO(\s+\d+)?\s*;?\s*$", re.IGNORECASE)


@dataclass
class Splitter:
    """Takes text line by line and finds where each statement ends."""

    dialect: str = "duckdb"
    inside: str = ""
    depth: int = 0
    escapes: bool = False
    _ended: bool = field(default=False, repr=False)
    _next: re.Pattern[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        signs = r"['\"`;]|--|/\*|\*/"
        if self.dialect in MYSQL:
            signs = r"['\"`;]|--(?=\s|$)|#|/\*|\*/"  # `5--1` is a difference there
        if self.dialect == "tsql":
            signs += r"|\["
        if self.dialect in DOLLARS:
            signs += r"|\$"
        self._next = re.compile(signs)

    def ends(self, text: str) -> Iterator[int]:
        """Yield the positions after each semicolon that ends a statement."""
        if self.dialect == "tsql" and not self.inside and _GO.match(text):
            yield len(text)
            return
        at = 0
        while at < len(text):
            at = self._inside(text, at) if self.inside else self._outside(text, at)
            if at > 0 and not self.inside and text[at - 1] == ";" and self._ended:
                yield at

    def _outside(self, text: str, at: int) -> int:
        self._ended = False
        found = self._next.search(text, at)
        if found is None:
            return len(text)
        sign, start, end = found.group(), found.start(), found.end()
        if sign == ";":
            self._ended = True
        elif sign in ("--", "#"):
            line = text.find("\n", end)
            return len(text) if line < 0 else line + 1
        elif sign == "/*":
            self.inside, self.depth = "/*", 1
        elif sign == "$":
            quote = _DOLLAR.match(text, start)
            before = text[start - 1 : start]
            if quote and not (before.isalnum() or before == "_"):
                self.inside, end = quote.group(), quote.end()
        elif sign == "[":
            self.inside, self.escapes = "]", False
        elif sign != "*/":
            self.inside = sign
            self.escapes = sign != "`" and self.dialect in BACKSLASH
            if sign == "'" and not self.escapes:
                self.escapes = re.search(r"(?<![\w$])[eE]$", text[max(0, start - 2) : start]) is not None
        return end

    def _inside(self, text: str, at: int) -> int:
        self._ended = False
        if self.inside == "/*":
            found = re.compile(r"\*/" if self.dialect in FLAT else r"/\*|\*/").search(text, at)
            if found is None:
                return len(text)
            self.depth += 1 if found.group() == "/*" else -1
            if self.depth == 0:
                self.inside = ""
            return found.end()
        if self.inside in ("'", '"', "`", "]"):
            return self._quoted(text, at)
        end = text.find(self.inside, at)
        if end < 0:
            return len(text)
        at, self.inside = end + len(self.inside), ""
        return at

    def _quoted(self, text: str, at: int) -> int:
        while at < len(text):
            if self.escapes and text[at] == "\\":
                at += 2
            elif text[at] == self.inside:
                if text[at + 1 : at + 2] != self.inside:
                    self.inside = ""
                    return at + 1
                at += 2
            else:
                at += 1
        return len(text)


def statements(sql: str, dialect: str = "duckdb") -> list[str]:
    """Split a text into its statements, without those that are empty or comments only.

    >>> statements("select ';'; -- a; b\\nselect $x$;$x$ /* ; */; ;")
    ["select ';'", '-- a; b\\nselect $x$;$x$ /* ; */']
    >>> statements(r"select 'it\\'s; one'; select 2", "mysql")
    ["select 'it\\\\'s; one'", 'select 2']
    """
    splitter, found, current = Splitter(dialect), list[str](), ""
    for line in re.findall(r"[^\n]*\n|[^\n]+", sql):
        start = 0
        for end in splitter.ends(line):
            found.append(current + line[start:end].rstrip(";") if line[end - 1] == ";" else current)
            current, start = "", end
        current += line[start:]
    found.append(current)
    return [each.strip() for each in found if said(each, dialect)]


def ends_inside(sql: str, dialect: str = "duckdb") -> str:
    """Return the quote or comment that a text ends inside of; an empty text if it ends outside of all."""
    splitter = Splitter(dialect)
    for line in re.findall(r"[^\n]*\n|[^\n]+", sql):
        for _ in splitter.ends(line):
            pass
    return splitter.inside


def said(text: str, dialect: str = "duckdb") -> bool:
    """Return whether a statement contains more than comments. In MySQL, `/*! ... */` is code.

    >>> said("-- nothing"), said("/*! select 1 */", "mysql"), said("select '--'")
    (False, True, True)
    """
    if dialect in MYSQL and _CODE.search(text):
        return True
    plain = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    plain = re.sub(r"(?:--|#)[^\n]*" if dialect in MYSQL else r"--[^\n]*", " ", plain)
    return bool(plain.strip(" \t\r\n;"))
