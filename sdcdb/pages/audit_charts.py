"""The plots of an audit's page. They are as wide as the page: places are percentages, letters keep their size."""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Any

from sdcdb.pages import theme
from sdcdb.pages.theme import BAD, EDGE, GOOD, INK, LINE, PAPER, SOFT, WARN, escape, legend

SERIES = (theme.RED, theme.ORANGE, theme.YELLOW, theme.GREEN, theme.TEAL, theme.BLUE, theme.PURPLE)  # hot to cool
LEVELS = {"direct": BAD, "exact": BAD, "interval": WARN, "cae": GOOD}
LETTER = 7.4  # pixels of a letter, about
SPAN = 1000  # of a path's own coordinates, which are stretched to the plot


def compact(value: float) -> str:
    """Write a number for an axis: 12k, 1.5M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def ticks(most: float, *, whole: bool = False) -> list[float]:
    """Return about five round numbers from 0 up to `most` or just beyond it.

    >>> ticks(7, whole=True)
    [0, 2, 4, 6, 8]
    """
    size = 10.0 ** floor(log10(most / 4))
    step = min((size * n for n in (1, 2, 2.5, 5, 10)), key=lambda each: abs(each - most / 4))
    step = max(1, round(step)) if whole else step
    return [n * step for n in range(ceil(most / step - 1e-9) + 1)]


def curves(series: Sequence[tuple[str, Sequence[float], Sequence[float]]], x_title: str, y_title: str) -> str:
    """Draw falling or rising steps over shared axes, the first in front, with a legend below."""
    return _steps(series, x_title, y_title, filled=False)


def nested(series: Sequence[tuple[str, Sequence[float], Sequence[float]]], x_title: str, y_title: str) -> str:
    """Draw numbers of which each includes those before it: as areas, the largest behind."""
    return _steps(series, x_title, y_title, filled=True)


def _steps(
    series: Sequence[tuple[str, Sequence[float], Sequence[float]]], x_title: str, y_title: str, *, filled: bool
) -> str:
    top, bottom, height = 28.0, 40.0, 270.0
    most_x = max((max(x, default=0) for _, x, _ in series), default=1) or 1
    most_y = max((max(y, default=0) for _, _, y in series), default=1) or 1
    marks = ticks(most_y, whole=filled)
    most_y, high = marks[-1], height - top - bottom
    parts = [_text(-46, 12, y_title)]
    for value in marks:
        y = top + high * (1 - value / most_y)
        parts += [_line("0", y, "100%", y), _text(-6, y + 4, compact(value), "end")]
    for value in ticks(most_x, whole=filled):
        if (x := 100 * value / most_x) > 100:
            break
        parts.append(_text(f"{x:.2f}%", height - bottom + 16, compact(value), "end" if x > 97 else "middle"))
    parts.append(_text("100%", height - 6, x_title, "end"))
    drawn = []
    for n, (name, xs, ys) in reversed(list(enumerate(series))):
        points = [(SPAN * x / most_x, high * (1 - y / most_y)) for x, y in zip(xs, ys, strict=True)]
        path = f"M{points[0][0]:.1f},{points[0][1]:.1f}" if points else ""
        path += "".join(f"H{x:.1f}V{y:.1f}" for x, y in points[1:])
        colour = SERIES[n % len(SERIES)]
        drawn.append(f'<g data-series="{colour}">')
        if filled and n:
            area = f'd="{path}V{high}H0Z" stroke="none"'  # paper first: only what it adds to the next shows its colour
            drawn.append(f'<path {area} fill="{PAPER}"/><path {area} fill="{colour}" fill-opacity="0.25"/>')
        drawn.append(
            f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{2 if n else 3}" '
            f'vector-effect="non-scaling-stroke"><title>{escape(name)}</title></path></g>'
        )
    box = f'y="{top}" width="100%" height="{high}" viewBox="0 0 {SPAN} {high}" preserveAspectRatio="none"'
    parts.append(f'<svg {box} overflow="visible">{"".join(drawn)}</svg>')
    key = {name: SERIES[n % len(SERIES)] for n, (name, _, _) in enumerate(series)}
    return _plot(height, parts, y_title, 46) + legend(key)


def bars_of_intervals(rows: Sequence[dict[str, Any]], low: float, high: float) -> str:
    """Draw, for each record, what could be before any answer (thin) and what is left (thick)."""
    row = 22.0
    names = [_cut(each["record"], 22) for each in rows]

    def at(value: float) -> float:
        return 100 * (value - low) / (high - low)

    height = 34 + row * len(rows)
    parts = []
    for n in range(5):
        value, x = low + (high - low) * n / 4, f"{25 * n}%"
        parts += [_line(x, 8, x, height - 22), _text(x, height - 6, compact(value), "end" if n == 4 else "middle")]
    for n, each in enumerate(rows):
        y = 18 + row * n
        colour = LEVELS[each["level"]]
        words = f"{each['record']}: {each['lower']:,.6g} to {each['upper']:,.6g} ({each['level']})"
        parts.append(_text(-8, y + 4, names[n], "end", INK))
        parts.append(_line("0", y, "100%", y, EDGE, 1.5))
        x1, x2 = at(each["lower"]), at(each["upper"])
        # A line with round ends: an interval of no width is still a dot.
        parts.append(
            f'<line x1="{x1:.3f}%" y1="{y}" x2="{x2:.3f}%" y2="{y}" stroke="{colour}" stroke-width="11" '
            f'stroke-linecap="round"><title>{escape(words)}</title></line>'
        )
        for candidate in each["candidates"] if len(each["candidates"]) > 1 else []:
            parts.append(f'<circle cx="{at(candidate):.3f}%" cy="{y}" r="4" fill="{INK}"/>')
    left = 14 + LETTER * max((len(name) for name in names), default=0)
    return _plot(height, parts, "intervals of the most exposed records, before and after", left)


def heat(first: str, second: str, cells: Sequence[tuple[Any, Any, int, float]]) -> str:
    """Draw a map of two quasi-identifiers; the stronger, the narrower the interval of the record in most danger."""
    rows, columns = _sorted({each[0] for each in cells}), _sorted({each[1] for each in cells})
    top = 24.0
    wide = 100 / max(1, len(columns))
    size = min(26.0, max(8.0, 520 / max(1, len(rows))))
    height = top + size * len(rows) + 42
    parts = [_text(-4, 12, first, "end")]
    for key, other, number, share in cells:
        x, y = wide * columns.index(other), top + size * rows.index(key)
        strength = 1.0 if share <= 0.001 else max(0.0, min(1.0, -log10(share) / 3))
        words = f"{first} {key}, {second} {other}: {number} records; narrowest interval {share:.2%} of the domain"
        parts.append(
            f'<rect x="{x:.3f}%" y="{y:.1f}" width="{wide * 0.92:.3f}%" height="{max(1.0, size - 1.5):.1f}" rx="1.5" '
            f'fill="{BAD}" fill-opacity="{0.08 + 0.92 * strength:.2f}"><title>{escape(words)}</title></rect>'
        )
    every = max(1, len(rows) * 12 // 300)
    parts += [
        _text(-6, top + size * n + size / 2 + 4, _cut(value, 18), "end", INK)
        for n, value in enumerate(rows)
        if n % every == 0
    ]
    step = max(1, ceil(len(columns) / 12))
    few = 3 * step  # the labels that a phone has room for
    for n, value in enumerate(columns):
        if n % step == 0:
            kind = ' class="dense"' if n % few else ""
            parts.append(_text(f"{wide * (n + 0.46):.2f}%", height - 24, _cut(value, 12), "middle", extra=kind))
    parts.append(_text("100%", height - 6, second, "end"))
    left = 14 + LETTER * max([len(_cut(value, 18)) for value in rows] + [len(first)])
    return _plot(height, parts, f"{first} by {second}", left)


def _plot(height: float, parts: Sequence[str], title: str, left: float) -> str:
    """Frame a plot; what lies left of 0 is drawn in the margin."""
    return (
        f'<figure class=plot style="padding:0 12px 0 {left:.0f}px"><svg height="{height:.0f}" role=img '
        f'aria-label="{escape(title)}"><title>{escape(title)}</title>{"".join(parts)}</svg></figure>'
    )


def _text(x: float | str, y: float, text: Any, anchor: str = "start", colour: str = SOFT, extra: str = "") -> str:
    return f'<text x="{x}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{extra}>{escape(text)}</text>'


def _line(x1: str, y1: float, x2: str, y2: float, colour: str = LINE, width: float = 1.0) -> str:
    return f'<line x1="{x1}" y1="{y1:.1f}" x2="{x2}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def _cut(value: Any, letters: int) -> str:
    text = str(value)
    return text if len(text) <= letters else text[: letters - 1] + "…"


def _sorted(values: set[Any]) -> list[Any]:
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=str)
