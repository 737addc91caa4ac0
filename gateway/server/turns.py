"""Who runs next: so many statements at once in all, so many of one user, and the others wait in line."""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from sdcdb.errors import SdcdbError

T = TypeVar("T")


class Busy(SdcdbError):  # noqa: N818 - reads as what it says
    """Too many statements wait already."""

    exit_code = 1

    def __init__(self) -> None:
        super().__init__("too many statements are waiting: try again in a moment")


@dataclass(frozen=True, eq=False)
class _Waiting:
    user: str
    work: Callable[[], Any]
    future: Future[Any]


class Turns:
    """A bounded pool of threads. Users take turns: nobody's many statements hold up somebody else's one."""

    def __init__(self, threads: int, per_user: int, most_waiting: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="sdcdb statement")
        self._threads = threads
        self._per_user = per_user
        self._most_waiting = most_waiting
        self._lock = threading.Lock()
        self._lines: dict[str, deque[_Waiting]] = {}  # the user whose turn it is comes first
        self._running: dict[str, int] = {}
        self._waiting = 0

    @property
    def running(self) -> int:
        """How many statements run now."""
        return sum(self._running.values())

    @property
    def waiting(self) -> int:
        """How many statements wait now."""
        return self._waiting

    def submit(self, user: str, work: Callable[[], T]) -> Future[T]:
        """Run `work` when it is this user's turn."""
        future: Future[T] = Future()
        with self._lock:
            if self._waiting >= self._most_waiting:
                raise Busy
            self._lines.setdefault(user, deque()).append(_Waiting(user, work, future))
            self._waiting += 1
            self._start()
        return future

    def withdraw(self, future: Future[Any], problem: Exception) -> None:
        """Let a statement that still waits end with `problem`. One that runs or has ended goes on."""
        with self._lock:
            for user, line in self._lines.items():
                found = next((each for each in line if each.future is future), None)
                if found is not None:
                    line.remove(found)
                    self._waiting -= 1
                    if not line:
                        del self._lines[user]
                    break
            else:
                return
        future.set_exception(problem)

    def _start(self) -> None:
        """Start what may run. The lock is held."""
        for user in list(self._lines):
            if self.running >= self._threads:
                return
            if self._running.get(user, 0) < self._per_user:
                line = self._lines.pop(user)
                chosen = line.popleft()
                if line:
                    self._lines[user] = line  # at the end: the others first
                self._waiting -= 1
                if chosen.future.set_running_or_notify_cancel():
                    self._running[user] = self._running.get(user, 0) + 1
                    self._pool.submit(self._run, chosen)

    def _run(self, chosen: _Waiting) -> None:
        try:
            result = chosen.work()
        except BaseException as problem:  # noqa: BLE001 - whoever waits for the future gets it
            self._done(chosen)
            chosen.future.set_exception(problem)
        else:
            self._done(chosen)
            chosen.future.set_result(result)

    def _done(self, chosen: _Waiting) -> None:
        with self._lock:
            left = self._running[chosen.user] - 1
            if left:
                self._running[chosen.user] = left
            else:
                del self._running[chosen.user]
            self._start()

    def close(self) -> None:
        """Refuse what still waits, and let what runs end."""
        with self._lock:
            for line in self._lines.values():
                for each in line:
                    each.future.cancel()
            self._lines.clear()
            self._waiting = 0
        self._pool.shutdown(wait=True)
