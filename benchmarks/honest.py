"""How many honest questions are answered, over seeds on which nothing was tuned.

    python benchmarks/honest.py [--people 1000 10000] [--seeds 101 102 103]

Varied range questions (`staff_questions`) about one salary column, in one shared history, all default limits on: 300
about 1,000 people, 1,000 about 10,000 people. Processor time is of the whole decision, learning included.
"""

import argparse
import json
import statistics
import time
from pathlib import Path

import duckdb
import numpy as np
from staff_policy import QUASI
from staff_questions import questions

from sdcdb.datasets.creation import create
from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.question import Question

NUMBER = {1_000: 300, 10_000: 1_000}
RESULTS = Path(__file__).parent / "results" / "honest.json"


def run(people: int, seed: int) -> dict[str, float]:
    """Ask all questions of one seed about one table."""
    with duckdb.connect() as con:
        create(con, "staff", people, seed=seed)
        names = ", ".join(QUASI)
        con.execute(
            "CREATE TABLE cells AS SELECT row_number() OVER () - 1 AS cell, * FROM "
            f"(SELECT {names}, count(*) AS people, sum(salary)::BIGINT AS total FROM staff GROUP BY ALL ORDER BY ALL)"
        )
        table = con.execute("SELECT people, total FROM cells ORDER BY cell").fetchnumpy()
        counts = np.asarray(table["people"], dtype=np.int64)
        totals = np.asarray(table["total"], dtype=np.int64)
        knowledge = Knowledge(counts, 10_000, 250_000, 1, Limits(10, 24_000.0, 1.0), b"benchmark")
        answered, times, asked = 0, [], 0
        for sql in questions(NUMBER[people], seed):
            where = sql.split(" WHERE ")[1]
            flags = np.zeros(len(counts), dtype=bool)
            flags[con.execute(f"SELECT cell FROM cells WHERE {where}").fetchnumpy()["cell"]] = True
            if not 10 <= counts[flags].sum() <= counts.sum() - 10:
                continue
            asked += 1
            start = time.thread_time()
            finding = knowledge.consider([Question(flags, frozenset({"sum"}), "ana")])[0]
            if finding.allowed and not finding.implied:
                knowledge.learn([Question(flags, frozenset({"sum"}), "ana")], [{"sum": int(totals[flags].sum())}])
            times.append(time.thread_time() - start)
            answered += finding.allowed
            if asked % 100 == 0:
                print(f"{asked}: {answered / asked:.1%}, {statistics.median(times[-100:]) * 1e3:.0f} ms", flush=True)
    return {
        "people": people,
        "seed": seed,
        "cells": len(counts),
        "asked": asked,
        "answered": answered,
        "share": round(answered / asked, 4),
        "median_ms": round(statistics.median(times) * 1e3, 1),
        "p95_ms": round(sorted(times)[int(0.95 * len(times))] * 1e3, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--seeds", type=int, nargs="+", default=[101, 102, 103])
    given = parser.parse_args()
    for people in given.people:
        for seed in given.seeds:
            found = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
            found = [each for each in found if (each["people"], each["seed"]) != (people, seed)]
            found.append(run(people, seed))
            print(found[-1], flush=True)
            RESULTS.write_text(json.dumps(sorted(found, key=lambda e: (e["people"], e["seed"])), indent=1) + "\n")


if __name__ == "__main__":
    main()
