"""What one logged statement is accounted as, why, and what it revealed about a confidential column."""

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sdcdb.auditor.evidence import Kind

AUDITED: dict[str, Kind] = {"sum": "sum", "min": "min", "max": "max"}


class Outcome(StrEnum):
    """How a statement is accounted for when it is read: every statement is exactly one of these.

    What was answered is weighed with all other answers at the end, and is then part of a finding or harmless.
    """

    ANSWERED = "answered"
    FINDING = "finding"
    HARMLESS = "harmless"
    NOT_UNDERSTOOD = "not understood"


@dataclass(frozen=True, eq=False)
class Fact:
    """One answer about a confidential column: a query set, what was asked of it, and the value.

    Of a column without a numeric domain, `values` are the categories that were asked about: the answer is then how
    many records of the set have one of them. None means all numbers.
    """

    table: str
    column: str
    kind: Kind
    packed: NDArray[np.uint8]
    answer: Fraction
    computed: bool = True
    direct: bool = False
    values: frozenset[str | None] | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two answers the same."""
        return (self.table, self.column, self.kind, self.packed.tobytes(), self.answer, self.values, self.direct)


@dataclass(frozen=True)
class Effects:
    """What a statement does to those after it."""

    changes: tuple[str, ...] = ()
    """The restricted tables whose rows or columns it changes."""
    redefines: tuple[str, ...] = ()
    """Names that from here on may stand for confidential data."""
    creates: tuple[str, ...] = ()
    """Names of new relations without confidential data."""
    elsewhere: bool | None = None
    """Whether this user's unqualified names are looked for in another schema or database from here on."""
    prepares: tuple[str, str] | None = None
    """The name and text of a statement to be executed later."""
    opens: str | None = None
    """The name of a cursor."""
    stores: bool = False
    """Whether it puts a confidential value where a later statement can read it without the table."""


NO_EFFECTS = Effects()


@dataclass(frozen=True)
class Account:
    """How a statement is accounted for, why, and the answers it gave."""

    outcome: Outcome
    reason: str
    facts: tuple[Fact, ...] = ()
    shown: tuple[tuple[str, str], ...] = ()
    """For a direct read: the confidential columns that it shows."""
    selected: dict[str, NDArray[np.intp]] = field(default_factory=dict)
    """For a direct read: the cells of each table that it selects, where they could be found."""
    unknown: tuple[str, ...] = ()
    """Relations and functions that the database does not know."""
    effects: Effects = NO_EFFECTS


def harmless(reason: str, effects: Effects = NO_EFFECTS) -> Account:
    """Account for a statement that revealed nothing, for a reason."""
    return Account(Outcome.HARMLESS, reason, effects=effects)


def not_understood(reason: str, effects: Effects = NO_EFFECTS, unknown: tuple[str, ...] = ()) -> Account:
    """Account for a statement that may have revealed something."""
    return Account(Outcome.NOT_UNDERSTOOD, reason, effects=effects, unknown=unknown)
