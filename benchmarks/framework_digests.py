"""The Framework with its draws in one digest, against the same with the two that they had before, and a plain copy.

    python benchmarks/framework_digests.py [--rows 5000000] [--no-record]

The table and the policy are those of framework.py. One view is made as it is made now; for the other the catalogue has
given each column all the bits that it can use, 320 together, as for views made before (docs/decisions/080).
"""

import argparse
import tempfile
from functools import partial
from pathlib import Path

import duckdb
from framework import COLUMNS, TRIES, policy, table_sql
from record import record
from views import line, side_by_side

import sdcdb
from sdcdb.database import Database
from sdcdb.engines.expressions import DIGEST, LEAD, NARROW_PAIR, PAIR, Bits, Lane
from sdcdb.techniques.technique import Draws
from sdcdb.views import catalogue
from sdcdb.views.protect import protect

WIDE = {LEAD: Draws.RANK, NARROW_PAIR: Draws.NORMAL, PAIR: Draws.NORMAL, 16: Draws.SMALL}


def made(file: Path, rows: int, wide: dict[str, Draws]) -> tuple[Database, dict[str, Lane]]:
    """Create the table and its view; `wide` are places that get their bits first, each by itself."""
    database = sdcdb.open(file, policy(max(50, rows // 5_000)), create=True)
    con = database.con
    con.execute("SET enable_progress_bar = false")
    con.execute(f"CREATE TABLE t AS {table_sql(rows)}")
    con.execute("CHECKPOINT")
    catalogue.prepare(con)
    for place, draws in wide.items():
        catalogue.lanes(con, "t", {place: draws})
    (protected,) = protect(database)
    return database, dict(protected.plan.lanes)


def digests(lanes: dict[str, Lane]) -> int:
    """Count the digests that a view needs for each record."""
    return len({bits.first // DIGEST for bits in lanes.values() if isinstance(bits, Bits)})


def copy(con: duckdb.DuckDBPyConnection, table: str, query: str) -> None:
    """Copy what a query returns."""
    con.execute(f"CREATE OR REPLACE TABLE {table} AS {query}")


def measure(folder: Path, rows: int) -> list[list[str]]:
    """Copy both views and the table in turns."""
    one, lanes = made(folder / "one.duckdb", rows, {})
    widths = {place: bits.width for place, bits in lanes.items() if isinstance(bits, Bits)}
    order = sorted(widths, key=lambda place: (widths[place] != LEAD, -widths[place]))  # the class first, as it was
    two, earlier = made(folder / "two.duckdb", rows, {place: WIDE[widths[place]] for place in order})
    assert (digests(lanes), digests(earlier)) == (1, 2), (lanes, earlier)
    with one, two:
        found = side_by_side(
            repeat=TRIES,
            plain=partial(copy, one.con, "plain", f"SELECT {', '.join(COLUMNS)} FROM t"),
            one=partial(copy, one.con, "by_view", "FROM v"),
            two=partial(copy, two.con, "by_view", "FROM v"),
        )
    return [
        line(rows, "perturbed copy, one digest", "plain copy", found["one"], found["plain"]),
        line(rows, "perturbed copy, two digests", "plain copy", found["two"], found["plain"]),
        line(rows, "perturbed copy, two digests", "one digest", found["two"], found["one"]),
    ]


def main() -> None:
    """Run the benchmark and keep its result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000, help="records")
    parser.add_argument("--no-record", action="store_true", help="print only")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(Path(folder), asked.rows)
    if not asked.no_record:
        header = ["records", "what", "against", "time", "time of the other", "ratio", "ratio of processor time"]
        record("framework_digests", header, rows, [f"Copies take turns, the best of {TRIES} tries of each."])


if __name__ == "__main__":
    main()
