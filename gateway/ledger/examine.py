"""Reading a ledger from its first byte to its last and holding it against its anchor. Changes nothing."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sdcdb.errors import counted
from sdcdb.gateway.ledger.anchor import Anchor, Anchors, read_anchors
from sdcdb.gateway.ledger.disk import failed
from sdcdb.gateway.ledger.places import anchor_path
from sdcdb.gateway.ledger.record import GENESIS, follows, why_not


@dataclass(frozen=True)
class Position:
    """A place between two records: how many lie before it, the hash of the last, and its byte offset."""

    count: int = 0
    head: str = GENESIS
    size: int = 0


@dataclass(frozen=True)
class Break:
    """What is wrong with a ledger. `line` is where, if it is one place."""

    words: str
    line: int | None = None

    def __str__(self) -> str:
        return self.words if self.line is None else f"line {self.line:,}: {self.words}"


@dataclass(frozen=True)
class Examination:
    """What a ledger's files hold: sound records, bytes of a torn write behind them, and what is wrong, if anything."""

    sound: Position = Position()
    torn: int = 0
    anchors: Anchors | None = None
    problem: Break | None = None

    @property
    def torn_slot(self) -> bool:
        """Whether a crash tore a slot of the anchor. No record is missing, but it must not go unsaid."""
        return self.problem is None and self.anchors is not None and self.anchors.damaged

    @property
    def absent(self) -> bool:
        """Whether there is no ledger yet. An empty file without an anchor is one whose creation was cut short."""
        return self.anchors is None and self.problem is None


def links(file: BinaryIO, limit: int) -> Iterator[tuple[bytes, Position]]:
    """Yield each line that continues the chain, with the position behind it; stop at the first that does not.

    Only the first `limit` bytes count: a running gateway may be writing behind them.
    """
    at = Position()
    for line in file:
        size = at.size + len(line)
        found = follows(line, at.count + 1, at.head) if size <= limit else None
        if found is None:
            return
        at = Position(at.count + 1, found, size)
        yield line, at


def examine(ledger: Path) -> Examination:
    """Check the whole chain and the anchor.

    The anchor is read first. A running gateway writes records first and the anchor after them, so whatever the anchor
    said must be in the file that is read later.
    """
    try:
        present = ledger.exists()
        anchored = anchor_path(ledger).exists()
        if not anchored:
            empty = not present or ledger.stat().st_size == 0
            return Examination() if empty else Examination(problem=Break("its anchor file is missing"))
        anchors = read_anchors(anchor_path(ledger))
        if not anchors.valid:
            return Examination(anchors=anchors, problem=Break("its anchor file is damaged: neither slot can be read"))
        if not present:
            there = counted(anchors.newest.count, "record")
            return Examination(anchors=anchors, problem=Break(f"the ledger is missing; its anchor knows of {there}"))
        return _examine(ledger, anchors)
    except OSError as problem:
        raise failed("read the ledger", ledger, problem) from problem


def _examine(ledger: Path, anchors: Anchors) -> Examination:
    hashes = {0: GENESIS}
    wanted = {anchor.count for anchor in anchors.valid}
    at = Position()
    with ledger.open("rb") as file:
        limit = os.fstat(file.fileno()).st_size
        for _, at in links(file, limit):
            if at.count in wanted:
                hashes[at.count] = at.head
        file.seek(at.size)
        rest = file.read(limit - at.size)
    line = rest[: rest.find(b"\n") + 1] or rest
    for anchor in sorted(anchors.valid, key=lambda anchor: -anchor.turn):
        if problem := _against(anchor, hashes, at, line):
            return Examination(at, 0, anchors, problem)
    torn = is_torn(rest)
    if rest and not torn:
        return Examination(at, 0, anchors, Break(why_not(line, at.count + 1, at.head), at.count + 1))
    if anchors.damaged and (rest or at.count == anchors.newest.count):
        # A crash can tear a slot only while it is written: after its records are on disk, and before any others are.
        return Examination(at, 0, anchors, Break("one slot of its anchor file is damaged, and not by a crash"))
    return Examination(at, len(rest), anchors)


def _against(anchor: Anchor, hashes: dict[int, str], at: Position, line: bytes) -> Break | None:
    """Compare the chain up to `at`, where `line` breaks it, with an anchor."""
    if anchor.count > at.count:
        if line.endswith(b"\n"):
            return Break(why_not(line, at.count + 1, at.head), at.count + 1)
        was = f"{counted(anchor.count, 'record')} were acknowledged, {counted(at.count, 'whole record')} are left"
        return Break(f"the ledger was cut off: {was}", at.count + 1)
    if hashes[anchor.count] != anchor.head:
        return Break(
            "this is not the record that was acknowledged: the ledger was rewritten, or its anchor is another's",
            anchor.count,
        )
    return None


def is_torn(rest: bytes) -> bool:
    """Whether bytes behind the last sound and acknowledged record can be what a crash leaves of a write.

    A killed process leaves the beginning of a line. A lost page, after a power cut, reads as zeros, and may have whole
    lines of the same unacknowledged write behind it. Anything else was done by somebody.
    """
    return b"\n" not in rest or b"\0" in rest
