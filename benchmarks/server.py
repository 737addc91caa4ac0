"""What the PostgreSQL door adds to a question: through psycopg to `sdcdb serve`, and the same in process.

    python benchmarks/server.py [--quick] [--postgres DSN]

Both answer the same questions about copies of one table, taking turns; medians count. Beside the time on the clock
stands the processor time of all processes that have a part in it, which other work on the machine disturbs less. With
--postgres, SELECT 1 goes to a PostgreSQL server, too, whose share is the driver, the protocol and the wire.
"""

import argparse
import re
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from record import record

import sdcdb
from sdcdb.connection.atomic_file import new_database
from sdcdb.datasets import create
from sdcdb.gateway.auth.access import Access
from sdcdb.gateway.auth.users import UserStore
from sdcdb.gateway.auth.users_file import users_path

POLICY = """\
version: 1
tables:
  staff:
    key: id
    columns: {id: identifier, name: identifier, sex: quasi, age: quasi, dept: quasi, education: quasi,
              salary: {role: confidential, domain: [10000, 250000], step: 1}}
    restrict: {min_set: 10}
  dept_dim: public
"""
MARK = 2.0  # milliseconds that the door may add
WARM = 20  # rounds before those that count


def question(number: int) -> str:
    """Count people from an age on: few questions again and again, so that the door is most of the work."""
    return f"SELECT sex, COUNT(*) FROM staff WHERE age >= {20 + 10 * (number % 3)} GROUP BY sex ORDER BY sex"


@dataclass
class Timed:
    """What calls took, in milliseconds: on the clock, and of processors."""

    clock: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def call(self, work: Callable[[], Any], others: Sequence[int]) -> None:
        """Time one call, in which other processes have a part."""
        before = processor_time(others)
        used, start = time.process_time(), time.perf_counter()
        work()
        clock, own = time.perf_counter() - start, time.process_time() - used
        self.clock.append(clock * 1000)
        self.processor.append((own + processor_time(others) - before) * 1000)

    def shown(self) -> list[str]:
        """Return medians, and what most calls stay within."""
        return [
            f"{statistics.median(self.clock):.2f}",
            f"{sorted(self.clock)[len(self.clock) * 9 // 10]:.2f}",
            f"{statistics.median(self.processor):.2f}",
        ]


def processor_time(processes: Sequence[int]) -> float:
    """Return the processor seconds of other processes so far, to the nanosecond; Linux tells."""
    found = 0.0
    for process in processes:
        for task in Path(f"/proc/{process}/task").glob("*/schedstat"):
            with suppress(FileNotFoundError, ProcessLookupError):
                found += int(task.read_text(encoding="ascii").split()[0]) / 1e9
    return found


def database(folder: Path, rows: int) -> Path:
    """Create the table with its policy."""
    folder.mkdir()
    path = folder / "staff.duckdb"
    with new_database(path) as con:
        create(con, "staff", rows=rows, seed=1)
    path.with_suffix(".policy.yaml").write_text(POLICY, encoding="utf-8")
    return path


@contextmanager
def served(path: Path) -> Iterator[tuple[psycopg.Connection[Any], int]]:
    """Serve a database in a process of its own, and connect to it; return the process, too."""
    password = secrets.token_hex(8)
    UserStore(users_path(path)).add("ann", password, Access.ANALYST)
    command = [sys.executable, "-u", "-m", "sdcdb", "serve", str(path), "--pg", "127.0.0.1:0", "--http", "off"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            port = next(found[0] for line in server.stdout if (found := re.findall(r"PostgreSQL\s+\S+:(\d+)", line)))
            dsn = f"host=127.0.0.1 port={port} dbname=staff user=ann password={password} sslmode=disable"
            yield psycopg.connect(dsn, autocommit=True), server.pid
        finally:
            server.terminate()
            server.wait(30)


def main() -> None:
    """Measure."""
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true")
    options.add_argument("--postgres", metavar="DSN")
    given = options.parse_args()
    rounds, rows = (100, 1_000) if given.quick else (400, 10_000)
    inner, outer, ping, other = Timed(), Timed(), Timed(), Timed()
    with tempfile.TemporaryDirectory() as place:
        inside, outside = (database(Path(place) / name, rows) for name in ("inside", "outside"))
        with sdcdb.open(inside) as db, db.gateway() as gateway, served(outside) as (con, server):
            for number in range(-WARM, rounds):
                if number == 0:
                    inner, outer, ping = Timed(), Timed(), Timed()
                sql = question(number)
                inner.call(lambda sql=sql: gateway.ask(sql, user="ann"), ())  # type: ignore[misc]
                outer.call(lambda sql=sql: con.execute(sql).fetchall(), (server,))  # type: ignore[misc]
                ping.call(lambda: con.execute("SELECT 1").fetchall(), (server,))
            assert [list(row) for row in con.execute(question(0)).fetchall()] == [
                list(row) for row in gateway.ask(question(0), user="ann").rows
            ]
    shown = [
        ["in process", *inner.shown()],
        ["through psycopg", *outer.shown()],
        ["SELECT 1 through psycopg", *ping.shown()],
    ]
    if given.postgres:
        with psycopg.connect(given.postgres, autocommit=True) as con:
            for number in range(-WARM, rounds):
                if number == 0:
                    other = Timed()
                other.call(lambda: con.execute("SELECT 1").fetchall(), (con.info.backend_pid,))
        shown.append(["SELECT 1 through psycopg, PostgreSQL", *other.shown()])
    added, work = (
        statistics.median(getattr(outer, what)) - statistics.median(getattr(inner, what))
        for what in ("clock", "processor")
    )
    met = "met" if added <= MARK else "missed"
    notes = [
        f"The door adds {added:.2f} ms to a question (mark: {MARK:g} ms): {met}. Of processors, it adds {work:.2f} ms.",
        f"{rounds} rounds, {rows:,} people.",
    ]
    record("server", ["what", "median ms", "90% within ms", "median processor ms"], shown, notes)


if __name__ == "__main__":
    main()
