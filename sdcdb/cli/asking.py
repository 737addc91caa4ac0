"""What the commands that use the gateway have in common: how it is opened, and who asks."""

import getpass
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sdcdb.errors import DatabaseError, SdcdbError
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
def opened(
    db: Path, policy: Path | None, out: Output, adopt_ledger: str = ""
) -> Iterator[tuple["Database", "Gateway"]]:
    """Open a database and its gateway; while that takes its time, say so on stderr if it is a terminal."""
    shown = not out.quiet and out.notes.is_terminal
    with out.notes.status("opening the gateway") if shown else nullcontext():
        import sdcdb

        _mark(db, policy, adopt_ledger)
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


def _mark(db: Path, policy: Path | None, adopt_ledger: str) -> None:
    """Open the gateway for writing once, so that the database keeps a mark of its ledger.

    A file that cannot be written to now, because others read it or it is read-only, gets its mark another time.
    """
    import sdcdb
    from sdcdb.gateway.ledger.mark import read_mark

    with sdcdb.open(db, policy, read_only=True) as database:
        if read_mark(database.con) is not None and not adopt_ledger:
            return
    with suppress(DatabaseError), sdcdb.open(db, policy) as database, database.gateway(adopt_ledger=adopt_ledger):
        pass


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
