"""Opening and asking a table with very many different combinations of quasi-identifiers.

    python benchmarks/many_cells.py [--rows 5000000] [--cells 5000 5000000] [--questions 1000]

The table has a place of many values, an age and a sex. Each question adds salaries up over a range of places and of
ages, and for every second one over one sex. Ranges of places begin and end at fiftieths of all places, so that the same
questions, about nearly the same people, are asked of the same number of rows in 5,000 cells: what differs is the number
of cells. `--cells` is how many there could be; there are as many as hold somebody. The database is a file: one in
memory is read whole at every question, to see whether it has changed. Times are of the processor.
"""

import argparse
import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
from record import record

import sdcdb
from sdcdb.policy.models import Policy

PARTS = 50  # of all places
LAST = 100  # questions of which the median is told


def policy() -> Policy:
    """Restrict a table of people by place, age and sex."""
    columns = {"id": "identifier", "place": "quasi", "age": "quasi", "sex": "quasi"}
    salary = {"role": "confidential", "domain": [0, 100_000], "step": 1}
    table = {"key": "id", "columns": {**columns, "salary": salary}, "restrict": {"min_set": 10}}
    return Policy.model_validate({"version": 1, "tables": {"people": table}})


def question(rng: np.random.Generator, places: int) -> str:
    """Write a question about people of some places and ages."""
    first, last = np.sort(rng.choice(PARTS + 1, 2, replace=False)) * places // PARTS
    young, old = np.sort(rng.choice(51, 2, replace=False)) + 18
    sex = f" AND sex = '{rng.choice(['F', 'M'])}'" if rng.random() < 0.5 else ""
    where = f"place >= {first} AND place < {last} AND age >= {young} AND age < {old}{sex}"
    return f"SELECT SUM(salary), COUNT(*) FROM people WHERE {where}"


def run(rows: int, combinations: int, questions: int) -> list[str]:
    """Open a table and ask; return a row of the result."""
    with tempfile.TemporaryDirectory() as folder, sdcdb.open(f"{folder}/people.duckdb", policy(), create=True) as db:
        db.con.execute(
            f"CREATE TABLE people AS SELECT i AS id, (c // 100)::INTEGER AS place, (c % 50 + 18)::INTEGER AS age, "
            f"CASE WHEN c % 100 < 50 THEN 'F' ELSE 'M' END AS sex, (hash(i, 1) % 100001)::INTEGER AS salary "
            f"FROM (SELECT i, hash(i) % {combinations} AS c FROM range({rows}) r(i))"
        )
        cells = len(db.con.execute("SELECT DISTINCT place, age, sex FROM people").fetchnumpy()["age"])
        start, clock = time.process_time(), time.perf_counter()
        with db.gateway() as gateway:
            opened, waited = time.process_time() - start, time.perf_counter() - clock
            rng, times, outcomes = np.random.default_rng(0), list[float](), Counter[str]()
            for _ in range(questions):
                sql, start = question(rng, combinations // 100), time.process_time()
                try:
                    gateway.ask(sql, user="ana")
                    outcomes["answered"] += 1
                except sdcdb.Denied as refusal:
                    outcomes[refusal.rule] += 1
                times.append(time.process_time() - start)
                if len(times) % 100 == 0:
                    print(cells, len(times), dict(outcomes), statistics.median(times[-100:]), flush=True)
    denied = ", ".join(f"{rule} {number}" for rule, number in outcomes.items() if rule != "answered")
    return [
        f"{rows:,}",
        f"{cells:,}",
        f"{opened:.1f} s",
        f"{waited:.1f} s",
        f"{outcomes['answered']} of {questions}",
        denied or "-",
        f"{statistics.median(times[1 : LAST + 1]) * 1e3:,.0f} ms",
        f"{statistics.median(times[-LAST:]) * 1e3:,.0f} ms",
        f"{most_memory():,.0f} MB",
    ]


def most_memory() -> float:
    """Return the most memory that this process has had, in MB, where the system tells."""
    status = Path("/proc/self/status")
    line = next((each for each in status.read_text().splitlines() if each.startswith("VmHWM")), "VmHWM: 0 kB")
    return int(line.split()[1]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--cells", type=int, nargs="+", default=[5_000, 5_000_000])
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--dry", action="store_true", help="record nothing")
    given = parser.parse_args()
    rows = [run(given.rows, cells, given.questions) for cells in given.cells]
    columns = [
        *("rows", "cells", "opening, processor", "opening, clock", "answered", "denied"),
        *(f"first {LAST}", f"last {LAST}", "most memory so far"),
    ]
    notes = ["One column, one user, default limits. Questions: medians, of the processor, without the very first."]
    if not given.dry:
        record("many_cells", columns, rows, notes)
    else:
        print(*rows, sep="\n")


if __name__ == "__main__":
    main()
