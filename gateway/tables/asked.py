"""One query set of a statement, as a table's audit takes it."""

from dataclasses import dataclass

from sdcdb.gateway.inference.question import Question
from sdcdb.gateway.tables.cells import Indices

Row = tuple[int, int]
"""A row of a statement's results: the number of its block, and of the group in it."""


@dataclass(frozen=True, eq=False)
class Asked:
    """One query set of one confidential column, with every kind of answer that is wanted of it."""

    row: Row
    table: str
    column: str
    cells: Indices
    kinds: frozenset[str]
    """What is asked of the column."""
    audited: str
    """The column that is audited: another one, where this one follows from it by an equation."""
    question: Question
    """What an answer says about that column."""
