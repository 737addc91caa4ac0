"""`sdcdb show`."""

from typing import Annotated

import typer
from rich.console import Console

from sdcdb.cli.arguments import DatabaseArgument
from sdcdb.errors import counted
from sdcdb.terminal.output import JsonOption, Output, QuietOption, table


def show(
    db: DatabaseArgument,
    view: Annotated[str, typer.Argument(metavar="VIEW", help="A protected view.")],
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Explain a protected view in words: what happens to each column, with which probabilities."""
    from sdcdb.connection.connect import connect
    from sdcdb.connection.identifiers import quoted, table_reference
    from sdcdb.connection.profile import table_names
    from sdcdb.views.catalogue import entry

    out = Output(as_json, quiet)
    with connect(db, read_only=True) as con:
        found = entry(con, view)
        plan = found.plan
        now = None
        if plan.table in table_names(con):
            ((now,),) = con.execute(f"SELECT count(*) FROM {quoted(table_reference(plan.table))}").fetchall()
    data = {
        "view": plan.view,
        "table": plan.table,
        "kind": found.kind,
        "key": plan.key,
        "fitted_at": found.fitted_at.isoformat(),
        "fitted_rows": plan.rows,
        "rows_now": now,
        "sdcdb_version": found.sdcdb_version,
        "columns": plan.words(),
        "parameters": [each.model_dump(mode="json") for each in plan.fitted],
    }

    def draw(console: Console) -> None:
        rows = [(name or "(records)", text) for name, text in plan.words().items()]
        console.print(
            table(f"{plan.view}: a protected {found.kind} of {plan.table}", ("column", "what happens to it"), rows)
        )
        fitted = f"{found.fitted_at:%Y-%m-%d %H:%M} UTC on {counted(plan.rows, 'record')}"
        console.print(f"\nFitted {fitted} by sdcdb {found.sdcdb_version}.", markup=False)

    out.result(data, draw)
    if now is not None and now != plan.rows:
        out.note(f"{plan.table} has {counted(now, 'record')} now: fit it again with sdcdb protect {db}")
