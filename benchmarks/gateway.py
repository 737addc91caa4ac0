"""Questions through the gateway against the same SQL in plain DuckDB on the raw table, in one run, answers equal.

    python benchmarks/gateway.py [--questions 1000] [--quick]

The gateway reads, decides, audits, writes its ledger and answers from cells; plain DuckDB scans. Beside the totals: the
time of a question at the median and at the 95th percentile, of `AFTERWARDS` further questions behind that history.
A fifth quasi-identifier, of three or ten values, makes as many times more cells.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from record import record
from staff_policy import QUASI, policy
from staff_questions import questions

import sdcdb
from sdcdb.datasets.creation import create

AFTERWARDS = 200
TABLES = ((1_000_000, 1), (10_000_000, 1), (10_000_000, 3), (10_000_000, 10))  # rows, sites


@dataclass(frozen=True)
class Run:
    """One run: cells, seconds of every question through the gateway and in plain DuckDB, and how many were answered."""

    cells: int
    ours: list[float]
    plain: list[float]
    answered: int
    repeated: list[float]
    """Seconds of processor time of the last questions, asked once more."""


def first_answer(path: Path) -> float:
    """Return the processor time of a new process from its start to its first answer, that of its children included.

    It may keep compiled modules, as installed ones are: the first of the runs makes them.
    """
    program = (
        "import resource, sys; sys.path.insert(0, sys.argv[2]); import sdcdb; from staff_policy import policy\n"
        "with sdcdb.open(sys.argv[1], policy(), read_only=True) as db, db.gateway() as gateway:\n"
        "    gateway.ask('SELECT AVG(salary) FROM staff WHERE age < 50')\n"
        "    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]\n"
        "    print(sum(each.ru_utime + each.ru_stime for each in used))\n"
    )
    command = [sys.executable, "-c", program, str(path), str(Path(__file__).parent)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    took = []
    for _ in range(5):
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        took.append(float(done.stdout))
    return statistics.median(sorted(took)[:3])  # the first compiles


def run(rows: int, sites: int, number: int, folder: Path) -> Run:
    """Ask everything, through the gateway and in plain DuckDB; every answer must be the same."""
    path = folder / f"staff{rows}x{sites}.duckdb"
    with sdcdb.open(path, create=True) as new:
        create(new.con, "staff", rows, seed=1)
        if sites > 1:
            new.con.execute("ALTER TABLE staff ADD COLUMN site INTEGER")
            new.con.execute("UPDATE staff SET site = hash(id) % ?", [sites])
    found = Run(0, [], [], 0, [])
    quasi = [*QUASI, "site"] if sites > 1 else QUASI
    with sdcdb.open(path, policy(quasi), read_only=True) as db, db.gateway() as gateway:
        raw = db.con.cursor()
        distinct = f"SELECT count(*) FROM (SELECT DISTINCT {', '.join(quasi)} FROM staff)"
        found = replace(found, cells=int(raw.execute(distinct).fetchall()[0][0]))
        gateway.ask("SELECT COUNT(*) FROM staff")  # what is compiled once for all databases is not measured
        asked = questions(number, 3, sites)
        answers: list[tuple[Any, ...] | None] = []
        for sql in asked:
            start = time.perf_counter()
            try:
                answers.append(gateway.ask(sql).rows[0])
            except sdcdb.Denied:
                answers.append(None)
            found.ours.append(time.perf_counter() - start)
        for sql, answer in list(zip(asked, answers, strict=True))[-AFTERWARDS:]:
            if answer is not None:
                start = time.process_time()
                again = gateway.ask(sql).rows[0]
                found.repeated.append(time.process_time() - start)
                assert again == answer, sql
        for sql, answer in zip(asked, answers, strict=True):
            start = time.perf_counter()
            expected = raw.execute(sql).fetchall()[0]
            found.plain.append(time.perf_counter() - start)
            for ours, theirs in zip(answer or (), expected, strict=answer is not None):
                assert abs(float(ours) - float(theirs)) <= 1e-9 * abs(float(theirs)), sql
        found = replace(found, answered=sum(answer is not None for answer in answers))
    path.unlink()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--quick", action="store_true", help="small tables and a hundred questions; recorded nowhere")
    given = parser.parse_args()
    number = 100 if given.quick else given.questions
    table = []
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "first.duckdb"
        with sdcdb.open(small, create=True) as new:
            create(new.con, "staff", 10_000, seed=1)
        first = first_answer(small)
        print(f"first answer of a process: {first:.2f} s of processor time", flush=True)
        for rows, sites in ((100_000, 1), (100_000, 10)) if given.quick else TABLES:
            found = run(rows, sites, number + AFTERWARDS, Path(folder))
            late = sorted(found.ours[number:])
            ours, plain = sum(found.ours[:number]), sum(found.plain[:number])
            table.append(
                [
                    f"{rows:,}",
                    f"{found.cells:,}",
                    f"{number:,}",
                    f"{found.answered / len(found.ours):.0%}",
                    f"{ours:.1f} s",
                    f"{plain:.1f} s",
                    f"{plain / ours:.1f}",
                    f"{statistics.median(late) * 1e3:.1f} ms",
                    f"{late[int(len(late) * 0.95)] * 1e3:.1f} ms",
                    f"{statistics.median(found.repeated) * 1e3:.2f} ms",
                ]
            )
            print(table[-1], flush=True)
    if given.quick:
        return
    record(
        "gateway",
        [
            "rows",
            "cells",
            "questions",
            "answered",
            "gateway",
            "DuckDB",
            "times faster",
            "median then",
            "95% then",
            "repeated",
        ],
        table,
        [
            "The same questions in the same run, first all to the gateway, then all to DuckDB; all answers equal.",
            "The gateway's time has everything in it: reading, deciding, auditing, the ledger on disk, answering.",
            f"The median and the 95th percentile are of {AFTERWARDS} further questions, behind that history.",
            "Repeated: the processor time of those questions, asked once more; the same rows come out.",
            f"A process has its first answer, of 10,000 rows, after {first:.2f} s of processor time.",
        ],
    )


if __name__ == "__main__":
    main()
