"""Where a command begins: Ctrl-C is understood before the first library is loaded.

Loading takes a second or more on a busy machine. Python would answer Ctrl-C in it with a traceback, or a library
would turn it into an error of its own; a handler that ends the process does neither.
"""

import os
import signal
from types import FrameType

INTERRUPTED = 130  # the same number as in connection/prompt_end.py, which is not loaded yet


def main() -> None:
    """Load the command line and run it."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # as under nohup: nobody is to stop it
        from sdcdb.cli.main import main as run
    else:
        signal.signal(signal.SIGINT, _leave)
        from sdcdb.cli.main import main as run

        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def _leave(_number: int, _frame: FrameType | None) -> None:
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)
