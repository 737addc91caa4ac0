"""Processes that write to a ledger and are killed. Started by support.killing.

    python -m support.ledger_writers LEDGER THREADS

For every line on its standard input it forks a writer, says `started PID`, and `ended` when that is gone. A writer
opens the ledger and appends from several threads until it is killed; for each record that is on disk it says
`acknowledged NAME HASH`. Forking from a process that has loaded everything makes hundreds of kills affordable.
"""

import os
import random
import sys
import threading
from pathlib import Path
from typing import NoReturn

from sdcdb.gateway.ledger.ledger import Ledger


def say(text: str) -> None:
    """Write a line in one piece: a pipe takes up to 4,096 bytes whole or not at all."""
    os.write(1, f"{text}\n".encode())


def append_for_ever(ledger: Ledger, name: str, seed: int) -> NoReturn:
    """Append records of all sizes, some of them in groups. Large ones take the kernel long enough to be torn."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    turn = 0
    while True:
        entries = []
        for _ in range(rng.choice((1, 1, 1, 3))):
            turn += 1
            cells = "Ab" * rng.choice((10, 10, 100, 100, 100, 1000, 1000, 40_000))
            entries.append({"kind": "question", "user": name, "turn": turn, "facts": [{"cells": cells}]})
        for found in ledger.append_many(entries):
            say(f"acknowledged {name} {found}")


def write(path: Path, threads: int) -> NoReturn:
    """Be the writer that gets killed."""
    ledger = Ledger.open(path)
    say(f"opened {ledger.count}")
    for number in range(threads):
        name = f"{os.getpid()}-{number}"
        threading.Thread(target=append_for_ever, args=(ledger, name, hash(name)), daemon=True).start()
    threading.Event().wait()
    raise AssertionError


def main() -> None:
    """Fork a writer for every line of input."""
    path, threads = Path(sys.argv[1]), int(sys.argv[2])
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            write(path, threads)
        say(f"started {child}")
        os.waitpid(child, 0)
        say("ended")


if __name__ == "__main__":
    main()
