"""A self-contained page about an audit: no network, one small script for searching, light and dark, wide and narrow."""

from typing import Any

from sdcdb.auditor.audit import Audit
from sdcdb.errors import counted
from sdcdb.pages import theme
from sdcdb.pages.audit_column import column_parts
from sdcdb.pages.theme import Code, escape, table

SEARCH = "<input type=search id=search placeholder='Search records, users, statements' aria-label='Search'>"
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


def page(found: Audit, data: dict[str, Any]) -> str:
    """Return the page as one HTML document; `data` is the audit's document."""
    parts = [*_top(data), *_statements(data)]
    for column, shown in zip(found.columns, data["columns"], strict=True):
        own = [each for each in data["findings"] if (each["table"], each["column"]) == (column.table, column.column)]
        parts += column_parts(column, shown, own)
    return theme.page("Audit", [*parts, *_replay(data), *_problems(data)], SCRIPT)


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
        "<h1>What the query log reveals</h1>",
        f"<p class=soft>{counted(data['statements'], 'statement')} by {users}{escape(period)}</p>",
        f"<div class=cards>{''.join(cards)}</div>",
        f"<p class=search>{SEARCH} <span class=soft id=shown></span></p>",
        "<h2>Accounting</h2>",
        table(("outcome", "reason", "statements"), rows),
    ]


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
                    Code(each["sql"]),
                )
                for each in data[key]
            ]
            parts += [
                f"<h2>{title}</h2>",
                table(("place", "users", "times", "why", "statement"), rows, searchable=True),
            ]
    return parts


def _replay(data: dict[str, Any]) -> list[str]:
    if not data["replay"]:
        return []
    verdicts = ", ".join(f"{number:,} {verdict}" for verdict, number in sorted(data["replay"]["verdicts"].items()))
    rows = [
        (each["rule"], f"{each['file']}:{each['line']}", each["user"], Code(each["sql"]))
        for each in data["replay"]["refused"]
    ]
    return [
        "<h2>Under the other policy</h2>",
        f"<p>Of {data['replay']['asked']:,} different statements the gateway would answer: {escape(verdicts)}.</p>",
        table(("rule", "place", "user", "statement"), rows, searchable=True),
    ]


def _problems(data: dict[str, Any]) -> list[str]:
    if not data["log_problems"]["number"]:
        return []
    rows = [(text,) for text in data["log_problems"]["listed"]]
    return [
        f"<h2>Problems in the log: {data['log_problems']['number']:,}</h2>",
        table(("problem",), rows, searchable=True),
    ]
