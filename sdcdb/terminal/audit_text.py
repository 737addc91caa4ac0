"""An audit as text for a person at a terminal: readable at 80 columns, no number is ever cut.

In the order of questions: who was exposed to whom, what could not be read, what to do next, and how it came about.
"""

import textwrap
from typing import Any

from rich.console import Console

from sdcdb.auditor import briefing
from sdcdb.errors import counted

SHOWN = 10
WIDTH = 80


def draw(console: Console, data: dict[str, Any]) -> None:
    """Print an audit's document."""
    say = _Lines(console)
    _draw_verdict(say, data)
    _draw_exposed(say, data)
    say.section("Known by several records or columns together", briefing.of_people(data))
    _draw_unread(say, data)
    say.section("What to do next", [f"- {text}" for text in briefing.to_do(data)])
    for column in data["columns"]:
        _draw_column(say, column)
    if data["replay"]:
        _draw_replay(say, data["replay"])
    _draw_accounting(say, data)


class _Lines:
    """Prints lines wrapped at the width of the terminal, at most 100 columns, and 80 where there is none."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._width = max(40, min(console.width, 100)) if console.is_terminal else WIDTH

    def line(self, text: str = "", indent: int = 0, hang: int = 0, style: str | None = None) -> None:
        """Print a text; what follows its first line is indented by `hang` more."""
        before = " " * indent
        for each in textwrap.wrap(
            text, self._width, initial_indent=before, subsequent_indent=before + " " * hang,
            break_long_words=False, break_on_hyphens=False,
        ) or [""]:  # fmt: skip
            self._console.print(each, style=style, markup=False)

    def exactly(self, text: str) -> None:
        """Print a line as it is."""
        self._console.print(text, markup=False)

    def title(self, text: str) -> None:
        """Print the title of a section."""
        self.line()
        self.line(text, style="bold")

    def section(self, title: str, lines: list[str]) -> None:
        """Print a title and what belongs to it, if there is anything."""
        if lines:
            self.title(title)
            for text in lines:
                self.line(text, 2, 2)


def _draw_verdict(say: _Lines, data: dict[str, Any]) -> None:
    period = f", {data['from'][:19]} to {data['to'][:19]}" if data["from"] else ""
    say.line(f"{counted(data['statements'], 'statement')} by {counted(len(data['users']), 'user')}{period}")
    if not data["exceeds_policy"]:
        say.line("Nothing in the log exceeds the policy.", style="bold green")
        return
    people = {(each["table"], each["record"]) for each in data["findings"]}
    unread = sum(each["times"] for each in data["not_understood"])
    parts = [f"{briefing.number_of_people(len(people))} exposed"] if people else []
    whole = {(each["table"], name) for each in data["people"] for name in each["people"]}
    parts += [f"{briefing.number_of_people(len(whole))} known by several answers about them"] if whole else []
    parts += [counted(len(data["direct_reads"]), "direct read")] if data["direct_reads"] else []
    parts += [f"{counted(unread, 'statement')} not understood"] if unread else []
    maybe = sum(each["not_excluded"] for each in [*data["columns"], *data["categories"]])
    parts += [f"{briefing.number_of_people(maybe)} may be known"] if maybe else []
    broken = data["log_problems"]["number"]
    parts += [counted(broken, "problem") + " in the log"] if broken else []
    what = "exceeds the policy" if people or whole or data["direct_reads"] else "may exceed the policy"
    say.line(f"The log {what}: {', '.join(parts) or 'answers are not certain'}.", style="bold red")


def _draw_exposed(say: _Lines, data: dict[str, Any]) -> None:
    found, direct = data["findings"], data["direct_reads"]
    if found:
        say.title(f"Who was exposed to whom: {counted(len(found), 'finding')}")
    for group in briefing.shown_at_once(found):
        _draw_group(say, group)
    alone = [each for each in found if each["level"] != "direct"]
    for position, each in enumerate(alone[: 2 * SHOWN]):
        _draw_finding(say, each, proved=position < SHOWN)
    _more(say, len(alone), 2 * SHOWN, "finding")
    if direct:
        say.title(f"Statements that show confidential values themselves: {len(direct):,}")
    for each in direct[:SHOWN]:
        selected = (each["records"] or {}).items()
        records = "".join(f", {counted(number, 'record')} of {table}" for table, number in selected)
        often = "" if each["times"] == 1 else f", {each['times']:,} times"
        say.line(f"{', '.join(each['users'])}: {each['reason']}{records}{often}", 2, 2)
        say.line(f"since {briefing.when(each)}", 4, 2)
        say.line(_short(each["sql"]), 4, 2)
    _more(say, len(direct), SHOWN, "statement")


def _draw_group(say: _Lines, group: list[dict[str, Any]]) -> None:
    """Print the records that one statement showed to the same people."""
    first = group[0]
    what = f"{briefing.number_of_people(len(group))}: {first['table']}.{first['column']} was shown (direct)"
    say.line(f"{what} to {briefing.holders(first)} since {briefing.when(first['first'])}", 2, 2, "bold")
    say.line(_short(first["first"]["sql"]), 4, 2)
    more = f"; and {len(group) - SHOWN:,} more, in --json and --html" if len(group) > SHOWN else ""
    say.line("; ".join(f"{each['record']} {known_to_be(each)}" for each in group[:SHOWN]) + more, 4)


def _draw_finding(say: _Lines, each: dict[str, Any], *, proved: bool) -> None:
    say.line(f"{each['record']}: {each['table']}.{each['column']} {known_to_be(each)} ({each['level']})", 2, 2, "bold")
    say.line(f"known to {briefing.holders(each)} since {briefing.when(each['first'])}", 4, 2)
    say.line(f"left unsure: {briefing.doubt(each)}", 4, 2)
    proof = each["certificate"]
    if proof is None or not proved:
        say.line(briefing.UNPROVED if proof is None else "proved in --json and --html", 4, 2)
        return
    kind = "smallest proof" if proof["smallest"] else "proof of which nothing can be left out"
    say.line(f"{each['record']}: {kind}, {proof['words']}", 4, 2)
    for position, query in enumerate(proof["queries"][:SHOWN], start=1):
        say.line(
            f"({position}) {query['file']}:{query['line']} {query['user']}: {_short(query['sql'])} "
            f"[{query['asks']} of {counted(query['records'], 'record')} = {_number(query['answer'])}]", 6, 4,
        )  # fmt: skip
    _more(say, len(proof["queries"]), SHOWN, "statement", 6)


def _draw_unread(say: _Lines, data: dict[str, Any]) -> None:
    groups = briefing.unread(data)
    if groups:
        say.title("What could not be read, and must be assumed unsafe")
    for group in groups:
        say.line(f"{counted(group['number'], 'statement')} by {', '.join(group['users'])}: {group['reason']}", 2, 2)
        for each in group["listed"][:3]:
            say.line(f"{each['file']}:{each['line']} {_short(each['sql'])}", 4, 4)
        _more(say, len(group["listed"]), 3, "different statement", 4)
    kinds = briefing.problems(data)
    if kinds:
        say.title(f"What is missing or damaged in the log: {counted(data['log_problems']['number'], 'problem')}")
    for what, number, places in kinds[:SHOWN]:
        if number == 1:
            say.line(places[0], 2, 2)
            continue
        say.line(f"{number:,} times: {what}", 2, 2)
        for text in places[:3]:
            say.line(text, 4, 4)
    _more(say, len(kinds), SHOWN, "kind of problem")
    unlisted = data["log_problems"]["number"] - len(data["log_problems"]["listed"])
    if unlisted > 0:
        say.line(f"{counted(unlisted, 'more problem')} counted but not listed.", 2)
    say.section("What is not certain", briefing.lost(data))


def _draw_column(say: _Lines, column: dict[str, Any]) -> None:
    course = column["course"]
    if course:
        say.title(f"How exposure of {column['table']}.{column['column']} grew")
        say.line("Records in an interval narrower than a share of the domain, after so many different answers:", 2)
        names = [_share(share) for share in course["thresholds"]]
        rows = [["answers", *names]]
        rows += [[f"{each['answers']:,}", *(f"{n:,}" for n in each["below"])] for each in course["moments"]]
        _draw_columns(say, rows)
        for each in course["moments"]:
            if each["not_computed"]:
                say.line(f"After {each['answers']:,} answers, {briefing.not_computed(each['not_computed'])}", 2)
        _draw_costliest(say, course)
    exposing = [each for each in column["by_user"] if each["exposed"]]
    lines = [
        f"{each['user']} alone ({counted(each['answers'], 'answer')}): {_levels(each['exposed'])}"
        for each in exposing[:SHOWN]
    ]
    lines += [
        f"{' + '.join(each['users'])} together: {counted(each['findings'], 'finding')}"
        for each in column["together"]
        if len(each["users"]) > 1
    ]
    say.section(f"Who knows {column['table']}.{column['column']}", lines)
    _more(say, len(exposing), SHOWN, "user")


def _draw_costliest(say: _Lines, course: dict[str, Any]) -> None:
    costly, cut = course["costliest"], briefing.costs_cut(course)
    if costly or cut:
        say.title("The answers that cost the most certainty")
    if cut:
        say.line(cut, 2)
    for each in costly[:5]:
        place = f"{each['file']}:{each['line']} {each['user']}"
        say.line(f"{each['bits']:,.1f} bits{briefing.cost_among(each)}: {place}", 2, 2)
        say.line(_short(each["sql"]), 4, 2)
    _more(say, len(costly), 5, "answer")


def _draw_columns(say: _Lines, rows: list[list[str]]) -> None:
    """Print rows of numbers in columns; columns that do not fit beside the others start a new block."""
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    fitting, block = WIDTH - 4 - widths[0], list[int]()
    blocks = [block]
    for n, width in enumerate(widths[1:], start=1):
        if block and sum(widths[m] + 2 for m in block) + width + 2 > fitting:
            block = []
            blocks.append(block)
        block.append(n)
    for chosen in blocks:
        for row in rows:
            cells = [row[0].rjust(widths[0]), *(row[n].rjust(widths[n]) for n in chosen)]
            say.exactly("  " + "  ".join(cells))


def _draw_replay(say: _Lines, data: dict[str, Any]) -> None:
    say.title("Under the other policy the gateway would")
    for verdict, number in sorted(data["verdicts"].items()):
        say.line(f"{verdict:<12}{number:>9,}", 2)
    for each in data["refused"][:SHOWN]:
        say.line(f"{each['rule']}: {each['file']}:{each['line']} {each['user']}: {_short(each['sql'])}", 2, 4)
    _more(say, len(data["refused"]), SHOWN, "refused statement")


def _draw_accounting(say: _Lines, data: dict[str, Any]) -> None:
    say.title("Every statement, accounted for")
    for each in data["accounting"]:
        why = f": {each['reason']}" if each["reason"] else ""
        say.line(f"{each['statements']:>9,}  {each['outcome']}{why}", 2, 11)


def _more(say: _Lines, number: int, shown: int, thing: str, indent: int = 2) -> None:
    if number > shown:
        say.line(f"... and {number - shown:,} more {thing}{'s' * (number > shown + 1)}, in --json and --html", indent)


def known_to_be(each: dict[str, Any]) -> str:
    """Say what is known of a value."""
    if each.get("possible"):
        return "is " + " or ".join(each["possible"])
    if each["value"] is not None:
        return f"= {_number(each['value'])}"
    if len(each["candidates"]) == 2 and each["h0"] <= 1:
        return "is " + " or ".join(_number(value) for value in each["candidates"])
    return f"is {_number(each['lower'])} to {_number(each['upper'])}"


def _levels(exposed: dict[str, int]) -> str:
    return ", ".join(f"{number:,} {level}" for level, number in exposed.items())


def _number(value: Any) -> str:
    if not isinstance(value, int | float):
        return str(value)
    return f"{value:,.0f}" if value == int(value) else f"{value:,.4f}".rstrip("0")


def _share(share: float) -> str:
    return "determined" if share == 0 else f"{share:.3g}" if share < 0.001 else f"{share:.0%}"


def _short(sql: str) -> str:
    return sql if len(sql) <= 200 else sql[:190] + f" ... ({len(sql):,} characters)"
