"""Taking answers into what is known, on a thread of its own: an answer leaves while the audit learns it.

The ledger has the answer by then. Whoever decides the next question waits for what is still being learnt.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor


class Learner:
    """At most one piece of learning at a time. The caller holds the lock under which decisions are made."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sdcdb learning")
        self._pending: Future[None] | None = None
        self._failed: Callable[[], None] = lambda: None

    def begin(self, learn: Callable[[], None], failed: Callable[[], None]) -> None:
        """Start to learn. If it fails, the next `finish` calls `failed` and raises what went wrong."""
        self.finish()
        self._pending, self._failed = self._thread.submit(learn), failed

    def finish(self) -> None:
        """Wait until everything is learnt."""
        pending, self._pending = self._pending, None
        if pending is None:
            return
        try:
            pending.result()
        except BaseException:
            self._failed()
            raise

    def close(self) -> None:
        """End the thread. What was still being learnt is in the ledger."""
        self._thread.shutdown(wait=True)
