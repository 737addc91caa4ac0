"""A private PostgreSQL server in a temporary folder, on a Unix socket only, that logs in every format at once."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PORT = "54329"  # only the name of the socket: the server listens on no network address


def programs() -> Path | None:
    """Return the folder of the newest installed server's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda file: int(file.parts[4]))
    return found[-1].parent if found else None


def has_pgaudit() -> bool:
    folder = programs()
    return folder is not None and (folder.parent / "lib" / "pgaudit.so").exists()


def _owner() -> str | None:
    """PostgreSQL refuses to run as root: then it runs as the user that Debian's package makes."""
    return "postgres" if os.geteuid() == 0 else None


@dataclass(frozen=True)
class PostgresServer:
    """A running server."""

    folder: Path
    process: "subprocess.Popen[bytes]"

    def psql(self, script: str, user: str = "postgres", *, wait: bool = True) -> "subprocess.Popen[bytes]":
        """Run a script, one statement at a time; it goes on after errors."""
        made = subprocess.Popen(
            ["/usr/bin/psql", "-X", "-q", "-h", str(self.folder), "-p", PORT, "-U", user, "-d", "postgres"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert made.stdin is not None
        made.stdin.write(script.encode())
        made.stdin.close()
        if wait:
            made.wait(30)
        return made

    def pgbench(self, script: str, user: str, mode: str = "extended", **variables: str) -> None:
        """Run a script by the extended protocol, with `:name` as parameters."""
        folder = programs()
        assert folder is not None
        file = self.folder / "bench.sql"
        file.write_text(script)
        given = [f"--define={name}={value}" for name, value in variables.items()]
        where = ["-h", str(self.folder), "-p", PORT, "-U", user, "postgres"]
        command = [str(folder / "pgbench"), "-n", "-t", "1", "-M", mode, "-f", str(file), *given, *where]
        subprocess.run(command, capture_output=True, check=False)

    def log(self, ending: str) -> Path:
        """Return the log with this ending: csv, json or log."""
        return self.folder / "data" / "log" / f"server.{ending}"


@contextmanager
def running(settings: Mapping[str, str]) -> Iterator[PostgresServer]:
    """Start a server with these settings; end it at last by its process id."""
    bin_ = programs()
    assert bin_ is not None
    folder = Path(tempfile.mkdtemp(prefix="sdcdb-pg-"))
    try:
        if (owner := _owner()) is not None:
            shutil.chown(folder, owner)
        data = folder / "data"
        subprocess.run(
            [bin_ / "initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8", "--locale=C"],
            check=True, capture_output=True, user=_owner(), cwd=folder,
        )  # fmt: skip
        usual = {
            "listen_addresses": "", "unix_socket_directories": str(folder), "port": PORT, "fsync": "off",
            "logging_collector": "on", "log_destination": "stderr,csvlog,jsonlog", "log_directory": "log",
            "log_filename": "server.log", "log_file_mode": "0644", "log_timezone": "UTC", "max_connections": "20",
        }  # fmt: skip
        given = [f"--{name}={value}" for name, value in {**usual, **settings}.items()]
        process = subprocess.Popen(
            [bin_ / "postgres", "-D", data, *given], user=_owner(), cwd=folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            server = PostgresServer(folder, process)
            _ready(server)
            yield server
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _ready(server: PostgresServer) -> None:
    for _ in range(100):
        if server.psql("SELECT 1;").returncode == 0:
            return
        time.sleep(0.1)
    raise RuntimeError("the server does not answer")
