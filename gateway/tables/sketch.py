"""Recognising records under any name: a sketch of a confidential column, of keyed digests of its records.

The digest of a record is a keyed hash of its key and its value, so it is the same in a copy, a view, a renamed table or
another file. A sketch keeps the smallest `KEPT` of them. Two tables that share a share f of their records have about
f KEPT digests in common; tables of up to `KEPT` records are compared exactly.
"""

import duckdb
import numpy as np

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.engines.dialect import text_literal
from sdcdb.gateway.ledger.packing import pack_digests, unpack_digests
from sdcdb.gateway.relations import Restricted
from sdcdb.policy.models import ROWID

KEPT = 1024


def sketch_columns(con: duckdb.DuckDBPyConnection, table: Restricted, secret: str) -> dict[str, str]:
    """Return the sketch of every confidential column."""
    key = ROWID if table.key == ROWID else quoted(identifier(table.key))
    found = {}
    for name in table.confidential:
        column = quoted(identifier(name))
        record = f"{text_literal(secret)}, CAST({key} AS VARCHAR), CAST({column} AS VARCHAR)"
        rows = con.execute(
            f"SELECT CAST(md5_number(concat_ws(chr(31), {record})) & 9223372036854775807 AS BIGINT) AS digest "
            f"FROM {quoted(table_reference(table.name))} WHERE {column} IS NOT NULL ORDER BY digest LIMIT {KEPT}"
        ).fetchnumpy()
        found[name] = pack_digests(np.asarray(rows["digest"], dtype=np.int64))
    return found


def share_records(first: dict[str, str], second: dict[str, str]) -> bool:
    """Tell whether two tables hold a confidential value of the same record, by their sketches."""
    mine, theirs = (
        {int(digest) for text in sketches.values() for digest in unpack_digests(text)} for sketches in (first, second)
    )
    return not mine.isdisjoint(theirs)
