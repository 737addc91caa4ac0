"""Failed attempts to log in: each makes the next one wait longer, and too many lock the name for a while."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

FREE = 3  # failures before anybody waits
LONGEST = 60.0
LOCKS_AT = 10
LOCKED_FOR = 15 * 60.0
_MOST_NAMES = 10_000  # that are remembered: names that nobody has can be made up without end


@dataclass(frozen=True)
class _Failed:
    times: int
    until: float  # on the monotonic clock


class Attempts:
    """Counts failures by name, in memory."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failed: dict[str, _Failed] = {}
        self._lock = threading.Lock()

    def wait(self, name: str) -> float:
        """Return for how many seconds attempts for this name are refused unseen."""
        with self._lock:
            found = self._failed.get(name)
        return 0.0 if found is None else max(0.0, found.until - self._clock())

    def failed(self, name: str) -> bool:
        """Count a failure; tell whether it is the one that locks the name."""
        with self._lock:
            times = self._failed[name].times + 1 if name in self._failed else 1
            pause = 0.0 if times < FREE else min(2.0 ** (times - FREE), LONGEST)
            self._failed.pop(name, None)
            self._failed[name] = _Failed(times, self._clock() + (LOCKED_FOR if times >= LOCKS_AT else pause))
            if len(self._failed) > _MOST_NAMES:
                del self._failed[next(iter(self._failed))]
            return times == LOCKS_AT

    def succeeded(self, name: str) -> None:
        """Forget the failures of a name."""
        with self._lock:
            self._failed.pop(name, None)
