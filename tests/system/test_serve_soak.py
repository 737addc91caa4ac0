"""Many connections to one server for long: no error, and no growth of its memory.

How long is in SDCDB_SOAK_SECONDS; without it, an hour. SDCDB_SOAK_PAUSE is how long each of those who ask waits between
two questions, on average, in seconds; without it, they do not wait. SDCDB_SOAK_RECORD is a folder for the outcome.
"""

import os
import random
import sys
import threading
import time
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
SAMPLES = 20
LEAST_GROWTH = 32 << 20  # bytes: below this, an allocator's habits
SQL = ("SELECT COUNT(*) FROM staff", "SELECT dept, COUNT(*) FROM staff GROUP BY dept", "SELECT dept FROM dept_dim")


def resident(process: int) -> int:
    """Return the memory that a process holds, in bytes."""
    return int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Asking(threading.Thread):
    """One connection that asks until it is told to end. A denial is an answer; anything else is an error."""

    def __init__(self, con: "psycopg.Connection[tuple[object, ...]]", seed: int, ending: threading.Event) -> None:
        super().__init__()
        self._con, self._rng, self._ending = con, random.Random(seed), ending  # noqa: S311 - no secret
        self.answered = 0
        self.denied = 0
        self.error = ""

    def run(self) -> None:
        try:
            while not self._ending.is_set():
                sql = question(self._rng) if self._rng.random() < 0.2 else self._rng.choice(SQL)
                try:
                    self._con.execute(sql.encode()).fetchall()
                    self.answered += 1
                except psycopg.errors.InsufficientPrivilege:
                    self.denied += 1
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
    ending, memory = threading.Event(), []
    with serve_process.serve(path) as served, ExitStack() as held:
        opened = [
            held.enter_context(psycopg.connect(served.dsn(names[number % ASKING]), autocommit=True))
            for number in range(CONNECTIONS)
        ]
        threads = [Asking(opened[number], number, ending) for number in range(ASKING)]
        for thread in threads:
            thread.start()
        for sample in range(SAMPLES):
            time.sleep(SECONDS / SAMPLES)
            memory.append(resident(served.process.pid))
            for con in opened[ASKING + sample % 4 :: 4]:  # each now and then: whoever is idle for an hour is sent away
                assert con.execute("SELECT 1").fetchone() == (1,), "those who wait are still connected"
        ending.set()
        for thread in threads:
            thread.join(120)
        answered, denied = sum(thread.answered for thread in threads), sum(thread.denied for thread in threads)
        with capsys.disabled():
            sys.stdout.write(f"\n{answered} answers, {denied} denials; MiB held: {[size >> 20 for size in memory]}\n")
        soak_record.record(
            "server_soak",
            seconds=SECONDS,
            pause=PAUSE,
            connections=CONNECTIONS,
            asking=ASKING,
            answers=answered,
            denials=denied,
            errors=[thread.error for thread in threads if thread.error],
            mebibytes=[size >> 20 for size in memory],
        )
        for con in opened[ASKING:]:
            assert con.execute("SELECT COUNT(*) FROM staff").fetchone() == (600,), "those who waited are served too"
        log = served.log()
    assert [thread.error for thread in threads if thread.error] == []
    assert all(thread.answered for thread in threads), "everybody had a turn"
    assert '"level": "error"' not in log.lower()
    middle, last = memory[SAMPLES // 2 - 1], memory[-1]
    assert last - middle <= max(LEAST_GROWTH, middle // 10), [size >> 20 for size in memory]
    assert verify(ledger_path(path)).ok
