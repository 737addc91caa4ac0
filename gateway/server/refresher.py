"""Refreshing tables from time to time: those with `refresh: auto`, once enough people have changed."""

import logging
import threading
from collections.abc import Callable

LOG = logging.getLogger("sdcdb.server")


class Refresher:
    """Calls a function every so many seconds, on a thread of its own, until it is closed."""

    def __init__(self, refresh: Callable[[], list[str]], seconds: float) -> None:
        self._refresh, self._seconds = refresh, seconds
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sdcdb-refresh", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End. A refresh that is under way is waited for."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(self._seconds):
            try:
                refreshed = self._refresh()
            except Exception as problem:  # noqa: BLE001 - the next turn may succeed; until then nothing new is shown
                LOG.warning("tables could not be refreshed", extra={"problem": type(problem).__name__})
            else:
                if refreshed:
                    LOG.info("tables were refreshed", extra={"tables": refreshed})
