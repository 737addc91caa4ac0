"""Every line of a log is accounted for: a statement, its continuation, something else that is known, or a problem."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum


class Fate(StrEnum):
    """What became of a line."""

    STATEMENT = "statement"
    CONTINUED = "continued"
    OTHER = "other"
    PROBLEM = "problem"


@dataclass
class Tally:
    """The lines that were read, and what became of them."""

    lines: int = 0
    fates: Counter[Fate] = field(default_factory=Counter)

    def add(self, fate: Fate, lines: int = 1) -> None:
        """Account for an item that spans a number of lines: its first line has the fate, the others continue it.

        An item that shares its line with one before spans none.
        """
        if lines:
            self.fates[fate] += 1
            self.fates[Fate.CONTINUED] += lines - 1

    @property
    def missing(self) -> int:
        """The lines that nobody accounted for: always 0, or the reader has a bug."""
        return self.lines - sum(self.fates.values())
