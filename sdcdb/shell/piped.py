"""A session without a terminal: statements from a pipe or a file, one after another."""

from collections.abc import Iterable

from sdcdb.shell.session import Outcome, Session
from sdcdb.shell.split import blank, split


def feed(session: Session, lines: Iterable[str]) -> bool:
    """Run every statement and command as soon as it is complete; return whether all were answered.

    The last statement needs no semicolon.
    """
    rest, answered = "", True
    inputs: tuple[str, ...]
    for line in lines:
        if blank(rest) and line.lstrip().startswith("\\"):
            inputs, rest = (line,), ""
        else:
            found = split(rest + line)
            inputs, rest = found.statements, found.rest
        for each in inputs:
            outcome = session.run(each)
            if outcome is Outcome.LEAVE:
                return answered
            if outcome is Outcome.CANCELLED:
                raise KeyboardInterrupt
            answered = answered and outcome is Outcome.DONE
    if not blank(rest):
        answered = session.run(rest) is Outcome.DONE and answered
    return answered
