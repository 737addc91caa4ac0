"""Cancelling one statement from another thread: it ends with a denial, wherever it is by then."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sdcdb.gateway.rules.table import denied


class Cancellation:
    """A handle on one statement, given to `Gateway.ask`. `cancel` is safe from any thread, and at any time.

    Once cancelled, it stays so: the statement that it is given to next ends at once. What the ledger recorded before
    stays recorded.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stops: list[Callable[[], None]] = []
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        """Whether somebody cancelled."""
        return self._cancelled

    def cancel(self) -> None:
        """Stop the statement: it ends with `Denied`, rule `cancelled`."""
        with self._lock:
            self._cancelled = True
            for stop in self._stops:
                stop()

    def on_cancel(self, stop: Callable[[], None]) -> None:
        """Let `cancel` call `stop`, which must do nothing once the statement has ended."""
        with self._lock:
            if not self._cancelled:
                self._stops.append(stop)
                return
        stop()

    def check(self) -> None:
        """Raise the denial if somebody cancelled."""
        if self._cancelled:
            raise denied("cancelled")

    @contextmanager
    def stopping(self, stop: Callable[[], None]) -> Iterator[None]:
        """Let `cancel` call `stop` while the block runs, and never after it."""
        with self._lock:
            self.check()
            self._stops.append(stop)
        try:
            yield
        finally:
            with self._lock:
                self._stops.remove(stop)
