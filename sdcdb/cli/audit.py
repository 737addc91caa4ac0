"""`sdcdb audit`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sdcdb.cli.arguments import DatabaseArgument, ForceOption, PolicyOption, listed
from sdcdb.errors import SdcdbError
from sdcdb.terminal.audit_text import draw
from sdcdb.terminal.output import JsonOption, Output, QuietOption

if TYPE_CHECKING:
    import duckdb

    from sdcdb.auditor.run import Request
    from sdcdb.policy.models import Policy

LOG_HELP = "A query log in any supported format, gzipped or not. Repeatable. Default: the gateway's ledger of DB."
TOGETHER_HELP = "Whose answers are combined: all, user or team. Default: all, because people talk to each other."


def audit(
    db: DatabaseArgument,
    log: Annotated[list[Path] | None, typer.Option("--log", "-l", metavar="FILE", help=LOG_HELP)] = None,
    policy: PolicyOption = None,
    known: Annotated[
        str | None,
        typer.Option(
            "--known", "-k", metavar="COLUMNS", help="Columns an intruder knows. Default: all quasi-identifiers."
        ),
    ] = None,
    together: Annotated[str, typer.Option("--users-together", metavar="WHO", help=TOGETHER_HELP)] = "all",
    pseudonymise: Annotated[
        bool, typer.Option("--pseudonymise", help="Replace the names of records and analysts, and values.")
    ] = False,
    show: Annotated[
        str | None,
        typer.Option("--show", metavar="COLUMNS", help="Columns that name a person in the report, beside the key."),
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page with plots.")] = None,
    sarif: Annotated[Path | None, typer.Option("--sarif", metavar="FILE", help="Write SARIF for CI pipelines.")] = None,
    replay_with: Annotated[
        Path | None,
        typer.Option("--replay-with", metavar="FILE", help="Also show what the gateway would deny under this policy."),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            "--resume", metavar="FILE", help="Keep a checkpoint in this file, and resume from it if it exists."
        ),
    ] = None,
    form: Annotated[
        str | None, typer.Option("--format", help="The format of the logs. Default: detected from the content.")
    ] = None,
    dialect: Annotated[
        str | None, typer.Option("--dialect", help="The SQL dialect of the logs: duckdb, postgres, mysql, spark, ...")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--map", metavar="NAMES", help="Columns of a CSV, JSON or Parquet log: query=QUERY_TEXT,user=USER_NAME"
        ),
    ] = None,
    prefix: Annotated[
        str | None,
        typer.Option("--prefix", metavar="SETTING", help="PostgreSQL's log_line_prefix. Default: guessed."),
    ] = None,
    proofs: Annotated[
        int, typer.Option("--proofs", min=0, help="The number of findings to prove with a certificate.")
    ] = 100,
    follow: Annotated[
        bool,
        typer.Option("--follow", help="Read the log as it grows, and print new exposures as JSON lines until stopped."),
    ] = False,
    force: ForceOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Audit query logs: who was exposed, how closely, by which queries, to whom, since when.

    Exit code 1: somebody was, or may have been, or a part of the log could not be read.
    """
    import sdcdb
    from sdcdb.auditor.audit import Options
    from sdcdb.auditor.document import document
    from sdcdb.auditor.run import Request, own_ledger, run
    from sdcdb.connection.atomic_file import refuse_target
    from sdcdb.logs.formats import Options as LogOptions
    from sdcdb.policy.load import load_policy

    out = Output(as_json, quiet)
    for file in filter(None, (html, sarif)):
        refuse_target(file, replace=force)
    if resume is not None:
        refuse_target(resume, replace=True)
    pool = _pool(together)
    reading = LogOptions(form, _dialect(dialect), dict(map(_pair, listed(columns))), prefix)
    options = Options(pool, tuple(listed(known)) if known else None, pseudonymise, proofs, tuple(listed(show)))
    other = load_policy(replay_with) if replay_with else None
    with sdcdb.open(db, policy, read_only=True) as database:
        request = Request(log or [own_ledger(db)], reading, options, resume, other)
        if follow:
            raise typer.Exit(_follow(database.con, database.policy, request))
        with out.progress("reading the log") as progress:
            found = run(database.con, database.policy, request, progress, out.note)
        data = document(found)
        if sarif is not None:
            from sdcdb.auditor.sarif import sarif as as_sarif

            _write(sarif, json.dumps(as_sarif(found), indent=2, ensure_ascii=False) + "\n", force)
        if html is not None:
            from sdcdb.pages.audit_report import page

            _write(html, page(found, data), force)
    out.result(data, lambda console: draw(console, data))
    if found.exceeds or found.history.problem_count:
        raise typer.Exit(1)


def _pool(given: str) -> Any:
    from sdcdb.errors import choices

    if given not in ("all", "user", "team"):
        raise SdcdbError(f"--users-together {given!r}; {choices(given, ['all', 'user', 'team'])}")
    return given


def _dialect(given: str | None) -> str | None:
    if given is None:
        return None
    from sqlglot import Dialect

    from sdcdb.errors import choices

    names = sorted(name for name in Dialect.classes if name)
    if given.lower() not in names:
        raise SdcdbError(f"--dialect {given!r}; {choices(given, names)}")
    return given.lower()


def _pair(text: str) -> tuple[str, str]:
    what, sign, name = text.partition("=")
    if not sign or not name:
        raise SdcdbError(f"--map {text!r}: write what=name, for example query=sql_text,user=login")
    return what.strip(), name.strip()


def _follow(con: "duckdb.DuckDBPyConnection", policy: "Policy | None", request: "Request") -> int:
    """Follow the logs until SIGINT or SIGTERM; return the exit code."""
    import signal
    import sys

    from sdcdb.auditor.follow import follow
    from sdcdb.connection.interrupts import Ending

    ending = Ending(signal.SIGINT, signal.SIGTERM)

    def emit(event: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(event, ensure_ascii=False, default=str) + "\n")
        sys.stdout.flush()

    return int(follow(con, policy, request, emit, ending.wait).exceeds)


def _write(file: Path, text: str, replace: bool) -> None:  # noqa: FBT001 - as the command was given
    """Write a report for its owner's eyes only: it contains personal data."""
    from sdcdb.connection.atomic_file import written_whole

    with written_whole(file, replace=replace, private=True) as part:
        part.write_text(text, encoding="utf-8")
