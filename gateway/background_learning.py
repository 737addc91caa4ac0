"""Taking answers into what is known, on a thread of its own: an answer leaves while the audit learns it.

The ledger has the answer by then. Whoever decides the next question about a table waits for what is still being learnt
about it.
"""

from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor

_THREADS = 4  # tables about which something is learnt at the same time


class Learner:
    """At most one piece of learning at a time about a table. The caller holds the locks of the tables it names."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="sdcdb learning")
        self._pending: dict[str, tuple[Future[None], Callable[[], None]]] = {}

    def begin(self, tables: Collection[str], learn: Callable[[], None], failed: Callable[[], None]) -> None:
        """Start to learn. If it fails, the next `finish` calls `failed` and raises what went wrong."""
        self.finish(tables)
        future = self._threads.submit(learn)
        for table in tables:
            self._pending[table] = (future, failed)

    def finish(self, tables: Collection[str]) -> None:
        """Wait until everything about these tables is learnt."""
        for table in tables:
            future, failed = self._pending.pop(table, (None, None))
            if future is not None and failed is not None:
                try:
                    future.result()
                except BaseException:
                    failed()
                    raise

    def close(self) -> None:
        """End the threads. What was still being learnt is in the ledger."""
        self._threads.shutdown(wait=True)
