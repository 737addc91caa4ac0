"""`sdcdb status`."""

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from sdcdb.cli.arguments import DatabaseArgument, PolicyOption
from sdcdb.cli.asking import opened
from sdcdb.terminal.output import JsonOption, Output, QuietOption


def status(
    db: DatabaseArgument,
    user: Annotated[str | None, typer.Option("--user", "-u", help="Only what this user asked and knows.")] = None,
    as_json: JsonOption = False,
    policy: PolicyOption = None,
    quiet: QuietOption = False,
) -> None:
    """Show what all answers together reveal, and how much room is left. Exit code 1: a table waits for its owner."""
    from sdcdb.gateway.ledger.places import ledger_path
    from sdcdb.gateway.ledger.tally import count_surprises, tally
    from sdcdb.terminal.status import draw_asked, draw_halted, draw_known, draw_surprises
    from sdcdb.terminal.values import json_text

    out = Output(as_json, quiet)
    with opened(db, policy, out) as gateway:
        halted = gateway.halted()
        found = gateway.known(user)
    questions = tally(ledger_path(db), user)
    surprises = count_surprises(ledger_path(db)) if user is None else {}
    if as_json:
        data = {
            "known": [asdict(each) for each in found],
            "questions": [asdict(each) for each in questions],
            "halted": [asdict(each) for each in halted],
        } | ({"surprises": surprises} if surprises else {})
        sys.stdout.write(json_text(data) + "\n")
    else:
        if found or not halted:
            draw_known(out.console, found)
            if changed := [each.table for each in halted if each.rule == "version"]:
                out.console.print(f"Of {', '.join(changed)}, this was known before it changed.", markup=False)
        else:
            tables = ", ".join(each.table for each in halted)
            out.console.print(
                f"{tables} has changed: what its answers have revealed is shown again after `sdcdb refresh`",
                markup=False,
            )
        draw_asked(out.console, questions)
        draw_halted(out.console, halted)
        draw_surprises(out.console, surprises)
    if halted:
        raise typer.Exit(1)
