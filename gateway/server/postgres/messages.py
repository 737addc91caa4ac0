"""The bytes of the protocol: messages to the client are built here, messages from it are taken apart with every
length checked (PostgreSQL documentation, chapter "Message Formats").
"""

import struct
from collections.abc import Sequence

PROTOCOL = 196608  # 3.0
SSL_REQUEST = 80877103
GSS_REQUEST = 80877104
CANCEL_REQUEST = 80877102
LONGEST_STARTUP = 10_000
LONGEST_BEFORE_LOGIN = 65_536

AUTHENTICATION_OK = 0
AUTHENTICATION_SASL = 10
AUTHENTICATION_SASL_CONTINUE = 11
AUTHENTICATION_SASL_FINAL = 12

_INT16 = struct.Struct("!h")
_INT32 = struct.Struct("!i")
_HEADER = struct.Struct("!ci")
_FIELD = struct.Struct("!ihihih")


class ProtocolError(Exception):
    """Bytes that are no message of the protocol. The connection ends."""


class Unpacking:
    """Takes the body of a message apart, front to back. Whatever is not there raises ProtocolError."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._at = 0

    def take(self, size: int) -> bytes:
        """Return so many bytes."""
        end = self._at + size
        if size < 0 or end > len(self._body):
            raise ProtocolError("a message is shorter than it says")
        found = self._body[self._at : end]
        self._at = end
        return found

    def int16(self) -> int:
        """Return a number of two bytes."""
        return int(_INT16.unpack(self.take(2))[0])

    def int32(self) -> int:
        """Return a number of four bytes."""
        return int(_INT32.unpack(self.take(4))[0])

    def count(self) -> int:
        """Return a number of things that follow."""
        found = self.int16() & 0xFFFF
        if found > len(self._body) - self._at:  # each takes a byte at least
            raise ProtocolError("a message counts more than it holds")
        return found

    def text(self) -> str:
        """Return a text that ends with a zero byte."""
        end = self._body.find(b"\0", self._at)
        if end < 0:
            raise ProtocolError("a text does not end")
        found = self._body[self._at : end]
        self._at = end + 1
        try:
            return found.decode("utf-8")
        except UnicodeDecodeError:
            raise ProtocolError("a text is not UTF-8") from None

    def value(self) -> bytes | None:
        """Return a value with its length before it; None for NULL."""
        size = self.int32()
        return None if size == -1 else self.take(size)

    def rest(self) -> bytes:
        """Return what is left."""
        return self.take(len(self._body) - self._at)

    def end(self) -> None:
        """Nothing may be left."""
        if self._at != len(self._body):
            raise ProtocolError("a message is longer than it says")


def message(kind: bytes, body: bytes = b"") -> bytes:
    """Return a message of a kind."""
    return _HEADER.pack(kind, len(body) + 4) + body


def text(value: str) -> bytes:
    """Return a text as it is sent: a zero byte ends it, so there is none in it."""
    return value.replace("\0", "").encode("utf-8", "replace") + b"\0"


def authentication(kind: int, body: bytes = b"") -> bytes:
    """Ask for, or acknowledge, a proof."""
    return message(b"R", _INT32.pack(kind) + body)


def parameter_status(name: str, value: str) -> bytes:
    """Report a setting."""
    return message(b"S", text(name) + text(value))


def key_data(process: int, secret: int) -> bytes:
    """Give the client what it needs to cancel."""
    return message(b"K", struct.pack("!II", process, secret))


def ready(status: bytes) -> bytes:
    """Say that the next statement may come: idle (I), in a transaction (T), or in a failed one (E)."""
    return message(b"Z", status)


def complete(tag: str) -> bytes:
    """Say that a statement is done."""
    return message(b"C", text(tag))


def report(kind: bytes, fields: Sequence[tuple[str, str]]) -> bytes:
    """Return an error (E) or a notice (N)."""
    return message(kind, b"".join(code.encode() + text(value) for code, value in fields if value) + b"\0")


def row_description(columns: Sequence[tuple[str, int, int, int, int]]) -> bytes:
    """Describe rows: name, oid, size, modifier and format of each column."""
    parts = [_INT16.pack(len(columns))]
    for name, oid, size, modifier, form in columns:
        parts.append(text(name) + _FIELD.pack(0, 0, oid, size, modifier, form))
    return message(b"T", b"".join(parts))


def data_row(values: Sequence[bytes | None]) -> bytes:
    """Return a row."""
    parts = [_INT16.pack(len(values))]
    for value in values:
        if value is None:
            parts.append(b"\xff\xff\xff\xff")
        else:
            parts.append(_INT32.pack(len(value)))
            parts.append(value)
    return message(b"D", b"".join(parts))


def parameter_description(oids: Sequence[int]) -> bytes:
    """Describe the parameters of a statement."""
    return message(b"t", _INT16.pack(len(oids)) + b"".join(_INT32.pack(oid) for oid in oids))


def copy_out(columns: int, *, binary: bool) -> bytes:
    """Begin to copy out."""
    form = int(binary)
    return message(b"H", struct.pack("!bh", form, columns) + _INT16.pack(form) * columns)


PARSE_COMPLETE = message(b"1")
BIND_COMPLETE = message(b"2")
CLOSE_COMPLETE = message(b"3")
NO_DATA = message(b"n")
PORTAL_SUSPENDED = message(b"s")
EMPTY_QUERY = message(b"I")
COPY_DONE = message(b"c")
