"""A chart of an answer, chosen by its columns: bars over names, a line over dates and ordered numbers, or none.

Drawn as plain SVG in the colours of the theme: it needs no plotting library, and the console shows it at once.
"""

import datetime as dt
import itertools
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sdcdb.pages.theme import EDGE, FONT, INK, LINE, SERIES, SOFT, Markup, escape

MERGED = "(merged)"
MOST_BARS, MOST_POINTS, MOST_SERIES = 40, 1000, 4
WIDTH, ROW, SIDE = 480, 26, 70  # so that words are still read at the width of a phone
HEIGHT, LEFT, BOTTOM, TOP = 260, 76, 44, 14
_LETTER = 7.2  # the width of a letter, about
_LETTERS = 26  # of a label: what is longer is shown in full when the pointer rests on it


@dataclass(frozen=True)
class Data:
    """What is drawn: a label per row, and one or more series of numbers."""

    label: str
    labels: tuple[Any, ...]
    series: tuple[tuple[str, tuple[float | None, ...]], ...]
    ordered: bool


def draw_answer(columns: Sequence[str], rows: Sequence[Sequence[Any]], merged: Collection[int] = ()) -> Markup | None:
    """Return the chart that suits an answer, or None where a table says it better.

    `merged` are the rows that stand for groups that are not shown.
    """
    data = _data(columns, rows, merged)
    if data is None:
        return None
    return Markup(_line(data) if data.ordered else _bars(data))


def _data(columns: Sequence[str], rows: Sequence[Sequence[Any]], merged: Collection[int]) -> Data | None:
    if len(rows) < 2 or len(columns) < 2:
        return None
    values = [[row[at] for row in rows] for at in range(len(columns))]
    names = [at for at, column in enumerate(values) if any(isinstance(v, str | bool) for v in column)]
    dates = [at for at, column in enumerate(values) if _all(column, dt.date)]
    numbers = [at for at, column in enumerate(values) if _all(column, int | float | Decimal) and at not in names]
    if dates:
        at, ordered = dates[0], True
    elif names:
        at, ordered = names[0], False
    elif len(numbers) > 1 and _rises(values[numbers[0]]):
        at, ordered = numbers.pop(0), True
    else:
        return None
    wanted = [n for n in numbers if n != at][:MOST_SERIES]
    if not wanted or len(rows) > (MOST_POINTS if ordered else MOST_BARS) or (len(names) > 1 and ordered):
        return None
    others = [n for n in names if n != at]
    labels = tuple(", ".join(_text(row[n]) for n in (at, *others)) for row in rows) if others else tuple(values[at])
    labels = tuple(MERGED if n in merged else label for n, label in enumerate(labels)) if not ordered else labels
    series = tuple((columns[n], tuple(_number(v) for v in values[n])) for n in wanted)
    return Data(columns[at], labels, series, ordered)


def _all(column: Sequence[Any], kind: Any) -> bool:
    known = [value for value in column if value is not None]
    return bool(known) and all(isinstance(value, kind) and not isinstance(value, bool) for value in known)


def _rises(column: Sequence[Any]) -> bool:
    return None not in column and all(a < b for a, b in itertools.pairwise(column))


def _number(value: Any) -> float | None:
    found = None if value is None else float(value)
    return found if found is not None and math.isfinite(found) else None


def _text(value: Any) -> str:
    return "NULL" if value is None else str(value)


