"""`sdcdb demo`."""

from pathlib import Path
from typing import Annotated

import typer

from sdcdb.cli.arguments import SeedOption
from sdcdb.terminal.output import Output, QuietOption


def demo(
    folder: Annotated[Path | None, typer.Argument(metavar="FOLDER", help="A new folder. Default: sdcdb-demo")] = None,
    rows: Annotated[int, typer.Option("--rows", "-n", min=100, help="The number of employees.")] = 10_000,
    seed: SeedOption = 1,
    quiet: QuietOption = False,
) -> None:
    """Create a database in a new folder and walk through what sdcdb can do with it."""
    from sdcdb.cli.tour import run_demo

    run_demo(folder, rows, seed, Output(quiet=quiet))
