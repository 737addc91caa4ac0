"""`sdcdb refresh`."""

from typing import Annotated

import typer
from rich.console import Console

from sdcdb.cli.arguments import DatabaseArgument, PolicyOption
from sdcdb.cli.asking import opened
from sdcdb.terminal.output import JsonOption, Output, QuietOption
from sdcdb.terminal.printable import printable


def refresh(
    db: DatabaseArgument,
    table: Annotated[
        str | None, typer.Argument(metavar="TABLE", help="The restricted table to refresh. Default: all.")
    ] = None,
    accept_looser: Annotated[
        str | None,
        typer.Option("--accept-looser", metavar="REASON", help="Confirm looser limits. The ledger keeps the reason."),
    ] = None,
    as_new: Annotated[
        str | None,
        typer.Option(
            "--as-new", metavar="REASON", help="The records are other people now. The ledger keeps the reason."
        ),
    ] = None,
    adopt_ledger: Annotated[
        str | None,
        typer.Option(
            "--adopt-ledger", metavar="REASON", help="Continue with this ledger, although it is not the latest."
        ),
    ] = None,
    policy: PolicyOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Declare that a table has changed: answer about its new content, and remember what earlier answers revealed."""
    out = Output(as_json, quiet)
    with opened(db, policy, out, adopt_ledger or "") as gateway:
        accepted = gateway.accept_looser(accept_looser) if accept_looser else []
        changed = gateway.refresh(table, as_new=as_new or "")

    def draw(console: Console) -> None:
        for what in accepted:
            console.print(f"Accepted {printable(what)}", markup=False)
        for name in changed:
            console.print(f"{printable(name)} has changed: its new version is in the ledger", markup=False)
        if not changed:
            console.print(f"{printable(table)} has not changed" if table else "No table has changed", markup=False)

    out.result({"changed": changed, "accepted": accepted}, draw)
