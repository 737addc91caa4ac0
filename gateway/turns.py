"""Turns: one user has a few statements at work, a bounded number waiting, and nobody else waits for them."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.rules.table import denied

_SLOW = 0.1  # seconds until somebody who asks too much at once is told so: a loop of such questions costs little


class Turns:
    """Who is at work, and who waits. Safe to use from many threads."""

    def __init__(self, at_work: int, waiting: int) -> None:
        self._most_at_work, self._most_waiting = at_work, waiting
        self._changed = threading.Condition()
        self._at_work: dict[str, int] = {}
        self._waiting: dict[str, int] = {}

    @contextmanager
    def turn(self, user: str, cancellation: Cancellation) -> Iterator[None]:
        """Wait until the user has a statement less at work; deny at once if too many wait already."""
        with cancellation.stopping(self._wake), self._changed:
            if self._at_work.get(user, 0) >= self._most_at_work:
                self._wait(user, cancellation)
            self._at_work[user] = self._at_work.get(user, 0) + 1
        try:
            yield
        finally:
            with self._changed:
                _less(self._at_work, user)
                self._changed.notify_all()

    def _wait(self, user: str, cancellation: Cancellation) -> None:
        if self._waiting.get(user, 0) >= self._most_waiting:
            self._changed.wait(_SLOW)
            raise denied("busy")
        self._waiting[user] = self._waiting.get(user, 0) + 1
        try:
            while self._at_work.get(user, 0) >= self._most_at_work:
                cancellation.check()
                self._changed.wait()
        finally:
            _less(self._waiting, user)

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()


def _less(counts: dict[str, int], user: str) -> None:
    counts[user] -= 1
    if not counts[user]:
        del counts[user]
