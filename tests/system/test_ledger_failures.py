"""Real failures of the disk and of people: the ledger stops with a clear word, and loses nothing."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from sdcdb.errors import LedgerError
from sdcdb.gateway.ledger.ledger import Ledger
from sdcdb.gateway.ledger.places import anchor_path
from sdcdb.gateway.ledger.verify import verify

ENTRY = {"kind": "question", "user": "ana", "sql": "SELECT count(*) FROM staff", "facts": [{"cells": "A" * 300}]}

# Threads append until the ledger fails; then what each of them got is printed.
FILL = """
import json, resource, sys, threading
from pathlib import Path
from sdcdb.errors import LedgerError
from sdcdb.gateway.ledger.ledger import Ledger

path, entry = Path(sys.argv[1]), json.loads(sys.argv[2])
acknowledged, errors = [], []

def work():
    try:
        for turn in range(5000):
            acknowledged.append(ledger.append(entry))
    except LedgerError as problem:
        errors.append(str(problem))

def fill():
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    again = ""
    try:
        ledger.append({"kind": "question"})
    except LedgerError as problem:
        again = str(problem)
    return {"acknowledged": acknowledged, "errors": errors, "again": again, "healthy": ledger.healthy}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "staff.ledger.jsonl"


def run(script: str, *arguments: str | Path, under: tuple[str, ...] = ()) -> Any:
    command = [*under, sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def hashes(path: Path) -> list[str]:
    with Ledger.open(path) as ledger:
        return [record.hash for record in ledger]


def must_have_stopped(result: Any, words: str) -> None:
    assert len(result["errors"]) == 4
    assert all(words in error for error in result["errors"])
    assert words in result["again"]
    assert not result["healthy"]
    assert result["acknowledged"]


def test_a_write_that_fails_half_way_is_cut_back_off(path: Path) -> None:
    """The limit on the size of files makes the kernel write a part of the record and then refuse the rest."""
    script = """
ledger = Ledger.open(path)
resource.setrlimit(resource.RLIMIT_FSIZE, (30_001, 30_001))
print(json.dumps(fill()))
"""
    result = run(FILL + script, path, json.dumps(ENTRY))
    must_have_stopped(result, "the file may not grow further")
    assert verify(path).torn == 0
    assert hashes(path) == hashes(path)
    assert set(hashes(path)) == set(result["acknowledged"])


def test_records_whose_anchor_cannot_be_written_are_not_acknowledged_and_not_lost(path: Path) -> None:
    """A limit of one block lets the ledger grow a little, and the first slot be written, but not the second."""
    script = """
ledger = Ledger.open(path)
ledger.append(entry)
acknowledged.append(ledger.head)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
print(json.dumps(fill()))
"""
    result = run(FILL + script, path, json.dumps({"kind": "question"}))
    must_have_stopped(result, "cannot write the anchor")
    found = hashes(path)
    assert set(result["acknowledged"]) < set(found)
    assert verify(path).ok


def mountable(folder: Path) -> tuple[str, ...] | None:
    """Return how to run something that may mount a file system of its own here, if that is possible."""
    for under in (("unshare", "--mount"), ("unshare", "--user", "--map-root-user", "--mount")):
        try:
            trial = [*under, "mount", "-t", "tmpfs", "-o", "size=64k", "none", str(folder)]
            if subprocess.run(trial, capture_output=True, check=False).returncode == 0:
                return under
        except OSError:
            return None
    return None


def test_a_full_disk_stops_answers_and_loses_nothing(tmp_path: Path) -> None:
    under = mountable(tmp_path)
    if under is None:
        pytest.skip("needs the right to mount a small file system")
    script = """
import subprocess
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(path.parent)], check=True)
ballast = path.with_name("ballast")
ballast.write_bytes(bytes(100_000))
ledger = Ledger.open(path)
result = fill()
ledger.close()
try:
    Ledger.open(path).close()
    result["opened"] = True
except LedgerError as problem:
    result["opened"] = str(problem)
ballast.unlink()
with Ledger.open(path) as ledger:
    result["found"] = [record.hash for record in ledger]
    result["after"] = ledger.append(entry)
print(json.dumps(result))
"""
    result = run(FILL + script, tmp_path / "staff.ledger.jsonl", json.dumps(ENTRY), under=under)
    must_have_stopped(result, "the disk is full")
    assert set(result["found"]) >= set(result["acknowledged"])
    assert result["after"]


def test_a_file_that_may_not_be_written_is_named() -> None:
    script = """
import os
if os.getuid() == 0:  # root may write everything
    os.setuid(65534)
try:
    Ledger.open(path)
except LedgerError as problem:
    print(json.dumps(str(problem)))
"""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "staff.ledger.jsonl"
        with Ledger.open(path) as ledger:
            ledger.append(ENTRY)
        before = path.read_bytes()
        for file in path.parent.iterdir():
            file.chmod(0o444)
        path.parent.chmod(0o555)
        words = run(FILL + script, path, "{}")
        path.parent.chmod(0o700)
        assert "permission denied: let this user read and write it" in words
        assert str(path) in words
        assert path.read_bytes() == before


def removed(path: Path) -> None:
    path.unlink()


def replaced(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.write_bytes(path.with_name("elsewhere").read_bytes())


def longer(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"something else\n")


def shorter(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 5)


def without_anchor(path: Path) -> None:
    anchor_path(path).unlink()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (removed, "cannot be reached any more"),
        (replaced, "was replaced by another file"),
        (longer, "longer while the gateway had it open"),
        (shorter, "shorter while the gateway had it open"),
        (without_anchor, "cannot be reached any more"),
    ],
)
def test_a_change_while_it_is_open_stops_it_for_good(path: Path, change: Any, words: str) -> None:
    with Ledger.open(path) as ledger:
        head = ledger.append(ENTRY)
        change(path)
        for _ in range(2):
            with pytest.raises(LedgerError, match=words):
                ledger.append(ENTRY)
        assert not ledger.healthy
        assert (ledger.count, ledger.head) == (1, head)


def test_a_ledger_put_back_in_place_goes_on_after_reopening(path: Path) -> None:
    with Ledger.open(path) as ledger:
        head = ledger.append(ENTRY)
        path.rename(path.with_name("elsewhere"))
        with pytest.raises(LedgerError, match="put the original back"):
            ledger.append(ENTRY)
    path.with_name("elsewhere").rename(path)
    assert hashes(path) == [head]


def test_reading_notices_a_record_that_was_changed_in_place(path: Path) -> None:
    with Ledger.open(path) as ledger:
        ledger.append_many([ENTRY, ENTRY, ENTRY])
        path.write_bytes(path.read_bytes().replace(b'"n":2', b'"n":7'))
        with pytest.raises(LedgerError, match="line 2 is not what was written there"):
            list(ledger)


def test_a_child_process_must_open_its_own(path: Path) -> None:
    script = """
import os
ledger = Ledger.open(path)
ledger.append(entry)
child = os.fork()
if child == 0:
    try:
        ledger.append(entry)
    except LedgerError as problem:
        print(json.dumps(str(problem)), flush=True)
    os._exit(0)
os.waitpid(child, 0)
ledger.append(entry)
"""
    assert "open it anew" in run(FILL + script, path, json.dumps(ENTRY))
    assert len(hashes(path)) == 2
