"""The ledger: durable appends a second from one thread and from eight, and opening a long history.

    python benchmarks/ledger.py [--quick] [--folder DISK]

Beside it, in the same run and on the same disk, the plain way to keep a durable log in one file: SQLite with a
write-ahead log and full synchronisation, one transaction a record. Both hold the same records, which is checked.
They take turns, five rounds each, and the best round of each counts: waits for a disk vary with what else runs.
"""

import argparse
import json
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from record import record

from sdcdb.gateway.ledger.anchor import read_anchors
from sdcdb.gateway.ledger.ledger import Ledger
from sdcdb.gateway.ledger.places import anchor_path

# A question about a table of some thousand cells, as the gateway writes it: about a kilobyte.
FACT = {
    "table": "staff",
    "column": "salary",
    "cells": "eJzt" * 150,
    "kinds": ["count", "sum"],
    "answers": ["345", "1.5"],
}
ENTRY = {
    "kind": "question",
    "user": "analyst1",
    "sql": "SELECT AVG(salary) FROM staff WHERE sex = 'F' AND age BETWEEN 30 AND 40",
    "tables": ["staff"],
    "verdict": "allow",
    "version": 1,
    "facts": [FACT],
}


def clocked(work: Callable[[], Any]) -> float:
    """Time one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def with_threads(threads: int, each: Callable[[], None]) -> float:
    """Time the same work in several threads at once."""
    workers = [threading.Thread(target=each) for _ in range(threads)]

    def run() -> None:
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    return clocked(run)


def ledger_appends(folder: Path, name: str, threads: int, each: int) -> tuple[float, float]:
    """Return appends a second, and appends for each time that the disk was waited for."""
    path = folder / f"{name}.ledger.jsonl"
    with Ledger.open(path) as ledger:

        def work() -> None:
            for _ in range(each):
                ledger.append(ENTRY)

        seconds = with_threads(threads, work)
        assert [dict(record.entry) for record in ledger] == [ENTRY] * (threads * each)
    commits = read_anchors(anchor_path(path)).newest.turn - 1
    return threads * each / seconds, threads * each / commits


def sqlite_appends(folder: Path, name: str, threads: int, each: int) -> float:
    """Return the same for SQLite."""
    path = folder / f"{name}.sqlite"
    with sqlite3.connect(path) as con:
        con.execute("PRAGMA journal_mode = WAL")
        con.execute("CREATE TABLE log (n INTEGER PRIMARY KEY, entry TEXT)")
    con.close()

    def work() -> None:
        con = sqlite3.connect(path, timeout=600, isolation_level=None)
        con.execute("PRAGMA synchronous = FULL")
        for _ in range(each):
            con.execute("INSERT INTO log (entry) VALUES (?)", [json.dumps(ENTRY)])
        con.close()

    seconds = with_threads(threads, work)
    con = sqlite3.connect(path)
    assert [json.loads(row[0]) for row in con.execute("SELECT entry FROM log")] == [ENTRY] * (threads * each)
    con.close()
    return threads * each / seconds


def opening(folder: Path, count: int) -> tuple[float, float, int]:
    """Return the seconds to open a ledger of so many records, to read them all, and its size."""
    path = folder / "long.ledger.jsonl"
    with Ledger.open(path) as ledger:
        for _ in range(count // 1000):
            ledger.append_many([ENTRY] * 1000)
    start = time.perf_counter()
    with Ledger.open(path) as ledger:
        opened = time.perf_counter() - start
        read = clocked(lambda: sum(1 for _ in ledger))
        assert ledger.count == count
    return opened, read, path.stat().st_size


def main() -> None:
    """Run all and record it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer records, and record nothing")
    parser.add_argument("--folder", type=Path, help="a folder on the disk to measure")
    options = parser.parse_args()
    each, count = (20, 5_000) if options.quick else (200, 100_000)
    rows = []
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        for threads in (1, 8):
            ours, others = [], []
            for turn in range(5):
                ours.append(ledger_appends(folder, f"{threads}-{turn}", threads, each))
                others.append(sqlite_appends(folder, f"{threads}-{turn}", threads, each))
            (rate, shared), other = max(ours), max(others)
            cells = [str(threads), f"{rate:,.0f}", f"{shared:.1f}", f"{other:,.0f}", f"{rate / other:.1f}"]
            print(" | ".join(cells), flush=True)
            rows.append(cells)
        opened, read, size = opening(folder, count)
    long = f"{count:,} records ({size / 1e6:.0f} MB)"
    notes = [
        "An append waits for the disk twice, for the record and for the anchor, where SQLite waits once.",
        f"Opening {long}, every hash checked: {opened:.1f} s. Reading and parsing them after that: {read:.1f} s.",
    ]
    print("\n".join(notes))
    if not options.quick:
        columns = ["threads", "ledger, appends/s", "appends for each commit", "SQLite, inserts/s", "times faster"]
        record("ledger", columns, rows, notes)


if __name__ == "__main__":
    main()
