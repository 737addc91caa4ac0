"""The first look at a statement's text, before any parser: only characters that every parser reads alike.

sqlglot and DuckDB disagree about zero-width and other Unicode characters, nested comments and escape strings. Outside
string literals and quoted names, a statement is plain ASCII; comments become blanks; what could be read in two ways is
refused.
"""

import re
from dataclasses import dataclass

from sdcdb.errors import Unsupported

MOST_CHARACTERS = 100_000
_BLANKS = frozenset("\t\n\r ")
_PARAMETER = re.compile(r"\$([0-9]+|[A-Za-z_][A-Za-z0-9_]*)(?!\$)")
_ORDINARY = re.compile(r"[\t\n\r !#%&(-,.0-:<->@-~]+")  # what needs no closer look
_ESCAPES = frozenset("eExXbBuU")  # E'..', X'..', B'..' and U&'..' are literals with rules of their own


@dataclass
class _Reader:
    text: str
    at: int = 0
    marks: int = 0  # question marks so far
    named: bool = False  # whether there was a $1 or $name
    ended: bool = False  # whether there was a semicolon

    def clean(self) -> str:
        out: list[str] = []
        while self.at < len(self.text):
            ordinary = _ORDINARY.match(self.text, self.at)
            if ordinary is not None:
                self.at = ordinary.end()
            out.append(ordinary.group() if ordinary is not None else self._next())
            if self.ended and out[-1].strip(" \t\n\r;"):
                raise Unsupported("only a single query that reads is answered", "one statement, nothing behind its ;")
        return "".join(out)

    def _next(self) -> str:
        rest = self.text[self.at : self.at + 2]
        if rest == "--":
            return self._until_line_end()
        if rest == "/*":
            return self._comment()
        if rest[0] in "'\"":
            return self._quoted(rest[0])
        if rest[0] == "$":
            return self._parameter()
        self.at += 1
        if rest[0] == "?":
            return self._mark()
        self.ended = self.ended or rest[0] == ";"
        if rest[0] in _BLANKS or "!" <= rest[0] <= "~":
            return rest[0]
        raise Unsupported(
            f"character {self.at} is not plain ASCII", "outside of quotes use plain letters, digits and signs"
        )

    def _until_line_end(self) -> str:
        end = min((p for p in (self.text.find(c, self.at) for c in "\n\r") if p >= 0), default=len(self.text))
        self.at = end
        return " "

    def _comment(self) -> str:
        end = self.text.find("*/", self.at + 2)
        if end < 0 or "/*" in self.text[self.at + 2 : end]:
            raise Unsupported("a comment is nested or not closed", "remove the comment")
        self.at = end + 2
        return " "

    def _parameter(self) -> str:
        """Return `$1` or `$name`, with a blank behind it: sqlglot takes `$1,$2` for a dollar quote."""
        found = _PARAMETER.match(self.text, self.at)
        if found is None:
            raise Unsupported("a dollar sign does not begin a parameter", "write texts as 'text', parameters as $1")
        if self.marks:
            raise _mixed()
        self.at, self.named = found.end(), True
        return found.group() + " "

    def _mark(self) -> str:
        """Number a question mark as it is read: no tree keeps the order of the text."""
        self.marks += 1
        if self.text[self.at : self.at + 1].isdigit() or self.named:
            raise _mixed()
        return f"${self.marks} "

    def _quoted(self, quote: str) -> str:
        start = self.at
        before = self.text[start - 1] if start else " "
        if quote == "'" and (before in _ESCAPES or before == "&") and not _in_word(self.text, start - 2):
            raise Unsupported("a string literal has a prefix such as E or X", "write a plain literal: 'text'")
        at = start + 1
        while (end := self.text.find(quote, at)) >= 0:
            if self.text[end + 1 : end + 2] != quote:
                break
            at = end + 2
        if end < 0:
            raise Unsupported("a quote is not closed", "close it")
        self.at = end + 1
        inside = self.text[start : self.at]
        if any(_control(c) for c in inside):
            raise Unsupported("a quoted text holds a control character", "pass such a value as a parameter")
        return inside


def _mixed() -> Unsupported:
    return Unsupported("parameters are numbered in two ways", "? for all of them, or $1, or $name")


def _in_word(text: str, at: int) -> bool:
    """Tell whether the letter before the quote is the end of a longer word, such as LIKE'x'."""
    return at >= 0 and (text[at].isalnum() or text[at] == "_")


def _control(character: str) -> bool:
    code = ord(character)
    return (code < 32 and character not in "\t\n\r") or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000


def screen(text: str) -> str:
    """Return the statement without comments and without a closing semicolon, or refuse it."""
    if type(text) is not str:
        raise Unsupported("a statement is a text", "send SQL")
    if len(text) > MOST_CHARACTERS:
        raise Unsupported(f"the statement is longer than {MOST_CHARACTERS:,} characters", "ask for less at once")
    clean = _Reader(text).clean().strip().rstrip(";").strip()
    if not clean:
        raise Unsupported("there is no statement", "write a SELECT")
    return clean
