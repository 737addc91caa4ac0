"""CSV as records with line numbers, even when a field spans lines or a quote is never closed."""

import csv
import io
from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple

from sdcdb.logs.record import Place
from sdcdb.logs.source import LONGEST, Line, Source
from sdcdb.logs.tally import Fate

MOST_LINES = 5_000  # lines of one record; beyond them, a quote was left open


class Record(NamedTuple):
    """The fields of one record, the line it starts on, how many it spans, and where the next one starts."""

    line: int
    fields: list[str]
    after: Place
    lines: int = 1


Check = Callable[[list[str]], str | None]
"""Says what is wrong with the fields of a record; None if nothing is."""


def records(
    source: Source, lines: Iterator[Line], delimiter: str = ",", check: Check = lambda _: None
) -> Iterator[Record]:
    """Yield records. A record that is broken is reported, and reading continues at its second line.

    A quote left open swallows the lines up to the next odd quote; that is seen by the number of fields. The caller
    accounts for the lines of what is yielded.
    """
    waiting: deque[Line] = deque()
    lines = iter(lines)

    def upcoming() -> Line | None:
        return waiting.popleft() if waiting else next(lines, None)

    while (line := upcoming()) is not None:
        if not line.text.strip():
            source.tally.add(Fate.OTHER)
            continue
        taken, quotes, size = [line], line.text.count('"'), len(line.text)
        while quotes % 2 and len(taken) < MOST_LINES and size < LONGEST and (more := upcoming()) is not None:
            taken.append(more)
            quotes, size = quotes + more.text.count('"'), size + len(more.text)
        if quotes % 2 and len(taken) < MOST_LINES and size < LONGEST and source.leaves(len(taken)):
            return
        fields, wrong = _fields(taken, delimiter) if quotes % 2 == 0 else ([], "a quote is never closed")
        wrong = wrong or check(fields)
        if wrong:
            source.report(line.number, f"{wrong}: the line was skipped", "not a whole CSV record")
            source.tally.add(Fate.PROBLEM)
            waiting = deque(chain(taken[1:], waiting))
            continue
        yield Record(line.number, fields, taken[-1].after, len(taken))


def _fields(taken: list[Line], delimiter: str) -> tuple[list[str], str | None]:
    lines = [taken[0].text] if len(taken) == 1 else io.StringIO("\n".join(each.text for each in taken), newline="")
    try:
        (fields,) = csv.reader(lines, delimiter=delimiter, strict=True)
    except (csv.Error, ValueError) as problem:
        return [], f"not a CSV record ({problem})"
    return fields, None


def as_header(names: list[str]) -> Check:
    """Check that records have as many fields as the header."""

    def check(fields: list[str]) -> str | None:
        return None if len(fields) == len(names) else f"{len(fields)} fields where the header has {len(names)}"

    return check


csv.field_size_limit(1 << 28)  # statements can be long; lines are bounded by the source
