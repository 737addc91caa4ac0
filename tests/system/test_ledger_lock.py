"""Two gateways on one database: the second waits, and says who has it."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sdcdb.errors import LedgerError
from sdcdb.gateway.ledger.ledger import Ledger
from sdcdb.gateway.ledger.places import anchor_path, lock_path

HOLD = """
import sys, time
from pathlib import Path
from sdcdb.gateway.ledger.ledger import Ledger
ledger = Ledger.open(Path(sys.argv[1]))
print("open", flush=True)
time.sleep(float(sys.argv[2]))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "staff.ledger.jsonl"


@contextmanager
def held(path: Path, seconds: float) -> Iterator[subprocess.Popen[str]]:
    """Let another process hold the ledger for a while."""
    command = [sys.executable, "-c", HOLD, str(path), str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        try:
            yield other
        finally:
            other.kill()


def test_the_second_process_is_told_who_has_it(path: Path) -> None:
    with held(path, 60) as other:
        start = time.monotonic()
        with pytest.raises(LedgerError, match=rf"in use by process {other.pid} on .*, since \d{{4}}-"):
            Ledger.open(path, wait=0.2)
        assert time.monotonic() - start >= 0.2


def test_the_second_process_gets_it_when_the_first_has_ended(path: Path) -> None:
    with held(path, 0.3), Ledger.open(path, wait=30) as ledger:
        ledger.append({"kind": "open"})


def test_a_killed_process_leaves_no_lock(path: Path) -> None:
    with held(path, 60) as other:
        other.kill()
        other.wait()
        Ledger.open(path, wait=5).close()


def test_removing_the_lock_file_does_not_let_two_write(path: Path) -> None:
    with held(path, 60):
        lock_path(path).unlink()
        with pytest.raises(LedgerError, match="in use by another process"):
            Ledger.open(path, wait=0.1)


def test_one_process_cannot_open_it_twice(path: Path) -> None:
    with Ledger.open(path), pytest.raises(LedgerError, match=re.escape(f"process {os.getpid()} (this one)")):
        Ledger.open(path, wait=0)
    Ledger.open(path, wait=0).close()


def test_a_ledger_at_rest_lets_others_write_and_notices_that_they_did(path: Path) -> None:
    with Ledger.open(path) as ledger:
        ledger.append({"kind": "open"})
        ledger.rest()
        with pytest.raises(LedgerError, match="at rest"):
            ledger.append({"kind": "open"})
        assert ledger.wake()  # nobody wrote
        ledger.append({"kind": "open"})
        ledger.rest()
        with Ledger.open(path, wait=0) as other:
            other.append({"kind": "open"})
        assert not ledger.wake()
        with pytest.raises(LedgerError, match="others have written"):
            ledger.append({"kind": "open"})
    with Ledger.open(path, wait=0) as found:
        assert found.count == 3


def test_others_cannot_write_before_rest_and_after_waking(path: Path) -> None:
    with Ledger.open(path) as ledger:
        ledger.rest()
        with held(path, 60) as other, pytest.raises(LedgerError, match=rf"in use by process {other.pid}"):
            ledger.wake(wait=0.1)
        assert ledger.wake()
        with pytest.raises(LedgerError, match="in use"):
            Ledger.open(path, wait=0)


@pytest.mark.parametrize("file", ["ledger", "anchor"])
def test_a_file_that_was_replaced_by_its_copy_is_not_believed(path: Path, file: str) -> None:
    with Ledger.open(path) as ledger:
        ledger.append({"kind": "open"})
        ledger.rest()
        replaced = path if file == "ledger" else anchor_path(path)
        copy = path.with_name("copy")
        copy.write_bytes(replaced.read_bytes())
        copy.replace(replaced)
        assert not ledger.wake()
