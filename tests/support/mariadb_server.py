"""A private MariaDB server in a temporary folder, on a Unix socket only, with its general and its slow log on."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


def installed() -> bool:
    return all(map(Path.exists, map(Path, ("/usr/sbin/mariadbd", "/usr/bin/mariadb-install-db", "/usr/bin/mariadb"))))


def _owner() -> str | None:
    return "mysql" if os.geteuid() == 0 else None


@dataclass(frozen=True)
class MariadbServer:
    """A running server."""

    folder: Path

    def ask(self, script: str, user: str = "root") -> int:
        """Run a script; it goes on after errors."""
        done = subprocess.run(
            ["/usr/bin/mariadb", "--no-defaults", "-S", self.folder / "socket", "-u", user, "--force", "--comments",
             "test"],
            input=script.encode(), capture_output=True, check=False,
        )  # fmt: skip
        return done.returncode

    @property
    def general(self) -> Path:
        return self.folder / "data" / "general.log"

    @property
    def slow(self) -> Path:
        return self.folder / "data" / "slow.log"


@contextmanager
def running() -> Iterator[MariadbServer]:
    """Start a server; end it at last by its process id."""
    folder = Path(tempfile.mkdtemp(prefix="sdcdb-my-"))
    try:
        if (owner := _owner()) is not None:
            shutil.chown(folder, owner)
        data = folder / "data"
        subprocess.run(
            ["/usr/bin/mariadb-install-db", "--no-defaults", f"--datadir={data}",
             "--auth-root-authentication-method=normal"],
            check=True, capture_output=True, user=_owner(), cwd=folder,
        )  # fmt: skip
        process = subprocess.Popen(
            [
                "/usr/sbin/mariadbd", "--no-defaults", f"--datadir={data}", f"--socket={folder / 'socket'}",
                "--skip-networking",
                f"--pid-file={folder / 'pid'}", "--general-log=1", "--general-log-file=general.log",
                "--slow-query-log=1", "--slow-query-log-file=slow.log", "--long-query-time=0",
                "--innodb-buffer-pool-size=8M",
            ],
            user=_owner(), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            server = MariadbServer(folder)
            _ready(server)
            yield server
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _ready(server: MariadbServer) -> None:
    for _ in range(200):
        if server.ask("SELECT 1;") == 0:
            return
        time.sleep(0.1)
    raise RuntimeError("the server does not answer")
