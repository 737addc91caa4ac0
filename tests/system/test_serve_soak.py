"""Many connections to one server for long: no error, and no growth of its memory.

How long is in SDCDB_SOAK_SECONDS; without it, an hour, which begins when everybody has had an answer. SDCDB_SOAK_PAUSE
is how long each of those who ask waits between two questions, on average, in seconds; without it, they do not wait.
SDCDB_SOAK_RECORD is a folder for the outcome, which is written anew with every sample.
"""

import os
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from support import serve_process, serving, soak_record
from support.gateway_server import question

from sdcdb.gateway.auth.access import Access
from sdcdb.gateway.ledger.places import ledger_path
from sdcdb.gateway.ledger.verify import verify

SECONDS = float(os.environ.get("SDCDB_SOAK_SECONDS", "3600"))
PAUSE = float(os.environ.get("SDCDB_SOAK_PAUSE", "0"))
CONNECTIONS, ASKING = 200, 32
SAMPLES = 60
WARM = 900.0  # seconds at most until everybody has had an answer
LEAST_GROWTH = 32 << 20  # bytes: below this, an allocator's habits
SQL = ("SELECT COUNT(*) FROM staff", "SELECT dept, COUNT(*) FROM staff GROUP BY dept", "SELECT dept FROM dept_dim")


def resident(process: int) -> int:
    """Return the memory that a process holds, in bytes."""
    return int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def children(process: int) -> Iterator[int]:
    """Return the processes that a process has started and that still are."""
    for task in Path(f"/proc/{process}/task").iterdir():
        yield from map(int, (task / "children").read_text(encoding="ascii").split())


def resident_workers(process: int) -> int:
    """Return the memory that a server's workers hold, in bytes. One that ends meanwhile holds none."""
    held = 0
    for child in children(process):
        try:
            held += resident(child)
        except FileNotFoundError:
            continue
    return held


class Asking(threading.Thread):
    """One connection that asks until it is told to end. A denial is an answer; anything else is an error."""

    def __init__(self, con: "psycopg.Connection[tuple[object, ...]]", seed: int, ending: threading.Event) -> None:
        super().__init__()
        self._con, self._rng, self._ending = con, random.Random(seed), ending  # noqa: S311 - no secret
        self.answered = 0
        self.denied = Counter[str]()  # by rule
        self.error = ""

    def run(self) -> None:
        try:
            while not self._ending.is_set():
                sql = question(self._rng) if self._rng.random() < 0.2 else self._rng.choice(SQL)
                try:
                    self._con.execute(sql.encode()).fetchall()
                    self.answered += 1
                except psycopg.errors.InsufficientPrivilege as denial:
                    self.denied[denial.diag.message_detail or ""] += 1
                if PAUSE:
                    self._ending.wait(self._rng.uniform(0, 2 * PAUSE))
        except psycopg.Error as problem:
            self.error = f"{type(problem).__name__}: {problem}"


@pytest.mark.soak
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc, which is Linux's")
def test_two_hundred_connections_of_which_some_ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = serving.create(tmp_path, rows=600)
    users = serving.store(path)
    names = [f"analyst{number}" for number in range(ASKING)]
    for name in names:
        users.add(name, serving.PASSWORD, Access.ANALYST)
    ending, memory, workers, answers = threading.Event(), list[int](), list[int](), list[int]()
    with serve_process.serve(path) as served, ExitStack() as held:
        opened = [
            held.enter_context(psycopg.connect(served.dsn(names[number % ASKING]), autocommit=True))
            for number in range(CONNECTIONS)
        ]
        threads = [Asking(opened[number], number, ending) for number in range(ASKING)]
        held.callback(ending.set)  # also when something below fails: the threads end before their connections close
        for thread in threads:
            thread.start()
        began = time.monotonic()
        while not all(thread.answered or thread.error for thread in threads) and time.monotonic() < began + WARM:
            time.sleep(1)
        warmed, began = time.monotonic() - began, time.monotonic()

        def take_stock() -> None:
            soak_record.record(
                "server_hour",
                seconds=round(time.monotonic() - began),
                seconds_before=round(warmed),
                pause=PAUSE,
                connections=CONNECTIONS,
                asking=ASKING,
                answers=sum(thread.answered for thread in threads),
                denials=dict(sum((thread.denied for thread in threads), Counter[str]())),
                errors=[thread.error for thread in threads if thread.error],
                minutes_between_samples=round(SECONDS / SAMPLES / 60, 2),
                answers_by_then=answers,
                server_mebibytes=[size >> 20 for size in memory],
                workers_mebibytes=[size >> 20 for size in workers],
            )

        for sample in range(1, SAMPLES + 1):
            time.sleep(max(0.0, began + sample * SECONDS / SAMPLES - time.monotonic()))
            memory.append(resident(served.process.pid))
            workers.append(resident_workers(served.process.pid))
            answers.append(sum(thread.answered for thread in threads))
            take_stock()
            assert [thread.error for thread in threads if thread.error] == []
            for con in opened[ASKING + sample % 12 :: 12]:  # in turns: whoever is idle for an hour is sent away
                assert con.execute("SELECT 1").fetchone() == (1,), "those who wait are still connected"
        ending.set()
        for thread in threads:
            thread.join(120)
        take_stock()
        with capsys.disabled():
            denied = sum(thread.denied.total() for thread in threads)
            sys.stdout.write(f"\n{answers[-1]} answers, {denied} denials; MiB: {[size >> 20 for size in memory]}\n")
        assert not any(thread.is_alive() for thread in threads)
        for con in opened[ASKING:]:
            assert con.execute("SELECT COUNT(*) FROM staff").fetchone() == (600,), "those who waited are served too"
        log = served.log()
    assert [thread.error for thread in threads if thread.error] == []
    assert all(thread.answered for thread in threads), "everybody had a turn"
    assert '"level": "error"' not in log.lower()
    middle, last = memory[SAMPLES // 2 - 1], memory[-1]
    assert last - middle <= max(LEAST_GROWTH, middle // 10), [size >> 20 for size in memory]
    assert verify(ledger_path(path)).ok
