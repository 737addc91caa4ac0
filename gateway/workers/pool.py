"""The workers: started when somebody needs one, kept for the next, replaced when one had to be killed."""

import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.rules.table import denied
from sdcdb.gateway.workers.limits import WorkLimits
from sdcdb.gateway.workers.process import WorkerProcess


class WorkerPool:
    """Up to so many workers. Safe to use from many threads."""

    def __init__(self, limits: WorkLimits, folder: Path) -> None:
        self._limits, self._folder = limits, folder
        self._changed = threading.Condition()
        self._idle: list[WorkerProcess] = []
        self._all: set[WorkerProcess] = set()
        self._promised = 0  # workers that are there, or are being started
        self._closed = False
        self._end = weakref.finalize(self, _end_all, self._all)  # at the latest when the interpreter ends

    @property
    def pids(self) -> list[int]:
        """The process numbers of the workers."""
        with self._changed:
            return sorted(worker.pid for worker in self._all)

    @contextmanager
    def lease(self, cancellation: Cancellation) -> Iterator[WorkerProcess]:
        """Yield a worker to one thread. One that was killed, or is tired, gets a fresh one in its place."""
        with cancellation.stopping(self._wake):
            worker = self._taken(cancellation) or self._started()
        try:
            yield worker
        except BaseException:
            worker.tired = worker.tired or worker.generation < 0
            raise
        finally:
            self._given_back(worker)

    def close(self) -> None:
        """End all workers, busy or not. Closing twice is harmless."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._end()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _taken(self, cancellation: Cancellation) -> WorkerProcess | None:
        """Take an idle worker, or None for the right to start one."""
        with self._changed:
            while not self._idle and self._promised >= self._limits.workers and not self._closed:
                if cancellation.cancelled:
                    raise denied("cancelled")
                self._changed.wait()
            if self._closed:
                raise denied("cancelled")
            if self._idle:
                return self._idle.pop()
            self._promised += 1
            return None

    def _started(self) -> WorkerProcess:
        try:
            worker = WorkerProcess(self._limits, self._folder)
        except BaseException:
            with self._changed:
                self._promised -= 1
                self._changed.notify()
            raise
        with self._changed:
            self._all.add(worker)
            late = self._closed
        if late:
            worker.close()
        return worker

    def _given_back(self, worker: WorkerProcess) -> None:
        keep = worker.alive and not worker.tired
        if not keep:
            worker.close()
        with self._changed:
            fresh = False
            if keep and not self._closed:
                self._idle.append(worker)
            else:
                self._all.discard(worker)
                fresh = not self._idle and not self._closed
                self._promised -= not fresh
            self._changed.notify()
        if fresh:
            started = self._started()
            with self._changed:
                self._idle.append(started)
                self._changed.notify()


def _end_all(workers: set[WorkerProcess]) -> None:
    for worker in list(workers):
        worker.close()
    workers.clear()
