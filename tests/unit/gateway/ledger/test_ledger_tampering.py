"""Whatever is done to the files of a closed ledger is found, and nothing is changed by finding it.

Only bytes beyond the anchor, which were never acknowledged, are treated as what a crash leaves behind.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcdb.errors import LedgerError
from sdcdb.gateway.ledger.anchor import SLOT
from sdcdb.gateway.ledger.ledger import Ledger
from sdcdb.gateway.ledger.places import anchor_path
from sdcdb.gateway.ledger.record import GENESIS, Record, own_hash
from sdcdb.gateway.ledger.verify import Verification, verify

COUNT = 6  # records of the ledger that is tampered with
SLOW_DISK = settings(deadline=None)  # a sync takes as long as the disk needs
EARLY = 3  # records when the early copy of its anchor was taken


def entry(number: int) -> dict[str, object]:
    return {"kind": "question", "user": "ana", "sql": f"SELECT {number} -- é\n", "facts": [{"cells": "AbC" * number}]}


def made() -> tuple[bytes, bytes, bytes]:
    """Return a ledger, its anchor, and the anchor as it was after the first few records."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "staff.ledger.jsonl"
        with Ledger.open(path) as ledger:
            for number in range(1, COUNT + 1):
                ledger.append(entry(number))
                if number == EARLY:
                    early = anchor_path(path).read_bytes()
        return path.read_bytes(), anchor_path(path).read_bytes(), early


LEDGER, ANCHOR, EARLY_ANCHOR = made()
LINES = LEDGER.splitlines(keepends=True)
NEWEST_SLOT = 1 - ANCHOR.index(b'"count":5') // SLOT
ACKNOWLEDGED_EARLY = len(b"".join(LINES[:EARLY]))


@contextmanager
def files(ledger: bytes | None, anchor: bytes | None) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "staff.ledger.jsonl"
        for place, content in ((path, ledger), (anchor_path(path), anchor)):
            if content is not None:
                place.write_bytes(content)
        yield path


def found(ledger: bytes | None, anchor: bytes | None = ANCHOR) -> str:
    """Return what is said to be wrong with such files, after checking that opening stops and leaves them alone."""
    with files(ledger, anchor) as path:
        result = verify(path)
        assert not result.ok
        assert result.advice
        assert result.problem is not None
        with pytest.raises(LedgerError, match="backup") as stopped:
            Ledger.open(path)
        assert result.problem in str(stopped.value)
        for place, content in ((path, ledger), (anchor_path(path), anchor)):
            assert (place.read_bytes() if place.exists() else None) == content
        return result.problem


def recovered(ledger: bytes, anchor: bytes) -> tuple[list[Record], bytes | None]:
    """Open such files; return the records, and what was moved aside."""
    with files(ledger, anchor) as path:
        assert verify(path).ok
        with Ledger.open(path) as opened:
            records = list(opened)
        aside = [each.read_bytes() for each in path.parent.glob("*.torn-*")]
        assert len(aside) <= 1
        assert verify(path) == Verification(ok=True, records=len(records), head=records[-1].hash)
        with Ledger.open(path) as again:
            assert list(again) == records
        assert len(list(path.parent.glob("*.torn-*"))) == len(aside)
        return records, aside[0] if aside else None


def flipped(data: bytes, place: int, bits: int) -> bytes:
    return data[:place] + bytes([data[place] ^ bits]) + data[place + 1 :]


def rechained(lines: list[bytes]) -> bytes:
    """Do what a careful forger does: put every number, link and hash right again."""
    result, prev = b"", GENESIS
    for number, line in enumerate(lines, start=1):
        inside = line[line.index(b',"time"') : line.rindex(b',"prev"')]
        draft = b'{"n":%d%b,"prev":"%b","hash":"%b"}\n' % (number, inside, prev.encode(), b"0" * 64)
        prev = own_hash(draft)
        result += draft.replace(b"0" * 64 + b'"}\n', prev.encode() + b'"}\n')
    return result


def test_the_untouched_files_are_sound() -> None:
    records, aside = recovered(LEDGER, ANCHOR)
    assert [record.entry for record in records] == [entry(number) for number in range(1, COUNT + 1)]
    assert aside is None
    assert rechained(LINES) == LEDGER


@SLOW_DISK
@given(st.integers(0, len(LEDGER) - 1), st.integers(1, 255))
def test_a_changed_byte_of_the_ledger_is_found_on_its_line(place: int, bits: int) -> None:
    line = LEDGER[:place].count(b"\n") + 1
    assert found(flipped(LEDGER, place, bits)).startswith(f"line {line}: ")


@SLOW_DISK
@given(st.integers(0, len(ANCHOR) - 1), st.integers(1, 255))
def test_a_changed_byte_of_the_anchor_is_found(place: int, bits: int) -> None:
    """In the newest slot it looks as if a crash had torn it: every record is there, so it is noted and goes on."""
    changed = flipped(ANCHOR, place, bits)
    if place // SLOT == NEWEST_SLOT:
        records, _ = recovered(LEDGER, changed)
        assert [record.kind for record in records] == ["question"] * COUNT + ["open"]
        assert "one slot" in records[-1].entry["anchor"]
        assert "anchor" in found(b"".join(LINES[:-1]), changed)
    else:
        assert "anchor" in found(LEDGER, changed)


@SLOW_DISK
@given(st.integers(0, len(LEDGER) - 1))
def test_a_ledger_that_was_cut_off_is_found(size: int) -> None:
    assert "6 records were acknowledged" in found(LEDGER[:size])


