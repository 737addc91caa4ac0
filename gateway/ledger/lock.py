"""One writer at a time: a lock that ends with the process that holds it, however it ends."""

import json
import os
import socket
import time
from datetime import UTC, datetime
from pathlib import Path

from sdcdb.errors import LedgerError
from sdcdb.gateway.ledger.disk import PRIVATE, failed, write_all


class Lock:
    """An exclusive `flock` on a file that says who holds it."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.held = True

    @classmethod
    def take(cls, path: Path, ledger: Path, wait: float) -> "Lock":
        """Take the lock, or say after `wait` seconds who has it."""
        try:
            fd = _locked(path, ledger, wait)
        except OSError as problem:
            raise failed("lock the ledger by", path, problem) from problem
        holder = {"pid": os.getpid(), "host": socket.gethostname(), "since": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"}
        try:
            os.ftruncate(fd, 0)
            write_all(fd, json.dumps(holder).encode() + b"\n")
        except OSError as problem:
            os.close(fd)
            raise failed("write", path, problem) from problem
        return cls(fd)

    def release(self) -> None:
        """Give the lock back. The file stays: removing it would let two processes lock two files of one name."""
        self.held = False
        os.close(self._fd)


def flocked(fd: int) -> bool:
    """Try to lock an open file."""
    try:
        import fcntl
    except ImportError:
        raise LedgerError("the gateway's ledger needs file locks as Linux and macOS have them") from None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _locked(path: Path, ledger: Path, wait: float) -> int:
    until = time.monotonic() + wait
    while True:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, PRIVATE)
        try:
            if flocked(fd) and os.path.samestat(os.fstat(fd), path.stat()):
                return fd
            holder = os.pread(fd, 1000, 0)
        except FileNotFoundError:  # somebody removed the file between the two calls
            holder = b""
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)
        if time.monotonic() >= until:
            raise in_use(ledger, holder)
        time.sleep(0.02)


def in_use(ledger: Path, holder: bytes = b"") -> LedgerError:
    """Say that another process writes to the ledger, and which."""
    try:
        fields = json.loads(holder)
        mine = " (this one)" if fields["pid"] == os.getpid() and fields["host"] == socket.gethostname() else ""
        who = f"process {fields['pid']}{mine} on {fields['host']}, since {fields['since']}"
    except (ValueError, KeyError, TypeError):
        who = "another process"
    return LedgerError(
        f"the ledger {ledger} is in use by {who}: one gateway at a time may write to it. "
        f"Ask that one, wait until it has ended, or end it"
    )
