"""One analyst's session: statements and commands in, answers and explanations out, in a terminal or in a pipe."""

from dataclasses import dataclass
from enum import Enum

from rich.console import Console

from sdcdb.errors import Denied, SdcdbError, choices
from sdcdb.gateway.gateway import Gateway
from sdcdb.gateway.reading.statement import privacy_question
from sdcdb.gateway.rules.verdict import Verdict
from sdcdb.shell.cancellable import Cancelled, Waiting
from sdcdb.shell.describe import describe, listing
from sdcdb.shell.shared import SharedGateway
from sdcdb.terminal.answer_table import denial, draw_answer, draw_rows, draw_verdict
from sdcdb.terminal.printable import printable
from sdcdb.terminal.status import draw_halted, draw_known
from sdcdb.terminal.suppressed import hidden

HELP = (
    ("SELECT ...;", "ask a question; it ends with a semicolon and may span lines"),
    ("\\d", "list what you can query"),
    ("\\d TABLE", "list its columns and how you may use them"),
    ("\\explain SELECT ...", "show the verdict without running it (SQL: EXPLAIN PRIVACY SELECT ...)"),
    ("\\status", "show how much you could know so far"),
    ("\\?", "show this help"),
    ("\\q", "quit (or Ctrl-D)"),
    ("Ctrl-C", "cancel the line, or the running question"),
)


class Outcome(Enum):
    """The outcome of an input."""

    DONE = "done"
    DENIED = "denied"
    CANCELLED = "cancelled"
    LEAVE = "leave"


@dataclass(frozen=True)
class Session:
    """A user of a database's gateway. Results go to `console`, denials to `notes`."""

    gateway: Gateway | SharedGateway
    user: str
    console: Console
    notes: Console
    waiting: Waiting

    def run(self, text: str) -> Outcome:
        """Run one statement, or one command that begins with a backslash."""
        try:
            return self._command(text.strip()) if text.lstrip().startswith("\\") else self._ask(text)
        except Cancelled:
            self.notes.print("cancelled", style="yellow")
            return Outcome.CANCELLED
        except Denied as refusal:
            self.notes.print(denial(refusal))
            return Outcome.DENIED
        except SdcdbError as error:
            self.notes.print(f"[bold red]error:[/] {_plain(str(error))}")
            return Outcome.DENIED

    def _ask(self, sql: str) -> Outcome:
        behind = privacy_question(sql)
        if behind is not None:
            draw_verdict(self.console, self._explained(behind))
            return Outcome.DONE
        answer = self.waiting.for_(lambda: self.gateway.ask(sql, user=self.user))
        draw_answer(self.console, self.console, answer, hidden(answer, sql))
        return Outcome.DONE

    def _explained(self, sql: str) -> Verdict:
        return self.waiting.for_(lambda: self.gateway.explain(sql, user=self.user))

    def _command(self, text: str) -> Outcome:
        word, _, rest = text.rstrip("; \t\n").partition(" ")
        if word == "\\q":
            return Outcome.LEAVE
        if word == "\\?":
            draw_rows(self.console, ("input", "what it does"), HELP)
        elif word == "\\d" and rest.strip():
            draw_rows(self.console, ("column", "type", "use"), describe(self.gateway.relations, rest.strip()))
        elif word == "\\d":
            draw_rows(self.console, ("name", "kind", "what you may ask"), listing(self.gateway.relations))
        elif word == "\\explain" and rest.strip():
            draw_verdict(self.console, self._explained(rest))
        elif word == "\\status":
            self._status()
        else:
            raise SdcdbError(f"{word!r} is not a command, or its statement is missing; {choices(word, COMMANDS)}")
        return Outcome.DONE

    def _status(self) -> None:
        draw_known(self.console, self.waiting.for_(lambda: self.gateway.known(self.user)))
        draw_halted(self.console, self.waiting.for_(self.gateway.halted))


COMMANDS = ("\\d", "\\explain", "\\status", "\\?", "\\q")


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(printable(text))
