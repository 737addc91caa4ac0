"""What goes through the pipes between the gateway and a worker: frames of a length, a kind and a body.

A worker runs analysts' SQL and is not trusted: of what it sends, only plain values are made, and nothing is called that
is not on the list below.
"""

import io
import os
import pickle
import struct
from typing import Any, BinaryIO

HEADER = struct.Struct("!Ic")
READY, SHAPE, ROWS, END, FAILED, MESSAGE = b"O", b"S", b"R", b"E", b"F", b"M"
_PLAIN = frozenset(
    {
        *(("datetime", name) for name in ("date", "datetime", "time", "timedelta", "timezone")),
        ("decimal", "Decimal"),
        ("uuid", "UUID"),
        *(("pytz", name) for name in ("_UTC", "_p", "FixedOffset")),
    }
)


class _Plain(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _PLAIN:
            raise pickle.UnpicklingError("a worker sent something that is no plain value")
        return super().find_class(module, name)


def framed(kind: bytes, body: bytes = b"") -> bytes:
    """Return a frame."""
    return HEADER.pack(len(body), kind) + body


def packed(value: Any) -> bytes:
    """Return a value as the body of a frame."""
    return pickle.dumps(value, protocol=5)


def plain(body: bytes) -> Any:
    """Read a value from the body of a frame that a worker sent."""
    return _Plain(io.BytesIO(body)).load()


def read_frame(stream: BinaryIO) -> bytes | None:
    """Read the body of the next frame; None when the other side is gone."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    size, _ = HEADER.unpack(header)
    body = stream.read(size)
    return body if len(body) == size else None


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it to a pipe."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
