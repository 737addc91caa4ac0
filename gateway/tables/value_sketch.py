"""Recognising a column of values by itself: under other keys, in another type, in another order, or converted.

Three sketches of keyed digests, each the smallest `KEPT`: of the values as exact numbers; of the same numbers moved and
stretched so that the least is 0 and the greatest 1, which any conversion a x + b leaves alone; and of these upside
down, for a negative a. A value that occurs several times counts as often. Columns in which many people share a value
look alike by chance, and are not compared; nor are columns of few records.
"""

import json
from dataclasses import dataclass
from typing import Self

import duckdb
import numpy as np

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.gateway.ledger.packing import pack_digests, unpack_digests
from sdcdb.gateway.relations import Restricted
from sdcdb.gateway.tables.records import digest, exact_text
from sdcdb.gateway.tables.sketch import KEPT, comparable

FEWEST = 20  # records
DISTINCT = 0.5  # of the records, at least, have a value of their own
ALIKE = 0.9  # of the values of the smaller column are in the other one


@dataclass(frozen=True)
class ValueSketch:
    """The sketches of one column: its values, stretched to [0, 1], and that upside down."""

    values: frozenset[int]
    stretched: frozenset[int]
    mirrored: frozenset[int]

    @classmethod
    def unpack(cls, text: str) -> Self:
        """Read a sketch from the ledger."""
        parts = json.loads(text)
        return cls(*(frozenset(unpack_digests(part).tolist()) for part in parts))

    def pack(self) -> str:
        """Write a sketch as the ledger keeps it."""
        parts = (self.values, self.stretched, self.mirrored)
        return json.dumps([pack_digests(np.array(sorted(part), dtype=np.int64)) for part in parts])

    def like(self, other: "ValueSketch") -> bool:
        """Tell whether one column holds the values of the other, as they are or converted."""
        pairs = ((self.values, other.values), (self.stretched, other.stretched), (self.stretched, other.mirrored))
        return any(_contained(mine, theirs) >= ALIKE for mine, theirs in pairs)


def _contained(first: frozenset[int], second: frozenset[int]) -> float:
    """Return the share of the smaller collection that is in the other one, estimated where only a sketch is kept."""
    mine, theirs, _ = comparable(first, second, KEPT)
    fewest = min(len(mine), len(theirs))
    return len(mine & theirs) / fewest if fewest >= FEWEST else 0.0


def sketch_values(con: duckdb.DuckDBPyConnection, table: Restricted, secret: str) -> dict[str, str]:
    """Return the sketch of every confidential column whose values tell it from others."""
    found = {}
    source = quoted(table_reference(table.name))
    for name in table.confidential:
        column = quoted(identifier(name))
        row = con.execute(
            f"SELECT count({column}), count(DISTINCT {column}), CAST(min({column}) AS DOUBLE), "
            f"CAST(max({column}) AS DOUBLE) FROM {source}"
        ).fetchone()
        number, distinct, low, high = row or (0, 0, None, None)
        if number < FEWEST or distinct < DISTINCT * number or low == high:
            continue
        place = f"(CAST({column} AS DOUBLE) - ({low!r})) / ({high!r} - ({low!r}))"
        texts = [
            exact_text(column, table.columns[name]),
            *(f"round({each}, 6) + 0" for each in (place, f"1 - {place}")),
        ]
        parts = [_smallest(con, source, column, text, secret) for text in texts]
        found[name] = ValueSketch(*parts).pack()
    return found


def _smallest(con: duckdb.DuckDBPyConnection, source: str, column: str, text: str, secret: str) -> frozenset[int]:
    numbered = (
        f"SELECT {text} AS v, row_number() OVER (PARTITION BY {text}) AS n FROM {source} WHERE {column} IS NOT NULL"
    )
    rows = con.execute(f"SELECT {digest(secret, 'v', 'n')} AS d FROM ({numbered}) ORDER BY d LIMIT {KEPT}").fetchall()
    return frozenset(int(d) for (d,) in rows)


def same_values(mine: dict[str, str], theirs: dict[str, str]) -> tuple[str, str] | None:
    """Return a column of each of two tables that holds the other's values."""
    held = {name: ValueSketch.unpack(text) for name, text in theirs.items()}
    for own, text in mine.items():
        sketch = ValueSketch.unpack(text)
        for name, other in held.items():
            if sketch.like(other):
                return own, name
    return None
