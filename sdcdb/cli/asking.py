"""Shared by the commands that use the gateway: how it is opened, and who asks."""

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
    str | None, typer.Option("--user", "-u", help="Who asks, as recorded in the ledger. Default: your login name.")
]

SecondsOption = Annotated[
    float | None, typer.Option("--seconds", min=0.001, help="How long a statement may run. Default: the policy's.")
]
MemoryOption = Annotated[
    str | None,
    typer.Option("--memory", metavar="SIZE", help="The memory of one statement, such as 512MB. Default: the policy's."),
]


def user_name(given: str | None) -> str:
    """Return who asks: the name given, or the login name."""
    if given is None:
        try:
            return getpass.getuser()
        except (OSError, KeyError):  # an account without a name, as in some containers
            raise SdcdbError("your login name is unknown: set --user NAME") from None
    if not given.strip():
        raise SdcdbError("--user must not be empty: use a name, for example --user analyst1")
    return given.strip()


@contextmanager
def opened(
    db: Path, policy: Path | None, out: Output, adopt_ledger: str = "", **limits: float | str | None
) -> Iterator[tuple["Database", "Gateway"]]:
    """Open a database and its gateway, perhaps with `seconds` and `memory`; on a terminal, say that it takes time."""
    shown = not out.quiet and out.notes.is_terminal
    with out.notes.status("opening the gateway") if shown else nullcontext():
        import sdcdb

        _mark(db, policy, adopt_ledger)
        database = sdcdb.open(db, policy, read_only=True)
        try:
            gateway = database.gateway(**limits)
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
