"""Ctrl-C that works while DuckDB is busy, and arrives where it can be handled.

Python runs its signal handlers on the main thread only, between two steps of Python code. A main thread that waits
inside DuckDB for another thread's work may not return for minutes. The operating system's half of the handler,
however, writes a byte to the wake-up descriptor at once; a second thread reads it and interrupts the query. The query
then fails with an ordinary error, transactions roll back, and KeyboardInterrupt follows at the end. Work in Python
rather than in DuckDB does not stop at this; it gets its KeyboardInterrupt half a second later.
"""

import _thread
import queue
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import duckdb

PATIENCE = 0.5  # seconds within which an interrupted query ends


@contextmanager
def interruptible(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Let Ctrl-C stop what `con` is doing. Outside the main thread, where no signal arrives, this changes nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed, ended = 0, False

    def press(_signal: int, _frame: FrameType | None) -> None:
        nonlocal pressed
        pressed += 1
        if pressed > 1 and not ended:  # pressed again, or not in DuckDB at all
            raise KeyboardInterrupt

    ours, theirs = socket.socketpair()
    theirs.setblocking(False)  # noqa: FBT003 - the library's signature
    descriptor = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    handler = signal.signal(signal.SIGINT, press)
    again = threading.Timer(PATIENCE, _thread.interrupt_main)  # as if pressed a second time
    watcher = threading.Thread(target=_watch, args=(ours, con, again), daemon=True)
    watcher.start()
    try:
        yield
    except duckdb.InterruptException:
        if not pressed:
            raise
    finally:
        ended = True  # an exception here would leave the signal with us
        again.cancel()
        signal.signal(signal.SIGINT, handler)
        signal.set_wakeup_fd(descriptor)
        theirs.close()  # the watcher reads end-of-file and stops
        watcher.join()
        ours.close()
        if pressed:
            raise KeyboardInterrupt


def _watch(wakeup: socket.socket, con: duckdb.DuckDBPyConnection, again: threading.Timer) -> None:
    while received := wakeup.recv(16):
        if signal.SIGINT in received:
            with suppress(duckdb.Error):  # the query and its connection may have ended
                con.interrupt()
            with suppress(RuntimeError):  # it was started at the first press
                again.start()


@contextmanager
def deferred() -> Iterator[Callable[[], bool]]:
    """Defer Ctrl-C: yield a function that returns whether it was pressed. It is raised after the block.

    For work with locks that Python's libraries do not release when Ctrl-C interrupts them. A second press does
    interrupt. Outside the main thread, where no signal arrives, this changes nothing.
    """
    pressed = False

    def press(_signal: int, _frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, press) if main else None
    try:
        yield lambda: pressed
    finally:
        if main:
            signal.signal(signal.SIGINT, handler)
        if pressed:
            raise KeyboardInterrupt


class Ending:
    """Whether a signal has asked the process to end: `wait` returns at once when it comes, or has come.

    Not a `threading.Event`: its lock is held for moments of a `wait`, and a handler that runs in one of them, on the
    same thread, would wait for that lock forever. `SimpleQueue.put` may be called from a handler.
    """

    def __init__(self, *signals: signal.Signals) -> None:
        self._asked: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number in signals:
            signal.signal(number, lambda received, _frame: self._asked.put(received))

    def wait(self, seconds: float) -> bool:
        """Wait for a signal, no longer than so many seconds; return whether one came. It stays known."""
        try:
            self._asked.put(self._asked.get(timeout=seconds))
        except queue.Empty:
            return False
        return True
