"""`sdcdb serve` as a process of its own, over the victims' table."""

import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support import serving

READY = 120.0


class Served:
    """The process, and where it listens."""

    def __init__(self, process: "subprocess.Popen[str]", path: Path, errors: Path, *, until: str) -> None:
        self.process = process
        self.path = path
        self.errors = errors
        self.said = _read_until(process, until)
        self.port = int(re.findall(r"PostgreSQL\s+127\.0\.0\.1:(\d+)", self.said)[0])
        self.url = "".join(re.findall(r"Console\s+(\S+)", self.said))

    def dsn(self, user: str = "ann", tls: str = "sslmode=disable") -> str:
        """Return a connection string."""
        return f"host=127.0.0.1 port={self.port} dbname=staff user={user} password='{serving.PASSWORD}' {tls}"

    def log(self) -> str:
        """Return what it wrote to its log."""
        return self.errors.read_text(encoding="utf-8")


def _read_until(process: "subprocess.Popen[str]", word: str) -> str:
    assert process.stdout is not None
    said, until = "", time.monotonic() + READY
    while not re.search(f"{word}.*\n", said):  # from the pipe itself: select does not see what Python has read ahead
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, until - time.monotonic()))
        found = os.read(process.stdout.fileno(), 65_536) if ready else b""
        assert found, f"the server did not start: {said}"
        said += found.decode()
    return said


@contextmanager
def serve(path: Path, *options: str, http: bool = False, until: str = "") -> Iterator[Served]:
    """Serve a database on a free port, or with `http` on two, until the block ends.

    It is ready when it has said `until`, by default where its last door is.
    """
    errors = path.with_suffix(".log")
    doors = ["--pg", "127.0.0.1:0", "--http", "127.0.0.1:0" if http else "off"]
    command = [sys.executable, "-m", "sdcdb", "serve", str(path), *doors, *options]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    with (
        errors.open("w") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment) as process,
    ):
        try:
            yield Served(process, path, errors, until=until or ("Console" if http else "PostgreSQL"))
        finally:
            if process.poll() is None:
                process.kill()
            process.wait(30)
