"""The log auditor: time and memory by the number of lines, of different query sets and of exposed records.

    python benchmarks/auditor.py [--quick]

Every case is audited in a process of its own, so that its peak memory is its own. Times are of the processor and
include reading the log and the database, and libraries that are imported only then.
"""

import argparse
import csv
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

from record import record
from staff_policy import policy

import sdcdb
from sdcdb.auditor.run import Request, run

PEOPLE = """
CREATE TABLE staff AS SELECT i AS id, 'p' || i AS name, ['F', 'M'][1 + (hash(i) % 2)::INT] AS sex,
    (20 + hash(i + 7) % 45)::INT AS age, ['it', 'hr', 'lab', 'ops', 'law', 'fin'][1 + (hash(i + 3) % 6)::INT] AS dept,
    ['a', 'b', 'c', 'd'][1 + (hash(i + 9) % 4)::INT] AS education, (12000 + hash(i + 11) % 200000)::INT AS salary
    FROM range({people}) t(i);
CREATE TABLE dept_dim AS SELECT 'it' AS dept, 'north' AS campus;
"""
Lines = Callable[[], Iterator[tuple[str, str]]]
DEPARTMENTS = ("it", "hr", "lab", "ops", "law", "fin")


def questions(number: int, rng: random.Random) -> list[str]:
    """Return different aggregates over overlapping ranges."""
    made: dict[str, None] = {}
    while len(made) < number:
        low = rng.randrange(20, 60)
        high = low + rng.randrange(3, 20)
        among = f"age BETWEEN {low} AND {high} AND dept = '{rng.choice(DEPARTMENTS)}'"
        every = f"id % {rng.randrange(3, 60)} < {rng.randrange(1, 50)} AND age >= {low}"
        some = f"sex = '{rng.choice('FM')}' AND age < {high} AND education <> 'a' AND id > {rng.randrange(2000)}"
        made[f"SELECT SUM(salary) FROM staff WHERE {rng.choice([among, every, some])}"] = None
    return list(made)


def repeated(lines: int, different: int) -> Iterator[tuple[str, str]]:
    """Yield lines of twelve users who ask from a stock of questions."""
    rng = random.Random(3)  # noqa: S311 - a fixed log
    stock = questions(different, rng)
    for _ in range(lines):
        yield f"u{rng.randrange(12)}", rng.choice(stock)


def once(sql: str) -> Lines:
    """Return a log of one line."""
    return lambda: iter([("eve", sql)])


def many(lines: int, different: int) -> Lines:
    """Return a log of many lines."""
    return lambda: repeated(lines, different)


def groups() -> Iterator[tuple[str, str]]:
    """Yield sums of every combination of four attributes, and two more by ranges of ages."""
    attributes = ("sex", "age", "dept", "education")
    for number in range(len(attributes) + 1):
        for chosen in combinations(attributes, number):
            by = f" GROUP BY {', '.join(chosen)}" if chosen else ""
            yield "ann", f"SELECT {', '.join([*chosen, 'SUM(salary)'])} FROM staff{by}"
    yield "bob", "SELECT dept, AVG(salary) FROM staff WHERE age >= 40 GROUP BY dept"


CASES: dict[str, tuple[int, Lines]] = {
    "every name with its salary": (3_000, once("SELECT name, salary FROM staff")),
    "a sum for every name": (3_000, once("SELECT name, SUM(salary) FROM staff GROUP BY name")),
    "10,000 lines, 100 query sets": (3_000, many(10_000, 100)),
    "10,000 lines, 500 query sets": (3_000, many(10_000, 500)),
    "17 lines of fine groups": (10_000, groups),
    "1,000,000 lines, 100 query sets": (3_000, many(1_000_000, 100)),
}
QUICK = tuple(CASES)[:4]


def audited(case: str) -> list[str]:
    """Audit one case and return its row."""
    people, lines = CASES[case]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with sdcdb.open(folder / "staff.duckdb", create=True) as made:
            made.con.execute(PEOPLE.format(people=people))
        log, number = folder / "log.csv", 0
        with log.open("w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(["time", "user", "query"])
            for user, sql in lines():
                out.writerow(["2026-05-01 00:00:00", user, sql])
                number += 1
        start = time.process_time()
        with sdcdb.open(folder / "staff.duckdb", read_only=True) as opened:
            found = run(opened.con, policy(), Request([log]))
        took = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    missing = max((m.uncomputed for each in found.columns if each.course for m in each.course.moments), default=0)
    return [
        case,
        f"{people:,}",
        f"{number:,}",
        f"{len(found.findings):,}",
        f"{missing:,}",
        f"{took:.1f}",
        f"{peak:.0f}",
    ]


def main() -> None:
    """Run every case in its own process and record them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only the small cases, recording nothing")
    parser.add_argument("--case", choices=CASES, help="run one case in this process and print its row")
    chosen = parser.parse_args()
    if chosen.case:
        print("\t".join(audited(chosen.case)))
        return
    rows = []
    for case in QUICK if chosen.quick else CASES:
        done = subprocess.run([sys.executable, __file__, "--case", case], check=True, capture_output=True, text=True)
        rows.append(done.stdout.splitlines()[0].split("\t"))
        print(" | ".join(rows[-1]), flush=True)
    if chosen.quick:
        return
    columns = ["log", "people", "lines", "findings", "bounds not computed", "processor s", "peak MB"]
    record(
        "auditor",
        columns,
        rows,
        [
            "Times cover reading and all that the report needs, not the imports before; memory is the process's.",
            "Bounds not computed: records left out of the course over time by its budget; findings have no budget.",
        ],
    )


if __name__ == "__main__":
    main()
