"""Parameters on their way in: from text or binary, by the type that the client named or the statement implies."""

import re
import struct
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Context, Decimal, InvalidOperation, localcontext
from typing import Any
from uuid import UUID

from sdcdb.gateway.server.postgres.lists import binary_list, text_list
from sdcdb.gateway.server.postgres.types import ELEMENTS, KNOWN, Oid

_EPOCH = datetime(2000, 1, 1)  # noqa: DTZ001 - timestamps without a zone
_EPOCH_UTC = datetime(2000, 1, 1, tzinfo=UTC)
_DAY = date(2000, 1, 1)
_NOT_FINITE = {0xC000: float("nan"), 0xD000: float("inf"), 0xF000: float("-inf")}
_DIGITS = 1_000  # of a number; longer ones are refused
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:\s*[+-]\d\d(?::?\d\d)?|Z)?")
_INTERVAL = re.compile(
    r"(?:(?P<days>[+-]?\d+)\s+days?)?\s*"
    r"(?:(?P<sign>[+-]?)(?P<hours>\d+):(?P<minutes>[0-5]\d):(?P<seconds>[0-5]\d(?:\.\d{1,6})?))?"
)


class BadParameter(Exception):  # noqa: N818 - reads as what it says
    """A value that is not of its type, or of a type that is not taken."""


def decode(value: bytes | None, oid: int, *, binary: bool) -> Any:
    """Return a parameter as a Python value."""
    if value is None:
        return None
    if oid in ELEMENTS:
        return _list(value, ELEMENTS[oid], binary=binary)
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


def _list(value: bytes, element: Oid, *, binary: bool) -> list[Any]:
    try:
        if binary:
            return binary_list(value, element, lambda part: decode(part, element, binary=True))
        return text_list(value.decode("utf-8"), lambda part: decode(part.encode(), element, binary=False))
    except (ValueError, struct.error):
        raise BadParameter("the value is not a list that is understood") from None


def _interval(text: str) -> timedelta:
    """Read `3 days 04:05:06.5`, as PostgreSQL writes it. Months have no length of their own, and are not taken."""
    found = _INTERVAL.fullmatch(text.strip())
    if found is None or not text.strip():
        raise ValueError("not an interval of days and a time")
    clock = timedelta(
        hours=int(found["hours"] or 0), minutes=int(found["minutes"] or 0), seconds=float(found["seconds"] or 0)
    )
    return timedelta(days=int(found["days"] or 0)) + (-clock if found["sign"] == "-" else clock)


def _binary_interval(value: bytes) -> timedelta:
    microseconds, days, months = struct.unpack("!qii", value)
    if months:
        raise ValueError("months have no length of their own")
    return timedelta(days=days, microseconds=microseconds)


def _binary_timetz(value: bytes) -> time:
    since, west = struct.unpack("!qi", value)
    return _clock(struct.pack("!q", since)).replace(tzinfo=timezone(timedelta(seconds=-west)))


def _binary_jsonb(value: bytes) -> str:
    if value[:1] != b"\1":
        raise ValueError("another version of jsonb")
    return _plain(value[1:])


def _decimal(text: str) -> Decimal | float:
    """Read a number. DuckDB's DECIMAL has neither NaN nor infinity: those are floating-point numbers."""
    found = Decimal(text)
    return found if found.is_finite() else float(found)


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


def _day(text: str) -> date:
    """Read a date. A time or a zone behind it changes nothing, as in PostgreSQL: JDBC sends one."""
    if (found := _DATE.fullmatch(text.strip())) is None:
        raise ValueError("not a date")
    return date.fromisoformat(found[1])


def _without_zone(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=None)


def _instant(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _numeric(value: bytes) -> Decimal | float:
    count, weight, sign, scale = struct.unpack_from("!HhHH", value)
    if sign in _NOT_FINITE and count == 0:
        return _NOT_FINITE[sign]
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
    Oid.NUMERIC: _decimal,
    Oid.DATE: _day,
    Oid.TIME: lambda text: time.fromisoformat(text).replace(tzinfo=None),
    Oid.TIMETZ: time.fromisoformat,
    Oid.INTERVAL: _interval,
    Oid.TIMESTAMP: _without_zone,
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
    Oid.TIMETZ: _binary_timetz,
    Oid.INTERVAL: _binary_interval,
    Oid.JSONB: _binary_jsonb,
    Oid.CHAR: _plain,
    Oid.TIMESTAMP: lambda value: _EPOCH + timedelta(microseconds=struct.unpack("!q", value)[0]),
    Oid.TIMESTAMPTZ: lambda value: _EPOCH_UTC + timedelta(microseconds=struct.unpack("!q", value)[0]),
    Oid.UUID: lambda value: UUID(bytes=value),
}
