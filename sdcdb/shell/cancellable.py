"""Questions that the user may cancel.

A question runs on its own thread, so that Ctrl-C never interrupts the gateway between the ledger and the audit: what
the ledger records, the audit knows too. A user who cancels gets no answer; the ledger records whether the question
counts as asked. The engine is told to stop.
"""

import os
import sys
import threading
from collections.abc import Callable
from contextlib import nullcontext
from math import inf
from typing import NoReturn, TypeVar

from rich.console import Console

T = TypeVar("T")
PATIENCE = 1.0
"""Seconds before the user sees that something is going on."""


class Cancelled(Exception):  # noqa: N818 - it is no error that somebody presses Ctrl-C
    """The user cancelled the question."""


class Waiting:
    """A user who waits for answers, and the questions they cancelled."""

    def __init__(self, notes: Console, stop: Callable[[], None] = lambda: None) -> None:
        """`stop` asks a running call to end; the call then ends with its own error."""
        self._notes = notes
        self._stop = stop
        self._left: list[threading.Event] = []

    def for_(self, call: Callable[[], T]) -> T:
        """Return what the call returns, or raise what it raises; on Ctrl-C, stop it and raise `Cancelled`."""
        results: list[T] = []
        errors: list[BaseException] = []
        done = threading.Event()  # not Thread.join: after an interrupt it reports a running thread as ended

        def run() -> None:
            try:
                results.append(call())
            except BaseException as error:  # noqa: BLE001 - raised again where somebody waits for it
                errors.append(error)
            done.set()

        threading.Thread(target=run, daemon=True).start()
        try:
            if not _ended(done, PATIENCE):
                with self._notes.status("asking ... (Ctrl-C cancels)") if self._notes.is_terminal else nullcontext():
                    _ended(done, inf)
        except KeyboardInterrupt:
            self._left.append(done)
            self._stop()
            raise Cancelled from None
        if errors:
            raise errors[0]
        return results[0]

    def leave(self, code: int) -> None:
        """Exit at once if a question still runs: its engine cannot be closed, and the ledger needs no closing."""
        if not all(done.is_set() for done in self._left):
            if code:
                self._notes.print("interrupted")
            _exit(code)


def _ended(done: threading.Event, seconds: float) -> bool:
    """Wait in small steps, so that Ctrl-C gets through on every platform."""
    waited = 0.0
    while waited < seconds and not done.wait(0.05):
        waited += 0.05
    return done.is_set()


def _exit(code: int) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
