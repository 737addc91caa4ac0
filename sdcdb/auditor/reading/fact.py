"""How a logged statement is accounted for, and the facts it gives."""

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sdcdb.auditor.evidence import Kind

AUDITED: dict[str, Kind] = {"sum": "sum", "min": "min", "max": "max"}


class Outcome(StrEnum):
    """How a statement is accounted for."""

    UNDERSTOOD = "understood"
    IGNORED = "ignored"
    DIRECT = "direct"
    UNSAFE = "unsafe"


@dataclass(frozen=True, eq=False)
class Fact:
    """One answer about a confidential column: a query set, what was asked of it, and the value."""

    table: str
    column: str
    kind: Kind
    packed: NDArray[np.uint8]
    answer: Fraction
    computed: bool = True
    direct: bool = False


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
