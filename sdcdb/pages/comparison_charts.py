"""The charts of a comparison page: a table before and after protection."""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Any

import numpy as np
import pandas as pd

from sdcdb.assess.compare import Comparison
from sdcdb.assess.sweep import Point
from sdcdb.pages.plots import HEIGHT, WIDTH, Panel, altair
from sdcdb.pages.theme import AFTER, BEFORE, BLUE, EDGE, INK, PAPER, RED, SERIES

WHEN = {"before": BEFORE, "after": AFTER}
MOST_BARS = 20  # the most frequent values of a category
LABEL = 130  # pixels of a value's name beside its bar
WITH_NUMBERS = 8  # columns of a correlation map that is small enough to write the numbers in


def histogram(found: Comparison, name: str) -> Panel:
    """Draw how a number is distributed before and after."""
    alt = altair()
    halves = {"before": found.before[name], "after": found.after[name]}
    numbers = {when: half.dropna().to_numpy(np.float64) for when, half in halves.items()}
    everything = np.concatenate(list(numbers.values()))
    edges = np.linspace(everything.min(), everything.max() or 1, 41)
    rows = [
        {"x": float(x), "share": float(n / max(1, len(values))), "when": when}
        for when, values in numbers.items()
        for x, n in zip((edges[:-1] + edges[1:]) / 2, np.histogram(values, edges)[0], strict=True)
    ]
    chart = (
        _chart(rows)
        .mark_line(interpolate="step")
        .encode(
            x=alt.X("x:Q", title=name, axis=alt.Axis(format="~s")),
            y=alt.Y("share:Q", title="share of records", axis=alt.Axis(format="%")),
            color=_colour("when:N", WHEN),
            strokeWidth=alt.StrokeWidth("when:N", scale=alt.Scale(domain=[*WHEN], range=[5, 1.5]), legend=None),
        )
    )  # the wide line shows beside the narrow one where the two are the same
    return Panel(chart, name, WHEN)


def bars(found: Comparison, name: str) -> Panel:
    """Draw how frequent the values of a category are before and after."""
    alt = altair()
    rows = []
    top = found.before[name].astype("object").map(str).value_counts().head(MOST_BARS).index
    for when, half in (("before", found.before), ("after", found.after)):
        shares = half[name].dropna().astype("object").map(str).value_counts(normalize=True)
        rows += [{"value": value, "share": float(shares.get(value, 0)), "when": when} for value in top]
    label = min(LABEL, 6.5 * max((len(value) for value in top), default=0))
    chart = (
        _chart(rows, WIDTH + 30 - label, 24 * len(top))
        .mark_bar()
        .encode(
            y=alt.Y("value:N", title=None, sort=list(top), axis=alt.Axis(labelLimit=LABEL, ticks=False)),
            yOffset=alt.YOffset("when:N", sort=["before", "after"]),
            x=alt.X("share:Q", title="share of records", axis=alt.Axis(format="%", tickCount=4)),
            color=_colour("when:N", WHEN),
        )
    )
    return Panel(chart, name, WHEN)


def correlations(found: Comparison) -> list[Panel]:
    """Draw the correlations before and after; the stronger the colour, the stronger the correlation."""
    if found.correlations is None:
        return []
    return [
        _correlation_map(when, pd.DataFrame(matrix, index=list(found.correlated), columns=list(found.correlated)))
        for when, matrix in (("before", found.correlations.before), ("after", found.correlations.after))
    ]


def _correlation_map(when: str, frame: pd.DataFrame) -> Panel:
    alt = altair()
    signs = {"positive": BLUE, "negative": RED}
    rows = [
        {"a": a, "b": b, "r": round(r, 4), "strength": abs(r), "sign": "negative" if r < 0 else "positive"}
        for a in frame.index
        for b in frame.columns
        if not np.isnan(r := float(frame.loc[a, b]))
    ]
    label = alt.Axis(labelLimit=LABEL, ticks=False, domain=False)
    order = list(frame.columns)
    size = max(150, min(260, 44 * len(order)))
    place = {
        "x": alt.X("a:N", title=None, sort=order, axis=label),
        "y": alt.Y("b:N", title=None, sort=order, axis=label),
    }
    strength = alt.Opacity("strength:Q", scale=alt.Scale(domain=[0, 1], range=[0.06, 1]), legend=None)
    chart = (
        _chart(rows, size, size)
        .mark_rect()
        .encode(**place, color=_colour("sign:N", signs), opacity=strength, tooltip="r:Q")
    )
    if len(order) <= WITH_NUMBERS:
        written = alt.condition(alt.datum.strength > 0.5, alt.value(PAPER), alt.value(INK))
        chart += _chart(rows, size, size).mark_text().encode(**place, text=alt.Text("r:Q", format=".2f"), color=written)
    return Panel(chart, when, signs)


