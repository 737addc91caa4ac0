"""Parameters on their way in: from text or binary, by the type that the client named or the statement implies."""

import re
import struct
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Context, Decimal, InvalidOperation, localcontext
from typing import Any
from uuid import UUID

from sdcdb.gateway.server.postgres.types import ELEMENTS, KNOWN, Oid

_EPOCH = datetime(2000, 1, 1)  # noqa: DTZ001 - timestamps without a zone
_EPOCH_UTC = datetime(2000, 1, 1, tzinfo=UTC)
_DAY = date(2000, 1, 1)
_DIGITS = 1_000  # of a number; longer ones are refused
_LIST = re.compile(r'\{(?:\s*(?:"(?:[^"\\]|\\.)*"|[^{}",\s]+)\s*(?:,|(?=\})))*\}')
_PART = re.compile(r'"((?:[^"\\]|\\.)*)"|[^{}",\s]+')


class BadParameter(Exception):  # noqa: N818 - reads as what it says
    """A value that is not of its type, or of a type that is not taken."""


def decode(value: bytes | None, oid: int, *, binary: bool) -> Any:
    """Return a parameter as a Python value."""
    if value is None:
        return None
    if oid in ELEMENTS:
        return _array(value, ELEMENTS[oid], binary=binary)
    if oid not in KNOWN:
        raise BadParameter("this type is not taken: send it as text")
    kind = Oid(oid)
    try:
        if binary:
            return _BINARY[kind](value)
        return _TEXT.get(kind, str)(value.decode("utf-8"))
    except KeyError:
        raise BadParameter(f"a {kind.name.lower()} is not taken in binary: send it as text") from None
    except (ValueError, struct.error, OverflowError, InvalidOperation):
        raise BadParameter(f"the value is not a {kind.name.lower()}") from None


def _parts(text: str) -> list[str]:
    """Take `{a,"b c"}` apart."""
    if _LIST.fullmatch(text) is None:
        raise ValueError("not a plain list")
    return [
        re.sub(r"\\(.)", r"\1", found.group(1)) if found.group(1) is not None else found.group()
        for found in _PART.finditer(text)
    ]


def _array(value: bytes, element: Oid, *, binary: bool) -> list[Any]:
    """Read a list, as clients send one to the catalogue: of one dimension."""
    try:
        if not binary:
            return [decode(part.encode(), element, binary=False) for part in _parts(value.decode("utf-8").strip())]
        dimensions, _, kind = struct.unpack_from("!iiI", value)
        if dimensions == 0:
            return []
        (count,) = struct.unpack_from("!i", value, 12)
        if dimensions != 1 or kind != element or not 0 <= count <= len(value):
            raise ValueError("not a list of one dimension")
        found, at = [], 20
        for _ in range(count):
            (size,) = struct.unpack_from("!i", value, at)
            at += 4
            if size > len(value) - at:
                raise ValueError("too short")
            found.append(None if size < 0 else decode(value[at : at + size], element, binary=True))
            at += max(size, 0)
    except (ValueError, struct.error):
        raise BadParameter("the value is not a list that is understood") from None
    return found


def _boolean(text: str) -> bool:
    word = text.strip().lower()
    if word in {"t", "true", "y", "yes", "on", "1"}:
        return True
    if word in {"f", "false", "n", "no", "off", "0"}:
        return False
    raise ValueError(word)


def _bytes(text: str) -> bytes:
    if not text.startswith("\\x"):
        raise ValueError("not in hexadecimal")
    return bytes.fromhex(text[2:])


def _instant(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _numeric(value: bytes) -> Decimal:
    count, weight, sign, scale = struct.unpack_from("!HhHH", value)
    if sign == 0xC000:
        return Decimal("NaN")
    digits = struct.unpack_from(f"!{count}H", value, 8)
    if len(value) != 8 + 2 * count or any(digit > 9999 for digit in digits) or sign not in {0, 0x4000}:
        raise ValueError("not a numeric")
    with localcontext(Context(prec=_DIGITS)):
        number = sum((Decimal(d).scaleb(4 * (weight - n)) for n, d in enumerate(digits)), Decimal(0))
        return (-number if sign else number).quantize(Decimal(1).scaleb(-scale))


def _unpacked(form: str) -> Callable[[bytes], Any]:
    parts = struct.Struct(form)
    return lambda value: parts.unpack(value)[0]


def _clock(value: bytes) -> time:
    (since,) = struct.unpack("!q", value)
    if not 0 <= since < 86_400_000_000:
        raise ValueError("not a time")
    return (_EPOCH + timedelta(microseconds=since)).time()


def _plain(value: bytes) -> str:
    return value.decode("utf-8")


_TEXT: dict[Oid, Callable[[str], Any]] = {
    Oid.BOOL: _boolean,
    Oid.BYTEA: _bytes,
    Oid.INT2: int,
    Oid.INT4: int,
    Oid.INT8: int,
    Oid.OID: int,
    Oid.FLOAT4: float,
    Oid.FLOAT8: float,
    Oid.NUMERIC: Decimal,
    Oid.DATE: date.fromisoformat,
    Oid.TIME: time.fromisoformat,
    Oid.TIMESTAMP: datetime.fromisoformat,
    Oid.TIMESTAMPTZ: _instant,
    Oid.UUID: UUID,
}
_BINARY: dict[Oid, Callable[[bytes], Any]] = {
    Oid.BOOL: lambda value: bool(value[0]) if len(value) == 1 else _boolean(""),
    Oid.BYTEA: bytes,
    Oid.INT2: _unpacked("!h"),
    Oid.INT4: _unpacked("!i"),
    Oid.INT8: _unpacked("!q"),
    Oid.OID: _unpacked("!I"),
    Oid.FLOAT4: _unpacked("!f"),
    Oid.FLOAT8: _unpacked("!d"),
    Oid.NUMERIC: _numeric,
    Oid.TEXT: _plain,
    Oid.VARCHAR: _plain,
    Oid.BPCHAR: _plain,
    Oid.NAME: _plain,
    Oid.UNKNOWN: _plain,
    Oid.JSON: _plain,
    Oid.DATE: lambda value: _DAY + timedelta(days=struct.unpack("!i", value)[0]),
    Oid.TIME: _clock,
    Oid.TIMESTAMP: lambda value: _EPOCH + timedelta(microseconds=struct.unpack("!q", value)[0]),
    Oid.TIMESTAMPTZ: lambda value: _EPOCH_UTC + timedelta(microseconds=struct.unpack("!q", value)[0]),
    Oid.UUID: lambda value: UUID(bytes=value),
}
