"""Shared by the commands that use the gateway: how it is opened, and who asks."""

import getpass
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sdcdb.errors import DatabaseError, DatabaseInUse, SdcdbError
from sdcdb.terminal.output import Output

if TYPE_CHECKING:
    from sdcdb.database import Database
    from sdcdb.gateway.gateway import Gateway
    from sdcdb.shell.cancellable import Waiting
    from sdcdb.shell.shared import SharedGateway

PATIENCE = 5.0
"""Seconds to wait for another process that has the database open for writing."""

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
    with _said(out):
        _mark(db, policy, adopt_ledger)
        database, gateway = _open(db, policy, limits)
    try:
        yield database, gateway
    finally:
        gateway.close()
        database.close()


@contextmanager
def shared(db: Path, policy: Path | None, out: Output, **limits: float | str | None) -> Iterator["SharedGateway"]:
    """Open a gateway that lets others ask between its own questions."""
    with _said(out):
        from sdcdb.shell.shared import Opened, SharedGateway

        _mark(db, policy, "")
        gateway = SharedGateway(lambda: Opened(*_open(db, policy, limits)))
    try:
        yield gateway
    finally:
        gateway.close()


def _said(out: Output) -> AbstractContextManager[object]:
    shown = not out.quiet and out.notes.is_terminal
    return out.notes.status("opening the gateway") if shown else nullcontext()


def _open(db: Path, policy: Path | None, limits: Mapping[str, float | str | None]) -> tuple["Database", "Gateway"]:
    import sdcdb

    database = _patiently(lambda: sdcdb.open(db, policy, read_only=True))
    try:
        return database, database.gateway(**limits)
    except BaseException:
        database.close()
        raise


def _patiently(opening: Callable[[], "Database"]) -> "Database":
    """Open a database that another process may just have open for writing, as the first question of all does."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return opening()
        except DatabaseInUse:
            if time.monotonic() >= until:
                raise
            time.sleep(0.05)


def _mark(db: Path, policy: Path | None, adopt_ledger: str) -> None:
    """Open the gateway for writing once, so that the database keeps a mark of its ledger.

    A file that cannot be written to now, because others read it or it is read-only, gets its mark another time.
    """
    import sdcdb
    from sdcdb.gateway.ledger.mark import read_mark

    with _patiently(lambda: sdcdb.open(db, policy, read_only=True)) as database:
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
