"""The mark that a database keeps of its ledger: which one it is, and how far it had come.

A copy of the database, or a database whose ledger was replaced or put back to an earlier state, would start a new
history without a word. The mark is inside the database file, so it goes wherever the file goes.
"""

import json
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import duckdb

from sdcdb.errors import LedgerError
from sdcdb.gateway.ledger.entry import OpenEntry, fields_of
from sdcdb.gateway.ledger.ledger import Ledger
from sdcdb.gateway.ledger.outside_mark import read_outside_mark, write_outside_mark

TABLE = "sdc.ledger_mark"


@dataclass(frozen=True)
class Mark:
    """The hash of a ledger's first record, the number of its records, and the hash of the last of them."""

    identity: str
    records: int
    head: str


def mark_of(ledger: Ledger) -> Mark:
    """Return the mark of a ledger as it is now."""
    return Mark(_hash_of(ledger.path, 1) or ledger.head, ledger.count, ledger.head)


def read_mark(con: duckdb.DuckDBPyConnection) -> Mark | None:
    """Return the mark in a database, or None where no gateway has left one."""
    try:
        row = con.execute(f"SELECT identity, records, head FROM {TABLE}").fetchone()
    except duckdb.CatalogException:
        return None
    return None if row is None else Mark(*row)


def write_mark(con: duckdb.DuckDBPyConnection, mark: Mark) -> None:
    """Leave the mark in a database that can be written to."""
    with con.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("CREATE SCHEMA IF NOT EXISTS sdc")
        cursor.execute(f"CREATE TABLE IF NOT EXISTS {TABLE} (identity VARCHAR, records BIGINT, head VARCHAR)")
        cursor.execute(f"DELETE FROM {TABLE}")
        cursor.execute(f"INSERT INTO {TABLE} VALUES (?, ?, ?)", [mark.identity, mark.records, mark.head])
        cursor.execute("COMMIT")


def open_ledger(path: Path, mark: Mark | None, wait: float, adopt: str = "") -> Ledger:
    """Open the ledger at `path`, or refuse one that is not the ledger that the database was last used with.

    `adopt` is the owner's reason to go on with it all the same; the ledger keeps it.
    """
    if mark is not None and not adopt and not path.exists():
        raise _another(path, mark, "is not there")
    ledger = Ledger.open(path, wait=wait)
    try:
        for each in (mark, _outside(ledger)):
            if each is not None and (why := _misfit(each, ledger)):
                if not adopt:
                    raise _another(path, each, why)
                ledger.append(fields_of(OpenEntry(adopted=adopt)))
                break
    except BaseException:
        ledger.close()
        raise
    return ledger


def keep_outside(ledger: Ledger) -> None:
    """Leave the mark outside of the ledger's folder, too."""
    mark = mark_of(ledger)
    write_outside_mark(ledger.path, mark.identity, mark.records, mark.head)


def _outside(ledger: Ledger) -> Mark | None:
    identity = _hash_of(ledger.path, 1) if ledger.count else None
    held = None if identity is None else read_outside_mark(ledger.path, identity)
    return None if identity is None or held is None else Mark(identity, *held)


def _misfit(mark: Mark, ledger: Ledger) -> str:
    if ledger.count == 0 or _hash_of(ledger.path, 1) != mark.identity:
        return "is another one"
    return "" if _hash_of(ledger.path, mark.records) == mark.head else "is an earlier or changed state of it"


def _another(path: Path, mark: Mark, why: str) -> LedgerError:
    return LedgerError(
        f"this database was last used with a ledger of {mark.records:,} records, and {path.name} {why}. "
        "Without it, what was answered before would count as unknown. Put the ledger, its anchor and the key file "
        "back beside the database; if they are lost for good, the owner runs `sdcdb refresh --adopt-ledger REASON`"
    )


def _hash_of(path: Path, number: int) -> str | None:
    """Return the hash of a record by its number."""
    with path.open("rb") as lines:
        line = next(islice(lines, number - 1, number), None) if number else None
    return None if line is None else str(json.loads(line)["hash"])
