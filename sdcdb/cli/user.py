"""`sdcdb user`: who may come in through the server."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from sdcdb.cli.arguments import DatabaseArgument
from sdcdb.errors import DatabaseError, MissingExtraError, SdcdbError
from sdcdb.terminal.output import JsonOption, Output, QuietOption, table

if TYPE_CHECKING:
    from sdcdb.gateway.auth.users import UserStore

user = typer.Typer(name="user", help="Add, list, lock and remove those who use the server.", no_args_is_help=True)
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The name that they log in with.")]
StdinOption = Annotated[bool, typer.Option("--password-stdin", help="Read the password from stdin, one line.")]


def store_of(db: Path) -> "UserStore":
    """Return the users of a database, which must exist."""
    try:
        from sdcdb.gateway.auth.users import UserStore
        from sdcdb.gateway.auth.users_file import users_path
    except ModuleNotFoundError:
        raise MissingExtraError("server", "the server") from None
    if not db.exists():
        raise DatabaseError(f"no such file: {db}; name the database that the users are for")
    return UserStore(users_path(db))


def asked_password(*, stdin: bool) -> str:
    """Read a new password: from stdin, or twice from the terminal."""
    if stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise SdcdbError("there is no terminal to ask for a password: use --password-stdin")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))


@user.command()
def add(
    db: DatabaseArgument,
    name: NameArgument,
    access: Annotated[str, typer.Option("--access", "-a", help="analyst, auditor or owner.")],
    team: Annotated[str | None, typer.Option("--team", help="Whose answers add up with theirs (pool: team).")] = None,
    password_stdin: StdinOption = False,
    quiet: QuietOption = False,
) -> None:
    """Add a user. The password is asked for, and kept as a SCRAM verifier only."""
    users = store_of(db)
    from sdcdb.errors import choices
    from sdcdb.gateway.auth.access import Access

    if access not in [each.value for each in Access]:
        raise SdcdbError(f"--access {access!r}: {choices(access, [each.value for each in Access])}")
    who = users.add(name, asked_password(stdin=password_stdin), Access(access), team)
    Output(quiet=quiet).note(f"Added {who.name} as {who.access}")


@user.command("list")
def list_(db: DatabaseArgument, as_json: JsonOption = False, quiet: QuietOption = False) -> None:
    """List the users: access, team, and whether they are locked."""
    data: list[dict[str, Any]] = []
    for each in store_of(db).users():
        until = None if each.locked_until is None else each.locked_until.isoformat()
        data.append(
            {
                "name": each.name,
                "access": each.access.value,
                "team": each.team,
                "locked": each.locked,
                "locked_until": until,
                "added": each.added.isoformat(),
            }
        )

    def draw(console: Console) -> None:
        rows = [
            (u["name"], u["access"], u["team"] or "-", "yes" if u["locked"] else u["locked_until"] or "no")
            for u in data
        ]
        console.print(table("", ("user", "access", "team", "locked"), rows))

    Output(as_json, quiet).result({"users": data}, draw)


@user.command()
def password(
    db: DatabaseArgument, name: NameArgument, password_stdin: StdinOption = False, quiet: QuietOption = False
) -> None:
    """Give a user a new password."""
    store_of(db).set_password(name, asked_password(stdin=password_stdin))
    Output(quiet=quiet).note(f"{name} has a new password")


@user.command()
def remove(db: DatabaseArgument, name: NameArgument, quiet: QuietOption = False) -> None:
    """Remove a user and their tokens. The ledger keeps what they asked."""
    store_of(db).remove(name)
    Output(quiet=quiet).note(f"Removed {name}")


@user.command()
def lock(
    db: DatabaseArgument,
    name: NameArgument,
    off: Annotated[bool, typer.Option("--off", help="Let them in again.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Keep a user out, at once, until `--off`."""
    store_of(db).set_locked(name, locked=not off)
    Output(quiet=quiet).note(f"{name} may come in again" if off else f"{name} is locked")
