"""Colour maps of which values are similar, as in Figures 2 to 4 of the VICUS paper (2012)."""

from collections.abc import Mapping
from typing import Any

from sdcdb.pages.plots import Panel, Picture, Row, altair

ACROSS = 3  # maps beside each other
# From blue to red as in the paper, none so dark or so light that it vanishes on the page.
KEY = {"0": "#2f4fb8", "0.25": "#26bce1", "0.5": "#8fe04a", "0.75": "#ff9d2a", "1": "#b3160b"}


def similarity_chart(frames: Mapping[str, Any], title: str) -> Picture:
    """Draw one map per column."""
    maps = [similarity_map(column, frame) for column, frame in frames.items()]
    return Picture(title, [Row(maps[start : start + ACROSS]) for start in range(0, len(maps), ACROSS)])


def similarity_map(caption: str, frame: Any) -> Panel:
    """Draw how similar each two values are: from blue, not at all, to red, the same."""
    alt = altair()
    names = [str(value) for value in frame.index]
    matrix = frame.to_numpy()
    cells = [
        {"a": a, "b": b, "S": round(float(matrix[i, j]), 4)} for i, a in enumerate(names) for j, b in enumerate(names)
    ]
    size = max(80, min(300, 16 * len(names)))
    scale = alt.Scale(domain=[float(level) for level in KEY], range=list(KEY.values()))
    label = alt.Axis(labelLimit=130, ticks=False, domain=False)
    chart = (
        alt.Chart(alt.Data(values=cells), width=size, height=size)
        .mark_rect()
        .encode(
            x=alt.X("a:N", title=None, sort=names, axis=label),
            y=alt.Y("b:N", title=None, sort=names[::-1], axis=label),
            color=alt.Color("S:Q", scale=scale),
        )
    )
    return Panel(chart, caption, KEY)
