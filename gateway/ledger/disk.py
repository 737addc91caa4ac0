"""The few calls on which durability rests."""

import errno
import os
import sys
from pathlib import Path

from sdcdb.errors import LedgerError

PRIVATE = 0o600  # a ledger holds the analysts' SQL, which may name people


def sync(fd: int) -> None:
    """Return when the file's bytes are on the medium, not only in a cache."""
    if sys.platform == "darwin":  # there, fsync leaves the bytes in the drive's cache
        import fcntl

        fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
    else:
        os.fdatasync(fd)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable: a synced file whose name is lost is lost."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    """Write every byte: one call may write only some, and says why only at the next."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def write_new(path: Path, data: bytes) -> None:
    """Create a private file with these bytes, durable together with its name; it appears whole or not at all."""
    part = path.with_name(f".{path.name}.part")
    fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE)
    try:
        write_all(fd, data)
        sync(fd)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    finally:
        os.close(fd)
    sync_folder(path.parent)


def failed(doing: str, path: Path, problem: OSError) -> LedgerError:
    """Say what the operating system refused, and what to do about it."""
    advice = {
        errno.ENOSPC: "the disk is full: free some space",
        errno.EDQUOT: "the disk quota is used up: free some space",
        errno.EFBIG: "the file may not grow further: raise the limit on file sizes",
        errno.EROFS: "the file system is read-only: mount it for writing",
        errno.EACCES: "permission denied: let this user read and write it, and create files in its folder",
        errno.EPERM: "not permitted: let this user read and write it, and create files in its folder",
        errno.ENOENT: "there is no such folder or file: create the folder, or put the file back",
        errno.EIO: "the disk reports an error: check it",
    }.get(problem.errno or 0, problem.strerror or str(problem))
    return LedgerError(f"cannot {doing} {path}: {advice}, then open it again")
