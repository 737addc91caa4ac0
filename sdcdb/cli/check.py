"""`sdcdb check`."""

from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from sdcdb.cli.arguments import DatabaseArgument, PolicyOption
from sdcdb.errors import Problem, counted
from sdcdb.terminal.output import JsonOption, Output, QuietOption

_COLOURS = {"error": "red", "warning": "yellow"}


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
    from sdcdb.policy.governed import policy_path
    from sdcdb.policy.load import load_document

    out = Output(as_json, quiet)
    file = policy or policy_path(db)
    with connect(db, read_only=True) as con, out.working(f"checking {file}", con):
        try:
            problems = check_as_gateway(con, load_document(file), strict=strict)
        except PolicyError as error:
            problems = list(error.problems)
    failing = [problem for problem in problems if strict or problem.severity == "error"]
    out.result(_data(str(file), problems, ok=not failing), lambda console: _draw(console, str(file), problems))
    if failing:
        raise typer.Exit(1)


def _data(file: str, problems: list[Problem], *, ok: bool) -> dict[str, object]:
    listed = [{"line": p.line, "field": p.field, "severity": p.severity, "message": p.message} for p in problems]
    return {"policy": file, "ok": ok, "problems": listed}


def _draw(console: Console, file: str, problems: list[Problem]) -> None:
    for problem in problems:
        where = file if problem.line is None else f"{file}:{problem.line}"
        line = Text.assemble((where, "bold"), ": ", (problem.severity, _COLOURS[problem.severity]), ": ")
        console.print(line.append(f"{problem.field}: {problem.message}" if problem.field else problem.message))
    errors = sum(problem.severity == "error" for problem in problems)
    verdict = f"{file}: {counted(errors, 'error')}, {counted(len(problems) - errors, 'warning')}"
    console.print(Text(verdict if problems else f"{file}: fits the database", "red" if errors else "green"))
