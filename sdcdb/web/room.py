"""How much room a question would use up, for the meter that *Explain* shows."""

from dataclasses import dataclass

from sdcdb.gateway.knowledge_left import knowledge_left
from sdcdb.gateway.relations import Relations
from sdcdb.gateway.rules.verdict import Verdict


@dataclass(frozen=True)
class Room:
    """The room left about a column, as shares of the room at the start: now, and if the question is answered."""

    column: str
    now: float
    after: float
    interval_now: float
    interval_after: float

    @property
    def used(self) -> float:
        """What the question would use up."""
        return max(0.0, self.now - self.after)


def rooms(verdict: Verdict, relations: Relations) -> list[Room]:
    """Return the room for every confidential column that a verdict speaks of."""
    tables = {column: table for table in relations.restricted() for column in (*table.confidential, *table.categories)}
    found = []
    for column, change in verdict.changes.items():
        now, after = (knowledge_left(tables[column], "", column, score) for score in (change.before, change.after))
        found.append(Room(column, now.room, after.room, now.interval, after.interval))
    return found
