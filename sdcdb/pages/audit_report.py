"""A self-contained page about an audit: no network, one small script for searching, light and dark, wide and narrow."""

import html
from typing import Any

from sdcdb.auditor.audit import Audit, ColumnAudit
from sdcdb.auditor.document import number_text
from sdcdb.errors import counted
from sdcdb.pages import audit_charts as charts
from sdcdb.pages.theme import SCRIPT, STYLE

SEARCH = "<input type=search id=search placeholder='Search records, users, statements' aria-label='Search'>"
PLOTTED = 30
CURVES = 6


def page(found: Audit, data: dict[str, Any]) -> str:
    """Return the page as one HTML document; `data` is the audit's document."""
    parts = [*_top(data), *_statements(data)]
    for column, shown in zip(found.columns, data["columns"], strict=True):
        parts += _column(
            column, shown, [f for f in data["findings"] if (f["table"], f["column"]) == (column.table, column.column)]
        )
    parts += _replay(data)
    parts += _problems(data)
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Audit</title>'
    )
    body = "\n".join(parts)
    return (
        f"<!DOCTYPE html>\n<html lang=en><head>{head}<style>{STYLE}</style></head><body>\n{body}\n"
        f"<script>{SCRIPT}</script></body></html>\n"
    )


def _t(value: Any) -> str:
    return html.escape(str(value))


def _top(data: dict[str, Any]) -> list[str]:
    period = f", {data['from'][:16].replace('T', ' ')} to {data['to'][:16].replace('T', ' ')}" if data["from"] else ""
    verdict = ("<b class=bad>exceeds</b>" if data["exceeds_policy"] else "<b class=good>within</b>") + "the policy"
    cards = [
        f"<div>{verdict}</div>",
        f"<div><b>{data['statements']:,}</b>statements</div>",
        f"<div><b>{len(data['findings']):,}</b>exposed records</div>",
        f"<div><b>{len(data['direct_reads']):,}</b>direct reads</div>",
        f"<div><b>{len(data['not_understood']):,}</b>not understood</div>",
    ]
    users = counted(len(data["users"]), "user")
    rows = [(each["outcome"], each["reason"] or "", each["statements"]) for each in data["accounting"]]
    return [
        "<h1>What the query log tells</h1>",
        f"<p class=soft>{counted(data['statements'], 'statement')} by {users}{_t(period)}</p>",
        f"<div class=cards>{''.join(cards)}</div>",
        f"<p>{SEARCH} <span class=soft id=shown></span></p>",
        "<h2>Accounting</h2>",
        _table(("outcome", "reason", "statements"), rows),
    ]


def _table(header: tuple[str, ...], rows: list[tuple[Any, ...]], *, searchable: bool = False) -> str:
    def cell(value: Any) -> str:
        if isinstance(value, _Code):
            return f"<td><code>{_t(value)}</code></td>"
        if isinstance(value, _Html):
            return f"<td class=c>{value}</td>"
        if isinstance(value, int | float):
            return f"<td class=n>{number_text(value)}</td>"
        return f"<td>{_t(value)}</td>"

    numeric = [bool(rows) and all(isinstance(row[n], int | float) for row in rows) for n in range(len(header))]
    heads = "".join(f"<th{' class=n' if n else ''}>{_t(name)}</th>" for name, n in zip(header, numeric, strict=True))
    mark = " data-row" if searchable else ""
    lines = "".join(f"<tr{mark}>{''.join(cell(value) for value in row)}</tr>" for row in rows)
    return f"<div class=wide><table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></div>"


class _Code(str):
    """A statement."""

    __slots__ = ()


class _Html(str):
    """Markup of our own."""

    __slots__ = ()


def _statements(data: dict[str, Any]) -> list[str]:
    parts = []
    for title, key in (
        ("Direct reads of confidential values", "direct_reads"),
        ("Not understood, assumed unsafe", "not_understood"),
    ):
        if data[key]:
            rows = [
                (
                    f"{each['file']}:{each['line']}",
                    ", ".join(each["users"]),
                    each["times"],
                    each["reason"],
                    _Code(each["sql"]),
                )
                for each in data[key]
            ]
            parts += [
                f"<h2>{title}</h2>",
                _table(("place", "users", "times", "why", "statement"), rows, searchable=True),
            ]
    return parts


