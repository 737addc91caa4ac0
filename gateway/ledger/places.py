"""Where the files of a ledger are."""

from datetime import UTC, datetime
from pathlib import Path


def ledger_path(database: Path) -> Path:
    """Return where the ledger of a database is: `staff.ledger.jsonl` beside `staff.duckdb`.

    Links are followed: a second name of one database must not begin a second, empty history. Only `.duckdb` is cut off,
    so that `staff.db` and `staff.duckdb` do not share a ledger.

    >>> ledger_path(Path("/data/staff.duckdb")).name, ledger_path(Path("/data/staff.db")).name
    ('staff.ledger.jsonl', 'staff.db.ledger.jsonl')
    """
    real = Path(database).resolve()
    return real.with_name(f"{real.name.removesuffix('.duckdb')}.ledger.jsonl")


def anchor_path(ledger: Path) -> Path:
    """Return the side file that says how far the ledger was acknowledged."""
    return ledger.with_name(ledger.name + ".anchor")


def lock_path(ledger: Path) -> Path:
    """Return the file whose lock makes a process the only writer."""
    return ledger.with_name(ledger.name + ".lock")


def torn_path(ledger: Path) -> Path:
    """Return a new name for bytes that a crash left behind."""
    return ledger.with_name(f"{ledger.name}.torn-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}")
