"""A self-contained page about a protected view: every plot drawn as SVG, no script, no network, light and dark."""

import html
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdcdb.assess.compare import Comparison
from sdcdb.assess.patterns import Patterns
from sdcdb.assess.sweep import Point
from sdcdb.assess.uncertainty import Uncertainty
from sdcdb.connection.atomic_file import written_whole
from sdcdb.errors import MissingExtraError
from sdcdb.pages import comparison_patterns as report_patterns

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --line: #d8dee4; --soft: #57606a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #14181d; --line: #30363d; --soft: #9198a1; } }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink);
       background: var(--paper); }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .5rem; }
p { margin: .3rem 0 .8rem; } .soft { color: var(--soft); }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .9rem .3rem 0; text-align: left; border-bottom: 1px solid var(--line); white-space: nowrap; }
td.n, th.n { text-align: right; } td.text { white-space: normal; min-width: 14rem; }
figure { margin: .5rem 0; background: #ffffff; border-radius: 6px; padding: .5rem; overflow-x: auto; }
figure svg { display: block; max-width: 100%; height: auto; }
"""
SWEEP = """\
Each point is a method at one strength; the large one is this view's. Right is more useful, down is safer. Risk is how
often the best guess of one value is right, of an intruder who knows the method and how frequent values are: exactly, or
for numbers to within 5% of the domain."""
BEFORE, AFTER = "#4c78a8", "#f58518"
COLOURS = {"before": BEFORE, "after": AFTER}


def write_page(found: Comparison, file: Path) -> None:
    """Write the page."""
    with written_whole(file, replace=True) as part:
        part.write_text(page(found), encoding="utf-8")


def page(found: Comparison) -> str:
    """Return the page as one HTML document."""
    plan = found.plan
    words = [(name or "(records)", text) for name, text in plan.words().items()]
    parts = [
        f"<h1>{_text(plan.view)}</h1>",
        f"<p class=soft>A protected view of {_text(plan.table)}, compared on {found.records:,} records.</p>",
        "<h2>What happens to each column</h2>",
        _table(("column", "what happens to it"), words),
    ]
    if found.numbers:
        header = ("number", "changed", "mean", "mean after", "variance", "variance after", "KS distance")
        rows = [
            (
                n,
                _share(c.share_changed),
                c.mean_before,
                c.mean_after,
                c.variance_before,
                c.variance_after,
                c.ks_distance,
            )
            for n, c in found.numbers.items()
        ]
        parts += ["<h2>Numbers before and after</h2>", _table(header, rows)]
        parts += [_figure(_histogram(found, name)) for name in found.numbers if _changed(found, name)]
    if found.correlations is not None:
        parts += ["<h2>Correlations before and after</h2>", _figure(_heat(found))]
    if found.categories:
        rows_words = [(n, _share(c.share_changed), c.total_variation) for n, c in found.categories.items()]
        parts += ["<h2>Categories before and after</h2>"]
        parts += [_table(("category", "changed", "total variation of shares"), rows_words)]
        parts += [_figure(_bars(found, name)) for name in found.categorical if _changed(found, name)]
    if found.associations:
        parts += ["<h2>Associations before and after</h2>"]
        parts += [
            "<p>Each point is a pair of columns; on the line, chi-square is as it was.</p>",
            _figure(_chi_square(found)),
        ]
    if found.entropies:
        parts += [f"<h2>What an intruder after {_text(found.confidential)} is unsure of</h2>"]
        parts += [
            "<p>Averages over records, by how many other categories the intruder knows.</p>",
            _figure(_entropy(found)),
        ]
    for name, measured in found.uncertainties.items():
        parts += [f"<h2>What an intruder after {_text(name)} is unsure of</h2>", _uncertainty_table(measured)]
        parts += [
            "<p class=soft>CAE, on cells of the domain: means over records, and the H(0) of the most exposed.</p>"
        ]
    if found.losses:
        rows_loss = [(n, c.mean_l, c.mean_sensitive_loss, c.mean_record_loss) for n, c in found.losses.items()]
        parts += ["<h2>Information loss of lists</h2>"]
        parts += [_table(("column", "values", "loss of the column", "loss of a record"), rows_loss)]
    if found.sweeps:
        parts += ["<h2>Risk against utility</h2>", f"<p>{SWEEP}</p>"]
        parts += [_figure(_sweep(name, points, number=name in found.numbers)) for name, points in found.sweeps.items()]
    if found.similarities:
        parts += ["<h2>Which values are similar, before and after</h2>"]
        parts += ["<p>Values that occur in the same company are similar (VICUS): red is alike, blue is not.</p>"]
        parts += [_figure(_similarity(name, *maps)) for name, maps in found.similarities.items()]
    if found.patterns is not None:
        parts += _patterns(found.patterns)
    body = "\n".join(parts)
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{_text(plan.view)}</title>'
    style = f"<style>{STYLE}{report_patterns.STYLE}</style>"
    return f"<!DOCTYPE html>\n<html lang=en><head>{head}{style}</head><body>\n{body}\n</body></html>\n"


def _patterns(found: Patterns) -> list[str]:
    """Return the part about what a classifier finds."""
    parts = [f"<h2>Rules that predict {_text(found.target)}, before and after</h2>", report_patterns.trees(found)]
    header = ("classifier, learnt from", "own data", "original", "held out")
    parts += ["<h2>Accuracy of classifiers</h2>", _table(header, report_patterns.accuracy_rows(found))]
    if found.entropies:
        parts += [
            f"<h2>What an intruder after {_text(found.target)} is unsure of, with the tree's help</h2>",
            "<p>Averages over records and over choices of columns, by how many columns the intruder knows.</p>",
            _figure(report_patterns.entropy_chart(_altair(), found, [BEFORE, AFTER])),
        ]
    return parts


def _text(value: Any) -> str:
    return html.escape(str(value))


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _table(header: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    def cell(value: Any) -> str:
        if isinstance(value, float):
            return f"<td class=n>{value:,.3f}</td>"
        kind = "text" if len(str(value)) > 40 else "n" if str(value).endswith("%") else "c"
        return f"<td class={kind}>{_text(value)}</td>"

    numeric = [isinstance(value, float) or str(value).endswith("%") for value in (rows[0] if rows else header)]
    heads = "".join(f"<th{' class=n' * right}>{_text(name)}</th>" for name, right in zip(header, numeric, strict=True))
    lines = "".join(f"<tr>{''.join(cell(value) for value in row)}</tr>" for row in rows)
    return f"<div class=wide><table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></div>"


def _figure(chart: Any) -> str:
    try:
        import vl_convert
    except ImportError:
        raise MissingExtraError("plot", "a page with plots") from None
    return f"<figure>{vl_convert.vegalite_to_svg(chart.to_dict())}</figure>"


def _altair() -> Any:
    try:
        import altair as alt
    except ImportError:
        raise MissingExtraError("plot", "a page with plots") from None
    return alt


def _changed(found: Comparison, name: str) -> bool:
    share = found.numbers[name].share_changed if name in found.numbers else found.categories[name].share_changed
    return bool(share)


def _two(alt: Any) -> Any:
    return alt.Color("when:N", title=None, scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values())))


def _histogram(found: Comparison, name: str) -> Any:
    alt = _altair()
    halves = {"before": found.before[name], "after": found.after[name]}
    numbers = {when: half.dropna().to_numpy(np.float64) for when, half in halves.items()}
    everything = np.concatenate(list(numbers.values()))
    edges = np.linspace(everything.min(), everything.max() or 1, 41)
    rows = [
        {"x": float(x), "share": float(n / max(1, len(values))), "when": when}
        for when, values in numbers.items()
        for x, n in zip((edges[:-1] + edges[1:]) / 2, np.histogram(values, edges)[0], strict=True)
    ]
    y = alt.Y("share:Q", title="share of records", axis=alt.Axis(format="%"))
    encoding = {"x": alt.X("x:Q", title=name, axis=alt.Axis(format="~s")), "y": y, "color": _two(alt)}
    return alt.Chart(alt.Data(values=rows), width=640, height=180).mark_line(interpolate="step").encode(**encoding)


def _bars(found: Comparison, name: str) -> Any:
    alt = _altair()
    rows = []
    top = found.before[name].astype("object").map(str).value_counts().head(20).index
    for when, half in (("before", found.before), ("after", found.after)):
        shares = half[name].dropna().astype("object").map(str).value_counts(normalize=True)
        rows += [{"value": value, "share": float(shares.get(value, 0)), "when": when} for value in top]
    return (
        alt.Chart(alt.Data(values=rows), width=640, height=180)
        .mark_bar()
        .encode(
            x=alt.X("value:N", title=name, sort=list(top)),
            xOffset=alt.XOffset("when:N", sort=["before", "after"]),
            y=alt.Y("share:Q", title="share of records", axis=alt.Axis(format="%")),
            color=_two(alt),
        )
    )


def _heat(found: Comparison) -> Any:
    alt = _altair()
    assert found.correlations is not None  # noqa: S101 - the caller looked
    charts = []
    for when, matrix in (("before", found.correlations.before), ("after", found.correlations.after)):
        frame = pd.DataFrame(matrix, index=list(found.correlated), columns=list(found.correlated))
        rows = [{"a": a, "b": b, "r": float(frame.loc[a, b])} for a in frame.index for b in frame.columns]
        charts.append(
            alt.Chart(alt.Data(values=rows), width=230, height=230, title=when)
            .mark_rect()
            .encode(
                x=alt.X("a:N", title=None),
                y=alt.Y("b:N", title=None),
                color=alt.Color("r:Q", title="r", scale=alt.Scale(scheme="redblue", domain=[-1, 1])),
            )
        )
    return alt.hconcat(*charts)


def _chi_square(found: Comparison) -> Any:
    alt = _altair()
    rows = [
        {"before": max(pair.change.before.chi_square, 0.1), "after": max(pair.change.after.chi_square, 0.1)}
        for pair in found.associations
    ]
    ends = [min(min(row.values()) for row in rows), max(max(row.values()) for row in rows)]
    axis = {"scale": alt.Scale(type="log", domain=ends)}
    points = alt.Chart(alt.Data(values=rows), width=420, height=300).mark_circle(size=60, color=AFTER)
    points = points.encode(
        x=alt.X("before:Q", title="chi-square before", **axis), y=alt.Y("after:Q", title="chi-square after", **axis)
    )
    same = alt.Chart(alt.Data(values=[{"x": end} for end in ends])).mark_line(color="#999999", strokeDash=[4, 4])
    return same.encode(x="x:Q", y="x:Q") + points


def _entropy(found: Comparison) -> Any:
    alt = _altair()
    rows = [
        {"known": str(each.known), "bits": value, "of": what}
        for each in found.entropies
        for what, value in (("record", each.record), (str(found.confidential), each.confidential))
    ]
    order = [str(each.known) for each in found.entropies]
    return (
        alt.Chart(alt.Data(values=rows), width=420, height=240)
        .mark_line(point=True)
        .encode(
            x=alt.X("known:O", title="columns known", sort=order),
            y=alt.Y("bits:Q", title="entropy, bits"),
            color=alt.Color("of:N", title=None, scale=alt.Scale(range=[BEFORE, AFTER])),
        )
    )


def _uncertainty_table(measured: tuple[Uncertainty, ...]) -> str:
    header = ("intruder knows", "H(0) bits", "after", "least", "after", "area", "after")
    rows = [
        (
            ", ".join(each.known) or "nothing",
            each.before.h0,
            each.after.h0,
            each.least_before,
            each.least_after,
            each.before.area,
            each.after.area,
        )
        for each in measured
    ]
    return _table(header, rows)


def _sweep(name: str, points: tuple[Point, ...], *, number: bool) -> Any:
    alt = _altair()
    rows = [{**vars(point), "order": place} for place, point in enumerate(points)]
    kept = f"squared correlation of {name} with the original" if number else f"share of chi-square kept by {name}"
    x = alt.X("utility:Q", title=kept, scale=alt.Scale(domain=[0, 1]))
    y = alt.Y("risk:Q", title="a guess is right", axis=alt.Axis(format="%"), scale=alt.Scale(zero=False))
    colour = alt.Color("method:N", title=None, scale=alt.Scale(range=[AFTER, BEFORE, "#54a24b"]))
    swept = alt.Chart(alt.Data(values=[row for row in rows if number or not row["chosen"]]), width=520, height=260)
    lines = swept.mark_line(point=True).encode(x=x, y=y, color=colour, order="order:Q")
    labels = swept.mark_text(align="left", dx=7, dy=10, fontSize=10).encode(x=x, y=y, color=colour, text="parameter:N")
    own = alt.Chart(alt.Data(values=[row for row in rows if row["chosen"]])).mark_point(size=220, strokeWidth=2.5)
    return lines + labels + own.encode(x=x, y=y, color=colour)


def _similarity(name: str, before: pd.DataFrame, after: pd.DataFrame) -> Any:
    from sdcdb.pages.plots import similarity_chart

    return similarity_chart({f"{name} before": before, f"{name} after": after}, "")
