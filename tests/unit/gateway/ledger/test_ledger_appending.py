"""Appending and reading back: what goes in comes out, in order, on disk, for many threads at once."""

import json
import stat
import threading
from hashlib import sha256
from pathlib import Path

import pytest

from sdcdb.errors import InternalError, LedgerError
from sdcdb.gateway.ledger.ledger import Ledger
from sdcdb.gateway.ledger.places import anchor_path, ledger_path, lock_path
from sdcdb.gateway.ledger.record import GENESIS
from sdcdb.gateway.ledger.verify import verify

QUESTION = {"kind": "question", "user": "ana", "sql": "SELECT count(*) FROM staff", "verdict": "allow"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return ledger_path(tmp_path / "staff.duckdb")


def test_a_new_ledger_is_empty_and_healthy(path: Path) -> None:
    with Ledger.open(path) as ledger:
        assert (ledger.count, ledger.head, ledger.healthy, ledger.created) == (0, GENESIS, True, True)
        assert list(ledger) == []
    assert verify(path).ok


def test_what_was_appended_is_read_back_after_reopening(path: Path) -> None:
    with Ledger.open(path) as ledger:
        found = [ledger.append(QUESTION), *ledger.append_many([QUESTION | {"user": "bo"}, {"kind": "refresh"}])]
    with Ledger.open(path) as ledger:
        records = list(ledger)
        assert not ledger.created
        assert ledger.head == records[-1].hash
    assert [record.hash for record in records] == found
    assert [record.number for record in records] == [1, 2, 3]
    assert [record.prev for record in records] == [GENESIS, *found[:-1]]
    assert records[0].entry == QUESTION
    assert [record.kind for record in records] == ["question", "question", "refresh"]
    assert records[0].time.utcoffset() is not None


def test_the_hash_is_that_of_the_line_without_it(path: Path) -> None:
    """Any tool can check a line: cut the hash field off, close the brace, take SHA-256."""
    with Ledger.open(path) as ledger:
        ledger.append(QUESTION)
    line = path.read_text(encoding="ascii").strip()
    body, seal = line.rsplit(',"hash":', 1)
    assert seal == f'"{sha256((body + "}").encode()).hexdigest()}"}}'
    assert list(json.loads(line)) == ["n", "time", "kind", "user", "sql", "verdict", "prev", "hash"]


def test_any_text_survives_on_one_line_of_ascii(path: Path) -> None:
    nasty = 'é\n\r\u2028\x1b[31m\x00\ud800 "\\'
    with Ledger.open(path) as ledger:
        ledger.append(QUESTION | {"sql": nasty})
        assert next(iter(ledger)).entry["sql"] == nasty
    raw = path.read_bytes()
    assert raw.count(b"\n") == 1
    assert raw.isascii()
    assert b"\x1b" not in raw


def test_many_threads_share_one_chain(path: Path) -> None:
    hashes: list[str] = []

    def work(name: int) -> None:
        hashes.extend(ledger.append(QUESTION | {"user": name, "turn": turn}) for turn in range(25))

    with Ledger.open(path) as ledger:
        threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        records = list(ledger)
    assert len(records) == 200
    assert {record.hash for record in records} == set(hashes)
    for name in range(8):  # each thread's records are in the order in which it wrote them
        assert [r.entry["turn"] for r in records if r.entry["user"] == name] == list(range(25))
    assert verify(path).ok


def test_iterating_shows_the_records_of_that_moment(path: Path) -> None:
    with Ledger.open(path) as ledger:
        ledger.append(QUESTION)
        records = iter(ledger)
        assert next(records).number == 1
        ledger.append(QUESTION)
        assert list(records) == []
        assert len(ledger) == len(list(ledger)) == 2


def test_the_files_are_private(path: Path) -> None:
    with Ledger.open(path) as ledger:
        ledger.append(QUESTION)
    for file in (path, anchor_path(path), lock_path(path)):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"kind": ""},
        {"kind": 3},
        *(QUESTION | wrong for wrong in ({"hash": "x"}, {"n": 1}, {"x": float("nan")}, {"x": b"bytes"}, {"x": {1, 2}})),
    ],
)
def test_an_entry_that_cannot_be_written_is_a_bug_and_harms_nothing(path: Path, entry: dict[str, object]) -> None:
    with Ledger.open(path) as ledger:
        with pytest.raises(InternalError):
            ledger.append(entry)
        ledger.append(QUESTION)
        assert (ledger.count, ledger.healthy) == (1, True)


def test_a_closed_ledger_says_so(path: Path) -> None:
    ledger = Ledger.open(path)
    ledger.close()
    ledger.close()
    with pytest.raises(LedgerError, match="it is closed"):
        ledger.append(QUESTION)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="there is no such folder"):
        Ledger.open(tmp_path / "nowhere" / "staff.ledger.jsonl")


def test_two_names_of_a_database_share_its_ledger(tmp_path: Path) -> None:
    (tmp_path / "staff.duckdb").touch()
    (tmp_path / "other.duckdb").symlink_to("staff.duckdb")
    assert ledger_path(tmp_path / "other.duckdb") == ledger_path(tmp_path / "staff.duckdb")