def _column(column: ColumnAudit, shown: dict[str, Any], found: list[dict[str, Any]]) -> list[str]:
    name = f"{column.table}.{column.column}"
    numbers = f"{counted(column.records, 'record')}, {counted(column.answers, 'different answer')}"
    asks = f"an interval of at least {number_text(column.limits.min_interval)} and {column.limits.min_h0:g} bits"
    parts = [f"<h2>{_t(name)}</h2>", f"<p class=soft>{numbers}; the policy asks for {asks}.</p>"]
    course = shown["course"]
    if course:
        at = [moment["after"]["number"] if moment["after"] else 0 for moment in course["moments"]]
        series = [
            (
                "determined" if share == 0 else f"narrower than {share:.3g} of the domain",
                at,
                [m["below"][n] for m in course["moments"]],
            )
            for n, share in enumerate(course["thresholds"])
        ]
        since = sorted(each["first"]["number"] for each in found)
        beyond = ("beyond the policy", [0, *since, max([*at, *since])], [*range(len(since) + 1), len(since)])
        series.insert(0, beyond)
        parts += [
            "<h3>Over time</h3>",
            charts.lines(series, "statement of the log", "records below each threshold", steps=True),
        ]
    if found:
        parts += [
            "<h3>The most exposed records, before and after</h3>",
            charts.bars_of_intervals(found[:PLOTTED], float(column.unit[0]), float(column.unit[1])),
            "<h3>What is left of an intruder's doubt</h3>",
            f"<p class=soft>H(eps) of somebody who knows {_t(', '.join(column.known) or 'nothing')}.</p>",
            charts.lines(
                [(f"{f['record']}", f["curve"]["eps"], f["curve"]["h"]) for f in found[:CURVES]],
                "eps",
                "H(eps), bits",
                steps=True,
            ),
        ]
    if column.heat:
        parts += ["<h3>Where the danger is</h3>", charts.heat(*column.heat)]
    if found:
        parts += ["<h3>Findings and their certificates</h3>", *(_finding(each) for each in found)]
    if course and course["costliest"]:
        rows = [
            (
                round(each["bits"], 1),
                each["records"],
                f"{each['file']}:{each['line']}",
                each["user"],
                _Code(each["sql"]),
            )
            for each in course["costliest"]
        ]
        parts += [
            "<h3>The costliest answers</h3>",
            _table(("bits", "records", "place", "user", "statement"), rows, searchable=True),
        ]
    users = [(each["user"], each["answers"], _levels(each["exposed"])) for each in shown["by_user"]]
    together = [
        (" + ".join(each["users"]), "", f"{each['findings']} together")
        for each in shown["together"]
        if len(each["users"]) > 1
    ]
    if users or together:
        parts += [
            "<h3>Who holds it</h3>",
            _table(("users", "answers", "exposed records"), [*together, *users], searchable=True),
        ]
    return parts


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
        lines = f"<p>{kind}: {_t(proof['words'])}</p><ol>{steps}</ol>"
    first = each["first"]
    when = f" at {first['time'][:19].replace('T', ' ')}" if first["time"] else ""
    tag = f"<span class='tag {each['level']}'>{each['level']}</span>"
    holders = _t(" + ".join(each["users"]) or each["pool"])
    since = f"Since statement {first['number']:,}{_t(when)} by {_t(first['user'])}."
    doubt = f"H(0) {each['h0']:.2f} bits, {each['h0_given_known']:.2f} for somebody who cannot tell which record it is."
    title = f"{tag} <b>{_t(each['record'])}</b> {_t(told)} <span class=soft>{holders}</span>"
    return f"<details data-row><summary>{title}</summary><p class=soft>{since} {doubt}</p>{lines}</details>"


def _step(query: dict[str, Any]) -> str:
    place = f"{_t(query['file'])}:{query['line']}, {_t(query['user'])}"
    told = f"{query['asks']} of {counted(query['records'], 'record')} = {number_text(query['answer'])}"
    return f"<li><code>{_t(query['sql'])}</code><br><span class=soft>{place}; {told}</span></li>"


def _replay(data: dict[str, Any]) -> list[str]:
    if not data["replay"]:
        return []
    verdicts = ", ".join(f"{number:,} {verdict}" for verdict, number in sorted(data["replay"]["verdicts"].items()))
    rows = [
        (each["rule"], f"{each['file']}:{each['line']}", each["user"], _Code(each["sql"]))
        for each in data["replay"]["refused"]
    ]
    return [
        "<h2>Under the other policy</h2>",
        f"<p>Of {data['replay']['asked']:,} different statements the gateway would answer: {_t(verdicts)}.</p>",
        _table(("rule", "place", "user", "statement"), rows, searchable=True),
    ]


def _problems(data: dict[str, Any]) -> list[str]:
    if not data["log_problems"]["number"]:
        return []
    rows = [(text,) for text in data["log_problems"]["listed"]]
    return [
        f"<h2>Problems in the log: {data['log_problems']['number']:,}</h2>",
        _table(("problem",), rows, searchable=True),
    ]
