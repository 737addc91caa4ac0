"""Values out and in: as PostgreSQL writes them, in text and in binary, checked by psycopg's own reading."""

import datetime as dt
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg import adapters
from psycopg.adapt import Transformer
from psycopg.pq import Format

from sdcdb.gateway.server.postgres.decode import BadParameter, decode
from sdcdb.gateway.server.postgres.encode import encoder
from sdcdb.gateway.server.postgres.types import Oid, shown

VALUES: list[tuple[str, Any]] = [
    ("BOOLEAN", True),
    ("BOOLEAN", False),
    ("TINYINT", -128),
    ("SMALLINT", -(2**15)),
    ("INTEGER", 2**31 - 1),
    ("BIGINT", -(2**63)),
    ("UINTEGER", 2**32 - 1),
    ("HUGEINT", 2**126),
    ("UBIGINT", 2**64 - 1),
    ("DOUBLE", 0.1),
    ("DOUBLE", float("inf")),
    ("FLOAT", 0.5),
    ("DECIMAL(18,3)", Decimal("-1234567.890")),
    ("DECIMAL(38,10)", Decimal("0.0000000001")),
    ("DECIMAL(18,3)", Decimal("0.000")),
    ("VARCHAR", "naïve 'text' \\ {}"),
    ("VARCHAR", ""),
    ("BLOB", b"\x00\xff\\"),
    ("DATE", dt.date(1999, 12, 31)),
    ("TIME", dt.time(23, 59, 59, 999999)),
    ("TIMESTAMP", dt.datetime(1969, 7, 20, 20, 17, 40, 5)),  # noqa: DTZ001
    ("TIMESTAMP WITH TIME ZONE", dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC)),
    ("INTERVAL", dt.timedelta(days=-3, hours=5, microseconds=7)),
    ("UUID", UUID(int=7)),
    ("INTEGER[]", [1, None, 3]),
    ("VARCHAR[]", ["a", "b c", 'd"e', "", "NULL", None, "x,y", "\\"]),
    ("DOUBLE[]", []),
    ("STRUCT(a INTEGER)", {"a": 1}),
    ("JSON", '{"a": [1, 2]}'),
]


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
@pytest.mark.parametrize(("kind", "value"), VALUES, ids=[f"{kind}={value}" for kind, value in VALUES])
def test_a_client_reads_the_value_that_was_sent(kind: str, value: Any, *, binary: bool) -> None:
    found = shown(kind)
    sent = encoder(found, binary=binary)(value)
    loader = Transformer().get_loader(found.oid, Format.BINARY if binary else Format.TEXT)
    expected = {"a": [1, 2]} if kind == "JSON" else value
    assert loader.load(sent) == expected
    assert adapters.types.get(found.oid) is not None


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6) | st.integers(-(10**300), 10**300))
def test_every_number_survives_in_binary(number: Any) -> None:
    sent = encoder(shown("HUGEINT"), binary=True)(number)
    assert decode(sent, Oid.NUMERIC, binary=True) == number


@pytest.mark.parametrize(
    ("text", "oid", "value"),
    [
        ("t", Oid.BOOL, True),
        ("OFF", Oid.BOOL, False),
        ("-7", Oid.INT4, -7),
        ("1e3", Oid.FLOAT8, 1000.0),
        ("1.50", Oid.NUMERIC, Decimal("1.50")),
        ("2024-02-29", Oid.DATE, dt.date(2024, 2, 29)),
        ("12:30", Oid.TIME, dt.time(12, 30)),
        ("2024-01-01 00:00:00+02", Oid.TIMESTAMPTZ, dt.datetime(2023, 12, 31, 22, tzinfo=dt.UTC)),
        ("\\x00ff", Oid.BYTEA, b"\x00\xff"),
        ("anything", Oid.UNKNOWN, "anything"),
        ('{"r","a b",x}', 1009, ["r", "a b", "x"]),
        ("{}", 1007, []),
        ("{1,2}", 1007, [1, 2]),
    ],
)
def test_parameters_are_read_by_their_type(text: str, oid: int, value: Any) -> None:
    assert decode(text.encode(), oid, binary=False) == value
    assert decode(None, oid, binary=False) is None


@pytest.mark.parametrize(
    ("value", "oid", "binary"),
    [
        (b"x", Oid.INT4, False),
        (b"", Oid.INT4, True),
        (b"12345", Oid.INT4, True),
        (b"maybe", Oid.BOOL, False),
        (b"\xff", Oid.TEXT, False),
        (b"31.12.1999", Oid.DATE, False),
        (b"\x7f\xff\xff\xff", Oid.DATE, True),
        (b"\x7f" * 8, Oid.TIME, True),
        (b"\x00\x01\x00\x00\x12\x34\x00\x00\x00\x01", Oid.NUMERIC, True),
        (b"\xff\xff\x00\x00\x00\x00\x00\x00", Oid.NUMERIC, True),
        (b"{{1},{2}", 1007, False),
        (b"{1,,2}", 1007, False),
        (b"{1}{2}", 1007, False),
        (b"1,2", 1007, False),
        (b"{{{{{{{1}}}}}}}", 1007, False),
        (b"1 month", Oid.INTERVAL, False),
        (b"", Oid.INTERVAL, False),
        (b"\x00" * 15 + b"\x01", Oid.INTERVAL, True),
        (b"{}", Oid.JSONB, True),
        (b"{x}", 1007, False),
        (b"\x00\x00\x00\x01", 1007, True),
        (b"\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x17\x7f\xff\xff\xff\x00\x00\x00\x01", 1007, True),
        (b"x", 4711, False),
    ],
)
def test_a_value_that_is_none_of_its_type_is_refused_without_repeating_it(
    value: bytes, oid: int, *, binary: bool
) -> None:
    with pytest.raises(BadParameter) as refused:
        decode(value, oid, binary=binary)
    assert "maybe" not in str(refused.value)
    assert "31" not in str(refused.value)
