"""The part of an audit's page about one confidential column: how its exposure grew, where, and who knows it."""

from typing import Any

from sdcdb.auditor.audit import ColumnAudit
from sdcdb.auditor.briefing import cost_among, costs_cut, not_computed
from sdcdb.auditor.document import number_text
from sdcdb.errors import counted
from sdcdb.pages import audit_charts as charts
from sdcdb.pages.theme import Code, escape, table

PLOTTED = 30
CURVES = 6
COURSE = (
    "How many records were known how closely after each statement of the log. A step up is a statement that exposed "
    "somebody; each line includes those before it."
)
INTERVALS = (
    "The thin line is what anybody knew before: the domain. The thick one is what the answers leave possible; a dot "
    "means that the value is known."
)
DANGER = (
    "Each square is a group of people. The stronger its colour, the narrower the interval of the person in it who is "
    "in most danger."
)


def column_parts(column: ColumnAudit, shown: dict[str, Any], found: list[dict[str, Any]]) -> list[str]:
    """Return the part of the page about a column; `found` are its findings."""
    name = f"{column.table}.{column.column}"
    numbers = f"{counted(column.records, 'record')}, {counted(column.answers, 'different answer')}"
    asks = f"an interval of at least {number_text(column.limits.min_interval)} and {column.limits.min_h0:g} bits"
    parts = [f"<h2>{escape(name)}</h2>", f"<p class=soft>{numbers}; the policy requires {asks}.</p>"]
    parts += _over_time(shown["course"], found) if shown["course"] else []
    if found:
        parts += [
            "<h3>The most exposed records, before and after</h3>",
            f"<p class=soft>{INTERVALS}{_first(PLOTTED, len(found))}</p>",
            charts.bars_of_intervals(found[:PLOTTED], float(column.unit[0]), float(column.unit[1])),
            *_doubt(column, found),
        ]
    if column.heat:
        parts += [
            "<h3>Where the danger is</h3>",
            f"<p class=soft>{DANGER}</p>",
            charts.heat(*column.heat),
        ]
    parts += _costliest(shown["course"]) if shown["course"] else []
    return [*parts, *_holders(shown)]


def _over_time(course: dict[str, Any], found: list[dict[str, Any]]) -> list[str]:
    at = [moment["after"]["number"] if moment["after"] else 0 for moment in course["moments"]]
    since = sorted(each["first"]["number"] for each in found)
    beyond = ("beyond the policy", [0, *since, max([*at, *since])], [*range(len(since) + 1), len(since)])
    series = [
        (
            "determined" if share == 0 else f"narrower than {100 * share:.3g}% of the domain",
            at,
            [m["below"][n] for m in course["moments"]],
        )
        for n, share in enumerate(course["thresholds"])
    ]
    drawn = charts.nested([beyond, *series], "statement of the log", "records below each threshold")
    most = max(moment["not_computed"] for moment in course["moments"])
    missing = [f"<p>At one moment or more, {escape(not_computed(most))}</p>"] if most else []
    return ["<h3>Over time</h3>", f"<p class=soft>{COURSE}</p>", drawn, *missing]


def _doubt(column: ColumnAudit, found: list[dict[str, Any]]) -> list[str]:
    """Return the part about H(eps); a curve that is 0 everywhere would not be seen."""
    known = escape(", ".join(column.known) or "nothing")
    unsure = [each for each in found if any(each["curve"]["h"])]
    parts = ["<h3>What an intruder is still unsure of</h3>"]
    if unsure:
        series = [(str(each["record"]), each["curve"]["eps"], each["curve"]["h"]) for each in unsure[:CURVES]]
        parts.append(
            f"<p class=soft>H(eps) for an intruder who knows {known}: how many bits are missing to name the value to "
            f"within eps. The lower the curve, the closer the value is known.{_first(CURVES, len(unsure))}</p>"
        )
        parts.append(charts.curves(series, "eps", "H(eps), bits"))
    if sure := len(found) - len(unsure):
        parts.append(f"<p class=soft>Nothing about {counted(sure, 'exposed record')}: H(0) is 0.</p>")
    return parts


def _first(shown: int, number: int) -> str:
    return f" Drawn are the first {shown} of {number:,}; all are in the list above." if number > shown else ""


def _costliest(course: dict[str, Any]) -> list[str]:
    rows = [
        (f"{each['bits']:,.1f}{cost_among(each)}", each["records"], f"{each['file']}:{each['line']}", each["user"],
         Code(each["sql"]))
        for each in course["costliest"]
    ]  # fmt: skip
    cut = costs_cut(course)
    header = ("bits", "records", "place", "user", "statement")
    words = "<p class=soft>Bits of uncertainty that each statement removed, over the records in danger.</p>"
    parts = ["<h3>The costliest answers</h3>"] if rows or cut else []
    parts += [f"<p>{escape(cut)}</p>"] if cut else []
    return [*parts, words, table(header, rows, searchable=True)] if rows else parts


def _holders(shown: dict[str, Any]) -> list[str]:
    users = [(each["user"], each["answers"], _levels(each["exposed"])) for each in shown["by_user"]]
    together = [
        (" + ".join(each["users"]), "", f"{each['findings']} together")
        for each in shown["together"]
        if len(each["users"]) > 1
    ]
    rows = [*together, *users]
    return (
        ["<h3>Who knows it</h3>", table(("users", "answers", "exposed records"), rows, searchable=True)] if rows else []
    )


def _levels(exposed: dict[str, int]) -> str:
    return ", ".join(f"{number} {level}" for level, number in exposed.items()) or "none"
