"""Pictures, drawn by Altair and written as SVG, PNG, PDF or a self-contained HTML page."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sdcdb.connection.atomic_file import written_whole
from sdcdb.errors import MissingExtraError, SdcdbError
from sdcdb.measures.cae_curve import Curve
from sdcdb.measures.distribution import Floats

FORMATS = (".svg", ".png", ".pdf", ".html")
COLOURS = ["#4c78a8", "#f58518", "#e45756", "#72b7b2"]
MOST_POINTS = 400  # a curve with more steps is drawn with these many


@dataclass(frozen=True)
class Line:
    """A named H(eps) curve."""

    label: str
    curve: Curve


def check_format(file: Path) -> None:
    """Refuse a file ending that cannot be drawn, before any work is done."""
    if file.suffix.lower() not in FORMATS:
        raise SdcdbError(f"cannot draw {file.name}: allowed endings are {', '.join(FORMATS)}")
    _altair()


def cae_chart(lines: list[Line], unit: str, h0: Floats, title: str) -> Any:
    """Draw H(eps) curves beside the share of records by H(0)."""
    alt = _altair()
    points = [point for line in lines for point in _points(line)]
    colour = alt.Color(
        "line:N", title=None, sort=[line.label for line in lines], scale=alt.Scale(range=COLOURS),
        legend=alt.Legend(orient="top", direction="vertical", labelLimit=400),
    )  # fmt: skip
    curves = (
        alt.Chart(alt.Data(values=points), width=420, height=280)
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=alt.X("eps:Q", title=f"eps: being right to within this much {unit}", axis=alt.Axis(format="~s")),
            y=alt.Y("h:Q", title="H(eps), bits"),
            color=colour,
        )
    )
    counts, edges = np.histogram(h0, bins=min(30, max(5, len(np.unique(h0)))), range=(0, max(1.0, float(h0.max()))))
    bars = [
        {"from": float(a), "to": float(b), "share": float(n / len(h0))}
        for n, a, b in zip(counts, edges[:-1], edges[1:], strict=True)
    ]
    histogram = (
        alt.Chart(alt.Data(values=bars), width=300, height=280)
        .mark_bar(color=COLOURS[1])
        .encode(
            x=alt.X("from:Q", title="H(0) of a record, bits", bin="binned"),
            x2="to:Q",
            y=alt.Y("share:Q", title="share of records", axis=alt.Axis(format="%")),
        )
    )
    return alt.hconcat(curves, histogram, title=alt.Title(title, anchor="start", fontSize=16)).configure_view(
        stroke=None
    )


def similarity_chart(frames: Mapping[str, Any], title: str) -> Any:
    """Draw one colour map of similarities per column, as in Figures 2 to 4 of the VICUS paper (2012)."""
    alt = _altair()
    maps = []
    for column, frame in frames.items():
        names = [str(value) for value in frame.index]
        matrix = frame.to_numpy()
        cells = [
            {"a": a, "b": b, "S": round(float(matrix[i, j]), 4)}
            for i, a in enumerate(names)
            for j, b in enumerate(names)
        ]
        size = max(80, min(300, 14 * len(names)))
        maps.append(
            alt.Chart(alt.Data(values=cells), width=size, height=size, title=column)
            .mark_rect()
            .encode(
                x=alt.X("a:N", title=None, sort=names, axis=alt.Axis(labelLimit=140)),
                y=alt.Y("b:N", title=None, sort=names[::-1], axis=alt.Axis(labelLimit=140)),
                color=alt.Color("S:Q", scale=alt.Scale(scheme="turbo", domain=[0, 1])),
            )
        )
    return alt.concat(*maps, columns=3, title=alt.Title(title, anchor="start", fontSize=16))


def save(chart: Any, file: Path) -> None:
    """Write the picture in the format that the file's ending names."""
    kind = file.suffix.lower()[1:]
    every: dict[str, dict[str, Any]] = {"html": {"inline": True}, "png": {"ppi": 144}}
    with written_whole(file, replace=True) as part:
        chart.save(str(part), format=kind, **every.get(kind, {}))


def _points(line: Line) -> list[dict[str, Any]]:
    eps, h = line.curve.eps, line.curve.h
    if len(eps) > MOST_POINTS:
        keep = np.unique(np.linspace(0, len(eps) - 1, MOST_POINTS).astype(int))
        eps, h = eps[keep], h[keep]
    return [{"line": line.label, "eps": float(e), "h": float(v)} for e, v in zip(eps, h, strict=True)]


def _altair() -> Any:
    try:
        import altair as alt
        import vl_convert  # noqa: F401 - Altair needs it to write files
    except ImportError:
        raise MissingExtraError("plot", "drawing") from None
    return alt
