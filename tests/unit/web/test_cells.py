"""Numbers of an answer on the page: rounded to be read, in full behind it, and as they are where rounding would lie."""

from decimal import Decimal
from math import inf, nan
from typing import Any

import pytest

from sdcdb.gateway.answer import Answer
from sdcdb.gateway.rules.verdict import Verdict
from sdcdb.web.desk import _answered


def cells(*column: Any) -> list[tuple[str, str]]:
    """Show one column of an answer: what is read, and what is behind it."""
    answer = Answer(("x",), ("DOUBLE",), tuple((value,) for value in column), Verdict("allow"))
    return [(row[0].text, row[0].full) for row in _answered("SELECT x FROM t", answer).rows]


@pytest.mark.parametrize(
    ("column", "read"),
    [
        ((177643.97872340426, 99.5), [("177,643.98", "177643.97872340426"), ("99.50", "")]),
        ((81312.0, 50911.0), [("81,312", ""), ("50,911", "")]),
        ((0.25, 0.123456), [("0.2500", ""), ("0.1235", "0.123456")]),
        ((Decimal("12.5"), None), [("12.5000", ""), ("", "")]),
        ((1e-9, 2e-9), [("1e-09", ""), ("2e-09", "")]),
        ((1e300, 1.5), [("1e+300", ""), ("1.5", "")]),
        ((nan, 1.5), [("nan", ""), ("1.5", "")]),
        ((1.5, nan), [("1.5", ""), ("nan", "")]),
        ((inf, 1.5), [("inf", ""), ("1.5", "")]),
        ((2019, 12345), [("2019", ""), ("12345", "")]),
        (("a", True), [("a", ""), ("true", "")]),
    ],
)
def test_a_number_is_rounded_to_be_read(column: tuple[Any, ...], read: list[tuple[str, str]]) -> None:
    assert cells(*column) == read
