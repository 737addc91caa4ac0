"""Pairs of tables that agree on what is public and on all released answers: does an analyst see any difference?

    python benchmarks/pairs.py [--pairs 1008] [--start 100] [--minutes 60]

Both tables of a pair are asked the same statements, through gateways with the same private random numbers: sums, means,
MIN and MAX, with groups that are merged, marked or denied, with and without `known` and a protected view. Everything
that an analyst can look at is compared byte for byte: EXPLAIN, the verdict or the answer, status, and what is known.
The first difference ends the run, and so does the time; what was compared until then is recorded. `make soak` plays
the same pairs.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from record import record

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.paired_tables import compare, make

AT_ONCE = 24


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1008)
    parser.add_argument("--start", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=60.0)
    given = parser.parse_args()
    os.environ.setdefault("SDCDB_PAIRS", "a secret for the noise of a view, long enough")
    used, compared, apart, statements = time.process_time(), 0, 0, 0
    until = time.monotonic() + 60 * given.minutes
    while compared < given.pairs and time.monotonic() < until:
        first = given.start + compared
        seeds = range(first, min(first + AT_ONCE, given.start + given.pairs))
        with tempfile.TemporaryDirectory() as folder:
            apart += compare(seeds, Path(folder))
        compared += len(seeds)
        statements += sum(len(make(seed).statements) for seed in seeds)
        print(f"{compared} pairs, {apart} of tables that differ, {time.process_time() - used:.0f} s", flush=True)
    record(
        "pairs",
        ["pairs", "of tables that differ", "statements for each table", "pairs that look different"],
        [[f"{compared:,}", f"{apart:,}", f"{statements:,}", "0"]],
        [
            f"Seeds {given.start} to {given.start + compared - 1}; equal private random numbers on both sides.",
            "Compared byte for byte: EXPLAIN, verdict or answer, suppressed groups, status, and what is known.",
            "Where the answers leave one table only, a pair is the same table twice.",
            f"{time.process_time() - used:.0f} s of processor time.",
        ],
    )


if __name__ == "__main__":
    main()
