"""Ending this process soon after Ctrl-C, whatever it is doing.

KeyboardInterrupt reaches the main thread between two steps of Python code. Compiled code, a wait for a worker process
and Python's own farewell, which joins threads and processes, may each take seconds before or after that. The operating
system's half of the signal handler writes to the wake-up descriptor at once; a second thread reads it, gives the
ordinary way a moment, and then ends the process and its workers. Only for work that loses nothing by it.
"""

import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

GRACE = 0.4  # seconds for the ordinary way
INTERRUPTED = 130


@contextmanager
def ending_promptly(last_words: str) -> Iterator[threading.Event]:
    """End the process within a moment of Ctrl-C, also when the block was left by it already.

    `last_words` go to stderr unless the yielded event is set: then they have been said. Outside the main thread, where
    no signal arrives, this changes nothing.
    """
    said = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield said
        return
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)  # noqa: FBT003 - the library's signature
    before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(ours, last_words, said), daemon=True).start()
    try:
        yield said
    finally:
        signal.set_wakeup_fd(before)
        theirs.close()  # a watcher that has seen no Ctrl-C reads end-of-file and stops


def _watch(wakeup: socket.socket, last_words: str, said: threading.Event) -> None:
    with wakeup:
        while signal.SIGINT not in (received := wakeup.recv(16)):
            if not received:
                return
    time.sleep(GRACE)
    for worker in multiprocessing.active_children():
        worker.kill()
    if not said.is_set():
        os.write(2, f"{last_words}\ninterrupted\n".encode())
    os._exit(INTERRUPTED)
