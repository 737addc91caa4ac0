"""`sdcdb ask` as a command: processor time of a process from its start to its end, on a table of 30,000 rows.

    python benchmarks/ask.py [--quick]

Each question is another one, behind a ledger of so many answers, and its answer is compared with plain DuckDB. The same
commands run once more with numba and scipy loaded first: then all loops go through machine code. Bare is a process that
imports DuckDB, numpy and sqlglot and does nothing.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb
from record import record

import sdcdb
from sdcdb.datasets.creation import create

ROWS = 30_000
HISTORIES = (0, 10, 30, 100)
TIMES = 7
DEPTS = ("IT", "Sales", "Finance", "HR", "Legal")
COMPILED = "import numba, scipy.linalg, sdcdb.entry; sdcdb.entry.main()"
BARE = "import duckdb, numpy, sqlglot; sqlglot.parse_one('SELECT 1', dialect='duckdb').sql('duckdb')"
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def used(command: list[str], folder: Path) -> tuple[float, str]:
    """Return the processor time of a command, that of its children included, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, env=ENVIRONMENT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def statement(number: int) -> str:
    """Return one of many questions about the staff."""
    return f"SELECT SUM(salary), COUNT(*) FROM staff WHERE age < {25 + number % 35} AND dept <> '{DEPTS[number // 35]}'"


def asked(number: int, folder: Path, start: list[str]) -> float:
    """Ask one question; return what it took."""
    sql = statement(number)
    took, printed = used([*start, "ask", "staff.duckdb", sql, "-u", "ann", "--json"], folder)
    with duckdb.connect(str(folder / "staff.duckdb"), read_only=True) as con:
        expected = con.execute(sql).fetchall()
    found = [tuple(int(value) for value in row) for row in json.loads(printed)["rows"]]
    assert found == [tuple(map(int, row)) for row in expected], sql
    return took


def remember(first: int, last: int, folder: Path) -> None:
    """Ask many questions in one process."""
    with sdcdb.open(folder / "staff.duckdb", read_only=True) as db, db.gateway() as gateway:
        for number in range(first, last):
            gateway.ask(statement(number), user="ann")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two histories, three times each; recorded nowhere")
    quick = parser.parse_args().quick
    table: list[list[Any]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with sdcdb.open(folder / "staff.duckdb", create=True) as new:
            create(new.con, "staff", ROWS, seed=1)
        used([sys.executable, "-m", "sdcdb", "init", "staff.duckdb"], folder)
        plain, compiled = [sys.executable, "-m", "sdcdb"], [sys.executable, "-c", COMPILED]
        number = 0
        for start in (plain, compiled):  # compiles modules and loops
            asked(number, folder, start)
            number += 1
        for history in HISTORIES[:2] if quick else HISTORIES:
            remember(number, history, folder)
            number = max(number, history)
            ours, theirs, bare = [], [], []
            for _ in range(3 if quick else TIMES):
                ours.append(asked(number, folder, plain))
                theirs.append(asked(number + 1, folder, compiled))
                bare.append(used([sys.executable, "-c", BARE], folder)[0])
                number += 2
            took = [statistics.median(each) for each in (ours, theirs, bare)]
            table.append([f"{history:,}", *(f"{each:.2f} s" for each in took), f"{took[1] / took[0]:.1f}"])
            print(*table[-1], flush=True)
    columns = ["answers before", "sdcdb ask", "numba and scipy loaded first", "bare imports", "times"]
    notes = [
        f"{ROWS:,} rows, 3,661 cells, the policy of `sdcdb init`; medians of {TIMES} processes, one at a time.",
        f"Processor time, user and system, from start to end; load of the machine {os.getloadavg()[0]:.1f}.",
        "Answers equal to plain DuckDB's.",
    ]
    if not quick:
        record("ask", columns, table, notes)


if __name__ == "__main__":
    main()
