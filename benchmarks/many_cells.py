"""Opening and asking a table with very many different combinations of quasi-identifiers.

    python benchmarks/many_cells.py [--rows 700000] [--cells 5000 400000] [--questions 20]

The table has a place of many values, an age and a sex. Each question adds salaries up over a range of places and ages.
Beside it, the same number of rows in 5,000 cells. The database is a file: one in memory is read whole at every
question, to see whether it has changed. Times are of the processor; the first question is left out, because it loads
and compiles the audit.
"""

import argparse
import resource
import statistics
import tempfile
import time

from record import record

import sdcdb
from sdcdb.policy.models import Policy


def policy() -> Policy:
    """Restrict a table of people by place, age and sex."""
    columns = {"id": "identifier", "place": "quasi", "age": "quasi", "sex": "quasi"}
    salary = {"role": "confidential", "domain": [0, 100_000], "step": 1}
    table = {"key": "id", "columns": {**columns, "salary": salary}, "restrict": {"min_set": 10}}
    return Policy.model_validate({"version": 1, "tables": {"people": table}})


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
            places, answered, times = max(combinations // 100, 1), 0, []
            for number in range(questions + 1):
                first = places * number // (2 * questions + 2)
                start = time.process_time()
                try:
                    gateway.ask(
                        "SELECT SUM(salary), COUNT(*) FROM people "
                        f"WHERE place BETWEEN {first} AND {first + places // 3} AND age < {25 + 37 * number % 40}",
                        user="ana",
                    )
                    answered += number > 0
                except sdcdb.Denied as refusal:
                    print(f"question {number}: {refusal.rule}")
                if number:
                    times.append(time.process_time() - start)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(cells, opened, waited, times, flush=True)
    return [
        f"{rows:,}",
        f"{cells:,}",
        f"{opened:.1f} s",
        f"{waited:.1f} s",
        f"{answered} of {questions}",
        f"{statistics.median(times) * 1e3:,.0f} ms",
        f"{most:,.0f} MB",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=700_000)
    parser.add_argument("--cells", type=int, nargs="+", default=[5_000, 400_000])
    parser.add_argument("--questions", type=int, default=20)
    given = parser.parse_args()
    rows = [run(given.rows, cells, given.questions) for cells in given.cells]
    record(
        "many_cells",
        ["rows", "cells", "opening, processor", "opening, clock", "answered", "median question", "most memory so far"],
        rows,
        ["One column, one user, default limits. Times of questions are of the processor, without the first."],
    )


if __name__ == "__main__":
    main()
