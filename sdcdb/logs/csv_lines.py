"""CSV as records with line numbers, even when a field spans lines or a quote is never closed."""

import csv
import io
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from sdcdb.logs.record import Place
from sdcdb.logs.source import Line, Source

MOST_LINES = 2_000  # lines of one record; beyond them, a quote was left open


@dataclass(frozen=True)
class Record:
    """The fields of one record, the line it starts on, and where the next one starts."""

    line: int
    fields: list[str]
    after: Place


def records(source: Source, lines: Iterator[Line], delimiter: str = ",") -> Iterator[Record]:
    """Yield records. A record whose quote is never closed is reported, and reading continues at its second line."""
    waiting: deque[Line] = deque()
    lines = iter(lines)

    def upcoming() -> Line | None:
        return waiting.popleft() if waiting else next(lines, None)

    while (line := upcoming()) is not None:
        if not line.text.strip():
            continue
        taken, quotes = [line], line.text.count('"')
        while quotes % 2 and len(taken) < MOST_LINES and (more := upcoming()) is not None:
            taken.append(more)
            quotes += more.text.count('"')
        if quotes % 2:
            source.report(line.number, "a quote is never closed; the line was skipped", "open quote")
            waiting = deque(chain(taken[1:], waiting))
            continue
        text = "\n".join(each.text for each in taken)
        try:
            (fields,) = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        except (csv.Error, ValueError) as problem:
            source.report(line.number, f"not a CSV record ({problem})", "not a CSV record")
            waiting = deque(chain(taken[1:], waiting))
            continue
        yield Record(line.number, fields, taken[-1].after)


csv.field_size_limit(1 << 28)  # statements can be long; lines are bounded by the source
