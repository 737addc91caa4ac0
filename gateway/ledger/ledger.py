"""The ledger that a gateway holds open: many threads append, one sync serves all that wait.

Group commit: a thread puts its record into the queue. If nobody is writing, it writes all that is queued, syncs once,
and wakes the others; else it waits until its record is on disk, or until it is its turn to write.
"""

import logging
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Condition
from types import TracebackType
from typing import Any, Self

from sdcdb.errors import LedgerError
from sdcdb.gateway.ledger.disk import failed
from sdcdb.gateway.ledger.entry import OpenEntry, fields_of
from sdcdb.gateway.ledger.examine import Examination, examine
from sdcdb.gateway.ledger.journal import Journal, Rest
from sdcdb.gateway.ledger.lock import Lock
from sdcdb.gateway.ledger.places import lock_path
from sdcdb.gateway.ledger.read import records
from sdcdb.gateway.ledger.record import Record, line_of, serialised
from sdcdb.gateway.ledger.verify import broken

log = logging.getLogger(__name__)

# Threads that were just served come back at once. Writing without them would make them wait for a sync of their own, so
# the next writer gives them this long: a small part of what a sync takes, and only if the last write had company.
GATHER = 0.0002
RESTING = "it is at rest, so that others may write"


@dataclass(frozen=True)
class _Queued:
    number: int
    hash: str
    line: bytes


class Ledger:
    """An open ledger. Make it with `Ledger.open`; while it is open, no other process can write to it."""

    def __init__(self, lock: Lock, journal: Journal, *, created: bool) -> None:
        self.path = journal.path
        self.created = created  # whether this open began a new history
        self._lock = lock
        self._journal = journal
        self._process = os.getpid()
        self._changed = Condition()
        self._queue: list[_Queued] = []
        self._writing = False
        self._company = False  # whether the last write served several threads
        self._failure: str | None = None
        self._left: Rest | None = None  # how it was left, while others may write

    @classmethod
    def open(cls, path: Path, *, wait: float = 5.0) -> Self:
        """Open or create the ledger at `path`, and check all of it; wait up to `wait` seconds for another writer.

        What a crash left of a record that was never acknowledged is moved aside, and a record of kind `open` says so.
        Anything else that is not as it was written raises LedgerError: nothing is repaired silently.
        """
        path = Path(path)
        lock = Lock.take(lock_path(path), path, wait)
        journal = None
        try:
            found = examine(path)
            if found.problem is not None:
                raise broken(path, found.problem, found.sound.count)
            aside = None
            if found.absent:
                journal = Journal.create(path)
            else:
                journal, aside = Journal.resume(path, found)
            ledger = cls(lock, journal, created=found.absent)
            ledger._note_crash(aside, found)
        except BaseException as problem:
            if journal is not None:
                journal.close()
            lock.release()
            if isinstance(problem, OSError):
                raise failed("open the ledger", path, problem) from problem
            raise
        return ledger

    def _note_crash(self, aside: Path | None, found: Examination) -> None:
        """Leave a record of what a crash had left and what became of it."""
        if aside is None and not found.torn_slot:
            return
        note = OpenEntry(
            torn=None if aside is None else aside.name,
            bytes=None if aside is None else found.torn,
            anchor="one slot could not be read and was written anew" if found.torn_slot else None,
        )
        log.warning("the ledger %s was not closed properly: %s", self.path, note)
        self.append(fields_of(note))

    @property
    def head(self) -> str:
        """The hash of the last record on disk."""
        return self._journal.at.head

    @property
    def count(self) -> int:
        """How many records are on disk."""
        return self._journal.at.count

    @property
    def healthy(self) -> bool:
        """Whether it can be appended to. Once it cannot, it stays so until it is opened again."""
        return self._failure is None

    def append(self, entry: Mapping[str, Any]) -> str:
        """Add a record; return its hash when it is on disk. Raise LedgerError when it may not be there."""
        return self.append_many([entry])[0]

    def append_many(self, entries: Iterable[Mapping[str, Any]]) -> list[str]:
        """Add several records, one behind the other; return their hashes when all are on disk.

        A crash before that may leave the first few of them.
        """
        texts = [serialised(entry) for entry in entries]
        with self._changed:
            self._must_be_usable()
            mine = [self._enqueue(text) for text in texts]
            while mine and self._journal.at.count < mine[-1].number:
                self._must_be_usable()
                if self._writing:
                    self._changed.wait()
                else:
                    self._write_queue()
        return [record.hash for record in mine]

    def _enqueue(self, fields: str) -> _Queued:
        last = self._queue[-1] if self._queue else None
        number, prev = (last.number, last.hash) if last else (self.count, self.head)
        line, found = line_of(number + 1, fields, prev)
        record = _Queued(number + 1, found, line)
        self._queue.append(record)
        return record

    def _write_queue(self) -> None:
        """Write what is queued, not holding up those who queue more. Any way out but the good one ends the ledger."""
        self._writing = True
        failure: str | None = "writing was interrupted: open it again"
        batch: list[_Queued] = []
        self._changed.release()
        try:
            if self._company:
                time.sleep(GATHER)
            batch = list(self._queue)
            self._journal.commit(b"".join(record.line for record in batch), batch[-1].number, batch[-1].hash)
            failure = None
        except LedgerError as problem:
            failure = str(problem)
        finally:
            self._changed.acquire()
            self._writing = False
            self._company = len(batch) > 1
            self._failure = self._failure or failure
            del self._queue[: len(batch)]
            self._changed.notify_all()

    def _must_be_usable(self) -> None:
        if os.getpid() != self._process:
            raise LedgerError(f"the ledger {self.path} was opened by a parent process: open it anew in this one")
        if self._failure is not None:
            raise LedgerError(f"the ledger takes no more records: {self._failure}")

    def __iter__(self) -> Iterator[Record]:
        """Yield the records that are on disk now, oldest first, each checked once more."""
        at = self._journal.at
        return records(self.path, limit=at.size)

    def __len__(self) -> int:
        return self.count

    def rest(self) -> None:
        """Wait for a write under way, then let others write until `wake`. Nothing can be appended meanwhile."""
        with self._changed:
            while self._writing or (self._queue and self._failure is None):
                self._changed.wait()
            if self._lock.held and self._failure is None:
                self._left = self._journal.rest()
                self._failure = RESTING
                self._lock.release()

    def wake(self, wait: float = 5.0) -> bool:
        """Go on after `rest`; wait up to `wait` seconds for another writer.

        False: somebody wrote meanwhile, or it was closed. What was known of its records is then not all of them, so it
        stays closed, and must be opened anew.
        """
        with self._changed:
            if self._left is None:
                return self._failure is None
            lock = Lock.take(lock_path(self.path), self.path, wait)
            try:
                same = self._journal.wake(self._left)
            except BaseException:
                lock.release()
                raise
            self._left = None
            if same:
                self._lock, self._failure = lock, None
            else:
                self._failure = "others have written to it: open it again"
                lock.release()
            return same

    def close(self) -> None:
        """Wait for a write under way, then let others write. Closing twice is harmless."""
        with self._changed:
            while self._writing:
                self._changed.wait()
            if self._lock.held:
                self._failure = self._failure or "it is closed: open it again"
                self._journal.close()
                self._lock.release()
            self._left = None
            self._changed.notify_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
