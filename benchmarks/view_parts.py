"""Where the time of a perturbed copy goes, part by part, and what narrower draws would save.

    python benchmarks/view_parts.py [--rows 1000000] [--repeat 5] [--no-record]

The table and the view are those of `views.py`; processor time on one thread, the best of a few tries, all in one run
and in one connection. The last rows are a copy by hand-written SQL in which each number has 16 bits that pick its noise
from a list, and each category 12 bits that pick its value from a list: sdcdb does not make such views. Its noise and
its shares are checked against the view's.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
from record import record
from views import KEEP, NUMBERS, SHARE, SIZES, WORDS, policy, table_sql

import sdcdb
from sdcdb.engines.duckdb import enum_name
from sdcdb.techniques.families.transition import rounded_rows, warner
from sdcdb.views.protect import protect

DIGEST = "sha256('" + "k" * 32 + ":bits 0:' || id)"
HALF = "unhex(substr(h, {}, 32))::BIT::UHUGEINT"
WIDE, NARROW = 16, 12  # bits of a number's noise, and of a category's value
SD = SHARE * 1000


def spent(work: Callable[[], object], repeat: int) -> float:
    """Return the least processor time of a few tries, in ns per record when divided by them."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def noises() -> list[int]:
    """Return 2^16 whole noises, each as often as a normal number is nearest to it, and at least once."""
    from scipy.stats import norm

    steps = np.arange(-int(4.2 * SD), int(4.2 * SD) + 1)
    shares = norm.cdf((steps + 0.5) / SD) - norm.cdf((steps - 0.5) / SD)
    counts = np.maximum(np.round(shares * 2**WIDE), 1).astype(int)
    counts[len(steps) // 2] += 2**WIDE - counts.sum()
    return [int(n) for n in np.repeat(steps, counts)]


def outcomes(size: int) -> list[int]:
    """Return for each value 2^12 positions, from 1, of what it becomes."""
    rows = rounded_rows(warner([str(n) for n in range(size)], KEEP).matrix, NARROW)
    return [int(at) for row in rows for at in np.repeat(np.arange(1, size + 1), (row * 2**NARROW).astype(int))]


def narrow_select(con: duckdb.DuckDBPyConnection) -> str:
    """Make the lists, and return the SELECT of the copy with narrower draws: 160 bits of one digest."""
    values = [[v for (v,) in con.execute(f"SELECT DISTINCT {name} FROM t ORDER BY 1").fetchall()] for name in WORDS]
    lists = ["?::SMALLINT[] AS noise"] + [f"?::UTINYINT[] AS o{n}, ? AS v{n}" for n in range(len(WORDS))]
    given = [each for size, own in zip(SIZES, values, strict=True) for each in (outcomes(size), own)]
    con.execute(f"CREATE OR REPLACE TABLE narrow AS SELECT {', '.join(lists)}", [noises(), *given])

    def cut(number: int, width: int) -> str:
        word, bit = divmod(16 * number, 64)
        return f"((w{word} >> {bit}) & {2**width - 1})::BIGINT"

    key = "CASE WHEN t.id IS NULL THEN error('no key') ELSE t.id::VARCHAR END"
    tail = "('0x' || substr(h, 33, 8))::BIGINT AS w2"
    digests = f"SELECT t.*, {DIGEST.replace('id', key)} AS h FROM t"
    halves = f"SELECT *, {HALF.format(1)} AS half, {tail} FROM ({digests})"
    words = f"SELECT *, (half & {2**64 - 1})::UBIGINT AS w0, (half >> 64)::UBIGINT AS w1 FROM ({halves})"
    draws = [f"{cut(n, NARROW)} AS d{n}" for n in range(5)] + [f"{cut(5 + n, WIDE)} AS z{n}" for n in range(5)]
    codes = [
        f"enum_code(TRY_CAST({name} AS sdc.{enum_name(tuple(own))}))::BIGINT AS e{n}"
        for n, (name, own) in enumerate(zip(WORDS, values, strict=True))
    ]
    drawn = f"SELECT *, {', '.join(draws + codes)} FROM ({words})"
    out = [f"p.v{n}[p.o{n}[e{n} * {2**NARROW} + d{n} + 1]] AS {name}" for n, name in enumerate(WORDS)]
    out += [
        f"CASE WHEN {name} IS NULL THEN NULL "
        f"ELSE least(greatest({name}::BIGINT + p.noise[z{n} + 1], 0), 1000)::INTEGER END AS {name}"
        for n, name in enumerate(NUMBERS)
    ]
    return f"SELECT {', '.join(out)} FROM ({drawn}) CROSS JOIN narrow AS p"


def same_law(con: duckdb.DuckDBPyConnection, rows: int) -> None:
    """Check that both copies have the same shares and moments, within five standard errors."""
    for name in NUMBERS:
        found = [
            con.execute(f"SELECT avg({name}), stddev({name}) FROM {table}").fetchall()[0]
            for table in ("by_view", "by_narrow")
        ]
        assert abs(found[0][0] - found[1][0]) < 5 * found[0][1] * (2 / rows) ** 0.5, name
    for name in WORDS:
        one, two = (
            dict(con.execute(f"SELECT {name}, count(*) FROM {table} GROUP BY ALL").fetchall())
            for table in ("by_view", "by_narrow")
        )
        assert all(abs(n - two[value]) < 5 * (2 * n) ** 0.5 + 1e-3 * n for value, n in one.items()), name


def measure(folder: Path, rows: int, repeat: int) -> list[list[str]]:
    """Measure the parts."""
    with sdcdb.open(folder / "parts.duckdb", policy(), create=True) as database:
        con = database.con
        con.execute("SET enable_progress_bar = false")
        con.execute(f"CREATE TABLE t AS {table_sql(rows)}")
        con.execute("CHECKPOINT")
        protect(database)
        con.execute("SET threads = 1")
        con.execute(f"CREATE TEMP TABLE digests AS SELECT {DIGEST} AS h FROM t")
        most = ", ".join(f"max({name})" for name in WORDS + NUMBERS)
        narrow = narrow_select(con)
        halves = f"SELECT max({HALF.format(1)}), max({HALF.format(33)}) FROM digests"
        statements = {
            "plain copy": "CREATE OR REPLACE TABLE copy AS SELECT * EXCLUDE (id) FROM t",
            "perturbed copy": "CREATE OR REPLACE TABLE by_view AS FROM v",
            "of it: writing the perturbed copy again": "CREATE OR REPLACE TABLE again AS FROM by_view",
            "of it: one SHA-256": f"SELECT max(length({DIGEST})) FROM t",
            "of it: both halves of the digest as numbers": halves,
            "of it: reading the view, no writing": f"SELECT {most} FROM v",
            "with narrower draws: the copy": f"CREATE OR REPLACE TABLE by_narrow AS {narrow}",
            "with narrower draws: no writing": f"SELECT {most} FROM ({narrow})",
        }
        times = {what: spent(partial(con.execute, sql), repeat) for what, sql in statements.items()}
        same_law(con, rows)
    plain = times["plain copy"]
    return [[what, f"{took / rows * 1e9:,.0f} ns", f"{took / plain:.2f}"] for what, took in times.items()]


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--no-record", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), given.rows, given.repeat)
    for each in found:
        print(" | ".join(each))
    if not given.no_record:
        notes = [
            f"Processor time on one thread per record, the best of {given.repeat} tries, {given.rows:,} records.",
            "Narrower draws are written by hand, with equal shares and moments; sdcdb does not make such views.",
        ]
        record("view_parts", ["what", "per record", "plain copies"], found, notes)


if __name__ == "__main__":
    main()
