"""Charts drawn by Altair: as SVG inside a page, or written as SVG, PNG, PDF or a self-contained HTML page."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from sdcdb.connection.atomic_file import refuse_target, written_whole
from sdcdb.errors import MissingExtraError, SdcdbError
from sdcdb.pages import theme
from sdcdb.pages.interactive import SCRIPT

FORMATS = (".svg", ".png", ".pdf", ".html")
WIDTH, HEIGHT = 320, 200  # of a panel without its axes: two fit beside each other, one fits a phone
LARGEST = 1.25  # how much larger than drawn a chart may be shown
CONFIG: dict[str, Any] = {
    "font": theme.FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": theme.SOFT, "titleColor": theme.SOFT, "gridColor": theme.LINE, "domainColor": theme.EDGE,
        "tickColor": theme.EDGE, "labelFontSize": 12, "titleFontSize": 12.5, "titleFontWeight": "normal",
        "titlePadding": 8, "labelOverlap": "greedy",
    },
    "axisXQuantitative": {"tickCount": 6},
    "legend": {"labelColor": theme.INK, "titleColor": theme.SOFT, "labelFontSize": 12, "titleFontWeight": "normal",
               "labelLimit": 0, "symbolStrokeWidth": 2.5},
    "title": {"color": theme.INK, "anchor": "start", "fontSize": 13},
    "range": {"category": list(theme.SERIES)},
}  # fmt: skip
_IDS = count()


@dataclass(frozen=True)
class Panel:
    """One chart, what it shows, and the key to its colours; without a key it draws its own legend."""

    chart: Any
    caption: str = ""
    key: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """Panels that belong together."""

    panels: Sequence[Panel]
    title: str = ""


@dataclass(frozen=True)
class Picture:
    """Rows of panels under a title."""

    title: str
    rows: Sequence[Row]


def check_format(file: Path, *, replace: bool = False) -> None:
    """Refuse a file that cannot be drawn or must not be replaced, before any work is done."""
    if file.suffix.lower() not in FORMATS:
        raise SdcdbError(f"cannot draw {file.name}: allowed endings are {', '.join(FORMATS)}")
    refuse_target(file, replace=replace)
    altair()


def altair() -> Any:
    """Return Altair, or say how to install it."""
    try:
        import altair as alt
        import vl_convert  # noqa: F401 - what turns its charts into pictures
    except ImportError:
        raise MissingExtraError("plot", "drawing") from None
    return alt


def save(picture: Picture, file: Path, *, replace: bool = False) -> None:
    """Write the picture in the format that the file's ending names; `replace` allows an existing file."""
    import vl_convert

    kind = file.suffix.lower()[1:]
    with written_whole(file, replace=replace) as part:
        if kind == "html":
            part.write_text(_page(picture), encoding="utf-8")
            return
        chart = _joined(picture)
        if kind == "svg":
            part.write_text(_svg(chart, f"<style>{theme.DARK_PICTURE}</style>"), encoding="utf-8")
        elif kind == "png":
            part.write_bytes(vl_convert.vegalite_to_png(chart, ppi=144))
        else:
            part.write_bytes(vl_convert.vegalite_to_pdf(chart))


def figures(panels: Sequence[Panel]) -> str:
    """Return panels for a page: beside each other where there is room."""
    return f"<div class=grid>{''.join(figure(panel) for panel in panels)}</div>"


def figure(panel: Panel) -> str:
    """Return one panel for a page."""
    chart = panel.chart.to_dict()
    drawn = _svg({**(_without_legends(chart) if panel.key else chart), "config": {**CONFIG, "background": None}})
    number = next(_IDS)  # pictures of one page must not share the names of their gradients and clips
    drawn = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>p{number}-", drawn)
    width = float(re.findall(r'width="([\d.]+)"', drawn)[0])
    size = f"width:min(100%,{width * LARGEST:.0f}px);min-width:min(18rem,{width:.0f}px)"
    drawn = drawn.replace("<svg ", f'<svg style="{size}" ', 1)
    caption = f"<figcaption>{theme.escape(panel.caption)}</figcaption>" if panel.caption else ""
    key = theme.legend(panel.key) if panel.key else ""
    return f"<figure class=chart>{caption}{key}{drawn}</figure>"


def _page(picture: Picture) -> str:
    parts = [f"<h1>{theme.escape(picture.title)}</h1>"]
    for row in picture.rows:
        parts += [f"<h2>{theme.escape(row.title)}</h2>"] if row.title else []
        parts.append(figures(row.panels))
    return theme.page(picture.title, parts, SCRIPT)


def _joined(picture: Picture) -> dict[str, Any]:
    """Return all panels as one chart."""
    alt = altair()
    rows = [
        alt.hconcat(*(_captioned(panel) for panel in row.panels), title=row.title).resolve_scale(color="independent")
        for row in picture.rows
    ]
    title = alt.Title(picture.title, fontSize=16, offset=14)
    whole = alt.vconcat(*rows, title=title, spacing=28).resolve_scale(color="independent")
    return {**whole.to_dict(), "config": {**CONFIG, "background": theme.PAPER, "padding": 12}}


def _captioned(panel: Panel) -> Any:
    return panel.chart.properties(title=panel.caption) if panel.caption else panel.chart


def _without_legends(part: Any) -> Any:
    """Return a chart's description in which no colour draws a legend."""
    if isinstance(part, list):
        return [_without_legends(each) for each in part]
    if not isinstance(part, dict):
        return part
    kept = {name: _without_legends(each) for name, each in part.items()}
    return {**kept, "color": {**kept["color"], "legend": None}} if "field" in kept.get("color", "") else kept


def _svg(chart: dict[str, Any], style: str = "") -> str:
    """Draw; what a mark stands for is shown when the pointer rests on it."""
    import vl_convert

    drawn = vl_convert.vegalite_to_svg(chart)
    drawn = re.sub(r'<(\w+)( [^<>]*\baria-label="([^"]*)"[^<>]*)/>', r"<\1\2><title>\3</title></\1>", drawn)
    return re.sub(r"^<svg[^>]*>", rf"\g<0>{style}", drawn)
