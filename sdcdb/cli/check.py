"""`sdcdb check`."""

from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from sdcdb.cli.arguments import DatabaseArgument, PolicyOption
from sdcdb.errors import Problem, counted
from sdcdb.terminal.output import JsonOption, Output, QuietOption

_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


def check(
    db: DatabaseArgument,
    policy: PolicyOption = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Look for weak settings as well, and treat warnings as errors.")
    ] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Check the policy against the database. Exit code 1: it has errors."""
    from sdcdb.connection.connect import connect
    from sdcdb.errors import PolicyError
    from sdcdb.gateway.tables.checking import check_as_gateway
    from sdcdb.gateway.tables.numbers_by_category import say_numbers_by
    from sdcdb.policy.governed import policy_path
    from sdcdb.policy.load import load_document

    out = Output(as_json, quiet)
    file = policy or policy_path(db)
    notes: list[Problem] = []
    with connect(db, read_only=True) as con, out.working(f"checking {file}", con):
        try:
            document = load_document(file)
            problems = check_as_gateway(con, document, strict=strict)
            if all(problem.severity != "error" for problem in problems):
                notes = list(say_numbers_by(con, document))
        except PolicyError as error:
            problems = list(error.problems)
    failing = [problem for problem in problems if strict or problem.severity == "error"]
    data = {**_data(str(file), problems, ok=not failing), "notes": [_entry(note) for note in notes]}
    out.result(data, lambda console: _draw(console, str(file), problems, notes))
    if failing:
        raise typer.Exit(1)


def _data(file: str, problems: list[Problem], *, ok: bool) -> dict[str, object]:
    return {"policy": file, "ok": ok, "problems": [_entry(problem) for problem in problems]}


def _entry(problem: Problem) -> dict[str, object]:
    return {
        "line": problem.line,
        "field": problem.field,
        "severity": problem.severity,
        "message": problem.message,
    }


def _draw(console: Console, file: str, problems: list[Problem], notes: list[Problem]) -> None:
    for problem in (*problems, *notes):
        where = file if problem.line is None else f"{file}:{problem.line}"
        line = Text.assemble((where, "bold"), ": ", (problem.severity, _COLOURS[problem.severity]), ": ")
        console.print(line.append(f"{problem.field}: {problem.message}" if problem.field else problem.message))
    errors = sum(problem.severity == "error" for problem in problems)
    verdict = f"{file}: {counted(errors, 'error')}, {counted(len(problems) - errors, 'warning')}"
    console.print(Text(verdict if problems else f"{file}: fits the database", "red" if errors else "green"))
