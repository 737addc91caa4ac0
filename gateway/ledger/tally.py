"""How many questions each user asked, and what became of them."""

from dataclasses import dataclass
from pathlib import Path

from sdcdb.gateway.ledger.entry import ExplainEntry, QuestionEntry, entries
from sdcdb.gateway.ledger.read import records


@dataclass(frozen=True)
class Tally:
    """What one user asked so far: answered in full, answered with groups suppressed, denied, and only explained."""

    user: str
    answered: int = 0
    suppressed: int = 0
    denied: int = 0
    explained: int = 0


def tally(ledger: Path, user: str | None = None) -> list[Tally]:
    """Count the questions in a ledger by user, and by verdict; of one user, if one is named."""
    counts: dict[str, dict[str, int]] = {}
    for entry in entries(records(ledger)) if ledger.exists() else ():
        if isinstance(entry, QuestionEntry | ExplainEntry) and (user is None or entry.user == user):
            kind = _kind(entry)
            mine = counts.setdefault(entry.user, {})
            mine[kind] = mine.get(kind, 0) + 1
    return [Tally(name, **found) for name, found in sorted(counts.items())]


def _kind(entry: QuestionEntry | ExplainEntry) -> str:
    if isinstance(entry, ExplainEntry):
        return "explained"
    return "denied" if entry.refused else "suppressed" if entry.verdict == "suppress" else "answered"


def count_surprises(ledger: Path) -> dict[str, int]:
    """Count, by column, the answers outside of all that was plausible: for the owner, as it depends on the answers."""
    found: dict[str, int] = {}
    for entry in entries(records(ledger)) if ledger.exists() else ():
        for fact in entry.facts if isinstance(entry, QuestionEntry) else ():
            if fact.surprise:
                name = f"{fact.table}.{fact.column}"
                found[name] = found.get(name, 0) + 1
    return found
