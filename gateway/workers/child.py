"""The worker's side: a process that holds one locked DuckDB and runs the statements that come through its pipe.

It is started with an empty environment and never sees the raw database, the ledger or a key. It gives itself the
limits that it can keep; the gateway watches from outside and kills it when it is late or too large.
"""

import decimal  # noqa: F401 - loaded here, as while a statement runs no file can be opened
import os
import pickle
import queue
import resource
import shutil
import signal
import sys
import threading
import uuid  # noqa: F401 - as above
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb

from sdcdb.gateway.workers.explained import multiplies
from sdcdb.gateway.workers.messages import Opening, Running
from sdcdb.gateway.workers.wire import END, FAILED, READY, ROWS, SHAPE, framed, packed, read_frame, write_all

_CHUNK = 1 << 20  # bytes of one frame of rows, about
_SPARE = 2  # seconds of processor time beyond the deadline


class Worker:
    """The DuckDB of this process."""

    def __init__(self, out: int) -> None:
        self._out = out
        self._con: duckdb.DuckDBPyConnection | None = None

    def open(self, message: Opening) -> None:
        """Open a new DuckDB with the relations as they are now, and lock it."""
        if self._con is not None:
            self._con.close()
        con = self._con = duckdb.connect(config=dict(message.config))
        for sql in message.statements:
            con.execute(sql)
        with suppress(Exception):  # pytz reads the file of a zone when it is first asked for it
            (zone,) = con.execute("SELECT current_setting('TimeZone')").fetchone() or ("UTC",)
            import_module("pytz").timezone(zone)
        con.execute("SET enable_external_access = false")
        con.execute("SET lock_configuration = true")
        self._send(READY)

    def run(self, message: Running) -> None:
        """Run a statement and send its rows; of an error, send only what kind it is."""
        if self._con is None:
            self._send(FAILED, b"error")
            return
        cursor = self._con.cursor()
        try:
            for name, (stream, view) in message.released.items():
                cursor.register(name, _table(stream))
                cursor.execute(view)
            with _shut(message.seconds):
                failed = self._rows(cursor, message)
        except (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException):
            failed = "names"
        except (duckdb.OutOfMemoryException, MemoryError):
            failed = "memory"
        except Exception as problem:  # noqa: BLE001 - its words could repeat a value
            failed = "memory" if "bad_alloc" in str(problem) or "allocate" in str(problem) else "error"
        finally:
            with suppress(duckdb.Error):
                cursor.execute("ROLLBACK")
            cursor.close()
        self._send(FAILED if failed else END, failed.encode())

    def _rows(self, cursor: duckdb.DuckDBPyConnection, message: Running) -> str:
        cursor.execute("BEGIN TRANSACTION READ ONLY")
        if multiplies(cursor, message.sql, message.params, message.pairs):
            return "joins"
        ran = cursor.execute(message.sql, message.params) if message.params else cursor.execute(message.sql)
        shape = ran.description or []
        self._send(SHAPE, packed((tuple(c[0] for c in shape), tuple(str(c[1]) for c in shape))))
        left, size = message.rows, 128
        while rows := ran.fetchmany(min(size, left + 1)):
            left -= len(rows)
            if left < 0:
                return "rows"
            body = packed(rows)
            self._send(ROWS, body)
            size = max(1, size // 2) if len(body) > _CHUNK else min(size * 2, 4096) if len(body) < _CHUNK // 4 else size
        return ""

    def _send(self, kind: bytes, body: bytes = b"") -> None:
        write_all(self._out, framed(kind, body))


def _table(stream: bytes) -> Any:
    import pyarrow as pa  # a tenth of a second that only those wait who need it

    return pa.ipc.open_stream(stream).read_all()


@contextmanager
def _shut(seconds: float) -> Iterator[None]:
    """Let nothing open a file or a socket, and limit processor time, while an analyst's statement runs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    most = int(used + seconds * (os.cpu_count() or 1)) + _SPARE
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _limit(memory: int) -> None:
    """Limit what this process may take, whatever DuckDB does."""
    for what, most in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
        with suppress(ValueError, OSError):  # a lower limit is in force, or the system has none of this kind
            resource.setrlimit(what, (most, most))
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def main(folder: str, memory: str) -> None:
    """Serve until the gateway closes the pipe, or is gone."""
    _limit(int(memory))
    messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(messages, Path(folder)), daemon=True).start()
    worker = Worker(sys.stdout.fileno())
    while True:
        message = pickle.loads(messages.get())  # noqa: S301 - from the gateway, which is trusted
        if isinstance(message, Opening):
            worker.open(message)
        else:
            worker.run(message)


def _listen(messages: "queue.SimpleQueue[bytes]", folder: Path) -> None:
    """Pass messages on, and end the process when nobody is there any more, whatever it is doing."""
    while (body := read_frame(sys.stdin.buffer)) is not None:
        messages.put(body)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(64, hard), hard))
    shutil.rmtree(folder, ignore_errors=True)  # the copies of a gateway that was killed
    os._exit(0)
