"""The audit's columns of one confidential column, from the versions in the ledger."""

from collections.abc import Sequence

from sdcdb.errors import DatabaseError
from sdcdb.gateway.ledger.entry import VersionEntry
from sdcdb.gateway.tables.held_version import HeldVersion
from sdcdb.gateway.tables.trail import Layout, Moves


class UnexplainedError(DatabaseError):
    """A version in the ledger does not say what became of the records of the one before."""


def layout_of(
    entries: Sequence[VersionEntry],
    held: Sequence[HeldVersion],
    names: Sequence[str],
    *,
    people: bool,
    known: Layout | None = None,
) -> Layout:
    """Lay out a column that had these names: by its values, or by its people, whose values may have changed.

    `known` is the layout of the first of these versions, as many as it has.
    """
    layout = Layout() if known is None else known.copy()
    done = len(layout.sizes)
    for number, (entry, version, name) in enumerate(zip(entries, held, names, strict=True)):
        if number < done:
            continue
        packed = (entry.people.get(name) if people else None) or entry.moves.get(name)
        if packed is not None and number:
            layout.follow(Moves.unpack(packed), version.size)
        elif name not in version.columns:
            layout.leave_out(version.size)
        elif not number:
            layout.begin(version.columns[name].counts)
        elif version.fingerprint == held[number - 1].fingerprint:
            layout.repeat()
        else:
            raise UnexplainedError(f"version {number + 1} of {entry.table} was written without its records")
    return layout
