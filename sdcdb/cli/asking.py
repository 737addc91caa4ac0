"""Shared by the commands that use the gateway: how it is opened, and who asks."""

import getpass
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sdcdb.errors import DatabaseError, DatabaseInUse, SdcdbError
from sdcdb.lazy import uncollected
from sdcdb.terminal.output import Output

if TYPE_CHECKING:
    from sdcdb.gateway.gateway import Gateway
    from sdcdb.policy.governed import Governed
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
) -> Iterator["Gateway"]:
    """Open the gateway of a database, perhaps with `seconds` and `memory`; on a terminal, say that it takes time."""
    with _said(out):
        database, gateway = _open(db, policy, limits, adopt_ledger)
    try:
        yield gateway
    finally:
        gateway.close()
        database.close()


@contextmanager
def shared(db: Path, policy: Path | None, out: Output, **limits: float | str | None) -> Iterator["SharedGateway"]:
    """Open a gateway that lets others ask between its own questions."""
    with _said(out):
        from sdcdb.shell.shared import Opened, SharedGateway

        gateway = SharedGateway(lambda: Opened(*_open(db, policy, limits)))
    try:
        yield gateway
    finally:
        gateway.close()


def _said(out: Output) -> AbstractContextManager[object]:
    shown = not out.quiet and out.notes.is_terminal
    return out.notes.status("opening the gateway") if shown else nullcontext()


def _open(
    db: Path, policy: Path | None, limits: Mapping[str, float | str | None], adopt_ledger: str = ""
) -> tuple["Governed", "Gateway"]:
    """Open for reading. The first time of all, open for writing before, so that the database has a mark of its ledger.

    A file that cannot be written to now, because others read it or it is read-only, gets its mark another time.
    """
    with uncollected():
        from sdcdb.gateway.gateway import Gateway
        from sdcdb.gateway.ledger.mark import read_mark
        from sdcdb.policy.governed import open_governed

    database = _patiently(lambda: open_governed(db, policy, read_only=True))
    try:
        if adopt_ledger or read_mark(database.con) is None:
            database.close()
            with suppress(DatabaseError), open_governed(db, policy) as marked:
                Gateway(marked, adopt_ledger=adopt_ledger).close()
            database = _patiently(lambda: open_governed(db, policy, read_only=True))
        return database, Gateway(database, **limits)  # type: ignore[arg-type]  # seconds: a number, memory: a text
    except BaseException:
        database.close()
        raise


def _patiently(opening: Callable[[], "Governed"]) -> "Governed":
    """Open a database that another process may just have open for writing, as the first question of all does."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return opening()
        except DatabaseInUse:
            if time.monotonic() >= until:
                raise
            time.sleep(0.05)


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
