"""`sdcdb ledger`: read a ledger, even while a gateway writes to it."""

import json
import sys
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from sdcdb.cli.arguments import ForceOption
from sdcdb.errors import LedgerError, counted
from sdcdb.terminal.output import JsonOption, Output, QuietOption, table
from sdcdb.terminal.printable import printable

if TYPE_CHECKING:
    from sdcdb.gateway.ledger.rows import Row
    from sdcdb.gateway.ledger.verify import Verification

ledger = typer.Typer(
    name="ledger", help="Verify, show or export what was asked through the gateway.", no_args_is_help=True
)
DbOrLedger = Annotated[Path, typer.Argument(metavar="DB", help="A DuckDB database file, or the ledger beside it.")]


@ledger.command()
def verify(
    db: DbOrLedger,
    contains: Annotated[
        str | None,
        typer.Option(
            "--contains",
            metavar="HASH",
            help="Also check that the record with this hash, which you noted earlier, is still there.",
        ),
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Check every byte of the ledger. Exit code 1: it was changed after it was written."""
    from sdcdb.gateway.ledger.read import records

    out = Output(as_json, quiet)
    file = _ledger_of(db)
    with out.progress("checking"):
        found = _checked(file)
        sound = islice(records(file), found.records) if found.records else ()
        held = contains is None or any(record.hash == contains.strip().lower() for record in sound)
    data: dict[str, Any] = {"ledger": str(file)} | asdict(found)
    if not held:
        problem = f"no valid record has the hash {printable(contains or '')}"
        advice = "if you noted the hash from this ledger, the ledger has been replaced or set back to an older state"
        data |= {"ok": False, "problem": data["problem"] or problem, "advice": data["advice"] or advice}

    def draw(console: Console) -> None:
        console.print(f"{file}: {counted(found.records, 'valid record')}, the last one {found.head}", markup=False)
        if found.torn:
            console.print(f"after them, {counted(found.torn, 'byte')} of an unfinished record", markup=False)
        if found.torn_slot:
            console.print("one slot of its anchor is incomplete, as after a crash; the next open rewrites it")
        if not data["ok"]:
            console.print(f"BROKEN: {data['problem']}\nwhat to do: {data['advice']}", markup=False)

    out.result(data, draw)
    if not data["ok"]:
        raise typer.Exit(1)


@ledger.command()
def show(
    db: DbOrLedger,
    user: Annotated[str | None, typer.Option("--user", "-u", help="Only questions of this user.")] = None,
    last: Annotated[int, typer.Option("--last", "-n", min=0, help="Only the last N records; 0 for all.")] = 50,
    denied: Annotated[bool, typer.Option("--denied", help="Only questions that were denied or not supported.")] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Show the records of the ledger, oldest first."""
    out = Output(as_json, quiet)
    file = _ledger_of(db)
    kept: deque[Row] = deque(maxlen=last or None)
    matching = 0
    with out.progress("reading") as moved:
        found = _checked(file)
        for row in _rows(file, found, moved):
            if (user is None or row.user == user) and (row.refused or not denied):
                kept.append(row)
                matching += 1

    def draw(console: Console) -> None:
        width = max(console.width - 75, 30)
        header = ("n", "time (UTC)", "user", "verdict", "rule", "what")
        console.print(table(str(file), header, [_drawn(row, width) for row in kept]))

    if as_json:  # in ASCII, so that no statement can break out of its quotes
        text = json.dumps([asdict(row) for row in kept], indent=2, default=lambda time: time.isoformat())
        sys.stdout.write(text.replace("\x7f", "\\u007f") + "\n")
    else:
        out.result(None, draw)
    if len(kept) < matching:
        out.note(f"\n{counted(matching - len(kept), 'earlier record')} not shown: --last 0 shows all")
    _end(found)


@ledger.command()
def export(
    db: DbOrLedger,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="A .csv, .jsonl or .parquet file.")],
    force: ForceOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write the ledger as a flat table to a new file that only you can read."""
    from sdcdb.connection.atomic_file import refuse_target
    from sdcdb.gateway.ledger.export import export as write

    out = Output(as_json, quiet)
    refuse_target(output, replace=force)
    file = _ledger_of(db)
    with out.progress("exporting") as moved:
        found = _checked(file)
        count = write(_rows(file, found, moved), output, replace=force)
    out.result(
        {"file": str(output), "rows": count},
        lambda console: console.print(f"Wrote {output}: {counted(count, 'record')}", markup=False),
    )
    _end(found)


def _ledger_of(given: Path) -> Path:
    """Return the ledger of a database, or the ledger itself if it was named; it, or a trace of it, must exist."""
    from sdcdb.gateway.ledger.places import anchor_path, ledger_path

    file = given if given.name.endswith(".ledger.jsonl") else ledger_path(given)
    if file.exists() or anchor_path(file).exists():
        return file
    if not given.exists():
        raise LedgerError(f"no such file: {given}; name a database or its ledger")
    raise LedgerError(
        f"no ledger {file}: nothing was asked through the gateway of {given} yet, or the file was removed"
    )


def _checked(file: Path) -> "Verification":
    from sdcdb.gateway.ledger.verify import verify as check

    return check(file)


def _rows(file: Path, found: "Verification", moved: Callable[[int, int], None]) -> Iterator["Row"]:
    """Yield the valid records in flat form, and move the progress bar."""
    from sdcdb.gateway.ledger.read import records
    from sdcdb.gateway.ledger.rows import row

    if found.records:
        for record in islice(records(file), found.records):
            if record.number % 1000 == 0:
                moved(record.number, found.records)
            yield row(record)


def _drawn(row: "Row", width: int) -> tuple[str, ...]:
    what = row.sql or " ".join(
        part for part in (row.kind, row.tables, row.version and f"version {row.version}") if part
    )
    time = f"{row.time:%Y-%m-%d %H:%M:%S}"
    return (
        str(row.n),
        time,
        *(printable(cell or "-", 16) for cell in (row.user, row.verdict, row.rule)),
        printable(what, width),
    )


def _end(found: "Verification") -> None:
    """Warn if the records just printed are not complete or cannot be trusted."""
    if not found.ok:
        typer.echo(f"this ledger is BROKEN: {found.problem}\nwhat to do: {found.advice}", err=True)
        raise typer.Exit(1)
