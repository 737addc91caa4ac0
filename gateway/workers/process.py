"""The gateway's side of one worker: start it, give it a statement, watch it, and kill it when it takes too much."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from sdcdb.errors import Denied, Unsupported
from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.rules.table import denied
from sdcdb.gateway.workers.limits import WorkLimits
from sdcdb.gateway.workers.messages import FAILURES, Opening, Running
from sdcdb.gateway.workers.wire import (
    END,
    FAILED,
    HEADER,
    MESSAGE,
    READY,
    ROWS,
    SHAPE,
    framed,
    packed,
    plain,
    write_all,
)

_BOOT = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[3]); "
    "from sdcdb.gateway.workers.child import main; main(sys.argv[1], sys.argv[2])"
)
_KEPT = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TZ")  # of the environment: it may hold secrets
_SET = {"ARROW_DEFAULT_MEMORY_POOL": "system"}  # the other one reserves a gigabyte
_TICK = 0.05  # seconds between two looks at a running worker
_LONG = 0.5  # seconds after which a statement gives way to others
_LAZY = 10  # and how far
_START = 60.0  # seconds that a worker may take to start


@dataclass(frozen=True)
class Rows:
    """What a statement returned."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


class WorkerProcess:
    """One worker. One thread at a time uses it; `kill` is safe from any."""

    def __init__(self, limits: WorkLimits, folder: Path) -> None:
        self._limits = limits
        self.generation = -1
        """Of the relations that it was opened with."""
        self.tired = False
        """Whether it ran for long or grew, so that a fresh one is to take its place."""
        command = [sys.executable, "-I", "-c", _BOOT, str(folder), str(limits.address_space), json.dumps(sys.path)]
        self._process = subprocess.Popen(  # noqa: S603 - this very interpreter, with our own module
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=_SET | {name: os.environ[name] for name in _KEPT if name in os.environ},
            start_new_session=True,  # Ctrl-C in the gateway's terminal is not for it
            bufsize=0,
        )
        self._memory = 0

    @property
    def pid(self) -> int:
        """Its process number."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it can take a statement."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End it, whatever it is doing."""
        self.tired = True
        with suppress(ProcessLookupError):
            self._process.kill()

    def close(self) -> None:
        """End it, and wait for its end."""
        self.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def open(self, opening: Opening, generation: int) -> None:
        """Give it the relations as they are now."""
        self._send(opening)
        for kind, _ in self._frames(time.monotonic() + _START, inf):
            if kind == READY:
                self.generation = generation
                return
        raise denied("error")

    def run(self, running: Running, cancellation: Cancellation) -> Rows:
        """Run a statement; deny it when it takes too much, and end the worker then."""
        began = time.monotonic()
        try:
            with cancellation.stopping(self.kill):
                self._send(running)
                shape, chunks = self._received(began + self._limits.seconds)
        except Denied:
            cancellation.check()
            raise
        columns, types = plain(shape)
        rows = [tuple(row) for body in chunks for row in plain(body)]
        self.tired = self.tired or self._resident() > self._limits.memory // 2
        return Rows(columns, types, tuple(rows))

    def _received(self, until: float) -> tuple[bytes, list[bytes]]:
        shape, chunks = b"", list[bytes]()
        for kind, body in self._frames(until):
            if kind == SHAPE:
                shape = body
            elif kind == ROWS:
                chunks.append(body)
            elif kind == END and shape:
                return shape, chunks
            else:
                raise _failure(body.decode("ascii", "replace") if kind == FAILED else "error")
        raise self._death()

    def _send(self, message: Opening | Running) -> None:
        try:
            write_all(self._descriptor(self._process.stdin), framed(MESSAGE, packed(message)))
        except OSError:
            self.kill()
            raise denied("error") from None

    def _frames(self, until: float, patience: float = _LONG) -> Iterator[tuple[bytes, bytes]]:
        """Yield what it sends, until it has nothing more to say; deny when it is late or too large."""
        out = self._descriptor(self._process.stdout)
        poller = select.poll()
        poller.register(out, select.POLLIN | select.POLLHUP)
        held, total, lazy = bytearray(), 0, time.monotonic() + patience
        while True:
            now = time.monotonic()
            if now >= until:
                raise self._killed("time")
            if not poller.poll(1000 * min(_TICK, until - now)):
                self._look(late=now > lazy)
                continue
            data = os.read(out, 1 << 20)
            if not data:
                return
            total += len(data)
            if total > self._limits.result:
                raise self._killed("result")
            held += data
            while len(held) >= HEADER.size:
                size, kind = HEADER.unpack_from(held)
                if len(held) < HEADER.size + size:
                    break
                body = bytes(held[HEADER.size : HEADER.size + size])
                del held[: HEADER.size + size]
                yield kind, body

    def _look(self, *, late: bool) -> None:
        """Look at a worker that is busy: it must not grow, and gives way to others after a while."""
        self._memory = self._resident()
        if self._memory > self._limits.process_memory:
            raise self._killed("memory")
        if late and not self.tired:
            self.tired = True
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, self.pid, _LAZY)

    def _resident(self) -> int:
        """Return the bytes that it holds in memory; 0 where the system does not say."""
        try:
            pages = int(Path(f"/proc/{self.pid}/statm").read_text("ascii").split()[1])
        except (OSError, IndexError, ValueError):
            return 0
        return pages * os.sysconf("SC_PAGE_SIZE")

    def _killed(self, rule: str) -> Denied:
        self.kill()
        return denied(rule)

    def _death(self) -> Denied:
        """Say why it ended by itself: it ran out of processor time, or of memory."""
        code = self._process.wait()
        self.tired = True
        if code == -signal.SIGXCPU:
            return denied("time")
        large = self._memory > self._limits.memory // 2
        return denied("memory" if large or code in {-signal.SIGABRT, -signal.SIGKILL} else "error")

    @staticmethod
    def _descriptor(pipe: Any) -> int:
        return int(pipe.fileno())


def _failure(kind: str) -> Denied:
    if kind == "names":
        return Unsupported("a name, type or function does not fit", "check names and types")
    return denied(kind if kind in FAILURES else "error")
