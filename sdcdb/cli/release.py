"""`sdcdb release`."""

from pathlib import Path
from typing import Annotated

import typer

from sdcdb.cli.arguments import DatabaseArgument, PolicyOption
from sdcdb.errors import counted
from sdcdb.terminal.output import JsonOption, Output, QuietOption


def release(
    db: DatabaseArgument,
    view: Annotated[str, typer.Argument(metavar="VIEW", help="A protected view.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="A .parquet, .csv or .duckdb file.")],
    policy: PolicyOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write a copy of a protected view that you can share, with a manifest beside it."""
    import sdcdb
    from sdcdb.views.release import release as write

    out = Output(as_json, quiet)
    with sdcdb.open(db, policy, read_only=True) as database, out.working(f"writing {output}", database.con):
        made = write(database, view, output)
    data = {"file": str(made.file), "manifest": str(made.manifest), "rows": made.rows, "sha256": made.sha256}
    out.result(data, lambda console: console.print(f"Wrote {made.file}: {counted(made.rows, 'record')}", markup=False))
    out.note(f"What was done to it, and its checksum: {made.manifest}")
