"""The first part of an audit's page: who was exposed to whom, since when, how closely, and the proof."""

from typing import Any

from sdcdb.auditor import briefing
from sdcdb.auditor.document import number_text
from sdcdb.errors import counted
from sdcdb.pages.theme import Code, escape, table

FEW = 8  # people who are listed one by one though one statement exposed them all


def exposed_parts(data: dict[str, Any]) -> list[str]:
    """Return the findings, the values that statements showed first, then those that answers imply."""
    found = data["findings"]
    if not found and not data["direct_reads"]:
        return []
    parts = ["<h2>Who was exposed to whom</h2>"]
    if found:
        parts.append(
            "<p class=soft>Each person whose confidential value became known more closely than the policy allows, with "
            "those who know it. Open an entry for the proof, which you can check by hand.</p>"
        )
    parts += [_group(group) for group in briefing.shown_at_once(found)]
    parts += _implied([each for each in found if each["level"] != "direct"])
    if data["direct_reads"]:
        rows = [
            (", ".join(each["users"]), briefing.when(each), each["times"], _records(each), Code(each["sql"]))
            for each in data["direct_reads"]
        ]
        parts += [
            "<h3>Statements that show confidential values themselves</h3>",
            table(("users", "since", "times", "what", "statement"), rows, searchable=True),
        ]
    return parts


def _implied(found: list[dict[str, Any]]) -> list[str]:
    """Return the entries; many people whom one statement exposed to the same users are behind one line."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for each in found:
        key = (each["table"], each["column"], each["level"], briefing.holders(each), each["first"]["number"])
        groups.setdefault(key, []).append(each)
    parts = []
    for (table_name, column, level, users, _), group in groups.items():
        if len(group) <= FEW:
            parts += [_finding(each) for each in group]
            continue
        title = (
            f"<span class='tag {level}'>{level}</span> <b>{escape(briefing.number_of_people(len(group)))}</b>: "
            f"{escape(table_name)}.{escape(column)} known to <b>{escape(users)}</b> "
            f"<span class=soft>since {escape(briefing.when(group[0]['first']))}</span>"
        )
        asked = f"<p>Since this statement: <code>{escape(group[0]['first']['sql'])}</code></p>"
        inner = "".join(_finding(each) for each in group)
        parts.append(f"<details class=many><summary>{title}</summary>{asked}{inner}</details>")
    return parts


def _records(each: dict[str, Any]) -> str:
    counts = ", ".join(f"{counted(number, 'record')} of {table}" for table, number in (each["records"] or {}).items())
    return f"{each['reason']}; {counts}" if counts else str(each["reason"])


def _group(group: list[dict[str, Any]]) -> str:
    first = group[0]
    people = briefing.number_of_people(len(group))
    name = f"{first['table']}.{first['column']}"
    title = (
        f"<span class='tag direct'>direct</span> <b>{escape(people)}</b>: {escape(name)} shown to "
        f"<b>{escape(briefing.holders(first))}</b> "
        f"<span class=soft>since {escape(briefing.when(first['first']))}</span>"
    )
    rows = [(each["record"], _value(each)) for each in group]
    proof = f"<p>The statement itself shows the values: <code>{escape(first['first']['sql'])}</code></p>"
    return f"<details data-row><summary>{title}</summary>{proof}{table(('record', name), rows)}</details>"


def _value(each: dict[str, Any]) -> str:
    if each.get("possible"):
        return " or ".join(each["possible"])
    if each["value"] is not None:
        return _text(each["value"])
    if len(each["candidates"]) == 2 and each["h0"] <= 1:
        return " or ".join(_text(value) for value in each["candidates"])
    return f"{_text(each['lower'])} to {_text(each['upper'])}"


def _text(value: Any) -> str:
    return number_text(value) if isinstance(value, int | float) else str(value)


def _finding(each: dict[str, Any]) -> str:
    proof = each["certificate"]
    lines = f"<p>{briefing.UNPROVED.capitalize()}.</p>"
    if proof:
        kind = "The smallest set of queries" if proof["smallest"] else "A set of which no query can be left out"
        steps = "".join(_step(query) for query in proof["queries"])
        lines = f"<p>{kind}: {escape(proof['words'])}</p><ol>{steps}</ol>"
    tag = f"<span class='tag {each['level']}'>{each['level']}</span>"
    since = f"The last statement needed was asked by {escape(each['first']['user'])}."
    doubt = f"{briefing.doubt(each)}."
    title = (
        f"{tag} <b>{escape(each['record'])}</b>: {escape(each['table'])}.{escape(each['column'])} "
        f"{escape(_value(each))}, known to <b>{escape(briefing.holders(each))}</b> "
        f"<span class=soft>since {escape(briefing.when(each['first']))}</span>"
    )
    return f"<details data-row><summary>{title}</summary><p class=soft>{since} {doubt}</p>{lines}</details>"


def _step(query: dict[str, Any]) -> str:
    place = f"{escape(query['file'])}:{query['line']}, {escape(query['user'])}"
    told = f"{query['asks']} of {counted(query['records'], 'record')} = {_text(query['answer'])}"
    return f"<li><code>{escape(query['sql'])}</code><br><span class=soft>{place}; {told}</span></li>"
