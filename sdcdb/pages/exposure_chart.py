"""The picture of `sdcdb measure`: what an intruder is unsure of, and how many records are how safe."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdcdb.measures.cae_curve import Curve
from sdcdb.measures.distribution import Floats
from sdcdb.pages.plots import WIDTH, Panel, Picture, Row, altair
from sdcdb.pages.theme import ORANGE, SERIES

HEIGHT = 260
MOST_POINTS = 400  # a curve with more steps is drawn with this many


@dataclass(frozen=True)
class Line:
    """A named H(eps) curve."""

    label: str
    curve: Curve


def cae_chart(lines: Sequence[Line], unit: str, h0: Floats, title: str) -> Picture:
    """Draw H(eps) curves beside the share of records by H(0)."""
    return Picture(title, [Row([_curves(lines, unit), _shares(h0)])])


def _curves(lines: Sequence[Line], unit: str) -> Panel:
    alt = altair()
    labels = [line.label for line in lines]
    colours = list(SERIES[: len(lines)])
    colour = alt.Color(
        "line:N", title=None, sort=labels, scale=alt.Scale(domain=labels, range=colours),
        legend=alt.Legend(orient="top", direction="vertical"),
    )  # fmt: skip
    points = [point for line in lines for point in _points(line)]
    chart = (
        alt.Chart(alt.Data(values=points), width=WIDTH, height=HEIGHT)
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=alt.X("eps:Q", title=f"eps: being right to within this much {unit}", axis=alt.Axis(format="~s")),
            y=alt.Y("h:Q", title="H(eps), bits"),
            color=colour,
        )
    )
    return Panel(chart, key=dict(zip(labels, colours, strict=True)))


def _shares(h0: Floats) -> Panel:
    alt = altair()
    counts, edges = np.histogram(h0, bins=min(30, max(5, len(np.unique(h0)))), range=(0, max(1.0, float(h0.max()))))
    bars = [
        {"from": float(a), "to": float(b), "share": float(n / len(h0))}
        for n, a, b in zip(counts, edges[:-1], edges[1:], strict=True)
    ]
    chart = (
        alt.Chart(alt.Data(values=bars), width=WIDTH, height=HEIGHT)
        .mark_bar(color=ORANGE)
        .encode(
            x=alt.X("from:Q", title="H(0) of a record, bits", bin="binned"),
            x2="to:Q",
            y=alt.Y("share:Q", title="share of records", axis=alt.Axis(format="%")),
        )
    )
    return Panel(chart)


def _points(line: Line) -> list[dict[str, Any]]:
    eps, h = line.curve.eps, line.curve.h
    if len(eps) > MOST_POINTS:
        keep = np.unique(np.linspace(0, len(eps) - 1, MOST_POINTS).astype(int))
        eps, h = eps[keep], h[keep]
    return [{"line": line.label, "eps": float(e), "h": float(v)} for e, v in zip(eps, h, strict=True)]
