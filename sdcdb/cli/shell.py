"""`sdcdb shell`."""

import sys
from typing import Annotated

import typer
from rich.text import Text

from sdcdb.cli.arguments import DatabaseArgument, PolicyOption
from sdcdb.cli.asking import MemoryOption, SecondsOption, UserOption, shared, user_name
from sdcdb.terminal.output import Output, QuietOption
from sdcdb.terminal.printable import printable


def shell(
    db: DatabaseArgument,
    user: UserOption = None,
    no_history: Annotated[bool, typer.Option("--no-history", help="Keep no history of what you type.")] = False,
    policy: PolicyOption = None,
    seconds: SecondsOption = None,
    memory: MemoryOption = None,
    quiet: QuietOption = False,
) -> None:
    r"""Ask questions at a prompt or through a pipe. Exit code 1: a piped statement was denied.

    Others may ask meanwhile: the ledger is held only while a question is answered.
    """
    out = Output(quiet=quiet)
    who = user_name(user)
    with shared(db, policy, out, seconds=seconds, memory=memory) as gateway:
        from sdcdb.shell.cancellable import Waiting
        from sdcdb.shell.session import Session

        waiting = Waiting(out.notes, gateway.interrupt)
        session = Session(gateway, who, out.console, out.notes, waiting)
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            from sdcdb.shell.piped import feed

            try:
                answered = feed(session, sys.stdin)
            except KeyboardInterrupt:
                waiting.leave(130)
                raise
            if not answered:
                raise typer.Exit(1)
            return
        from sdcdb.shell.history import history
        from sdcdb.shell.prompt import converse

        past, problem = history(kept=not no_history)
        if not quiet:
            names = ", ".join(relation.name for relation in gateway.relations.all)
            out.console.print(Text(f"{printable(db.name)}: {printable(names)}. You are {printable(who)}.", "bold"))
            out.console.print(Text("End statements with ;   \\? for help   \\q to quit", "dim"))
        if problem is not None:
            out.note(problem)
        converse(session, db.stem, past)
        waiting.leave(0)
