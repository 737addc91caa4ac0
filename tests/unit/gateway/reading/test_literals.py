"""Parameters: by exact type, and as the value that plain DuckDB would take."""

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import Any

import duckdb
import numpy as np
import pytest

from sdcdb.errors import Unsupported
from sdcdb.gateway.reading.literals import literal, must_be_plain


class Colour(IntEnum):
    RED = 1


class Word(StrEnum):
    YES = "yes"


class Text(str):
    __slots__ = ()


PLAIN = [
    *(None, True, False, 0, -1, 2**40, -(2**100), 0.5, -1e-9, 1e30, "", "it's", "ß", Decimal("-1.50")),
    *(date(2020, 2, 29), date(1, 1, 1), datetime.fromisoformat("2020-01-01 12:30:01.25")),
]
OTHERS = [
    *(np.int64(1), np.float64(0.5), np.bool_(1), np.str_("x"), Colour.RED, Word.YES, Text("x"), 1j, object()),
    *(float("nan"), float("inf"), 10**40, 1e300, Decimal("NaN"), datetime(2020, 1, 1, tzinfo=UTC), "\ud800", "a\0b"),
    *({1}, frozenset(), range(3), bytearray(b"x"), np.array([1])),
]


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_a_plain_value_is_what_duckdb_takes_for_it(value: Any) -> None:
    with duckdb.connect() as con:
        ours = con.execute(f"SELECT {literal(value).sql('duckdb')} AS x, typeof(x)").fetchone()
        theirs = con.execute("SELECT ? AS x, typeof(x)", [value]).fetchone()
    assert ours
    assert theirs
    assert ours[0] == theirs[0]
    if isinstance(value, float | date):
        assert ours[1] == theirs[1]


@pytest.mark.parametrize("value", OTHERS, ids=lambda value: type(value).__name__)
def test_whatever_else_is_refused(value: Any) -> None:
    with pytest.raises(Unsupported):
        literal(value)


@pytest.mark.parametrize("params", [5, "abc", {1: 2}, {Text("x"): 1}, [Text("x")], [np.int64(1)], [[[Colour.RED]]]])
def test_parameters_are_plain_all_through(params: Any) -> None:
    with pytest.raises(Unsupported):
        must_be_plain(params)


def test_a_list_within_itself_is_refused() -> None:
    params: list[Any] = []
    params.append(params)
    with pytest.raises(Unsupported):
        must_be_plain(params)
