"""One message of a PostgreSQL server, whatever its format on disk, and what kind of message it is."""

import re
from dataclasses import dataclass
from datetime import datetime

from sdcdb.logs.record import Place

FAILED = ("ERROR", "FATAL", "PANIC")
_SAID = re.compile(
    r"(?P<took>duration: [\d.]+ ms  )?(?P<how>statement|execute fetch from|execute|parse|bind) ?(?P<name>[^:]*): ?"
    r"(?P<sql>.*)",
    re.DOTALL,
)
_CALLED = re.compile(r'(?:duration: [\d.]+ ms  )?fastpath function call: "([^"]+)"')
_SQL = re.compile(
    r"\bselect\b|\binsert\s+into\b|\bdelete\s+from\b|\bupdate\s+\S+\s+set\b|\bmerge\s+into\b|\bcopy\s+[\w\"(.]|"
    r"\bexecute\s+\w|: ?(?:table|with|from|values|call|do|fetch|declare)\b",
    re.IGNORECASE,
)
_KNOWN = re.compile(
    r"connection (?:received|authenticated|authorized|ready)|disconnection: |replication connection authorized|"
    r"duration: [\d.]+ ms$|temporary file: |checkpoint |restartpoint |automatic (?:vacuum|analyze|aggressive vacuum)|"
    r"process \d+ (?:still waiting|acquired|detected deadlock|avoided deadlock)|starting PostgreSQL|listening on |"
    r"database system |received .* (?:request|signal)|parameter \"|background worker |redirecting log output|"
    r"ending log output|shutting down|could not (?:send|receive) data|unexpected EOF|sending cancel to blocking|"
    r"skipping (?:vacuum|analyze)|pgaudit extension initialized|aborting any active transactions|"
    r"autovacuum launcher|logical replication launcher|invalid length of startup packet|"
    r"no (?:match|pg_hba)|provided user name|server process|all server processes|terminating any other active"
)
_BEFORE_RUNNING = re.compile(
    r"syntax error|does not exist|permission denied|is ambiguous|must appear in the GROUP BY|"
    r"current transaction is aborted|unterminated|cannot be matched|must be owner",
)


@dataclass(frozen=True)
class Entry:
    """One message. `statement` is what an error says it belongs to, `tag` the command that ran (`SELECT`, `BIND`)."""

    line: int
    time: datetime | None
    user: str | None
    session: str
    severity: str
    message: str
    detail: str
    after: Place
    statement: str = ""
    tag: str = ""
    transaction: str = ""
    code: str = ""
    context: str = ""
    lines: int = 1

    @property
    def failed(self) -> bool:
        """Whether it reports a failure."""
        return self.severity in FAILED

    @property
    def told(self) -> str:
        """The message with its detail, as the client saw them."""
        return f"{self.message}\n{self.detail}" if self.detail else self.message

    @property
    def ran(self) -> bool:
        """Whether an error came while the statement ran, when rows may already have been sent."""
        if self.tag in ("PARSE", "BIND") or re.search(r"\bportal .*parameter|\bportal parameter", self.context):
            return False
        if self.code:
            return self.code[:2] not in ("42", "28", "0A", "3F") and self.code != "25P02"
        return _BEFORE_RUNNING.search(self.message) is None


@dataclass(frozen=True)
class Said:
    """A statement that a message reports: how it was sent, its text, and whether its duration proves that it ended."""

    how: str
    sql: str
    took: bool


def said_by(message: str) -> Said | None:
    """Return the statement in a message, if there is one.

    >>> said_by("duration: 0.1 ms  execute q: SELECT $1")
    Said(how='execute', sql='SELECT $1', took=True)
    """
    if found := _SAID.match(message):
        return Said(found["how"], found["sql"], bool(found["took"]))
    if found := _CALLED.match(message):
        return Said("fastpath", f'SELECT "{found[1]}"($1)', message.startswith("duration"))
    return None


def may_say_more(message: str) -> bool:
    """Return whether a message that is not understood may contain a statement: another language, another extension."""
    return _KNOWN.match(message) is None and _SQL.search(message) is not None
