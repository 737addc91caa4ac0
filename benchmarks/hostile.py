"""One hostile user beside eight honest ones: how much longer do the honest wait?

    python benchmarks/hostile.py [--quick]

Honest users ask, read the answer for a while, and ask again: sums and means of the restricted table, and now and then
a table that is public. The hostile one sends, from many threads at once, what takes most: cross joins, texts and lists
without end, patterns, recursion, sorts, series, hundreds of groups, and statements by the hundred.

The protocol is fixed, so that nobody can choose it after a look at the numbers: `WARM_UP` seconds that are not
measured, then `REPETITIONS` repetitions; in each, `SECONDS` without the hostile user, `REST` seconds in which what is
left of the statements ends, `SECONDS` with that user, and the rest again. A repetition gives one ratio of 95th
percentiles. The median of the ratios is the result, and all of them are recorded. Nothing else should run meanwhile.
"""

import argparse
import random
import statistics
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from record import record
from staff_policy import policy
from staff_questions import questions

import sdcdb
from sdcdb.datasets.creation import create
from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.gateway import Gateway

HONEST = 8
HOSTILE = 20  # threads of the hostile user
PAUSE = 1.5  # seconds that an honest user reads an answer, about
WARM_UP, SECONDS, REST, REPETITIONS = 15.0, 30.0, 6.0, 3
BOMBS = {
    "cross join": "SELECT count(*) FROM range(10000000) a, range(10000000) b",
    "join that multiplies": "SELECT count(*) FROM range(3000000) a JOIN range(3000000) b ON a.range % 7 = b.range % 11",
    "huge text": "SELECT length(string_agg(repeat('x', 1000000), '')) FROM range(5000)",
    "huge list": "SELECT len(list(range)) FROM range(1000000000)",
    "series": "SELECT sum(sin(generate_series)) FROM generate_series(1, 100000000000)",
    "pattern": "SELECT count(*) FROM range(9000000) WHERE regexp_matches(repeat('ab', 9999) || range, '(a|b|ab)*c')",
    "recursion": "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
    "sort": "SELECT max(b) FROM (SELECT row_number() OVER (ORDER BY md5(range::VARCHAR)) AS b FROM range(90000000))",
    "list function": "SELECT list_reduce(range(90000000), lambda a, b: (a * 31 + b) % 1000003)",
    "large result": "SELECT repeat('x', 10000) FROM range(1000000)",
    "many groups": "SELECT age, dept, education, sex, SUM(salary) FROM staff GROUP BY ALL",
    "long condition": "SELECT COUNT(*) FROM staff WHERE " + " OR ".join(f"age * {n} % 97 = 5" for n in range(2000)),
    "nonsense": "SELECT nothing FROM nowhere",
}


def honest(gateway: Gateway, number: int, until: float, seed: int) -> list[float]:
    """Ask until the time is over; return how long each answer or denial took."""
    rng = random.Random(seed * 100 + number)  # noqa: S311 - questions, not secrets
    asked, took = questions(2000, seed * 100 + number), []
    time.sleep(rng.random() * PAUSE)
    while time.monotonic() < until:
        sql = "SELECT dept, count(*) FROM dept_dim GROUP BY ALL" if rng.random() < 0.1 else asked.pop()
        start = time.perf_counter()
        try:
            gateway.ask(sql, user=f"honest{number}")
        except sdcdb.Denied as refusal:
            if refusal.rule not in {"exact", "interval", "cae", "size", "counts"}:
                raise
        took.append(time.perf_counter() - start)
        time.sleep(PAUSE * (0.5 + rng.random()))
    return took


def hostile(gateway: Gateway, number: int, until: float, handle: Cancellation, found: "Counter[str]") -> None:
    """Send bombs until the time is over."""
    rng = random.Random(number)  # noqa: S311 - as above
    while time.monotonic() < until:
        try:
            gateway.ask(rng.choice(list(BOMBS.values())), user="hostile", cancellation=handle)
            found["answered"] += 1
        except sdcdb.Denied as refusal:
            found[refusal.rule] += 1


def run(gateway: Gateway, seconds: float, seed: int, *, attacked: bool) -> tuple[list[float], "Counter[str]"]:
    """Let eight honest users ask for so many seconds, with or without the hostile one."""
    until, handle, found = time.monotonic() + seconds, Cancellation(), Counter[str]()
    with ThreadPoolExecutor(HONEST + HOSTILE) as threads:
        users = [threads.submit(honest, gateway, n, until, seed) for n in range(HONEST)]
        for n in range(HOSTILE if attacked else 0):
            threads.submit(hostile, gateway, n, until, handle, found)
        took = [each for user in users for each in user.result()]
        handle.cancel()
    return took, found


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short round; recorded nowhere")
    given = parser.parse_args()
    seconds, repetitions = (6.0, 1) if given.quick else (SECONDS, REPETITIONS)
    table: list[list[str]] = []
    ratios: list[float] = []
    met: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "staff.duckdb"
        with sdcdb.open(path, create=True) as new:
            create(new.con, "staff", 100_000, seed=1)
        with sdcdb.open(path, policy(), read_only=True) as db, db.gateway(seconds=5) as gateway:
            run(gateway, WARM_UP, 99, attacked=False)  # what is compiled and started once is not measured
            for number in range(repetitions):
                alone = run(gateway, seconds, number * 2, attacked=False)[0]
                time.sleep(REST)
                beside, found = run(gateway, seconds, number * 2 + 1, attacked=True)
                time.sleep(REST)
                met += found
                ratios.append(percentile(beside, 0.95) / percentile(alone, 0.95))
                for name, times in (("alone", alone), ("beside the hostile one", beside)):
                    shown = (f"{each * 1e3:.1f} ms" for each in (statistics.median(times), percentile(times, 0.95)))
                    table.append([str(number + 1), name, f"{len(times):,}", *shown])
                print(f"95% beside and alone: {ratios[-1]:.2f}", met, flush=True)
            assert threading.active_count() < HONEST + HOSTILE
    if given.quick:
        return
    said = ", ".join(f"`{rule}` {number:,}" for rule, number in sorted(met.items()))
    record(
        "hostile",
        ["repetition", "eight honest users", "questions", "median", "95%"],
        table,
        [
            f"Beside a hostile user the 95th percentile is {statistics.median(ratios):.1f} times what it is otherwise.",
            f"That is the median of the repetitions, which gave {', '.join(f'{each:.1f}' for each in ratios)}.",
            f"The hostile user sends {len(BOMBS)} kinds of statements from {HOSTILE} threads, and met: {said}.",
            f"{repetitions} repetitions of {seconds:.0f} s each, with and without; a statement may run for 5 s.",
        ],
    )


if __name__ == "__main__":
    main()
