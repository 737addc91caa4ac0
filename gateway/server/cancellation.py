"""A statement's handle for whoever waits for it: cancelling ends the wait at once."""

import threading
from collections.abc import Callable

from sdcdb.errors import SdcdbError


class Cancelled(SdcdbError):  # noqa: N818 - reads as what it says
    """The statement was cancelled by whoever asked it, or by the end of their connection."""

    exit_code = 130

    def __init__(self) -> None:
        super().__init__("the statement was cancelled")


class Cancellation:
    """Made by a door for one statement; `cancel` may come from any thread, before, during or after it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []
        self.cancelled = False

    def cancel(self) -> None:
        """Cancel the statement."""
        with self._lock:
            self.cancelled, callbacks = True, self._callbacks
            self._callbacks = []
        for callback in callbacks:
            callback()

    def then(self, callback: Callable[[], None]) -> None:
        """Call back when the statement is cancelled, or now if it was."""
        with self._lock:
            if not self.cancelled:
                self._callbacks.append(callback)
                return
        callback()