@SLOW_DISK
@given(st.integers(0, len(ANCHOR) - 1))
def test_an_anchor_that_was_cut_off_is_found(size: int) -> None:
    assert "anchor" in found(LEDGER, ANCHOR[:size])


@pytest.mark.parametrize("gone", range(COUNT))
def test_a_removed_line_is_found(gone: int) -> None:
    problem = found(b"".join(LINES[:gone] + LINES[gone + 1 :]))
    assert problem.startswith(f"line {gone + 1}: ")
    assert ("removed" in problem) == (gone < COUNT - 1)


@SLOW_DISK
@given(st.permutations(LINES))
def test_lines_in_another_order_are_found(lines: list[bytes]) -> None:
    if lines != LINES:
        assert "lines were removed, added or swapped" in found(b"".join(lines))


@pytest.mark.parametrize("place", range(COUNT + 1))
@pytest.mark.parametrize(
    "added", [LINES[0], LINES[-1], b"\n", b"{}\n", b"null\n", b"[1]\n", b"\xff\xfe\n", b"[" * 9999 + b"\n"]
)
def test_an_added_line_is_found(place: int, added: bytes) -> None:
    assert found(b"".join([*LINES[:place], added, *LINES[place:]])).startswith("line ")


@SLOW_DISK
@given(st.integers(0, COUNT - 1))
def test_a_forged_record_is_found_even_with_every_hash_put_right(place: int) -> None:
    forged = [line.replace(b"ana", b"bob") if at == place else line for at, line in enumerate(LINES)]
    assert "not the record that was acknowledged" in found(rechained(forged))


def test_a_removed_record_is_found_even_with_every_hash_put_right() -> None:
    assert "6 records were acknowledged, 5 whole records are left" in found(rechained(LINES[1:]))


def test_the_anchor_of_another_ledger_is_found() -> None:
    _, other, _ = made()
    assert "its anchor is another's" in found(LEDGER, other)


def test_a_missing_anchor_is_found() -> None:
    assert found(LEDGER, None) == "its anchor file is missing"


def test_a_missing_ledger_is_found() -> None:
    assert found(None) == "the ledger is missing; its anchor knows of 6 records"


def test_a_ledger_that_was_emptied_is_found() -> None:
    assert "cut off" in found(b"")


def test_a_creation_that_was_cut_short_is_begun_anew() -> None:
    with files(b"", None) as path, Ledger.open(path) as ledger:
        assert ledger.created
        ledger.append(entry(1))


@SLOW_DISK
@given(st.integers(ACKNOWLEDGED_EARLY, len(LEDGER)))
def test_after_a_crash_whole_records_stay_and_a_torn_one_is_moved_aside(size: int) -> None:
    """The anchor is that of an earlier moment: everything behind it may have been in the middle of being written."""
    left = LEDGER[:size]
    whole, torn = left.count(b"\n"), left[left.rfind(b"\n") + 1 :]
    records, aside = recovered(left, EARLY_ANCHOR)
    assert [record.entry for record in records[:whole]] == [entry(number) for number in range(1, whole + 1)]
    assert (aside or b"") == torn
    if torn:
        (note,) = records[whole:]
        assert note.kind == "open"
        assert note.entry["bytes"] == len(torn)
        assert ".torn-" in note.entry["torn"]
    else:
        assert len(records) == whole


@SLOW_DISK
@given(st.integers(ACKNOWLEDGED_EARLY, len(LEDGER) - 1), st.integers(1, 255))
def test_a_changed_byte_beyond_the_anchor_never_passes_for_a_record(place: int, bits: int) -> None:
    changed = flipped(LEDGER, place, bits)
    with files(changed, EARLY_ANCHOR) as path:
        sound = verify(path)
    if sound.ok:  # it looks like a crash
        records, aside = recovered(changed, EARLY_ANCHOR)
        kept = [record for record in records if record.kind == "question"]
        assert [record.entry for record in kept] == [entry(number) for number in range(1, len(kept) + 1)]
        assert EARLY <= len(kept) < COUNT
        assert aside == changed[len(b"".join(LINES[: len(kept)])) :]
    else:
        assert "line" in found(changed, EARLY_ANCHOR)


def test_pages_lost_in_a_power_cut_are_moved_aside() -> None:
    lost = LEDGER[:ACKNOWLEDGED_EARLY] + bytes(len(LINES[EARLY])) + b"".join(LINES[EARLY + 1 :])
    records, aside = recovered(lost, EARLY_ANCHOR)
    assert len(records) == EARLY + 1
    assert aside == lost[ACKNOWLEDGED_EARLY:]


@pytest.mark.parametrize("slot", [0, 1])
def test_a_slot_torn_while_it_was_written_falls_back_on_the_other(slot: int) -> None:
    """The records of the torn slot were on disk before it was touched: they are there, and they stay."""
    damaged = bytearray(EARLY_ANCHOR)
    damaged[slot * SLOT + 10 : slot * SLOT + 40] = bytes(30)
    records, aside = recovered(LEDGER, bytes(damaged))
    assert len(records) == COUNT + 1
    assert "one slot" in records[-1].entry["anchor"]
    assert aside is None


def test_the_advice_names_both_files() -> None:
    with files(LEDGER[:-1], ANCHOR) as path:
        advice = verify(path).advice or ""
    assert "staff.ledger.jsonl and staff.ledger.jsonl.anchor together" in advice
