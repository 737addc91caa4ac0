"""Questions that a person may stop waiting for.

A question is asked on a thread of its own, so that Ctrl-C never breaks into the gateway between the ledger and the
audit: what was written to the ledger is always known as well. Whoever stops waiting does not get the answer; whether
the question counts as asked, the ledger knows.
"""

import threading
from collections.abc import Callable
from contextlib import nullcontext
from typing import Generic, TypeVar

from rich.console import Console

T = TypeVar("T")
PATIENCE = 1.0
"""Seconds before a person is told that something is going on."""


class Cancelled(Exception):  # noqa: N818 - it is no error that somebody presses Ctrl-C
    """The person stopped waiting."""


class _Asked(threading.Thread, Generic[T]):
    def __init__(self, call: Callable[[], T]) -> None:
        super().__init__(daemon=True)
        self._call = call
        self.result: list[T] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result.append(self._call())
        except BaseException as error:  # noqa: BLE001 - raised again where somebody waits for it
            self.error = error

    def wait(self, seconds: float | None) -> None:
        """Wait in small steps: between them, Python lets Ctrl-C through on every platform."""
        waited = 0.0
        while self.is_alive() and (seconds is None or waited < seconds):
            self.join(0.05)
            waited += 0.05


def cancellable(call: Callable[[], T], notes: Console) -> T:
    """Return what the call returns, or raise what it raises; on Ctrl-C, leave it to itself and raise `Cancelled`."""
    asked = _Asked(call)
    asked.start()
    try:
        asked.wait(PATIENCE)
        if asked.is_alive():
            with notes.status("asking ... (Ctrl-C cancels)") if notes.is_terminal else nullcontext():
                asked.wait(None)
    except KeyboardInterrupt:
        raise Cancelled from None
    if asked.error is not None:
        raise asked.error
    return asked.result[0]
