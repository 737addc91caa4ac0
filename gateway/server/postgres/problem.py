"""What goes wrong, in PostgreSQL's words: a SQLSTATE, a message, detail and hint. Nothing of it shows data."""

from dataclasses import dataclass

from sdcdb.errors import Denied, LedgerError, SdcdbError, Unsupported
from sdcdb.gateway.auth.access import NotAllowed
from sdcdb.gateway.auth.users import LoginRefused
from sdcdb.gateway.server.postgres.messages import report
from sdcdb.gateway.server.turns import Busy


@dataclass
class Refusal(Exception):  # noqa: N818 - reads as what it says
    """A statement, or a connection, is refused."""

    state: str
    message: str
    detail: str = ""
    hint: str = ""
    fatal: bool = False

    def __post_init__(self) -> None:
        super().__init__(self.message)

    def packed(self) -> bytes:
        """Return the error for the client."""
        severity = "FATAL" if self.fatal else "ERROR"
        fields = [("S", severity), ("V", severity), ("C", self.state), ("M", self.message)]
        return report(b"E", [*fields, ("D", self.detail), ("H", self.hint)])


def notice(message: str, detail: str = "", hint: str = "") -> bytes:
    """Return a notice."""
    fields = [("S", "NOTICE"), ("V", "NOTICE"), ("C", "00000"), ("M", message), ("D", detail), ("H", hint)]
    return report(b"N", fields)


def refusal(problem: BaseException) -> Refusal | None:  # noqa: PLR0911 - one line per kind
    """Say a problem in PostgreSQL's words; None for one that nobody expected."""
    match problem:
        case Refusal():
            return problem
        case LoginRefused():
            return Refusal("28P01", str(problem), fatal=True)
        case NotAllowed():
            return Refusal("42501", str(problem))
        case Busy():
            return Refusal("53400", str(problem))
        case Unsupported():
            return Refusal("0A000", problem.reason, "rule: shape", problem.hint)
        case Denied() if problem.rule == "cancelled":
            return Refusal("57014", "the statement was cancelled", "rule: cancelled")
        case Denied():
            return Refusal("42501", problem.reason, f"rule: {problem.rule}", problem.hint)
        case LedgerError():
            return Refusal("58030", "the history of answers cannot be written", hint="ask the owner of the data")
        case SdcdbError():
            return Refusal("XX000", "the server could not do this")
    return None
