"""What the PostgreSQL door adds to a question: through psycopg to `sdcdb serve`, and the same in process.

    python benchmarks/server.py [--quick] [--postgres DSN]

Both answer the same questions about copies of one table, taking turns; medians count. With --postgres, the same numbers
come from a PostgreSQL server, too, whose share is the driver, the protocol and the wire.
"""

import argparse
import re
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


def question(number: int) -> str:
    """Count people from an age on: the same work whatever was asked before."""
    return f"SELECT sex, COUNT(*) FROM staff WHERE age >= {20 + number % 20} GROUP BY sex ORDER BY sex"


def milliseconds(work: Callable[[], Any]) -> float:
    """Time one call."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def database(folder: Path, rows: int) -> Path:
    """Create the table with its policy."""
    folder.mkdir()
    path = folder / "staff.duckdb"
    with new_database(path) as con:
        create(con, "staff", rows=rows, seed=1)
    path.with_suffix(".policy.yaml").write_text(POLICY, encoding="utf-8")
    return path


@contextmanager
def served(path: Path) -> Iterator[psycopg.Connection[Any]]:
    """Serve a database in a process of its own, and connect to it."""
    password = secrets.token_hex(8)
    UserStore(users_path(path)).add("ann", password, Access.ANALYST)
    command = [sys.executable, "-u", "-m", "sdcdb", "serve", str(path), "--pg", "127.0.0.1:0", "--http", "off"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            port = next(found[0] for line in server.stdout if (found := re.findall(r"PostgreSQL\s+\S+:(\d+)", line)))
            yield psycopg.connect(
                f"host=127.0.0.1 port={port} dbname=staff user=ann password={password} sslmode=disable", autocommit=True
            )
        finally:
            server.terminate()
            server.wait(30)


def main() -> None:
    """Measure."""
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true")
    options.add_argument("--postgres", metavar="DSN")
    given = options.parse_args()
    rounds, rows = (60, 1_000) if given.quick else (400, 10_000)
    times: dict[str, list[float]] = {"in process": [], "through psycopg": [], "SELECT 1 through psycopg": []}
    with tempfile.TemporaryDirectory() as place:
        inside, outside = (database(Path(place) / name, rows) for name in ("inside", "outside"))
        with sdcdb.open(inside) as db, db.gateway() as gateway, served(outside) as con:
            for number in range(rounds + 20):
                sql = question(number)
                one = milliseconds(lambda sql=sql: gateway.ask(sql, user="ann"))  # type: ignore[misc]
                two = milliseconds(lambda sql=sql: con.execute(sql).fetchall())  # type: ignore[misc]
                three = milliseconds(lambda: con.execute("SELECT 1").fetchall())
                if number >= 20:
                    for name, took in zip(times, (one, two, three), strict=True):
                        times[name].append(took)
            assert [list(row) for row in con.execute(question(0)).fetchall()] == [
                list(row) for row in gateway.ask(question(0), user="ann").rows
            ]
    if given.postgres:
        with psycopg.connect(given.postgres, autocommit=True) as other:
            own = [milliseconds(lambda: other.execute("SELECT 1").fetchall()) for _ in range(rounds)]
        times["SELECT 1 through psycopg, PostgreSQL"] = own
    medians = {name: statistics.median(found) for name, found in times.items()}
    added = medians["through psycopg"] - medians["in process"]
    rows_shown = [[name, f"{found:.2f}", f"{sorted(times[name])[len(times[name]) * 9 // 10]:.2f}"]
                  for name, found in medians.items()]  # fmt: skip
    note = f"The door adds {added:.2f} ms to a question (mark: {MARK:g} ms): {'met' if added <= MARK else 'missed'}."
    record("server", ["what", "median ms", "90% within ms"], rows_shown, [note, f"{rounds} rounds, {rows:,} people."])


if __name__ == "__main__":
    main()
