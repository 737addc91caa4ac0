"""`sdcdb audit`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from sdcdb.cli.arguments import DatabaseArgument, PolicyOption, listed
from sdcdb.cli.output import JsonOption, Output, QuietOption, table
from sdcdb.errors import SdcdbError, counted

if TYPE_CHECKING:
    from sdcdb.auditor.audit import Audit

SHOWN = 10
LOG_HELP = (
    "A query log, any format, gzipped or not; give the option once for each. Default: the gateway's ledger of DB."
)
TOGETHER_HELP = "Whose answers add up: all, user or group. Default: all, because people talk to each other."


def audit(
    db: DatabaseArgument,
    log: Annotated[list[Path] | None, typer.Option("--log", "-l", metavar="FILE", help=LOG_HELP)] = None,
    policy: PolicyOption = None,
    known: Annotated[
        str | None,
        typer.Option(
            "--known", "-k", metavar="COLUMNS", help="What an intruder knows. Default: all quasi-identifiers."
        ),
    ] = None,
    together: Annotated[str, typer.Option("--users-together", metavar="WHO", help=TOGETHER_HELP)] = "all",
    pseudonymise: Annotated[bool, typer.Option("--pseudonymise", help="Name no record and no person.")] = False,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page with plots.")] = None,
    sarif: Annotated[Path | None, typer.Option("--sarif", metavar="FILE", help="Write SARIF, for pipelines.")] = None,
    replay_with: Annotated[
        Path | None,
        typer.Option("--replay-with", metavar="FILE", help="Also tell what the gateway denies under this policy."),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option("--resume", metavar="FILE", help="Keep a checkpoint there, and go on from it if there is one."),
    ] = None,
    form: Annotated[
        str | None, typer.Option("--format", help="The logs' format. Default: told by their content.")
    ] = None,
    dialect: Annotated[
        str | None, typer.Option("--dialect", help="The logs' SQL dialect: duckdb, postgres, mysql, spark, ...")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns", metavar="NAMES", help="Columns of a CSV, JSON or Parquet log: query=q,user=who,time=ts"
        ),
    ] = None,
    proofs: Annotated[int, typer.Option("--proofs", min=0, help="How many findings get a certificate.")] = 100,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Audit query logs: who was exposed, how closely, by which queries, to whom, since when. Exit code 1 if anyone was."""
    import sdcdb
    from sdcdb.auditor.audit import Options
    from sdcdb.auditor.document import document
    from sdcdb.auditor.run import Request, run
    from sdcdb.logs.formats import Options as LogOptions
    from sdcdb.policy.load import load_policy

    out = Output(as_json, quiet)
    pool = _pool(together)
    reading = LogOptions(form, _dialect(dialect), dict(_pair(each) for each in listed(columns)))
    options = Options(pool, tuple(listed(known)) if known else None, pseudonymise, proofs)
    other = load_policy(replay_with) if replay_with else None
    with sdcdb.open(db, policy, read_only=True) as database:
        request = Request(log or [_ledger(db)], reading, options, resume, other)
        with out.progress("reading the log") as progress:
            found = run(database.con, database.policy, request, progress, out.note)
        data = document(found)
        if sarif is not None:
            from sdcdb.auditor.sarif import sarif as as_sarif

            _write(sarif, json.dumps(as_sarif(found), indent=2, ensure_ascii=False) + "\n")
        if html is not None:
            from sdcdb.auditor.page import page

            _write(html, page(found, data))
    out.result(data, lambda console: _draw(console, found, data))
    if found.exceeds:
        raise typer.Exit(1)


def _pool(given: str) -> Any:
    from sdcdb.errors import choices

    if given not in ("all", "user", "group"):
        raise SdcdbError(f"--users-together {given!r}; {choices(given, ['all', 'user', 'group'])}")
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
        raise SdcdbError(f"--columns {text!r}: write what=name, such as query=sql_text,user=login")
    return what.strip(), name.strip()


def _ledger(db: Path) -> Path:
    from sdcdb.gateway.ledger.places import ledger_path

    file = ledger_path(db)
    if not file.exists():
        raise SdcdbError(f"name the query log: --log FILE (there is no ledger {file} of the gateway's own)")
    return file


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise SdcdbError(f"cannot write {file}: {problem.strerror}") from None


