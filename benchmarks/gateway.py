"""Questions through the gateway against the same SQL in plain DuckDB on the raw table, in one run, answers equal.

    python benchmarks/gateway.py [--rows 1000000,10000000] [--questions 1000] [--quick]

The gateway reads, decides, audits, writes its ledger and answers from cells; plain DuckDB scans. Beside the totals: the
time of a question at the median and at the 95th percentile.
"""

import argparse
import random
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from record import record
from staff_policy import POLICY

import sdcdb
from sdcdb.datasets.creation import create

AGGREGATES = ("SUM(salary)", "AVG(salary)", "COUNT(*), AVG(salary)", "SUM(salary), COUNT(*)")
DEPARTMENTS = ("Engineering", "Finance", "IT", "Legal", "Marketing", "Operations", "Research", "Sales", "Support")
EDUCATION = ("School", "Vocational", "Bachelor", "Master", "Doctorate")


def questions(number: int, seed: int) -> list[str]:
    """Make varied range questions: an age range, and perhaps departments, education and sex."""
    rng = random.Random(seed)  # noqa: S311 - questions, not secrets
    made = []
    for _ in range(number):
        low = rng.randint(18, 60)
        terms = [f"age BETWEEN {low} AND {low + rng.randint(3, 25)}"]
        if rng.random() < 0.6:
            chosen = rng.sample(DEPARTMENTS, rng.randint(2, 6))
            terms.append(f"dept IN ({', '.join(repr(each) for each in chosen)})")
        if rng.random() < 0.4:
            chosen = rng.sample(EDUCATION, rng.randint(2, 4))
            terms.append(f"education IN ({', '.join(repr(each) for each in chosen)})")
        if rng.random() < 0.3:
            terms.append(f"sex = '{rng.choice('FM')}'")
        made.append(f"SELECT {rng.choice(AGGREGATES)} FROM staff WHERE {' AND '.join(terms)}")
    return made


@dataclass(frozen=True)
class Run:
    """One run: cells, seconds in total for both, times of single questions, and how many were answered."""

    cells: int
    ours: float
    plain: float
    times: list[float]
    answered: int


def run(rows: int, asked: list[str], folder: Path) -> Run:
    """Ask everything, through the gateway and in plain DuckDB; every answer must be the same."""
    path = folder / f"staff{rows}.duckdb"
    with sdcdb.open(path, create=True) as new:
        create(new.con, "staff", rows, seed=1)
    plain = 0.0
    times: list[float] = []
    answered = 0
    with sdcdb.open(path, POLICY, read_only=True) as db, db.gateway() as gateway:
        raw = db.con.cursor()
        distinct = "SELECT count(*) FROM (SELECT DISTINCT sex, age, dept, education FROM staff)"
        cells = int(db.con.execute(distinct).fetchall()[0][0])
        for sql in asked:
            start = time.perf_counter()
            expected = raw.execute(sql).fetchall()
            plain += time.perf_counter() - start
            start = time.perf_counter()
            try:
                answer = gateway.ask(sql).rows
            except sdcdb.Denied:
                answer = None
            times.append(time.perf_counter() - start)
            if answer is not None:
                answered += 1
                for ours, theirs in zip(answer[0], expected[0], strict=True):
                    assert abs(float(ours) - float(theirs)) <= 1e-9 * abs(float(theirs)), sql
    return Run(cells, sum(times), plain, times, answered)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default="1000000,10000000")
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--quick", action="store_true", help="a hundred thousand rows and a hundred questions")
    given = parser.parse_args()
    sizes = [100_000] if given.quick else [int(rows) for rows in given.rows.split(",")]
    number = 100 if given.quick else given.questions
    table = []
    with tempfile.TemporaryDirectory() as folder:
        for rows in sizes:
            found = run(rows, questions(number, 3), Path(folder))
            ordered = sorted(found.times)
            table.append(
                [
                    f"{rows:,}",
                    f"{found.cells:,}",
                    f"{number:,}",
                    f"{found.answered / number:.0%}",
                    f"{found.ours:.1f} s",
                    f"{found.plain:.1f} s",
                    f"{found.plain / found.ours:.1f}",
                    f"{statistics.median(ordered) * 1e3:.1f} ms",
                    f"{ordered[int(len(ordered) * 0.95)] * 1e3:.1f} ms",
                ]
            )
            print(table[-1], flush=True)
    record(
        "gateway",
        ["rows", "cells", "questions", "answered", "gateway", "DuckDB", "times faster", "median", "95th percentile"],
        table,
        [
            "The same questions in the same run, one after the other; every answer of the gateway equal to DuckDB's.",
            "The gateway's time has everything in it: reading, deciding, auditing, the ledger on disk, answering.",
        ],
    )


if __name__ == "__main__":
    main()
