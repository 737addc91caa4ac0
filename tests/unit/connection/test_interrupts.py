"""One press of Ctrl-C stops a query, and Python's own work, too."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import duckdb
import pytest

from sdcdb.connection.interrupts import deferred, interruptible
from sdcdb.connection.transaction import transaction
from sdcdb.errors import DatabaseError

LONG = "SELECT count(*) FROM range(10_000_000) a(i), range(10_000_000) b(j) WHERE i + j = 7"


def pressed_during(con: duckdb.DuckDBPyConnection, work: Callable[[], object]) -> None:
    with interruptible(con), transaction(con):
        con.execute("CREATE TABLE half (i INTEGER)")
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        work()


def busy() -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        time.sleep(0.01)


@pytest.mark.parametrize("work", ["query", "python"])
def test_one_press_stops_it_and_the_transaction_is_rolled_back(work: str) -> None:
    con = duckdb.connect()
    with pytest.raises(KeyboardInterrupt):
        pressed_during(con, busy if work == "python" else lambda: con.execute(LONG).fetchall())
    assert con.execute("SELECT count(*) FROM duckdb_tables()").fetchall() == [(0,)]


def test_a_press_that_is_put_off_comes_behind_the_work() -> None:
    before, steps = signal.getsignal(signal.SIGINT), []

    def work() -> None:
        with deferred() as pressed:
            assert not pressed()
            os.kill(os.getpid(), signal.SIGINT)
            while not pressed():
                time.sleep(0.01)
            steps.append("to the end")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == ["to the end"]
    assert signal.getsignal(signal.SIGINT) is before


def test_an_impatient_second_press_is_not_put_off() -> None:
    def work() -> None:
        with deferred():
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.05)
            pytest.fail("went on")

    with pytest.raises(KeyboardInterrupt):
        work()


def test_afterwards_ctrl_c_is_what_it_was() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interruptible(duckdb.connect()):
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_a_transaction_inside_another_is_refused() -> None:
    con = duckdb.connect()
    con.begin()
    with pytest.raises(DatabaseError, match="inside a transaction"), transaction(con):
        pass


SIGNALS_WHILE_WAITING = """
import signal
import subprocess
import sys
from sdcdb.connection.interrupts import Ending

endings = 0
while endings < 3000:
    ending = Ending(signal.SIGALRM)
    signal.setitimer(signal.ITIMER_REAL, 5e-5, 5e-5)  # several come while one wait begins
    while not ending.wait(1e-5):
        pass
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert ending.wait(0)
    endings += 1
signal.signal(signal.SIGALRM, signal.SIG_IGN)
print(endings)
"""


def test_a_signal_at_any_moment_of_a_wait_ends_it() -> None:
    """With a threading.Event in its place this hangs: the handler waits for a lock that its own thread holds."""
    command = [sys.executable, "-c", SIGNALS_WHILE_WAITING]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "3000\n"), done.stderr
