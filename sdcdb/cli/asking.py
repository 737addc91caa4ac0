"""What the commands that use the gateway have in common: how it is opened, and who asks."""

import getpass
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sdcdb.errors import SdcdbError
from sdcdb.terminal.output import Output

if TYPE_CHECKING:
    from sdcdb.database import Database
    from sdcdb.gateway.gateway import Gateway
    from sdcdb.shell.cancellable import Waiting

UserOption = Annotated[
    str | None, typer.Option("--user", "-u", help="Who asks, for the ledger. Default: your login name.")
]


def user_name(given: str | None) -> str:
    """Return who asks: the name given, or the login name."""
    if given is None:
        try:
            return getpass.getuser()
        except (OSError, KeyError):  # an account without a name, as in some containers
            raise SdcdbError("who asks is not known: say so with --user NAME") from None
    if not given.strip():
        raise SdcdbError("--user is empty: give a name, such as --user analyst1")
    return given.strip()


@contextmanager
def opened(db: Path, policy: Path | None, out: Output) -> Iterator[tuple["Database", "Gateway"]]:
    """Open a database and its gateway; while that takes its time, say so on stderr if it is a terminal."""
    shown = not out.quiet and out.notes.is_terminal
    with out.notes.status("opening the gateway") if shown else nullcontext():
        import sdcdb

        database = sdcdb.open(db, policy, read_only=True)
        try:
            gateway = database.gateway()
        except BaseException:
            database.close()
            raise
    try:
        yield database, gateway
    finally:
        gateway.close()
        database.close()


@contextmanager
def cancellable(out: Output, gateway: "Gateway") -> Iterator["Waiting"]:
    """Wait for questions so that Ctrl-C ends the command at once."""
    from sdcdb.shell.cancellable import Cancelled, Waiting

    waiting = Waiting(out.notes, gateway.interrupt)
    try:
        yield waiting
    except Cancelled:
        waiting.leave(130)
        raise KeyboardInterrupt from None
