"""What stands between a protected view and its release, in the terminal."""

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from sdcdb.assess.gate import Standing


def draw_standing(console: Console, found: "Standing") -> None:
    """Show every floor, and what to change where one is not reached."""
    verdict = "may be released" if found.passed else "will not be released as it is"
    console.print(Text(f"{found.view} {verdict}:", "green" if found.passed else "red"))
    for floor in found.floors:
        mark = Text("  ok   " if floor.passed else "  LOW  ", "green" if floor.passed else "red")
        console.print(mark.append(f"{floor.name}: {floor.words}", "default"))
        if not floor.passed:
            console.print(Text(f"       change: {floor.change}", "dim"))
    if found.secret:
        said = f"an intruder who knows {', '.join(found.secret)} as well finds {found.linked_by_all:.1%}"
        console.print(Text(f"  note {said}: for you to judge who may", "dim"))
