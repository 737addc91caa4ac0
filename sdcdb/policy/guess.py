"""Guessing the role of a column from its name, type and values, with the reason in words.

A guess errs on the safe side: what looks unknown and rich becomes confidential, what is unique becomes an identifier.
"""

import re
from dataclasses import dataclass

from sdcdb.connection.profile import ColumnProfile, TableProfile
from sdcdb.errors import counted
from sdcdb.policy.defaults import role_words
from sdcdb.policy.models import Role

FEW = 50  # distinct values that people still group by


@dataclass(frozen=True)
class Guess:
    """A role and why it was chosen."""

    role: Role
    reason: str


def guess_role(column: ColumnProfile) -> Guess:
    """Guess the role of one column."""
    words = set(re.findall(r"[a-z]+|[0-9]+", re.sub(r"([a-z])([A-Z])", r"\1_\2", column.name).lower()))
    for role, known in ((Role(role), known) for role, known in role_words().items()):
        if hit := sorted(words.intersection(known)):
            if role is Role.CLASS and column.distinct > 10:
                continue
            if role is Role.IDENTIFIER and not column.unique and column.distinct <= min(FEW, column.rows // 2):
                continue  # `account type` and `user group` are not identifiers
            return Guess(role, f"the name says {hit[0]!r}")
    if column.unique and not column.type.startswith(("DOUBLE", "FLOAT", "DECIMAL")):
        return Guess(Role.IDENTIFIER, "unique in every record")
    if not (column.numeric or column.text or column.type in {"BOOLEAN", "DATE"} or column.type.startswith("ENUM")):
        return Guess(Role.IDENTIFIER, f"the type {column.type} cannot be grouped safely")
    if column.distinct == 0:
        return Guess(Role.CONFIDENTIAL if column.numeric else Role.QUASI, "CHECK: the column is empty")
    if column.distinct <= FEW:
        return Guess(Role.QUASI, f"{counted(column.distinct, 'different value')}: people group by it")
    return Guess(Role.CONFIDENTIAL, f"{counted(column.distinct, 'different value')} and an unknown name: kept safe")


def guess_key(table: TableProfile) -> str | None:
    """Choose the column that names a record: unique, preferably first and called id."""
    unique = [column for column in table.columns if column.unique and (column.integer or column.text)]
    named = [column for column in unique if re.search(r"(^|_)(id|key|uuid|nr|no)$", column.name.lower())]
    return next((column.name for column in (*named, *unique)), None)


def guess_public(table: TableProfile, others: list[TableProfile]) -> str | None:
    """Say why `table` looks like a public dimension table, or None."""
    if any(guess_role(column).role is Role.CONFIDENTIAL for column in table.columns) or len(table.columns) < 2:
        return None
    for other in others:
        for column in table.columns:
            shared = other.column(column.name)
            if column.unique and shared is not None and not shared.unique and other.rows > table.rows:
                return f"one row per {column.name!r}, a column of {other.name!r}, and nothing confidential in it"
    return None
