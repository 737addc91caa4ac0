"""Ctrl-C that works while DuckDB is busy, and that arrives where it can be handled.

Python runs its signal handlers on the main thread only, between two steps of Python code. A main thread that waits
inside DuckDB for another thread's work may not come back for minutes. The operating system's half of the handler,
though, writes a byte to the wake-up descriptor at once; a second thread reads it there and interrupts the query. The
query then fails with an error like any other, transactions roll back, and KeyboardInterrupt follows at the end.
"""

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import duckdb


@contextmanager
def interruptible(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Let Ctrl-C stop what `con` is doing. Outside the main thread, where no signal arrives, this changes nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = 0

    def press(_signal: int, _frame: FrameType | None) -> None:
        nonlocal pressed
        pressed += 1
        if pressed > 1:  # impatient, or not in DuckDB at all
            raise KeyboardInterrupt

    ours, theirs = socket.socketpair()
    theirs.setblocking(False)  # noqa: FBT003 - the library's signature
    descriptor = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    handler = signal.signal(signal.SIGINT, press)
    watcher = threading.Thread(target=_watch, args=(ours, con), daemon=True)
    watcher.start()
    try:
        yield
    except duckdb.InterruptException:
        if not pressed:
            raise
    finally:
        signal.signal(signal.SIGINT, handler)
        signal.set_wakeup_fd(descriptor)
        theirs.close()  # the watcher reads the end and stops
        watcher.join()
        ours.close()
        if pressed:
            raise KeyboardInterrupt


def _watch(wakeup: socket.socket, con: duckdb.DuckDBPyConnection) -> None:
    while received := wakeup.recv(16):
        if signal.SIGINT in received:
            with suppress(duckdb.Error):  # the query may have ended, and its connection with it
                con.interrupt()