def _draw(console: Console, found: "Audit", data: dict[str, Any]) -> None:
    period = f", {data['from'][:19]} to {data['to'][:19]}" if data["from"] else ""
    users = counted(len(data["users"]), "user")
    console.print(f"{counted(data['statements'], 'statement')} by {users}{period}", markup=False)
    console.print()
    rows = [(each["outcome"], each["reason"] or "-", each["statements"]) for each in data["accounting"]]
    console.print(table("Accounting", ("outcome", "reason", "statements"), rows))
    if data["log_problems"]["number"]:
        console.print(f"\n{counted(data['log_problems']['number'], 'problem')} in the log", style="bold", markup=False)
        for text in data["log_problems"]["listed"][:SHOWN]:
            console.print(f"  {text}", markup=False)
    _draw_statements(console, "Direct reads of confidential values", data["direct_reads"])
    _draw_statements(console, "Not understood, therefore assumed unsafe", data["not_understood"])
    _draw_findings(console, data["findings"])
    for column in data["columns"]:
        _draw_column(console, column)
    if data["replay"]:
        _draw_replay(console, data["replay"])
    console.print()
    verdict = "The log exceeds the policy." if found.exceeds else "Nothing in the log exceeds the policy."
    console.print(verdict, style="bold red" if found.exceeds else "bold green", markup=False)


def _draw_statements(console: Console, title: str, statements: list[dict[str, Any]]) -> None:
    if not statements:
        return
    rows = [
        (f"{each['file']}:{each['line']}", ", ".join(each["users"]), each["times"], each["reason"], _short(each["sql"]))
        for each in statements[:SHOWN]
    ]
    console.print()
    console.print(table(f"{title}: {len(statements):,}", ("place", "users", "times", "why", "statement"), rows))


def _draw_findings(console: Console, found: list[dict[str, Any]]) -> None:
    if not found:
        return
    rows = [
        (
            each["record"], f"{each['table']}.{each['column']}", each["level"], _interval(each), each["h0"],
            each["h0_given_known"], each["first"]["number"], ", ".join(each["users"]) or each["pool"],
        )
        for each in found[: 2 * SHOWN]
    ]  # fmt: skip
    header = (
        "record",
        "column",
        "level",
        "known to be",
        "H(0) bits",
        "given known",
        "since statement",
        "users together",
    )
    console.print()
    console.print(table(f"Exposed records: {len(found):,}", header, rows))
    for each in found[:SHOWN]:
        proof = each["certificate"]
        if proof is None:
            continue
        console.print()
        kind = "smallest proof" if proof["smallest"] else "proof that can lose no query"
        console.print(f"{each['record']}: {kind}, {proof['words']}", markup=False)
        for position, query in enumerate(proof["queries"][:SHOWN], start=1):
            console.print(
                f"  ({position}) {query['file']}:{query['line']} {query['user']}: {_short(query['sql'])} "
                f"[{query['asks']} of {counted(query['records'], 'record')} = {_number(query['answer'])}]",
                markup=False,
            )
        if len(proof["queries"]) > SHOWN:
            console.print(f"  ... and {len(proof['queries']) - SHOWN} more, in --json", markup=False)


def _draw_column(console: Console, column: dict[str, Any]) -> None:
    course = column["course"]
    name = f"{column['table']}.{column['column']}"
    console.print()
    if course:
        header = ("after answers", *(_share(share) for share in course["thresholds"]))
        rows = [(each["answers"], *each["below"]) for each in course["moments"]]
        console.print(table(f"{name}: records in an interval narrower than this share of the domain", header, rows))
        costly = [
            (round(e["bits"], 1), e["records"], f"{e['file']}:{e['line']}", e["user"], _short(e["sql"]))
            for e in course["costliest"][:5]
        ]
        if costly:
            console.print()
            console.print(table("The costliest answers", ("bits", "records", "place", "user", "statement"), costly))
    exposing = [each for each in column["by_user"] if each["exposed"]]
    rows_users = [(each["user"], each["answers"], _levels(each["exposed"])) for each in exposing[:SHOWN]]
    rows_users += [
        (" + ".join(each["users"]), "-", f"{each['findings']} together")
        for each in column["together"]
        if len(each["users"]) > 1
    ]
    if rows_users:
        console.print()
        console.print(table("Who holds it", ("users", "answers", "exposed records"), rows_users))


def _draw_replay(console: Console, data: dict[str, Any]) -> None:
    console.print()
    rows = [(verdict, number) for verdict, number in sorted(data["verdicts"].items())]
    console.print(table("Under the other policy the gateway would", ("verdict", "statements"), rows))
    refused = [
        (each["rule"], f"{each['file']}:{each['line']}", each["user"], _short(each["sql"]))
        for each in data["refused"][:SHOWN]
    ]
    if refused:
        console.print()
        console.print(table("Refused", ("rule", "place", "user", "statement"), refused))


def _levels(exposed: dict[str, int]) -> str:
    return ", ".join(f"{number} {level}" for level, number in exposed.items())


def _interval(each: dict[str, Any]) -> str:
    if each["value"] is not None:
        return f"= {_number(each['value'])}"
    if len(each["candidates"]) == 2 and each["h0"] <= 1:
        return " or ".join(_number(value) for value in each["candidates"])
    return f"{_number(each['lower'])} to {_number(each['upper'])}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def _share(share: float) -> str:
    return "determined" if share == 0 else f"{share:.3g}" if share < 0.001 else f"{share:.0%}"


def _short(sql: str) -> str:
    return sql if len(sql) <= 110 else sql[:107] + "..."
