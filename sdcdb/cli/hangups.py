"""SIGHUP from the first moment to the last: by itself it ends a process, also one that is still opening or closing."""

import signal
from collections.abc import Callable


class Hangups:
    """Takes the signal. One that comes while the server opens is kept until it can be acted upon."""

    def __init__(self) -> None:
        self._act: Callable[[], None] | None = None
        self._kept = False
        signal.signal(signal.SIGHUP, self._take)

    def let(self, act: Callable[[], None]) -> None:
        """Do `act` at each signal from now on, and now if one was kept."""
        self._act = act
        if self._kept:
            self._kept = False
            act()

    def ignore(self) -> None:
        """Ignore signals from now on. Python leaves that as it is while it ends; it would take a handler away."""
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def _take(self, _number: int, _frame: object) -> None:
        if self._act is None:
            self._kept = True
        else:
            self._act()
