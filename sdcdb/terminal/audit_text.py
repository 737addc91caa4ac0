"""An audit as text for a person at a terminal."""

from typing import Any

from rich.console import Console

from sdcdb.errors import counted
from sdcdb.terminal.output import table

SHOWN = 10


def draw(console: Console, data: dict[str, Any]) -> None:
    """Print an audit's document."""
    period = f", {data['from'][:19]} to {data['to'][:19]}" if data["from"] else ""
    users = counted(len(data["users"]), "user")
    console.print(f"{counted(data['statements'], 'statement')} by {users}{period}", markup=False)
    console.print()
    rows = [(each["outcome"], each["reason"] or "-", each["statements"]) for each in data["accounting"]]
    console.print(table("Accounting", ("outcome", "reason", "statements"), rows))
    if data["log_problems"]["number"]:
        console.print(f"\n{counted(data['log_problems']['number'], 'problem')} in the log", style="bold", markup=False)
        for text in data["log_problems"]["listed"][:SHOWN]:
            console.print(f"  {text}", markup=False)
    _draw_statements(console, "Direct reads of confidential values", data["direct_reads"])
    _draw_statements(console, "Not understood, therefore assumed unsafe", data["not_understood"])
    _draw_findings(console, data["findings"])
    for column in data["columns"]:
        _draw_column(console, column)
    if data["replay"]:
        _draw_replay(console, data["replay"])
    console.print()
    verdict = "The log exceeds the policy." if data["exceeds_policy"] else "Nothing in the log exceeds the policy."
    console.print(verdict, style="bold red" if data["exceeds_policy"] else "bold green", markup=False)


def _draw_statements(console: Console, title: str, statements: list[dict[str, Any]]) -> None:
    if not statements:
        return
    rows = [
        (f"{each['file']}:{each['line']}", ", ".join(each["users"]), each["times"], each["reason"], _short(each["sql"]))
        for each in statements[:SHOWN]
    ]
    console.print()
    console.print(table(f"{title}: {len(statements):,}", ("place", "users", "times", "why", "statement"), rows))


def _draw_findings(console: Console, found: list[dict[str, Any]]) -> None:
    if not found:
        return
    rows = [
        (
            each["record"], f"{each['table']}.{each['column']}", each["level"], _interval(each), each["h0"],
            each["h0_given_known"], each["first"]["number"], ", ".join(each["users"]) or each["pool"],
        )
        for each in found[: 2 * SHOWN]
    ]  # fmt: skip
    header = (
        "record",
        "column",
        "level",
        "known to be",
        "H(0) bits",
        "given known",
        "since statement",
        "users together",
    )
    console.print()
    console.print(table(f"Exposed records: {len(found):,}", header, rows))
    for each in found[:SHOWN]:
        proof = each["certificate"]
        if proof is None:
            continue
        console.print()
        kind = "smallest proof" if proof["smallest"] else "irreducible proof"
        console.print(f"{each['record']}: {kind}, {proof['words']}", markup=False)
        for position, query in enumerate(proof["queries"][:SHOWN], start=1):
            console.print(
                f"  ({position}) {query['file']}:{query['line']} {query['user']}: {_short(query['sql'])} "
                f"[{query['asks']} of {counted(query['records'], 'record')} = {_number(query['answer'])}]",
                markup=False,
            )
        if len(proof["queries"]) > SHOWN:
            console.print(f"  ... and {len(proof['queries']) - SHOWN} more, in --json", markup=False)


def _draw_column(console: Console, column: dict[str, Any]) -> None:
    course = column["course"]
    name = f"{column['table']}.{column['column']}"
    console.print()
    if course:
        header = ("after answers", *(_share(share) for share in course["thresholds"]))
        rows = [(each["answers"], *each["below"]) for each in course["moments"]]
        console.print(table(f"{name}: records in an interval narrower than this share of the domain", header, rows))
        costly = [
            (round(e["bits"], 1), e["records"], f"{e['file']}:{e['line']}", e["user"], _short(e["sql"]))
            for e in course["costliest"][:5]
        ]
        if costly:
            console.print()
            console.print(table("The costliest answers", ("bits", "records", "place", "user", "statement"), costly))
    exposing = [each for each in column["by_user"] if each["exposed"]]
    rows_users = [(each["user"], each["answers"], _levels(each["exposed"])) for each in exposing[:SHOWN]]
    rows_users += [
        (" + ".join(each["users"]), "-", f"{each['findings']} together")
        for each in column["together"]
        if len(each["users"]) > 1
    ]
    if rows_users:
        console.print()
        console.print(table("Who knows it", ("users", "answers", "exposed records"), rows_users))


def _draw_replay(console: Console, data: dict[str, Any]) -> None:
    console.print()
    rows = [(verdict, number) for verdict, number in sorted(data["verdicts"].items())]
    console.print(table("Under the other policy the gateway would", ("verdict", "statements"), rows))
    refused = [
        (each["rule"], f"{each['file']}:{each['line']}", each["user"], _short(each["sql"]))
        for each in data["refused"][:SHOWN]
    ]
    if refused:
        console.print()
        console.print(table("Refused", ("rule", "place", "user", "statement"), refused))


def _levels(exposed: dict[str, int]) -> str:
    return ", ".join(f"{number} {level}" for level, number in exposed.items())


def _interval(each: dict[str, Any]) -> str:
    if each["possible"]:
        return " or ".join(each["possible"])
    if each["value"] is not None:
        return f"= {_number(each['value'])}"
    if len(each["candidates"]) == 2 and each["h0"] <= 1:
        return " or ".join(_number(value) for value in each["candidates"])
    return f"{_number(each['lower'])} to {_number(each['upper'])}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def _share(share: float) -> str:
    return "determined" if share == 0 else f"{share:.3g}" if share < 0.001 else f"{share:.0%}"


def _short(sql: str) -> str:
    return sql if len(sql) <= 110 else sql[:107] + "..."
