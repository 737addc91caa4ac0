"""The open files of a ledger, written in the one order that loses nothing that was acknowledged.

Records, sync, anchor, sync; only then is a record acknowledged. So at every moment each acknowledged record is in the
ledger, and the anchor never names a record that is not.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sdcdb.errors import LedgerError
from sdcdb.gateway.ledger.anchor import Anchor, advance, create_anchor, read_anchors
from sdcdb.gateway.ledger.disk import PRIVATE, failed, sync, sync_folder, write_all, write_new
from sdcdb.gateway.ledger.examine import Examination, Position
from sdcdb.gateway.ledger.lock import flocked, in_use
from sdcdb.gateway.ledger.places import anchor_path, torn_path


class Journal:
    """The ledger file and its anchor, open for appending. Not thread-safe: `Ledger` lets one thread in at a time."""

    def __init__(self, path: Path, files: tuple[int, int], at: Position, anchor: Anchor) -> None:
        self.path = path
        self.at = at
        self._file, self._anchor_file = files
        self._anchor = anchor

    @classmethod
    def create(cls, path: Path) -> "Journal":
        """Make an empty ledger. The anchor comes last: without it, an empty file counts as not yet created."""
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, PRIVATE))
        sync_folder(path.parent)
        anchor = create_anchor(anchor_path(path))
        return cls(path, _opened(path), Position(), anchor)

    @classmethod
    def resume(cls, path: Path, found: Examination) -> tuple["Journal", Path | None]:
        """Open a ledger that was found sound, after moving a torn write aside; return also where that went.

        Whole records beyond the anchor are kept: they were written, but the process ended before it said so. Their
        answers were never released, yet keeping them is safe: the audit then assumes that users know more than they do,
        and the answers had passed every rule. Dropping one that did get out, because an anchor was restored from an
        older backup, would not be.
        """
        if found.anchors is None:
            raise LedgerError(f"there is no ledger {path}")
        journal = cls(path, _opened(path), found.sound, found.anchors.newest)
        try:
            aside = journal._move_aside(found.torn) if found.torn else None
            if found.sound.count > found.anchors.newest.count:
                sync(journal._file)  # a killed process may have left its records in memory only
                journal._anchor = advance(journal._anchor_file, journal._anchor, found.sound.count, found.sound.head)
        except BaseException:
            journal.close()
            raise
        return journal, aside

    def _move_aside(self, size: int) -> Path:
        aside = torn_path(self.path)
        write_new(aside, os.pread(self._file, size, self.at.size))
        os.ftruncate(self._file, self.at.size)
        sync(self._file)
        return aside

    def commit(self, data: bytes, count: int, head: str) -> None:
        """Put whole records, the last of them number `count`, on disk; LedgerError when they may not be there."""
        self._must_be_in_place(self.at.size)
        behind = Position(count, head, self.at.size + len(data))
        try:
            write_all(self._file, data)
            sync(self._file)
        except OSError as problem:
            self._cut_back()
            raise failed("write the ledger", self.path, problem) from problem
        try:
            # When this fails the records stay, unacknowledged: see `resume`.
            self._anchor = advance(self._anchor_file, self._anchor, count, head)
        except OSError as problem:
            raise failed("write the anchor of the ledger", self.path, problem) from problem
        self._must_be_in_place(behind.size)
        self.at = behind

    def _must_be_in_place(self, expected: int) -> None:
        """Notice a file that was removed, replaced, cut or written to by others while it is open."""
        for path, fd in ((self.path, self._file), (anchor_path(self.path), self._anchor_file)):
            try:
                if os.path.samestat(path.stat(), os.fstat(fd)):
                    continue
                what = "was replaced by another file"
            except OSError as problem:
                what = f"cannot be reached any more ({problem.strerror})"
            raise LedgerError(f"{path} {what} while the gateway had it open: put the original back, then open it again")
        size = os.fstat(self._file).st_size
        if size != expected:
            change = "shorter" if size < expected else "longer"
            raise LedgerError(
                f"something else made {self.path} {change} while the gateway had it open "
                f"({expected:,} bytes were written, {size:,} are there): find out what, with `sdcdb ledger verify`"
            )

    def _cut_back(self) -> None:
        """Remove the part of a write that failed. Where even that fails, the next open finds a torn line."""
        with suppress(OSError):
            os.ftruncate(self._file, self.at.size)
            sync(self._file)

    def rest(self) -> "Rest":
        """Close both files for a while; return what tells whether anybody wrote meanwhile."""
        left = Rest(self._anchor, _seen(self.path))
        self.close()
        return left

    def wake(self, left: "Rest") -> bool:
        """Open the files again if nobody wrote since `rest`; return whether that is so. The caller holds the lock."""
        try:
            files = _opened(self.path)
        except OSError:
            return False
        try:
            same = read_anchors(anchor_path(self.path)).newest == left.anchor and _seen(self.path) == left.seen
        except (OSError, ValueError):
            same = False
        if not same:
            for fd in files:
                os.close(fd)
            return False
        self._file, self._anchor_file = files
        return True

    def close(self) -> None:
        """Close both files."""
        os.close(self._file)
        os.close(self._anchor_file)


@dataclass(frozen=True)
class Rest:
    """How a ledger was left: its anchor, and what changes whenever one of its files is written to or replaced."""

    anchor: Anchor
    seen: tuple[int, ...]


def _seen(path: Path) -> tuple[int, ...]:
    found = [file.stat() for file in (path, anchor_path(path))]
    return tuple(n for each in found for n in (each.st_dev, each.st_ino, each.st_size, each.st_mtime_ns))


def _opened(path: Path) -> tuple[int, int]:
    """Open ledger and anchor. The ledger is locked too, in case somebody tidied the lock file away."""
    file = os.open(path, os.O_RDWR | os.O_APPEND)
    try:
        if not flocked(file):
            raise in_use(path)
        return file, os.open(anchor_path(path), os.O_RDWR)
    except BaseException:
        os.close(file)
        raise
