"""What the ledger keeps of a statement, of bounded length: whoever sends nonsense cannot fill the disk with it."""

import hashlib
import threading
import time
from math import inf

from sdcdb.errors import Denied
from sdcdb.gateway.asking import LONGEST_NAME
from sdcdb.gateway.ledger.entry import AnsweredFact, ExplainEntry, QuestionEntry
from sdcdb.gateway.reading.lexical import MOST_CHARACTERS
from sdcdb.gateway.rules.verdict import Verdict

REFUSED = 4_000
"""Characters of a statement that was refused."""
REASON = 1_000
"""Characters of a reason, which may repeat a name from the statement."""
EVERY = 10.0
"""Seconds between two notes that one user asks too much at once."""


class Seldom:
    """Who was told lately that they ask too much at once: a loop of such questions is one note, not a full disk."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._told: dict[str, float] = {}

    def repeats(self, user: str, refusal: Denied) -> bool:
        """Tell whether the ledger has such a note already."""
        if refusal.rule != "busy":
            return False
        with self._lock:
            now = time.monotonic()
            lately = now - self._told.get(user, -inf) < EVERY
            if not lately:
                self._told = {name: told for name, told in self._told.items() if now - told < EVERY} | {user: now}
        return lately


def question_entry(user: str, sql: object, verdict: Verdict, facts: tuple[AnsweredFact, ...]) -> QuestionEntry:
    """Return what the ledger keeps of a question."""
    longest = MOST_CHARACTERS if verdict.answered else REFUSED
    return QuestionEntry(
        user=cut(user, LONGEST_NAME),
        sql=cut(sql, longest),
        verdict=verdict.kind,
        rule=verdict.rule,
        reason=cut(verdict.reason, REASON),
        facts=facts,
    )


def explain_entry(user: str, sql: object, verdict: Verdict) -> ExplainEntry:
    """Return what the ledger keeps of a statement that was explained."""
    return ExplainEntry(
        user=cut(user, LONGEST_NAME),
        sql=cut(sql, REFUSED),
        verdict=verdict.kind,
        rule=verdict.rule,
        reason=cut(verdict.reason, REASON),
    )


def cut(text: object, longest: int) -> str:
    """Return a text that the ledger can hold: without halves of characters, and if it is long, cut with its digest.

    >>> cut("SELECT 1", 100), cut("x" * 5, 3)[:40]
    ('SELECT 1', 'xxx... (5 characters, SHA-256 eaf16bc079')
    """
    if not isinstance(text, str):
        return f"({type(text).__name__})"
    if len(text) > longest:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{_whole(text[:longest])}... ({len(text)} characters, SHA-256 {digest})"
    return _whole(text)


def _whole(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
