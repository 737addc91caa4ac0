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
    accept_risk: Annotated[
        str | None,
        typer.Option(
            "--accept-risk", metavar="REASON", help="Release below the policy's floors; goes into the manifest."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier release of this name.")] = False,
    policy: PolicyOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write a copy of a protected view that you can share, with a manifest. Exit code 1: below the policy's floors."""
    import sdcdb
    from sdcdb.connection.atomic_file import refuse_target

    out = Output(as_json, quiet)
    refuse_target(output, replace=force)
    with sdcdb.open(db, policy, read_only=True) as database, out.working(f"writing {output}", database.con):
        made = database.release(view, output, accept_risk=accept_risk, force=force)
    data = {"file": str(made.file), "manifest": str(made.manifest), "rows": made.rows, "sha256": made.sha256}
    out.result(data, lambda console: console.print(f"Wrote {made.file}: {counted(made.rows, 'record')}", markup=False))
    if accept_risk is not None:
        out.note("The reason for the accepted risk is in the manifest.")
    out.note(f"What was done to it, and its checksum: {made.manifest}")
