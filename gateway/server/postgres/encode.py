"""Values on their way to the client, as text or in binary (PostgreSQL's own input and output forms)."""

import json
import struct
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from math import isinf, isnan
from typing import Any
from uuid import UUID

from sdcdb.gateway.server.postgres.problem import Refusal
from sdcdb.gateway.server.postgres.types import Oid, Shown

Encoder = Callable[[Any], bytes]
_EPOCH = datetime(2000, 1, 1)  # noqa: DTZ001 - timestamps without a zone
_EPOCH_UTC = datetime(2000, 1, 1, tzinfo=UTC)
_DAY = date(2000, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_QUOTED = frozenset('{}," \\\t\n\r\v\f')


def encoder(kind: Shown, *, binary: bool) -> Encoder:
    """Return what turns a value of a type, not None, into bytes."""
    if kind.element is not None:
        return _binary_array(kind.element) if binary else _text_array(kind.element)
    if binary:
        return _BINARY.get(Oid(kind.oid), _text)
    return _TEXT.get(Oid(kind.oid), _text)


def encode_row(row: Sequence[Any], encoders: Sequence[Encoder]) -> list[bytes | None]:
    """Encode the values of a row; refuse one that its type cannot hold, such as a date before the year 1."""
    try:
        return [None if value is None else encode(value) for value, encode in zip(row, encoders, strict=True)]
    except (TypeError, ValueError, AttributeError, OverflowError, ArithmeticError, struct.error):
        raise Refusal("22003", "a value is out of the range that can be sent", hint="cast it to text") from None


def plain_text(value: Any) -> str:  # noqa: PLR0911 - one line per type
    """Return any value as the text that PostgreSQL would print."""
    match value:
        case str():
            return value
        case bool():
            return "t" if value else "f"
        case float():
            return _float(value)
        case Decimal():
            return "NaN" if value.is_nan() else f"{value:f}"
        case datetime():
            return _timestamp(value)
        case timedelta():
            return _interval(value)
        case bytes() | bytearray() | memoryview():
            return "\\x" + bytes(value).hex()
        case dict() | list() | tuple() | set():
            return json.dumps(value, default=plain_text, ensure_ascii=False)
    return str(value)


def _text(value: Any) -> bytes:
    return plain_text(value).replace("\0", "").encode("utf-8", "replace")


def _float(value: float) -> str:
    if isnan(value):
        return "NaN"
    if isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    shortest = repr(value)
    return shortest.removesuffix(".0")


def _float4(value: float) -> bytes:
    short = next(text for digits in range(6, 10) if _single(text := f"{value:.{digits}g}") == _single(value))
    return _float(float(short)).encode()


def _single(value: Any) -> float:
    number = float(value)
    return number if isnan(number) or isinf(number) else float(struct.unpack("!f", struct.pack("!f", number))[0])


def _timestamp(value: datetime) -> str:
    moved = value.astimezone(UTC) if value.tzinfo is not None else value
    return moved.replace(tzinfo=None).isoformat(sep=" ") + ("+00" if value.tzinfo is not None else "")


def _interval(value: timedelta) -> str:
    days, seconds = value.days, value.seconds
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    if value.microseconds:
        clock += f".{value.microseconds:06d}"
    if not days:
        return clock
    return f"{days} day{'' if days == 1 else 's'}" + ("" if clock == "00:00:00" else f" {clock}")


def _json(value: Any) -> bytes:
    return (value if isinstance(value, str) else json.dumps(value, default=plain_text, ensure_ascii=False)).encode()


def _text_array(element: Oid) -> Encoder:
    inner = _TEXT.get(element, _text)

    def encode(values: Any) -> bytes:
        parts = []
        for value in values:
            if value is None:
                parts.append("NULL")
                continue
            plain = inner(value).decode()
            if not plain or plain.upper() == "NULL" or not _QUOTED.isdisjoint(plain):
                plain = '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
            parts.append(plain)
        return ("{" + ",".join(parts) + "}").encode()

    return encode


def _binary_array(element: Oid) -> Encoder:
    inner = _BINARY.get(element, _text)

    def encode(values: Any) -> bytes:
        items = [None if value is None else inner(value) for value in values]
        parts = [struct.pack("!iii", int(bool(items)), int(None in items), element)]
        if items:
            parts.append(struct.pack("!ii", len(items), 1))
        parts += [b"\xff\xff\xff\xff" if item is None else struct.pack("!i", len(item)) + item for item in items]
        return b"".join(parts)

    return encode


def numeric_binary(value: Any) -> bytes:
    """Return a number as PostgreSQL's digits to the base 10,000."""
    number = value if isinstance(value, Decimal) else Decimal(value)
    if number.is_nan():
        return struct.pack("!HhHH", 0, 0, 0xC000, 0)
    if number.is_infinite():
        return struct.pack("!HhHH", 0, 0, 0xD000 if number > 0 else 0xF000, 0)
    sign, digits, exponent = number.as_tuple()
    power = int(exponent)
    scale = max(0, -power)
    whole = ("".join(map(str, digits)) + "0" * max(0, power)).rjust(scale, "0")
    before, after = whole[: len(whole) - scale], whole[len(whole) - scale :]
    before = before.rjust(-(-len(before) // 4) * 4, "0")
    after = after.ljust(-(-len(after) // 4) * 4, "0")
    groups = [int((before + after)[at : at + 4]) for at in range(0, len(before) + len(after), 4)]
    weight = len(before) // 4 - 1
    while groups and groups[0] == 0:
        groups.pop(0)
        weight -= 1
    while groups and groups[-1] == 0:
        groups.pop()
    head = struct.pack("!HhHH", len(groups), weight if groups else 0, 0x4000 if sign and groups else 0, scale)
    return head + struct.pack(f"!{len(groups)}H", *groups)


def _binary_timestamp(value: Any) -> bytes:
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)  # noqa: DTZ001 - a date where a time was described
    since = value - (_EPOCH if value.tzinfo is None else _EPOCH_UTC)
    return struct.pack("!q", since // _MICROSECOND)


def _microseconds(value: time) -> int:
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond


def _binary_timetz(value: time) -> bytes:
    offset = value.utcoffset() or timedelta()
    return struct.pack("!qi", _microseconds(value), -int(offset.total_seconds()))


def _binary_interval(value: timedelta) -> bytes:
    return struct.pack("!qii", value.seconds * 1_000_000 + value.microseconds, value.days, 0)


def _packed(form: str) -> Encoder:
    return struct.Struct(form).pack


_TEXT: dict[Oid, Encoder] = {Oid.JSON: _json, Oid.JSONB: _json, Oid.FLOAT4: _float4}
_BINARY: dict[Oid, Encoder] = {
    Oid.BOOL: lambda value: b"\1" if value else b"\0",
    Oid.BYTEA: bytes,
    Oid.INT2: _packed("!h"),
    Oid.INT4: _packed("!i"),
    Oid.INT8: _packed("!q"),
    Oid.OID: _packed("!I"),
    Oid.REGCLASS: _packed("!I"),
    Oid.FLOAT4: _packed("!f"),
    Oid.FLOAT8: lambda value: struct.pack("!d", float(value)),
    Oid.NUMERIC: numeric_binary,
    Oid.DATE: lambda value: struct.pack("!i", (value - _DAY).days),
    Oid.TIME: lambda value: struct.pack("!q", _microseconds(value)),
    Oid.TIMETZ: _binary_timetz,
    Oid.TIMESTAMP: _binary_timestamp,
    Oid.TIMESTAMPTZ: _binary_timestamp,
    Oid.INTERVAL: _binary_interval,
    Oid.UUID: lambda value: (value if isinstance(value, UUID) else UUID(str(value))).bytes,
    Oid.JSON: _json,
    Oid.JSONB: lambda value: b"\1" + _json(value),
}
