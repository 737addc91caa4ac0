"""Writing a version of a table: the first one, or one that follows from the one before record by record."""

from dataclasses import dataclass
from pathlib import Path

from sdcdb.errors import DatabaseError
from sdcdb.gateway.ledger.entry import VersionEntry
from sdcdb.gateway.tables.cells import Cells
from sdcdb.gateway.tables.following import Records, begin_following, follow_records
from sdcdb.gateway.tables.held_version import HeldVersion, pack_version
from sdcdb.gateway.tables.past import Past
from sdcdb.gateway.tables.record_file import read_followed, record_path, write_records

NO_RECORDS = "none"  # keys do not name the records: a later version cannot be followed


@dataclass(frozen=True)
class Now:
    """A table as it is: fingerprint, cells, and the records where keys name them."""

    fingerprint: str
    cells: Cells
    records: Records | None


def new_version(ledger: Path, now: Now, past: Past, entry: VersionEntry) -> VersionEntry:
    """Complete the entry of a version with what became of the records since the version before.

    Raises `DatabaseError` where that cannot be said. Whoever has the same records as before is not asked for more.
    """
    entry = entry.model_copy(update={"cells": pack_version(now.cells)})
    if not past.versions or entry.as_new:
        return _first(ledger, now, entry)
    newest = past.versions[-1]
    before = read_followed(ledger, newest.records)
    try:
        step = follow_records(entry.table, before, now.records)
    except DatabaseError:
        if newest.version != now.fingerprint:
            raise
        if len(past.versions) == 1:
            return _first(ledger, now, entry)
        return entry.model_copy(update={"records": NO_RECORDS})
    moves, people = ({name: each.pack() for name, each in held.items()} for held in (step.moves, step.people))
    records = write_records(ledger, step.columns)
    named = dict(step.named)
    return entry.model_copy(update={"moves": moves, "people": people, "named": named, "records": records})


def _first(ledger: Path, now: Now, entry: VersionEntry) -> VersionEntry:
    if now.records is None:
        return entry.model_copy(update={"records": NO_RECORDS})
    return entry.model_copy(update={"records": write_records(ledger, begin_following(now.records, now.cells.size))})


def forget_file(ledger: Path, before: Past, now: VersionEntry, kept: set[str]) -> None:
    """Remove the file of the version before: nothing is ever compared with it again."""
    if before.versions and before.versions[-1].records not in {now.records, NO_RECORDS, "", *kept}:
        record_path(ledger, before.versions[-1].records).unlink(missing_ok=True)


def same_names(held: HeldVersion, cells: Cells) -> bool:
    """Tell whether every column has the name that it had in a version of the same records."""
    now = HeldVersion.of_cells(cells)
    return all(held.digest(name) == now.digest(name) for name in cells.held)
