"""A self-contained page about an audit: no network, one small script for searching, light and dark, wide and narrow."""

import html
from typing import Any

from sdcdb.auditor import charts
from sdcdb.auditor.audit import Audit, ColumnAudit
from sdcdb.auditor.document import number_text
from sdcdb.errors import counted

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --line: #d8dee4; --soft: #57606a; --bad: #c62828;
  --warn: #e08600; --good: #2e7d32; --card: #f6f8fa; --c1: #c62828; --c2: #e08600; --c3: #b59f00; --c4: #2e7d32;
  --c5: #0277bd; --c6: #6a4fb3; --c7: #57606a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #14181d; --line: #30363d; --soft: #9198a1;
  --bad: #ff6b60; --warn: #ffb454; --good: #6fcf79; --card: #1c2128; --c1: #ff6b60; --c2: #ffb454; --c3: #e3cf5b;
  --c4: #6fcf79; --c5: #62b5f0; --c6: #b39ddb; --c7: #9198a1; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.25rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; } p { margin: .3rem 0 .8rem; }
.soft { color: var(--soft); } .bad { color: var(--bad); } .good { color: var(--good); }
.cards { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1rem 0; }
.cards div { background: var(--card); border-radius: 8px; padding: .6rem .9rem; min-width: 8rem; flex: 1; }
.cards b { display: block; font-size: 1.4rem; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .8rem .35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; white-space: nowrap; } td.n, th.n { text-align: right; white-space: nowrap; }
td.c { white-space: nowrap; } td code { display: block; min-width: 16rem; } code { font: .85em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
figure.plot { margin: .5rem 0; overflow-x: auto; } figure.plot svg { display: block; width: 100%; min-width: 34rem; height: auto; }
.legend span { display: inline-block; margin-right: 1rem; color: var(--soft); font-size: .9rem; }
.legend i { display: inline-block; width: .8rem; height: .8rem; border-radius: 2px; margin-right: .35rem; }
input[type=search] { width: 100%; padding: .55rem .75rem; font: inherit; color: inherit; background: var(--card);
  border: 1px solid var(--line); border-radius: 6px; }
details { border-bottom: 1px solid var(--line); padding: .4rem 0; } summary { cursor: pointer; }
ol { margin: .4rem 0; padding-left: 1.6rem; } .tag { border-radius: 4px; padding: 0 .4rem; font-size: .85rem; color: var(--paper); }
.tag.direct, .tag.exact { background: var(--bad); } .tag.interval { background: var(--warn); } .tag.cae { background: var(--good); }
[hidden] { display: none; }
"""
SCRIPT = """
document.getElementById('search').addEventListener('input', function (event) {
  const words = event.target.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let shown = 0;
  document.querySelectorAll('[data-row]').forEach(function (row) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every(function (word) { return text.includes(word); });
    if (!row.hidden) { shown += 1; }
  });
  document.getElementById('shown').textContent = words.length ? shown + ' match' : '';
});
"""
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
    rows = [(each["outcome"], each["reason"] or "", each["statements"]) for each in data["accounting"]]
    return [
        "<h1>What the query log tells</h1>",
        f"<p class=soft>{counted(data['statements'], 'statement')} by {counted(len(data['users']), 'user')}{_t(period)}</p>",
        f"<div class=cards>{''.join(cards)}</div>",
        "<p><input type=search id=search placeholder='Search records, users, statements' aria-label='Search'>"
        " <span class=soft id=shown></span></p>",
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
    parts = [
        f"<h2>{_t(name)}</h2>",
        f"<p class=soft>{counted(column.records, 'record')}, {counted(column.answers, 'different answer')}; the policy asks for an "
        f"interval of at least {number_text(column.limits.min_interval)} and {column.limits.min_h0:g} bits.</p>",
    ]
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
            f"<h3>What is left of an intruder's doubt</h3><p class=soft>H(eps) of somebody who knows "
            f"{_t(', '.join(column.known) or 'nothing')}.</p>",
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
        steps = "".join(
            f"<li><code>{_t(query['sql'])}</code><br><span class=soft>{_t(query['file'])}:{query['line']}, {_t(query['user'])}; "
            f"{query['asks']} of {counted(query['records'], 'record')} = {number_text(query['answer'])}</span></li>"
            for query in proof["queries"]
        )
        lines = f"<p>{kind}: {_t(proof['words'])}</p><ol>{steps}</ol>"
    first = each["first"]
    when = f" at {first['time'][:19].replace('T', ' ')}" if first["time"] else ""
    return (
        f"<details data-row><summary><span class='tag {each['level']}'>{each['level']}</span> <b>{_t(each['record'])}</b> "
        f"{_t(told)} <span class=soft>{_t(' + '.join(each['users']) or each['pool'])}</span></summary>"
        f"<p class=soft>Since statement {first['number']:,}{_t(when)} by {_t(first['user'])}. H(0) {each['h0']:.2f} bits, "
        f"{each['h0_given_known']:.2f} for somebody who does not know which record it is.</p>{lines}</details>"
    )


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
