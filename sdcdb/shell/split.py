"""Where a statement ends: at a semicolon outside quotes and comments.

This only decides what is sent to the gateway together; the gateway parses it again.
"""

import re
from dataclasses import dataclass

# What may contain a semicolon that ends nothing. An unclosed one reaches to the end of the text.
_CLOSED = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*(?=\n)|/\*.*?\*/|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$"
_TOKEN = re.compile(rf"(?P<closed>{_CLOSED})|(?P<open>'|\"|--|/\*|\$\w*\$)|(?P<end>;)", re.DOTALL)
_COMMENTS = re.compile(r"(?P<kept>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")|--[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class Split:
    """The complete statements of a text, without their semicolons, and what follows the last one."""

    statements: tuple[str, ...]
    rest: str


def split(text: str) -> Split:
    """Split a text into statements, leaving out those of only blanks and comments.

    >>> split("SELECT ';' -- a; b\\n; SELECT 2; SELECT")
    Split(statements=("SELECT ';' -- a; b", 'SELECT 2'), rest=' SELECT')
    """
    found: list[str] = []
    start = 0
    for token in _TOKEN.finditer(text):
        if token["open"]:
            break
        if token["end"]:
            found.append(text[start : token.start()].strip())
            start = token.end()
    return Split(tuple(each for each in found if not blank(each)), text[start:])


def blank(text: str) -> bool:
    """Return whether a text contains only blanks and comments.

    >>> blank(" -- nothing"), blank("'--'")
    (True, False)
    """
    return not _COMMENTS.sub(lambda found: found["kept"] or "", text).strip()
