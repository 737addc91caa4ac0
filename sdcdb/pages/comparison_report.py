"""A self-contained page about a protected view: every plot drawn as SVG, no network, light and dark."""

from pathlib import Path
from typing import Any

from sdcdb.assess.compare import Comparison
from sdcdb.assess.uncertainty import Uncertainty
from sdcdb.connection.atomic_file import written_whole
from sdcdb.pages import comparison_charts as charts
from sdcdb.pages import theme
from sdcdb.pages.comparison_patterns import patterns
from sdcdb.pages.interactive import SCRIPT
from sdcdb.pages.plots import figures
from sdcdb.pages.similarity_chart import similarity_map
from sdcdb.pages.theme import escape, table

SWEEP = """\
Each point is a method at one strength; the large one is this view's. Right is more useful, down is safer. Risk is how
often an intruder who knows the method and the frequencies of values guesses a value: exactly, or for numbers to within
5% of the domain."""


def write_page(found: Comparison, file: Path, *, replace: bool = False) -> None:
    """Write the page; `replace` allows an existing file."""
    with written_whole(file, replace=replace) as part:
        part.write_text(page(found), encoding="utf-8")


def page(found: Comparison) -> str:
    """Return the page as one HTML document."""
    plan = found.plan
    words = [(name or "(records)", text) for name, text in plan.words().items()]
    parts = [
        f"<h1>{escape(plan.view)}</h1>",
        f"<p class=soft>A protected view of {escape(plan.table)}, compared on {found.records:,} records.</p>",
        *_verdict(found),
        "<h2>What happens to each column</h2>",
        table(("column", "what happens to it"), words),
        *_numbers(found),
        *_categories(found),
        *_intruder(found),
        *_trade(found),
    ]
    if found.patterns is not None:
        parts += patterns(found.patterns)
    return theme.page(plan.view, parts, SCRIPT)


def _verdict(found: Comparison) -> list[str]:
    """Return the verdict in words, and the floors that it was held against."""
    said = found.verdict
    parts = [f"<h2>{escape(said.title)}</h2>"]
    for who, sentences in (("An intruder", said.intruder), ("For an analyst", said.analyst), ("Change", said.change)):
        if sentences:
            parts += [f"<h3>{who}</h3>", "<ul>", *(f"<li>{escape(each)}</li>" for each in sentences), "</ul>"]
    rows = [("reached" if each.passed else "NOT reached", each.name, each.words) for each in found.standing.floors]
    return [*parts, table(("floor", "policy", "measured"), rows)]


def _numbers(found: Comparison) -> list[str]:
    parts = []
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
        changed = [charts.histogram(found, name) for name, each in found.numbers.items() if each.share_changed]
        parts += ["<h2>Numbers before and after</h2>", table(header, rows), *_drawn(changed)]
    if found.correlations is not None:
        parts += ["<h2>Correlations before and after</h2>", *_drawn(charts.correlations(found))]
    return parts


def _categories(found: Comparison) -> list[str]:
    parts = []
    if found.categories:
        rows = [(n, _share(c.share_changed), c.total_variation) for n, c in found.categories.items()]
        parts += ["<h2>Categories before and after</h2>"]
        parts += [table(("category", "changed", "total variation of shares"), rows)]
        parts += _drawn(
            [charts.bars(found, name) for name in found.categorical if found.categories[name].share_changed]
        )
    if found.associations:
        parts += ["<h2>Associations before and after</h2>"]
        parts += ["<p>Each point is a pair of columns; on the line, chi-square is unchanged.</p>"]
        parts += _drawn([charts.chi_square(found)])
    return parts


def _intruder(found: Comparison) -> list[str]:
    parts = []
    if found.entropies:
        rows = [(each.known, each.record, each.confidential) for each in found.entropies]
        parts += [f"<h2>What an intruder after {escape(found.confidential)} is unsure of</h2>"]
        parts += ["<p>Averages over records, by how many other categories the intruder knows.</p>"]
        parts += _drawn([charts.entropies(rows, "record", str(found.confidential))])
    for name, measured in found.uncertainties.items():
        parts += [f"<h2>What an intruder after {escape(name)} is unsure of</h2>", _uncertainty_table(measured)]
        parts += [
            "<p class=soft>CAE, on cells of the domain: means over records, and the H(0) of the most exposed.</p>"
        ]
    return parts


def _trade(found: Comparison) -> list[str]:
    parts = []
    if found.losses:
        rows = [(n, c.mean_l, c.mean_sensitive_loss, c.mean_record_loss) for n, c in found.losses.items()]
        parts += ["<h2>Information loss of lists</h2>"]
        parts += [table(("column", "values", "loss of the column", "loss of a record"), rows)]
    if found.sweeps:
        swept = [charts.sweep(name, points, number=name in found.numbers) for name, points in found.sweeps.items()]
        parts += ["<h2>Risk against utility</h2>", f"<p>{SWEEP}</p>", *_drawn(swept)]
    if found.similarities:
        maps = [
            similarity_map(f"{name} {when}", frame)
            for name, both in found.similarities.items()
            for when, frame in zip(("before", "after"), both, strict=True)
        ]
        parts += ["<h2>Which values are similar, before and after</h2>"]
        parts += [
            "<p>Values that occur with the same other values are similar (VICUS): red is similar, blue is not.</p>"
        ]
        parts += _drawn(maps)
    return parts


def _drawn(panels: list[Any]) -> list[str]:
    return [figures(panels)] if panels else []


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


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
    return table(header, rows)
