"""`sdcdb init`."""

import sys
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from sdcdb.cli.arguments import DatabaseArgument
from sdcdb.terminal.output import JsonOption, Output, QuietOption


def init(
    db: DatabaseArgument,
    tables: Annotated[list[str] | None, typer.Option("--table", "-t", help="Only this table. Repeatable.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write the policy; - for stdout.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing policy.")] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Inspect a database and write a commented policy to start from."""
    from sdcdb.connection.atomic_file import refuse_target, written_whole
    from sdcdb.connection.connect import connect
    from sdcdb.gateway.tables.numbers_by_category import publishable
    from sdcdb.policy.decisions import open_decisions
    from sdcdb.policy.draft import draft_policy
    from sdcdb.policy.governed import policy_path

    out = Output(as_json, quiet)
    target = output or policy_path(db)
    if str(target) != "-":
        refuse_target(target, replace=force)
    with connect(db, read_only=True) as con, out.working(f"inspecting {db}", con):
        text = draft_policy(con, db.name, tables, publishable)
    if str(target) == "-":
        sys.stdout.write(text)
        return
    with written_whole(target, replace=force) as part:
        part.write_text(text, encoding="utf-8")
    decisions = len(open_decisions(text))
    data = {"policy": str(target), "decisions": decisions}
    out.result(data, lambda console: console.print(f"Wrote {target}", markup=False))
    out.note(f"{decisions} lines are marked CHECK and need your decision.")
    out.note(f"Next: edit it, then sdcdb check {quote(str(db))}")
