"""`sdcdb token`: what programs log in with."""

from typing import Annotated, Any

import typer
from rich.console import Console

from sdcdb.cli.arguments import DatabaseArgument
from sdcdb.cli.user import NameArgument, store_of
from sdcdb.terminal.output import JsonOption, Output, QuietOption, table

token = typer.Typer(name="token", help="Create, list and revoke tokens for programs.", no_args_is_help=True)


@token.command()
def create(
    db: DatabaseArgument,
    name: NameArgument,
    days: Annotated[int, typer.Option("--days", help="How long it is valid.")] = 30,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Create a token for a user, and print it: it is not kept, and cannot be shown again."""
    made = store_of(db).create_token(name, days)

    def draw(console: Console) -> None:
        console.print(made.text, markup=False, soft_wrap=True)

    Output(as_json, quiet).result({"number": made.number, "token": made.text, "user": name, "days": days}, draw)


@token.command("list")
def list_(db: DatabaseArgument, as_json: JsonOption = False, quiet: QuietOption = False) -> None:
    """List the tokens: whose, since when, and until when."""
    data: list[dict[str, Any]] = [
        {
            "number": number,
            "user": each.user,
            "created": each.created.isoformat(),
            "expires": each.expires.isoformat(),
        }
        for number, each in store_of(db).tokens().items()
    ]

    def draw(console: Console) -> None:
        rows = [(t["number"], t["user"], t["created"][:10], t["expires"][:10]) for t in data]
        console.print(table("", ("token", "user", "created", "expires"), rows))

    Output(as_json, quiet).result({"tokens": data}, draw)


@token.command()
def revoke(
    db: DatabaseArgument,
    number: Annotated[str, typer.Argument(metavar="TOKEN", help="Its number, as `sdcdb token list` shows it.")],
    quiet: QuietOption = False,
) -> None:
    """Make a token invalid, at once."""
    store_of(db).revoke_token(number)
    Output(quiet=quiet).note(f"Revoked {number}")
