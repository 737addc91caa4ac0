"""Recognising records under any name: a sketch of a confidential column, of keyed digests of its records.

The digest of a record is a keyed hash of its key and its value, so it is the same in a copy, a view, a renamed table or
another file. A sketch keeps the smallest `KEPT` of them. Two tables that share a share f of their records have about
f KEPT digests in common; tables of up to `KEPT` records are compared exactly.
"""

from collections.abc import Callable
from math import sqrt

import duckdb
import numpy as np

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.connection.record_key import key_sql
from sdcdb.engines.dialect import text_literal
from sdcdb.gateway.ledger.packing import pack_digests, unpack_digests
from sdcdb.gateway.relations import Restricted

KEPT = 1024
SHARED = 0.1  # of the records of the smaller table
FEWEST = 3  # records that are alike, where all of them are compared
DEVIATIONS = 4.0  # by which more are alike than by chance
Digests = frozenset[int]


def sketch_columns(con: duckdb.DuckDBPyConnection, table: Restricted, secret: str) -> dict[str, str]:
    """Return the sketch of every confidential column."""
    key = key_sql(table.key)
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


def share_records(first: str, second: str, chance: Callable[[], float] = lambda: 0.0) -> bool:
    """Tell by their sketches whether two columns hold enough values of the same records.

    Chance makes records alike, above all where keys count from 1 and columns have few values. `chance` tells how large
    a share of records with the same key have the same value if the columns are about different things: that many, and
    what they differ by at random, do not count. Where the tables are too large to be compared as a whole, the sketches
    may have few records to compare, and one of them is enough.
    """
    mine, theirs = (frozenset(unpack_digests(text).tolist()) for text in (first, second))
    mine, theirs, whole = comparable(mine, theirs, KEPT)
    fewest, number = FEWEST if whole else 1, min(len(mine), len(theirs))
    alike = len(mine & theirs)
    if alike < max(fewest, SHARED * number):
        return False
    expected = min(chance(), 1.0)
    more = max(SHARED * (1 - expected), DEVIATIONS * sqrt(expected * (1 - expected) / number))
    return alike >= number * min(expected + more, (1 + expected) / 2)


def chance_alike(con: duckdb.DuckDBPyConnection, first: tuple[str, str], second: tuple[str, str]) -> float:
    """Return the chance that a record of one table and one of another have the same value in these columns."""
    shares = []
    for table, name in (first, second):
        column = quoted(identifier(name))
        shares.append(
            f"SELECT CAST({column} AS VARCHAR) AS v, count(*) / sum(count(*)) OVER () AS p "
            f"FROM {quoted(table_reference(table))} WHERE {column} IS NOT NULL GROUP BY {column}"
        )
    (found,) = con.execute(f"SELECT sum(a.p * b.p) FROM ({shares[0]}) a JOIN ({shares[1]}) b USING (v)").fetchall()[0]
    return float(found or 0.0)


def comparable(first: Digests, second: Digests, kept: int) -> tuple[Digests, Digests, bool]:
    """Return the parts of two sketches that can be compared, and whether they are all of it."""
    cut = [max(each) for each in (first, second) if len(each) >= kept]
    if not cut:
        return first, second, True
    return frozenset(d for d in first if d <= min(cut)), frozenset(d for d in second if d <= min(cut)), False
