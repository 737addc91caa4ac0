"""The entry point: global options, the list of commands, and the exit codes.

0: success. 1: the command found a problem. 2: wrong usage or input. 70: internal error. 130: interrupted.
"""

import multiprocessing
import os
import sys
import traceback
from contextlib import suppress
from typing import Annotated, NoReturn

import typer

from sdcdb.cli.ask import ask
from sdcdb.cli.audit import audit
from sdcdb.cli.check import check
from sdcdb.cli.compare import compare
from sdcdb.cli.datasets import datasets
from sdcdb.cli.demo import demo
from sdcdb.cli.detective import detective
from sdcdb.cli.evaluate import evaluate
from sdcdb.cli.init import init
from sdcdb.cli.ledger import ledger
from sdcdb.cli.measure import measure
from sdcdb.cli.protect import protect
from sdcdb.cli.refresh import refresh
from sdcdb.cli.release import release
from sdcdb.cli.schema import schema
from sdcdb.cli.serve import serve
from sdcdb.cli.shell import shell
from sdcdb.cli.show import show
from sdcdb.cli.similarity import similarity
from sdcdb.cli.status import status
from sdcdb.cli.techniques import techniques
from sdcdb.cli.token import token
from sdcdb.cli.tree import tree
from sdcdb.cli.user import user
from sdcdb.connection.prompt_end import INTERRUPTED
from sdcdb.errors import SdcdbError
from sdcdb.version import __version__

app = typer.Typer(
    name="sdcdb",
    help="Statistical disclosure control inside DuckDB.",
    epilog="Start with: sdcdb demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

OWNER = (demo, init, check, measure, protect, show, compare, release, refresh, serve)
ANALYST = (ask, shell, status)
AUDITOR = (audit, evaluate)
REFERENCE = (techniques, similarity, tree, detective, datasets, schema)
PANELS = {
    "For the owner of the data": OWNER,
    "For the analyst": ANALYST,
    "For the auditor": AUDITOR,
    "Reference and data": REFERENCE,
}

for panel, commands in PANELS.items():
    for command in commands:
        app.command(rich_help_panel=panel)(command)
app.add_typer(user, rich_help_panel="For the owner of the data")
app.add_typer(token, rich_help_panel="For the owner of the data")
app.add_typer(ledger, rich_help_panel="For the auditor")


def _version(wanted: bool) -> None:  # noqa: FBT001 - the signature that typer calls
    if wanted:
        import duckdb

        typer.echo(f"sdcdb {__version__} (DuckDB {duckdb.__version__}, Python {sys.version.split()[0]})")
        raise typer.Exit


@app.callback()
def _options(
    _version_wanted: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Statistical disclosure control inside DuckDB."""


def main() -> None:
    """Run the command line and exit with the code that the module's docstring lists."""
    try:
        app()
    except SdcdbError as error:
        typer.secho("error: ", fg="red", bold=True, err=True, nl=False)
        typer.echo(str(error), err=True)
        sys.exit(error.exit_code)
    except SystemExit as end:
        if end.code == INTERRUPTED:  # typer's word for Ctrl-C, which it leaves unsaid
            _leave()
        raise
    except (KeyboardInterrupt, typer.Abort):
        _leave()
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:  # noqa: BLE001 - the last stop: whatever arrives here is a bug of ours
        if "interrupted" in str(error).lower():  # DuckDB's word for Ctrl-C
            _leave()
        from sdcdb.views.secret import redacted

        typer.echo(redacted(traceback.format_exc()), err=True)  # an engine's message may quote a statement
        typer.echo(f"\nThis is a bug in sdcdb {__version__}. Please report it with the lines above.", err=True)
        sys.exit(70)


def _leave() -> NoReturn:
    """End after Ctrl-C without Python's farewell, which joins threads and workers and may be interrupted once more."""
    typer.echo("interrupted", err=True)
    for worker in multiprocessing.active_children():
        worker.kill()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(INTERRUPTED)
