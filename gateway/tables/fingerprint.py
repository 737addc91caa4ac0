"""Which table an answer was about: a fingerprint of its contents, and a cheap sign that it may have changed."""

from pathlib import Path

import duckdb

from sdcdb.connection.record_key import ROWID, key_sql
from sdcdb.engines.dialect import text_literal
from sdcdb.gateway.references import source_of
from sdcdb.gateway.relations import Restricted


def fingerprint(con: duckdb.DuckDBPyConnection, table: Restricted, secret: str = "") -> str:
    """Digest every record of a table: its key, its quasi-identifiers and its confidential values, in any order.

    The digests are keyed by `secret`: else whoever reads the ledger could try values until one fits. MD5 is enough for
    that, and DuckDB's `hash()` changes between versions. Records that are alike in everything, where a key repeats,
    would cancel out in an XOR: such a record counts once, with its number.
    """
    person = [] if table.person is None else [table.person]
    # A category is at the same place whether or not its counts are public: that changes no record.
    categories = [name for name in table.columns if name in {*table.categories, *table.published}]
    names = [key_sql(name) for name in (table.key, *person, *table.told_by, *table.confidential, *categories)]
    record = ", ".join(
        [text_literal(secret), *(f"coalesce(CAST({name} AS VARCHAR), chr(1))" for name in dict.fromkeys(names))]
    )
    each = f"SELECT md5_number(concat_ws(chr(31), {record})) AS d FROM {source_of(table)}"
    if table.key == ROWID:
        found = f"SELECT count(*), bit_xor(d) FROM ({each})"
    else:
        twice = "md5_number(concat_ws(chr(31), CAST(d AS VARCHAR), CAST(n AS VARCHAR)))"
        found = (
            f"SELECT sum(n)::BIGINT, bit_xor(CASE WHEN n = 1 THEN d ELSE {twice} END) "
            f"FROM (SELECT d, count(*) AS n FROM ({each}) GROUP BY d)"
        )
    row = con.execute(found).fetchone()
    count, digest = row or (0, 0)
    return f"{count or 0}-{digest or 0:x}"


def sign(path: Path | None) -> tuple[float, ...] | None:
    """Return what changes whenever something is written to the file; None for a database in memory."""
    if path is None:
        return None
    found: list[float] = []
    for file in (path, Path(f"{path}.wal")):
        try:
            status = file.stat()
            found += [status.st_size, status.st_mtime_ns]
        except FileNotFoundError:
            found += [-1, -1]
    return tuple(found)
