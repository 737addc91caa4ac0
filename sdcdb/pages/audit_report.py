"""A self-contained page about an audit: no network, one small script, light and dark, wide and narrow.

For a data-protection officer: who was exposed to whom, what could not be read, what to do; then how it came about.
"""

from typing import Any

from sdcdb.auditor import briefing
from sdcdb.auditor.audit import Audit
from sdcdb.errors import counted
from sdcdb.pages import interactive, theme
from sdcdb.pages.audit_column import column_parts
from sdcdb.pages.audit_exposed import exposed_parts
from sdcdb.pages.theme import Code, escape, table

SEARCH = "<input type=search id=search placeholder='Search people, users, statements' aria-label='Search'>"
UNSAFE = (
    "These statements read a restricted table, or may have, in a way that the audit does not understand. Assume that "
    "their users saw confidential values."
)
SCRIPT = """
document.getElementById('search').addEventListener('input', function (event) {
  const words = event.target.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let shown = 0;
  document.querySelectorAll('[data-row]').forEach(function (row) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every(function (word) { return text.includes(word); });
    if (!row.hidden) { shown += 1; }
  });
  document.querySelectorAll('details.many').forEach(function (group) {
    const some = group.querySelector('[data-row]:not([hidden])') !== null;
    group.hidden = !some;
    group.open = words.length > 0 && some;
  });
  document.getElementById('shown').textContent = words.length ? shown + ' match' : '';
});
"""


def page(found: Audit, data: dict[str, Any]) -> str:
    """Return the page as one HTML document; `data` is the audit's document."""
    parts = [*_top(data), *exposed_parts(data), *_people(data), *_unread(data), *_to_do(data)]
    for column, shown in zip(found.columns, data["columns"], strict=True):
        own = [each for each in data["findings"] if (each["table"], each["column"]) == (column.table, column.column)]
        parts += column_parts(column, shown, own)
    return theme.page("Audit", [*parts, *_replay(data), *_accounting(data)], SCRIPT + interactive.SCRIPT)


def _top(data: dict[str, Any]) -> list[str]:
    period = f", {data['from'][:16].replace('T', ' ')} to {data['to'][:16].replace('T', ' ')}" if data["from"] else ""
    certain = data["findings"] or data["people"] or data["direct_reads"]
    exceeds = "exceeds" if certain else "may exceed"
    verdict = (f"<b class=bad>{exceeds}</b>" if data["exceeds_policy"] else "<b class=good>within</b>") + "the policy"
    people = {(each["table"], each["record"]) for each in data["findings"]}
    together = {(each["table"], name) for each in data["people"] for name in each["people"]}
    unread = sum(each["times"] for each in data["not_understood"])
    maybe = sum(each["not_excluded"] for each in [*data["columns"], *data["categories"]])
    cards = [
        f"<div>{verdict}</div>",
        f"<div><b>{len(people):,}</b>people exposed</div>",
        *([f"<div><b>{len(together):,}</b>known by several answers</div>"] if together else []),
        f"<div><b>{len(data['direct_reads']):,}</b>direct reads</div>",
        f"<div><b>{unread:,}</b>not understood</div>",
        *([f"<div><b>{maybe:,}</b>may be known</div>"] if maybe else []),
        f"<div><b>{data['log_problems']['number']:,}</b>log problems</div>",
    ]
    users = counted(len(data["users"]), "user")
    return [
        "<h1>What the query log reveals</h1>",
        f"<p class=soft>{counted(data['statements'], 'statement')} by {users}{escape(period)}</p>",
        f"<div class=cards>{''.join(cards)}</div>",
        f"<p class=search>{SEARCH} <span class=soft id=shown></span></p>",
    ]


def _people(data: dict[str, Any]) -> list[str]:
    said = briefing.of_people(data)
    return (
        ["<h2>Known by several records or columns together</h2>", *(f"<p>{escape(each)}</p>" for each in said)]
        if said
        else []
    )


def _unread(data: dict[str, Any]) -> list[str]:
    """Return what could not be read and must therefore be assumed unsafe, by reason."""
    parts: list[str] = []
    groups = briefing.unread(data)
    if groups:
        parts += [
            "<h2>What could not be read, and must be assumed unsafe</h2>",
            f"<p class=soft>{UNSAFE}</p>",
        ]
    for group in groups:
        rows = [
            (f"{each['file']}:{each['line']}", ", ".join(each["users"]), each["times"], Code(each["sql"]))
            for each in group["listed"]
        ]
        title = f"{counted(group['number'], 'statement')}: {group['reason']}"
        parts += [
            f"<h3>{escape(title)}</h3>",
            table(("place", "users", "times", "statement"), rows, searchable=True),
        ]
    if data["log_problems"]["number"]:
        shown = data["log_problems"]["listed"]
        left = data["log_problems"]["number"] - len(shown)
        parts += [
            "<h2>What is missing or damaged in the log</h2>",
            "<p class=soft>What was asked on these lines is not in this report.</p>",
            table(("problem",), [(text,) for text in shown], searchable=True),
            *([f"<p>{left:,} more problems are counted but not listed.</p>"] if left > 0 else []),
        ]
    uncertain = briefing.lost(data)
    if uncertain:
        parts += ["<h2>What is not certain</h2>", *(f"<p>{escape(text)}</p>" for text in uncertain)]
    return parts


def _to_do(data: dict[str, Any]) -> list[str]:
    said = briefing.to_do(data)
    return (
        ["<h2>What to do next</h2>", f"<ul>{''.join(f'<li>{escape(text)}</li>' for text in said)}</ul>"] if said else []
    )


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


def _accounting(data: dict[str, Any]) -> list[str]:
    rows = [(each["outcome"], each["reason"] or "", each["statements"]) for each in data["accounting"]]
    return [
        "<h2>Every statement, accounted for</h2>",
        "<p class=soft>The numbers add up to all statements of the log.</p>",
        table(("outcome", "reason", "statements"), rows),
    ]
