"""The plots of an audit's page, drawn as SVG in the page's own colours, so that light and dark both read well."""

import html
from collections.abc import Sequence
from math import log10
from typing import Any

WIDE = 760
INK, SOFT, LINE = "var(--ink)", "var(--soft)", "var(--line)"
SERIES = ("var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)", "var(--c7)")
LEVELS = {"direct": "var(--bad)", "exact": "var(--bad)", "interval": "var(--warn)", "cae": "var(--c4)"}


def _svg(height: float, parts: Sequence[str], title: str) -> str:
    body = "".join(parts)
    return (
        f'<figure class=plot><svg viewBox="0 0 {WIDE} {height:.0f}" role=img aria-label="{html.escape(title)}">'
        f"<title>{html.escape(title)}</title>{body}</svg></figure>"
    )


def _text(x: float, y: float, text: Any, anchor: str = "start", colour: str = SOFT, size: int = 12) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-size="{size}">'
        f"{html.escape(str(text))}</text>"
    )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str = LINE, width: float = 1.0) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def compact(value: float) -> str:
    """Write a number for an axis: 12k, 1.5M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def lines(
    series: Sequence[tuple[str, Sequence[float], Sequence[float]]], x_title: str, y_title: str, *, steps: bool = False
) -> str:
    """Draw named lines, or steps, over shared axes with a legend below."""
    left, right, top, bottom = 52.0, 12.0, 28.0, 34.0
    height = 264.0
    most_x = max((max(x, default=0) for _, x, _ in series), default=1) or 1
    most_y = max((max(y, default=0) for _, _, y in series), default=1) or 1
    width = WIDE - left - right

    def at(x: float, y: float) -> tuple[float, float]:
        return left + width * x / most_x, top + (height - top - bottom) * (1 - y / most_y)

    parts = []
    for n in range(5):
        _, y = at(0, most_y * n / 4)
        parts += [_line(left, y, WIDE - right, y), _text(left - 6, y + 4, compact(most_y * n / 4), "end")]
        x, _ = at(most_x * n / 4, 0)
        parts.append(_text(x, height - bottom + 16, compact(most_x * n / 4), {0: "start", 4: "end"}.get(n, "middle")))
    parts += [_text(WIDE - right, height - 4, x_title, "end"), _text(4, 12, y_title)]
    for n, (name, xs, ys) in reversed(list(enumerate(series))):
        points = [at(x, y) for x, y in zip(xs, ys, strict=True)]
        path = f"M{points[0][0]:.1f},{points[0][1]:.1f}" if points else ""
        for x, y in points[1:]:
            path += f"H{x:.1f}V{y:.1f}" if steps else f"L{x:.1f},{y:.1f}"
        # Lines that lie on each other: the first is drawn last and thinnest, the others show beside it.
        stroke = f'stroke="{SERIES[n % len(SERIES)]}" stroke-width="{2 + 1.5 * n}"'
        parts.append(f'<path d="{path}" fill="none" {stroke}><title>{html.escape(name)}</title></path>')
    return _svg(height, parts, y_title) + _legend([name for name, _, _ in series])


def _legend(names: Sequence[str]) -> str:
    marks = "".join(
        f'<span><i style="background:{SERIES[n % len(SERIES)]}"></i>{html.escape(name)}</span>'
        for n, name in enumerate(names)
    )
    return f"<p class=legend>{marks}</p>"


def bars_of_intervals(rows: Sequence[dict[str, Any]], low: float, high: float) -> str:
    """Draw, for each record, what could be before any answer (thin) and what is left (thick)."""
    left, right, row = 150.0, 16.0, 22.0
    width = WIDE - left - right

    def at(value: float) -> float:
        return left + width * (value - low) / (high - low)

    height = 30 + row * len(rows)
    parts = []
    for n in range(5):
        value = low + (high - low) * n / 4
        parts += [_line(at(value), 8, at(value), height - 20), _text(at(value), height - 6, compact(value), "middle")]
    for n, each in enumerate(rows):
        y = 18 + row * n
        name = str(each["record"])
        parts.append(_text(left - 8, y + 4, name if len(name) <= 22 else name[:21] + "…", "end", INK))
        parts.append(_line(at(low), y, at(high), y, SOFT, 2))
        x1, x2 = at(each["lower"]), at(each["upper"])
        x1, x2 = (x1, x2) if x2 - x1 >= 6 else ((x1 + x2) / 2 - 3, (x1 + x2) / 2 + 3)
        words = f"{name}: {each['lower']:,.6g} to {each['upper']:,.6g} ({each['level']})"
        parts.append(
            f'<rect x="{x1:.1f}" y="{y - 6}" width="{x2 - x1:.1f}" height="12" rx="3" fill="{LEVELS[each["level"]]}">'
            f"<title>{html.escape(words)}</title></rect>"
        )
        for value in each["candidates"] if len(each["candidates"]) > 1 else []:
            parts.append(f'<circle cx="{at(value):.1f}" cy="{y}" r="4" fill="{INK}"/>')
    return _svg(height, parts, "intervals of the most exposed records, before and after")


def heat(first: str, second: str, cells: Sequence[tuple[Any, Any, int, float]]) -> str:
    """Draw a map of two quasi-identifiers; the darker, the narrower the interval of the record in most danger there."""
    rows, columns = _sorted({each[0] for each in cells}), _sorted({each[1] for each in cells})
    left, top = 120.0, 12.0
    size_x = (WIDE - left - 8) / max(1, len(columns))
    size_y = min(26.0, max(8.0, 520 / max(1, len(rows))))
    height = top + size_y * len(rows) + 40
    parts = []
    for key, other, number, share in cells:
        x, y = left + size_x * columns.index(other), top + size_y * rows.index(key)
        strength = 1.0 if share <= 0.001 else max(0.0, min(1.0, -log10(share) / 3))
        words = f"{first} {key}, {second} {other}: {number} records; narrowest interval {share:.2%} of the domain"
        parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(1.0, size_x - 1):.1f}" height="{max(1.0, size_y - 1):.1f}" '
            f'fill="var(--bad)" fill-opacity="{0.06 + 0.94 * strength:.2f}"><title>{html.escape(words)}</title></rect>'
        )
    every = max(1, len(rows) * 12 // 300)
    parts += [
        _text(left - 6, top + size_y * n + size_y / 2 + 4, str(v)[:18], "end")
        for n, v in enumerate(rows)
        if n % every == 0
    ]
    step = max(1, len(columns) // 12)
    for n, value in enumerate(columns):
        if n % step == 0:
            parts.append(_text(left + size_x * (n + 0.5), height - 24, str(value)[:12], "middle", size=11))
    parts.append(_text(WIDE - 8, height - 6, second, "end"))
    parts.append(_text(4, height - 6, first))
    return _svg(height, parts, f"{first} by {second}")


def _sorted(values: set[Any]) -> list[Any]:
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=str)
