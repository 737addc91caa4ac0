"""What analysts know so far: numbers, and a bar for the room that is left."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sdcdb.errors import counted
from sdcdb.gateway.knowledge_left import Known
from sdcdb.gateway.ledger.tally import Tally
from sdcdb.gateway.tables.halt import Halt
from sdcdb.terminal.output import shown, table
from sdcdb.terminal.printable import printable

BAR = 8
"""Characters of a full bar."""


def draw_known(console: Console, found: Sequence[Known]) -> None:
    """Draw what is known per table, pool of users and column."""
    if not found:
        console.print("Nothing is known yet: no question about a confidential column has been answered.")
        return
    title = Text("What all answers together reveal about the best-known record", "bold")
    drawn = Table(title=title, title_justify="left", box=None, header_style="dim", padding=(0, 2, 0, 0), pad_edge=False)
    for name in ("column", "known to"):
        drawn.add_column(name, overflow="fold")
    for name in ("interval", "H(0)", "area"):
        drawn.add_column(name, justify="right", no_wrap=True)
    for name in ("closest", "room left"):
        drawn.add_column(name, no_wrap=True)
    for each in found:
        drawn.add_row(
            *(Text(printable(name)) for name in (f"{each.table}.{each.column}", _people(each.pool))),
            f"{each.interval:.0%} doubt" if each.closest == "belief" else f"{shown(each.interval)} ({each.share:.0%})",
            f"{each.h0:.2f}",
            "-" if each.closest == "belief" else shown(each.area),
            each.closest,
            bar(each.room),
        )
    console.print(drawn, soft_wrap=False)


def draw_asked(console: Console, questions: Sequence[Tally]) -> None:
    """Draw how many questions each user asked, and how many were answered."""
    if questions:
        rows = [
            (printable(each.user, 30), each.answered, each.suppressed, each.denied, each.explained)
            for each in questions
        ]
        console.print()
        console.print(table("Questions", ("user", "answered", "with suppressed groups", "denied", "explained"), rows))


WHY = {
    "version": "has changed since its last answers: nothing is answered until `sdcdb refresh`",
    "policy": "has looser limits than before: nothing is answered until `sdcdb refresh --accept-looser REASON`",
    "linked": "has linked columns whose people cannot be matched: nothing is answered until they can",
    "changes": "has a version that cannot be followed record by record: nothing is answered about it",
}


def draw_halted(console: Console, halted: Sequence[Halt]) -> None:
    """Say which tables wait for their owner to act, and why."""
    for halt in halted:
        console.print(Text(f"{printable(halt.table)} {WHY[halt.rule]}", "bold yellow"))
        for why in halt.why:
            console.print(Text(f"  {printable(why)}", "yellow"))


def draw_surprises(console: Console, surprises: Mapping[str, int]) -> None:
    """Tell the owner which columns are not what is declared public of them."""
    for column, number in surprises.items():
        said = f"{counted(number, 'answer')} outside of all that was plausible: correct `known` in the policy"
        console.print(Text(f"{printable(column)}: {said}", "bold yellow"))


def bar(room: float) -> Text:
    """Draw how much room is left, and write it in percent: green, then yellow, then red.

    >>> bar(0.5).plain
    '████░░░░  50%'
    """
    full = round(room * BAR)
    colour = "green" if room > 0.5 else "yellow" if room > 0.2 else "red"
    return Text.assemble(("█" * full, colour), ("░" * (BAR - full), "dim"), f" {room:4.0%}")


def _people(pool: str) -> str:
    return "everybody" if pool == "all" else pool
