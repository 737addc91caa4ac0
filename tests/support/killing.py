"""Killing what a server forks, at random moments: the loop that the gateway's and the ledger's kill tests share."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from support.paths import SUPPORT


@contextmanager
def forking(module: str, *arguments: str | Path) -> Iterator[tuple[IO[str], IO[str]]]:
    """Start a server of tests/support; yield where it takes orders, one line each, and what it says."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    server = subprocess.Popen(command, cwd=SUPPORT.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin is not None
    assert server.stdout is not None
    with server, server.stdin as order, server.stdout as said:
        yield order, said


def kill_one(
    order: IO[str],
    said: IO[str],
    rng: random.Random,
    *,
    moments: Sequence[str],
    longest: float,
    heard: Callable[[str, str], bool],
) -> None:
    """Have one process forked and kill it up to `longest` seconds after it said one of the words in `moments`.

    `heard` is told every word with the rest of its line, up to the last, and may ask for the kill by returning true.
    """
    order.write("go\n")
    order.flush()
    pid, wanted = 0, rng.choice(moments)
    while pid == 0 or wanted:
        word, _, rest = said.readline().strip().partition(" ")
        if word == "started":
            pid = int(rest)
        if heard(word, rest) or word == wanted:
            wanted = ""
    time.sleep(rng.random() * longest)
    os.kill(pid, signal.SIGKILL)
    while (line := said.readline()) != "ended\n":
        heard(*line.strip().partition(" ")[::2])
