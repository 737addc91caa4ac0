"""What a command prints: results to stdout, as text or as JSON; notes and progress to stderr."""

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    import duckdb

JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but the result.")]


@dataclass(frozen=True)
class Output:
    """Where one call of a command writes its results and notes."""

    as_json: bool = False
    quiet: bool = False
    console: Console = field(default_factory=lambda: Console(soft_wrap=True, highlight=False))
    notes: Console = field(default_factory=lambda: Console(stderr=True, soft_wrap=True, highlight=False))

    def result(self, data: Any, render: Callable[[Console], None]) -> None:
        """Print the result: `data` as JSON, or what `render` draws."""
        if self.as_json:
            sys.stdout.write(json.dumps(_json(data), indent=2, ensure_ascii=False, default=str) + "\n")
        else:
            render(self.console)

    def note(self, text: str) -> None:
        """Print a note that is not part of the result."""
        if not self.quiet and not self.as_json:
            self.notes.print(text, markup=False)

    @contextmanager
    def progress(self, what: str) -> Iterator[Callable[[int, int], None]]:
        """Show a bar on stderr while something runs, if stderr is a terminal; yield the function that moves it."""
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        hidden = self.quiet or not self.notes.is_terminal
        with Progress(*columns, console=self.notes, disable=hidden, transient=True) as bar:
            task = bar.add_task(what, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)

    @contextmanager
    def working(self, what: str, con: "duckdb.DuckDBPyConnection") -> Iterator[Callable[[str], None]]:
        """Show on stderr, if it is a terminal, that `con` is busy; yield the function that says with what.

        Ctrl-C stops it.
        """
        from sdcdb.connection.interrupts import interruptible

        shown = not self.quiet and self.notes.is_terminal
        with interruptible(con), self.notes.status(what) if shown else nullcontext() as status:
            yield lambda text: status.update(text) if status is not None else None


def table(title: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    """Draw a table, numbers right-aligned."""
    drawn = Table(
        title=Text(title), title_justify="left", title_style="bold", header_style="dim", box=None, padding=(0, 2, 0, 0)
    )
    body = [list(row) for row in rows]
    for position, name in enumerate(header):
        numeric = body and all(isinstance(row[position], int | float) or row[position] is None for row in body)
        drawn.add_column(Text(name), justify="right" if numeric else "left")
    for row in body:
        drawn.add_row(*(Text(shown(cell)) for cell in row))
    return drawn


def shown(cell: Any) -> str:
    """Write a value for a person: with thousands separators, and three decimals where they matter."""
    if cell is None:
        return "-"
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return str(cell)
    if isinstance(cell, int) or (math.isfinite(cell) and abs(cell) >= 1000):
        return f"{cell:,.0f}"
    return f"{cell:.3f}"


def _json(value: Any) -> Any:
    """Write infinity and NaN as text: JSON has neither, and strict readers would reject the rest."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {str(key): _json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_json(inner) for inner in value]
    return value
