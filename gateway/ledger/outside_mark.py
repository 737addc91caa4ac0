"""A second mark of a ledger, outside of the folder that it lies in: in the account's own state.

The database keeps a mark as well, but a program that only reads the database cannot write there. Whoever puts back the
folder of an earlier day puts back the database, the ledger and its anchor together; this mark stays.
"""

import contextlib
import hashlib
import json
import os
from pathlib import Path

from sdcdb.gateway.ledger.disk import write_new


def mark_file(ledger: Path, identity: str) -> Path:
    """Return where the mark of a ledger is kept, by its place and its first record."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    name = hashlib.sha256(f"{ledger.resolve()}\n{identity}".encode()).hexdigest()[:32]
    return Path(state) / "sdcdb" / "ledgers" / f"{name}.json"


def read_outside_mark(ledger: Path, identity: str) -> tuple[int, str] | None:
    """Return the number of records and the hash of the last one, or None where no mark can be read."""
    try:
        held = json.loads(mark_file(ledger, identity).read_text("utf-8"))
        return int(held["records"]), str(held["head"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_outside_mark(ledger: Path, identity: str, records: int, head: str) -> None:
    """Keep the mark, durably. An account without a place of its own goes without."""
    file = mark_file(ledger, identity)
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_new(file, json.dumps({"records": records, "head": head}).encode())
