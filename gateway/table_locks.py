"""One decision at a time on one table; decisions on different tables do not wait for each other.

A statement about several tables takes all of their locks at once, so that no two statements can wait for each other. Of
those who wait for a table, the user goes first whose decisions took least time lately.
"""

import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sdcdb.gateway.cancellation import Cancellation

OWNER = ""
"""Who holds locks for the owner's own acts."""
_FORGOTTEN = 60.0  # seconds after which half of what a user took is forgotten


@dataclass(frozen=True, eq=False)
class _Waiting:
    names: frozenset[str]
    used: float
    since: int

    def before(self, other: "_Waiting") -> bool:
        return (self.used, self.since) < (other.used, other.since) and bool(self.names & other.names)


class TableLocks:
    """The locks by the tables' names. Safe to use from many threads; a thread must not take them twice."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._held: set[str] = set()
        self._waiting: list[_Waiting] = []
        self._count = 0
        self._used: dict[str, tuple[float, float]] = {}  # seconds that a user took, and when that was

    @contextmanager
    def holding(self, names: Collection[str], user: str, cancellation: Cancellation | None = None) -> Iterator[None]:
        """Hold the locks of these tables."""
        handle = cancellation or Cancellation()
        with handle.stopping(self._wake), self._changed:
            self._count += 1
            me = _Waiting(frozenset(names), self._recently(user), self._count)
            self._waiting.append(me)
            try:
                while self._held & me.names or any(other.before(me) for other in self._waiting if other is not me):
                    handle.check()
                    self._changed.wait()
                self._held |= me.names
            finally:
                self._waiting.remove(me)
                self._changed.notify_all()
        began = time.monotonic()
        try:
            yield
        finally:
            with self._changed:
                now = time.monotonic()
                self._used[user] = (self._recently(user) + now - began, now)
                if len(self._used) > 10_000:  # of very many users, forget those who asked longest ago
                    del self._used[min(self._used, key=lambda each: self._used[each][1])]
                self._held -= me.names
                self._changed.notify_all()

    def _recently(self, user: str) -> float:
        seconds, then = self._used.get(user, (0.0, 0.0))
        return float(seconds * 0.5 ** ((time.monotonic() - then) / _FORGOTTEN))

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
