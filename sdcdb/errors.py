"""Every exception of sdcdb. A mistake of the user and a bug of sdcdb are different types, with different exit codes."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches


class SdcdbError(Exception):
    """A problem the user can fix. The message says what was wrong, where, and what to do."""

    exit_code = 2


class DataError(SdcdbError, ValueError):
    """Values that a measure or a technique cannot work with: negative probabilities, NaN, wrong lengths."""


class DatabaseError(SdcdbError):
    """A database that is missing, locked, corrupt or without the table that was asked for."""


class DatabaseInUse(DatabaseError):  # noqa: N818 - it is nobody's error that others work, too
    """A database that another process has open: waiting helps."""


class LedgerError(SdcdbError):
    """A ledger that is broken, in use, or cannot be written: without it, nothing is answered."""


class ReleaseRefused(SdcdbError):  # noqa: N818 - what the gate says is a verdict, and reads as one
    """A protected view that does not reach the policy's floors for a release."""

    exit_code = 1


class MissingExtraError(SdcdbError):
    """An optional part of sdcdb is not installed."""

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs an optional part of sdcdb: pip install 'sdcdb[{extra}]'")


class Denied(SdcdbError):  # noqa: N818 - what the gateway says is a verdict, and reads as one
    """The gateway refuses a question. It says which rule, why, and what to try, but nothing about the data."""

    exit_code = 1

    def __init__(self, rule: str, reason: str, hint: str = "") -> None:
        self.rule = rule
        self.reason = reason
        self.hint = hint
        super().__init__(f"{rule}: {reason}" + (f" (try: {hint})" if hint else ""))


class Unsupported(Denied):
    """The gateway does not understand a statement, and refuses what it does not understand."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__("shape", reason, hint)


class InternalError(Exception):
    """A bug in sdcdb. The command line asks the user to report it and exits with 70."""

    exit_code = 70


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a policy: where (line and field), what, and what would be right."""

    field: str
    message: str
    line: int | None = None
    severity: str = "error"

    def text(self, file: str) -> str:
        """Render as `file:line: field: message`, the form that editors can jump to."""
        where = file if self.line is None else f"{file}:{self.line}"
        return f"{where}: {self.field}: {self.message}" if self.field else f"{where}: {self.message}"


class PolicyError(SdcdbError):
    """A policy that cannot be used. `problems` lists every mistake found, not only the first."""

    def __init__(self, file: str, problems: Iterable[Problem]) -> None:
        self.file = file
        self.problems = tuple(problems)
        super().__init__("\n".join(problem.text(file) for problem in self.problems))


def choices(given: str, allowed: Iterable[str]) -> str:
    """List what is allowed, and suggest what was probably meant.

    >>> choices("quassi", ["identifier", "quasi"])
    "allowed: identifier, quasi; did you mean 'quasi'?"
    """
    names = [str(name) for name in allowed]
    folded = {name.casefold(): name for name in names}
    near = get_close_matches(str(given).casefold(), list(folded), n=1, cutoff=0.55)
    listed = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "") if names else "nothing"
    return f"allowed: {listed}" + (f"; did you mean {folded[near[0]]!r}?" if near else "")


def counted(number: int, thing: str) -> str:
    """Return a count with its noun.

    >>> counted(1, "record"), counted(2000, "record")
    ('1 record', '2,000 records')
    """
    return f"{number:,} {thing}" + ("" if number == 1 else "s")
