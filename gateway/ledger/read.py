"""Reading records without the lock, also while a gateway writes."""

import os
from collections.abc import Iterator
from pathlib import Path

from sdcdb.errors import LedgerError
from sdcdb.gateway.ledger.disk import failed
from sdcdb.gateway.ledger.examine import Position, links
from sdcdb.gateway.ledger.record import Record, parsed


def records(ledger: Path, limit: int | None = None) -> Iterator[Record]:
    """Yield the records of a ledger as it is now, oldest first, up to the first that is not sound.

    With `limit`, exactly the records in so many bytes: if they are not all sound, LedgerError.
    """
    at = Position()
    try:
        with ledger.open("rb") as file:
            until = os.fstat(file.fileno()).st_size if limit is None else limit
            for line, behind in links(file, until):
                at = behind
                yield parsed(line)
    except OSError as problem:
        raise failed("read the ledger", ledger, problem) from problem
    if limit is not None and at.size != limit:
        raise LedgerError(f"{ledger} changed while it was open: line {at.count + 1:,} is not what was written there")
