"""A page of the documentation with sections that are generated, each between two markers.

>>> print(fill("<!-- generated: sum -->\\nold\\n<!-- end: sum -->", {"sum": lambda: "2"}))
<!-- generated: sum -->
<BLANKLINE>
2
<BLANKLINE>
<!-- end: sum -->
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from sdcdb.errors import InternalError

Section = Callable[[], str]


@dataclass(frozen=True)
class Page:
    """A page under docs/, and what writes each of its generated sections."""

    path: str
    sections: Mapping[str, Section]


def fill(text: str, sections: Mapping[str, Section]) -> str:
    """Return a page's text with every generated section written anew."""
    marked = re.findall(r"<!-- generated: ([\w-]+) -->", text)
    if sorted(marked) != sorted(sections):
        raise InternalError(f"the page marks the sections {sorted(marked)}, the code writes {sorted(sections)}")

    def written(match: re.Match[str]) -> str:
        name = match[1]
        return f"<!-- generated: {name} -->\n\n{sections[name]().strip()}\n\n<!-- end: {name} -->"

    return re.sub(r"<!-- generated: ([\w-]+) -->\n.*?<!-- end: \1 -->", written, text, flags=re.DOTALL)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table. Line ends in cells become spaces, and bars what every reader of Markdown shows as bars.

    >>> print(table(("a", "b"), [("1", "x | y"), ("2", "`x | y`")]))
    | a | b |
    |---|---|
    | 1 | x \\| y |
    | 2 | <code>x &#124; y</code> |
    """
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    return "\n".join([*lines, *(f"| {' | '.join(map(_cell, row))} |" for row in rows)])


def _cell(text: str) -> str:
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()))
    return "".join(_code(part) if part.startswith("`") else part.replace("|", "\\|") for part in parts)


def _code(span: str) -> str:
    return f"<code>{escape(span[1:-1]).replace('|', '&#124;')}</code>" if "|" in span else span


def first_sentence(doc: str | None) -> str:
    """Return what a docstring says first.

    >>> first_sentence("Open a file. It must exist.\\n\\nMore.")
    'Open a file.'
    """
    paragraph = " ".join((doc or "").strip().split("\n\n")[0].split())
    return re.split(r"(?<=[.!?])\s+(?=[A-Z`])", paragraph)[0]
