"""What one statement, and one user, may take."""

import os
import re
from dataclasses import dataclass
from typing import Self

from sdcdb.errors import SdcdbError
from sdcdb.policy.resources import Resources

_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(K|M|G|T)?i?B", re.IGNORECASE)
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_OWN = 500_000_000  # bytes of a worker besides what DuckDB manages: the interpreter, rows on their way, stacks

_RESERVED = 1_000_000_000


@dataclass(frozen=True)
class WorkLimits:
    """Limits of a statement in a worker, of the workers together, and of one user's statements."""

    seconds: float
    memory: int
    """Bytes that DuckDB may take in one worker."""
    result: int
    """Bytes of a result on its way."""
    workers: int
    per_user: int
    """Statements of one user at work."""
    queue: int
    """Statements of one user that wait."""

    @classmethod
    def of(cls, given: Resources, seconds: float | None = None, memory: str | None = None) -> Self:
        """Return the limits of a policy, or those given in their place."""
        return cls(
            seconds=given.seconds if seconds is None else seconds,
            memory=read_size(given.memory if memory is None else memory),
            result=read_size(given.result),
            workers=given.workers,
            per_user=given.per_user,
            queue=given.queue,
        )

    @property
    def process_memory(self) -> int:
        """Bytes that a worker's process may hold in memory."""
        return self.memory + _OWN

    @property
    def address_space(self) -> int:
        """Bytes that a worker may ask of the system. Allocators ask for more than they use."""
        return self.process_memory + _RESERVED

    @property
    def threads(self) -> int:
        """Threads of one worker: half of the processors, so that one statement never takes all."""
        return max(1, (os.cpu_count() or 1) // 2)


def read_size(text: str) -> int:
    """Read a size in bytes.

    >>> read_size("2GB"), read_size("64 MB")
    (2000000000, 64000000)
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise SdcdbError(f"{text!r} is no size: write 512MB or 2GB")
    return int(float(found.group(1)) * _UNITS[(found.group(2) or "").upper()])