def _bars(data: Data) -> str:
    """Draw the first series as horizontal bars: names of any length stay readable."""
    name, numbers = data.series[0]
    known = [value for value in numbers if value is not None]
    low, high = min(0.0, *known, 0.0), max(0.0, *known, 0.0)
    reach = (high - low) or 1.0
    texts = [_text(label) for label in data.labels]
    margin = 16 + _LETTER * min(max(map(len, texts)), _LETTERS)
    across = WIDTH - margin - SIDE
    zero = margin + across * (0.0 - low) / reach
    height = ROW * len(data.labels) + 30
    parts = [_open(height, f"{name} by {data.label}"), _words(margin, 14, name, SOFT, "start", 12)]
    for n, (text, value) in enumerate(zip(texts, numbers, strict=True)):
        y = 24 + ROW * n
        short = text if len(text) <= _LETTERS else text[: _LETTERS - 1] + "…"
        parts.append(f"<g><title>{escape(text)}: {escape(_shown(value))}</title>")
        parts.append(_words(margin - 8, y + 15, short, INK, "end"))
        if value is None:
            parts.append(_words(zero + 6, y + 15, "not shown", SOFT, "start"))
        else:
            x = margin + across * (min(value, 0.0) - low) / reach
            parts.append(
                f'<rect x="{x:.1f}" y="{y + 2}" width="{max(1.0, across * abs(value) / reach):.1f}" height="{ROW - 6}" '
                f'rx="2" fill="{SERIES[0]}"/>'
            )
            end = margin + across * (max(value, 0.0) - low) / reach
            parts.append(_words(end + 6, y + 15, _shown(value), SOFT, "start"))
        parts.append("</g>")
    parts.append(f'<line x1="{zero:.1f}" x2="{zero:.1f}" y1="22" y2="{height - 6}" stroke="{EDGE}"/></svg>')
    return "".join(parts)


def _line(data: Data) -> str:
    places = [_place(label) for label in data.labels]
    known = [value for _, numbers in data.series for value in numbers if value is not None]
    if not known or None in places:
        return _bars(data) if len(data.labels) <= MOST_BARS else ""
    x0, x1 = min(p for p in places if p is not None), max(p for p in places if p is not None)
    ticks = _ticks(min(known), max(known))
    y0, y1 = ticks[0], ticks[-1]

    def at(place: float, value: float) -> tuple[float, float]:
        return (
            LEFT + (WIDTH - LEFT - 20) * ((place - x0) / ((x1 - x0) or 1.0)),
            TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - y0) / ((y1 - y0) or 1.0)),
        )

    names = ", ".join(name for name, _ in data.series)
    parts = [_open(HEIGHT, f"{names} by {data.label}")]
    for tick in ticks:
        _, y = at(x0, tick)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - 20}" y1="{y:.1f}" y2="{y:.1f}" stroke="{LINE}"/>')
        parts.append(_words(LEFT - 8, y + 4, _shown(tick), SOFT, "end"))
    for n in sorted({0, len(places) // 2, len(places) - 1}):
        x, _ = at(places[n] or 0.0, y0)
        anchor = "start" if n == 0 else "end" if n == len(places) - 1 else "middle"
        parts.append(_words(x, HEIGHT - BOTTOM + 20, _text(data.labels[n]), SOFT, anchor))
    parts.append(_words((LEFT + WIDTH) / 2, HEIGHT - 4, data.label, SOFT, "middle"))
    for (name, numbers), colour in zip(data.series, SERIES, strict=False):
        runs = list(_runs([None if v is None else at(p or 0.0, v) for p, v in zip(places, numbers, strict=True)]))
        for run in runs:
            path = "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in run)
            parts.append(
                f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"><title>{escape(name)}</title></path>'
            )
        for x, y in [point for run in runs for point in run] if len(places) <= 60 else []:
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
    return "".join(parts) + "</svg>"


def _runs(points: Sequence[tuple[float, float] | None]) -> Iterator[list[tuple[float, float]]]:
    """Yield the stretches between points that are not shown."""
    run: list[tuple[float, float]] = []
    for point in points:
        if point is not None:
            run.append(point)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _place(label: Any) -> float | None:
    if isinstance(label, dt.datetime):
        return label.replace(tzinfo=label.tzinfo or dt.UTC).timestamp()
    if isinstance(label, dt.date):
        return float(label.toordinal())
    return _number(label)


def _ticks(low: float, high: float) -> list[float]:
    """Return four to eight round numbers that enclose a range."""
    if low == high:
        low, high = low - 1, high + 1
    size = 10 ** math.floor(math.log10((high - low) / 4))
    step = next(size * k for k in (1, 2, 5, 10) if (high - low) / (size * k) <= 6)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [n * step for n in range(first, last + 1)]


def _shown(value: float | None) -> str:
    return "not shown" if value is None else f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"


def _words(x: float, y: float, text: str, colour: str, anchor: str, size: int = 13) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-size="{size}" text-anchor="{anchor}">{escape(text)}</text>'
    )


def _open(height: float, words: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(words)}" '
        f'font-family="{FONT}" xmlns="http://www.w3.org/2000/svg">'
    )
