"""SQL laid out for reading by white space alone, so that what is read is what runs; and compared without it."""

import math
import re
from collections.abc import Iterator

WIDTH = 110
STEP = "  "
# A text, a quoted name, a word or number, white space, or one other character. Spark escapes by a backslash.
TOKEN = re.compile(r"""'(?:[^'\\]|''|\\.)*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|[\w.]+|\s+|.""", re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w.])")
BREAKS = {"SELECT", "FROM", "WHERE", "CROSS", "LEFT", "WHEN", "ELSE", "AND", "OR"}
OPENING, CLOSING = {"(", "[", "CASE"}, {")", "]", "END"}


def layout(sql: str) -> str:
    """Break lines that are too long, at commas and clauses, and indent what stands in brackets."""
    return "\n".join(_lines(TOKEN.findall(sql), "")) + "\n"


def _lines(tokens: list[str], indent: str) -> Iterator[str]:
    text = "".join(tokens).strip()
    pieces = list(_pieces(tokens))
    group = _longest_group(tokens)
    if len(indent) + len(text) <= WIDTH or (len(pieces) == 1 and group is None):
        yield indent + text
    elif len(pieces) > 1:
        yield from _packed(pieces, indent)
    elif group is not None:
        start, stop = group
        yield from _lines(tokens[: start + 1], indent)
        yield from _lines(tokens[start + 1 : stop], indent + STEP)
        yield from _lines(tokens[stop:], indent)


def _packed(pieces: list[list[str]], indent: str) -> Iterator[str]:
    """Put neighbours into one line while they fit, each clause on a line of its own."""
    line: list[str] = []
    for piece in pieces:
        fits = len(indent) + len("".join(line + piece).strip()) <= WIDTH
        clause = next((token for token in piece if not token.isspace()), "") in BREAKS
        if line and (clause or not fits):
            yield from _lines(line, indent)
            line = []
        line = line + piece
    yield from _lines(line, indent)


def _depths(tokens: list[str]) -> Iterator[tuple[int, str, int]]:
    """Yield each token's place and how deep it lies; brackets lie outside of what they hold."""
    depth = 0
    for place, token in enumerate(tokens):
        if token in CLOSING:
            depth = max(0, depth - 1)  # a line may begin with the end of what stands above it
        yield place, token, depth
        if token in OPENING:
            depth += 1


def _pieces(tokens: list[str]) -> Iterator[list[str]]:
    start = 0
    for place, token, depth in _depths(tokens):
        stop = place + 1 if token == "," else place  # noqa: S105 - a comma is no password
        if depth == 0 and (token == "," or token in BREAKS) and "".join(tokens[start:stop]).strip():  # noqa: S105
            yield tokens[start:stop]
            start = stop
    if "".join(tokens[start:]).strip():
        yield tokens[start:]


def _longest_group(tokens: list[str]) -> tuple[int, int] | None:
    """Return where the longest group at the outermost level opens and closes."""
    opened: int | None = None
    found: list[tuple[int, int]] = []
    for place, token, depth in _depths(tokens):
        if depth == 0 and token in OPENING:
            opened = place
        elif depth == 0 and token in CLOSING and opened is not None:
            found.append((opened, place))
    return max(found, key=lambda group: len("".join(tokens[group[0] : group[1]])), default=None)


def difference(ours: str, theirs: str) -> str | None:
    """Say where two statements differ, white space outside of quotes aside.

    Numbers with many digits are fitted and may differ in the last ones: processors and their libraries add in
    different orders.
    """
    mine, other = ([token for token in TOKEN.findall(each) if not token.isspace()] for each in (ours, theirs))
    for place, (left, right) in enumerate(zip(mine, other, strict=False)):
        if not _same(left, right):
            return f"{' '.join(mine[max(0, place - 8) : place + 3])} -- not {right}"
    return None if len(mine) == len(other) else f"one ends after {min(len(mine), len(other))} of its words"


def _same(left: str, right: str) -> bool:
    if left == right:
        return True
    mine, other = NUMBER.split(left), NUMBER.split(right)  # every second part is a number
    return len(mine) == len(other) and all(
        a == b if place % 2 == 0 else _close(a, b) for place, (a, b) in enumerate(zip(mine, other, strict=True))
    )


def _close(left: str, right: str) -> bool:
    if max(len(left), len(right)) < 12:
        return left == right
    return math.isclose(float(left), float(right), rel_tol=1e-9)
