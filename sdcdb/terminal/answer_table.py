"""Answers, verdicts and denials, drawn for a person."""

from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sdcdb.errors import Denied, Unsupported, counted
from sdcdb.gateway.answer import Answer
from sdcdb.gateway.estimates.estimating import said
from sdcdb.gateway.rules.verdict import Verdict
from sdcdb.terminal.printable import printable
from sdcdb.terminal.values import HIDDEN, escaped, shown

MOST_ROWS = 1000
"""Rows that a terminal gets; a pipe gets all."""

_STYLES = {
    "allow": "bold green",
    "suppress": "bold yellow",
    "estimate": "bold yellow",
    "deny": "bold red",
    "unsupported": "bold red",
}


def draw_rows(
    console: Console, header: Sequence[str], rows: Sequence[Sequence[Any]], hidden: Collection[tuple[int, int]] = ()
) -> None:
    """Draw rows in columns, numbers right-aligned. Nothing is cut off: in a terminal, long values wrap."""
    drawn = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, show_edge=False)
    for at, name in enumerate(header):
        numeric = any(_number(row[at]) for row in rows) and all(_number(row[at]) or row[at] is None for row in rows)
        drawn.add_column(
            Text(escaped(name)),
            justify="right" if numeric else "left",
            overflow="fold",
            no_wrap=not console.is_terminal,
        )
    most = MOST_ROWS if console.is_terminal else len(rows)
    for n, row in enumerate(rows[:most]):
        drawn.add_row(
            *(Text(HIDDEN, "yellow") if (n, at) in hidden else Text(shown(value)) for at, value in enumerate(row))
        )
    # A pipe has no width: rich would cut at 80 characters.
    width = console.width if console.is_terminal else Console(width=10**6).measure(drawn).maximum
    wide = console if console.is_terminal else Console(file=console.file, width=width)
    wide.print(drawn, soft_wrap=False, crop=False)
    if len(rows) > most:
        console.print(f"... {len(rows) - most:,} more rows: use LIMIT, or --csv to get them all", style="dim")


def draw_answer(console: Console, notes: Console, answer: Answer, hidden: Collection[tuple[int, int]]) -> None:
    """Draw an answer, followed by a sentence on what was suppressed in it and why."""
    rows = [said(*each) for each in zip(answer.rows, answer.errors, strict=True)] if answer.errors else answer.rows
    draw_rows(console, answer.columns, rows, hidden)
    note = suppression(answer)
    if note is not None:
        notes.print(note)


def suppression(answer: Answer) -> Text | None:
    """Say what was left out of an answer, or None."""
    verdict = answer.verdict
    if answer.estimated:
        return Text(f"Estimated: {verdict.reason}. ± is one standard error.", "yellow")
    if verdict.kind != "suppress":
        return None
    what = f"{HIDDEN} groups merged" if answer.merged else f"{HIDDEN} {counted(verdict.suppressed, 'group')} suppressed"
    text = Text.assemble((what, "bold yellow"), f" ({verdict.rule}): {printable(verdict.reason)}")
    return text.append(f"\n  try: {printable(verdict.hint)}", "dim") if verdict.hint else text


def denial(refusal: Denied) -> Text:
    """Explain a denial: which rule, why, and what to try instead."""
    word = "not supported" if isinstance(refusal, Unsupported) else "denied"
    text = Text.assemble((f"{word} ({refusal.rule}): ", "bold red"), printable(refusal.reason))
    return text.append(f"\n  try: {printable(refusal.hint)}", "cyan") if refusal.hint else text


def draw_verdict(console: Console, verdict: Verdict) -> None:
    """Draw the verdict on a statement."""
    drawn = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for name, value in verdict.rows():
        style = _STYLES.get(value, "") if name == "verdict" else ""
        drawn.add_row(Text(printable(name), "dim"), Text(printable(value), style))
    console.print(drawn)


def _number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)