def chi_square(found: Comparison) -> Panel:
    """Draw chi-square after against before, a point for each pair of columns."""
    alt = altair()
    both = [
        (max(pair.change.before.chi_square, 0.1), max(pair.change.after.chi_square, 0.1)) for pair in found.associations
    ]
    names = [f"{found.categorical[pair.first]} x {found.categorical[pair.second]}" for pair in found.associations]
    rows = [
        {"before": before, "after": after, "columns": name} for (before, after), name in zip(both, names, strict=True)
    ]
    ends = [0.8 * min(map(min, both)), 1.25 * max(map(max, both))]
    powers = [10.0**n for n in range(ceil(log10(ends[0])), floor(log10(ends[1])) + 1)]
    labels = alt.Axis(format="~s", values=powers) if len(powers) > 1 else alt.Axis(format="~s", tickCount=5)
    axis = {"scale": alt.Scale(type="log", domain=ends, nice=False), "axis": labels}
    points = _chart(rows, height=HEIGHT + 60).mark_circle(size=70, color=AFTER, opacity=1)
    points = points.encode(
        x=alt.X("before:Q", title="chi-square before", **axis),
        y=alt.Y("after:Q", title="chi-square after", **axis),
        description="columns:N",
    )
    same = alt.Chart(alt.Data(values=[{"x": end} for end in ends])).mark_line(color=EDGE, strokeDash=[4, 4])
    return Panel(same.encode(x="x:Q", y="x:Q") + points)


def entropies(rows: Sequence[tuple[int | str, float, float]], record: str, confidential: str) -> Panel:
    """Draw the entropy of the record and of the confidential column by how many columns are known."""
    alt = altair()
    key = {record: BEFORE, confidential: AFTER}
    values = [
        {"known": str(known), "bits": bits, "of": what}
        for known, *both in rows
        for what, bits in zip(key, both, strict=True)
    ]
    order = [str(known) for known, *_ in rows]
    chart = (
        _chart(values)
        .mark_line(point=True, strokeWidth=2)
        .encode(
            x=alt.X("known:O", title="columns known", sort=order, axis=alt.Axis(labelAngle=0)),
            y=alt.Y("bits:Q", title="entropy, bits"),
            color=_colour("of:N", key),
        )
    )
    return Panel(chart, key=key)


def sweep(name: str, points: tuple[Point, ...], *, number: bool) -> Panel:
    """Draw risk against utility of each method by its strength, the view's own large."""
    alt = altair()
    rows: list[dict[str, Any]] = [{**vars(point), "order": place} for place, point in enumerate(points)]
    methods = list(dict.fromkeys(point.method for point in points))
    chosen = next((point.method for point in points if point.chosen), None)
    methods.sort(key=lambda method: method != chosen)
    key = dict(zip(methods, (AFTER, BEFORE, *SERIES[2:]), strict=False))
    for (
        row
    ) in rows:  # labels of the view's own method stand right of their points, those of others left, inside the plot
        row["right"] = row["utility"] < 0.75 if row["method"] == chosen else row["utility"] < 0.2
    kept = f"squared correlation of {name} with the original" if number else f"share of chi-square kept by {name}"
    x = alt.X("utility:Q", title=kept, scale=alt.Scale(domain=[0, 1]))
    y = alt.Y("risk:Q", title="a guess is right", axis=alt.Axis(format="%"), scale=alt.Scale(zero=False))
    colour = _colour("method:N", key)
    swept = _chart([row for row in rows if number or not row["chosen"]], height=HEIGHT + 40)
    lines = swept.mark_line(point=True, strokeWidth=2).encode(x=x, y=y, color=colour, order="order:Q")
    labels = [
        swept.transform_filter(side)
        .mark_text(align=align, dx=dx, dy=dy, fontSize=11)
        .encode(x=x, y=y, color=colour, text="parameter:N")
        for side, align, dx, dy in (("datum.right", "left", 7, 10), ("!datum.right", "right", -7, -5))
    ]
    own = alt.Chart(alt.Data(values=[row for row in rows if row["chosen"]])).mark_point(size=220, strokeWidth=2.5)
    return Panel(alt.layer(lines, *labels, own.encode(x=x, y=y, color=colour)), name, key)


def _chart(rows: list[dict[str, Any]], width: float = WIDTH, height: float = HEIGHT) -> Any:
    alt = altair()
    return alt.Chart(alt.Data(values=rows), width=width, height=height)


def _colour(field: str, key: dict[str, str]) -> Any:
    alt = altair()
    return alt.Color(field, title=None, sort=list(key), scale=alt.Scale(domain=list(key), range=list(key.values())))
