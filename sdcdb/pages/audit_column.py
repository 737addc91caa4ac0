"""The part of an audit's page about one confidential column: what was exposed, when, to whom, and the proofs."""

from typing import Any

from sdcdb.auditor.audit import ColumnAudit
from sdcdb.auditor.document import number_text
from sdcdb.errors import counted
from sdcdb.pages import audit_charts as charts
from sdcdb.pages.theme import Code, escape, table

PLOTTED = 30
CURVES = 6


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
            charts.bars_of_intervals(found[:PLOTTED], float(column.unit[0]), float(column.unit[1])),
            *_doubt(column, found),
        ]
    if column.heat:
        parts += ["<h3>Where the danger is</h3>", charts.heat(*column.heat)]
    if found:
        parts += ["<h3>Findings and their certificates</h3>", *(_finding(each) for each in found)]
    parts += _costliest(shown["course"]["costliest"]) if shown["course"] else []
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
    return ["<h3>Over time</h3>", drawn]


def _doubt(column: ColumnAudit, found: list[dict[str, Any]]) -> list[str]:
    """Return the part about H(eps); a curve that is 0 everywhere would not be seen."""
    known = escape(", ".join(column.known) or "nothing")
    unsure = [each for each in found if any(each["curve"]["h"])]
    parts = ["<h3>What an intruder is still unsure of</h3>"]
    if unsure:
        series = [(str(each["record"]), each["curve"]["eps"], each["curve"]["h"]) for each in unsure[:CURVES]]
        parts.append(f"<p class=soft>H(eps) for an intruder who knows {known}.</p>")
        parts.append(charts.curves(series, "eps", "H(eps), bits"))
    if sure := len(found) - len(unsure):
        parts.append(f"<p class=soft>Nothing about {counted(sure, 'exposed record')}: H(0) is 0.</p>")
    return parts


def _costliest(costliest: list[dict[str, Any]]) -> list[str]:
    rows = [
        (round(each["bits"], 1), each["records"], f"{each['file']}:{each['line']}", each["user"], Code(each["sql"]))
        for each in costliest
    ]
    header = ("bits", "records", "place", "user", "statement")
    return ["<h3>The costliest answers</h3>", table(header, rows, searchable=True)] if rows else []


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


def _finding(each: dict[str, Any]) -> str:
    told = (
        f"= {number_text(each['value'])}"
        if each["value"] is not None
        else f"{number_text(each['lower'])} to {number_text(each['upper'])}"
    )
    if len(each["candidates"]) == 2 and each["h0"] <= 1:
        told = " or ".join(number_text(value) for value in each["candidates"])
    proof = each["certificate"]
    lines = ""
    if proof:
        kind = "The smallest set of queries" if proof["smallest"] else "A set of which no query can be left out"
        steps = "".join(_step(query) for query in proof["queries"])
        lines = f"<p>{kind}: {escape(proof['words'])}</p><ol>{steps}</ol>"
    first = each["first"]
    when = f" at {first['time'][:19].replace('T', ' ')}" if first["time"] else ""
    tag = f"<span class='tag {each['level']}'>{each['level']}</span>"
    holders = escape(" + ".join(each["users"]) or each["pool"])
    since = f"Since statement {first['number']:,}{escape(when)} by {escape(first['user'])}."
    doubt = f"H(0) {each['h0']:.2f} bits, {each['h0_given_known']:.2f} for somebody who cannot tell which record it is."
    title = f"{tag} <b>{escape(each['record'])}</b> {escape(told)} <span class=soft>{holders}</span>"
    return f"<details data-row><summary>{title}</summary><p class=soft>{since} {doubt}</p>{lines}</details>"


def _step(query: dict[str, Any]) -> str:
    place = f"{escape(query['file'])}:{query['line']}, {escape(query['user'])}"
    told = f"{query['asks']} of {counted(query['records'], 'record')} = {number_text(query['answer'])}"
    return f"<li><code>{escape(query['sql'])}</code><br><span class=soft>{place}; {told}</span></li>"
