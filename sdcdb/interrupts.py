"""Ctrl-C that works while DuckDB is busy.

Python runs its signal handlers on the main thread only, between two steps of Python code. A main thread that waits
inside DuckDB for another thread's work may not come back for minutes. The operating system's half of the handler,
though, writes a byte to the wake-up descriptor at once; a second thread reads it there and interrupts the query.
"""

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import duckdb


@contextmanager
def interruptible(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Let Ctrl-C stop what `con` is doing. Outside the main thread, where no signal arrives, this changes nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)  # noqa: FBT003 - the library's signature
    before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    watcher = threading.Thread(target=_watch, args=(ours, con), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        theirs.close()  # the watcher reads the end and stops
        watcher.join()
        ours.close()


def _watch(wakeup: socket.socket, con: duckdb.DuckDBPyConnection) -> None:
    while received := wakeup.recv(16):
        if signal.SIGINT in received:
            with suppress(duckdb.Error):  # the query may have ended, and its connection with it
                con.interrupt()
