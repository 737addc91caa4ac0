"""A gate that many pass at once, until somebody closes it to change what is behind it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Gate:
    """Shared for questions, exclusive for a reload. Whoever wants it alone waits for those inside."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._closed = False

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Pass together with others."""
        with self._changed:
            self._changed.wait_for(lambda: not self._closed)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Wait until nobody is inside, and let nobody in meanwhile."""
        with self._changed:
            self._changed.wait_for(lambda: not self._closed)
            self._closed = True
            self._changed.wait_for(lambda: self._inside == 0)
        try:
            yield
        finally:
            with self._changed:
                self._closed = False
                self._changed.notify_all()
