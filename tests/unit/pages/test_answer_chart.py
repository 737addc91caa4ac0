"""Which chart an answer gets, and that it says what the answer says."""

import xml.etree.ElementTree as ET
from datetime import date
from typing import Any

import pytest

from sdcdb.pages.answer_chart import draw_answer


def drawn(columns: list[str], rows: list[tuple[Any, ...]]) -> ET.Element | None:
    found = draw_answer(columns, rows)
    return None if found is None else ET.fromstring(found)  # noqa: S314 - our own drawing


def count(tree: ET.Element | None, kind: str) -> int:
    assert tree is not None
    return len(tree.findall(f".//{{*}}{kind}"))


def test_names_get_bars_in_proportion_and_hidden_values_a_word() -> None:
    tree = drawn(["dept", "mean"], [("A <&> B", 100.0), ("C", 50.0), (None, None)])
    assert tree is not None
    widths = [float(bar.attrib["width"]) for bar in tree.findall(".//{*}rect")]
    assert widths[0] == pytest.approx(2 * widths[1], abs=0.2)
    words = " ".join(tree.itertext())
    assert "A <&> B" in words
    assert "not shown" in words


def test_negative_bars_begin_at_zero() -> None:
    tree = drawn(["dept", "x"], [("a", -10.0), ("b", 10.0)])
    assert tree is not None
    left, right = (bar.attrib for bar in tree.findall(".//{*}rect"))
    assert float(left["x"]) + float(left["width"]) == pytest.approx(float(right["x"]), abs=0.2)


def test_dates_and_rising_numbers_get_a_line_that_breaks_where_nothing_is_shown() -> None:
    days = [(date(2026, 1, n), float(n) if n != 3 else None) for n in range(1, 6)]
    assert count(drawn(["day", "n"], days), "path") == 2
    assert count(drawn(["age", "mean"], [(n, n * 2.0) for n in range(20, 30)]), "path") == 1


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        (["n"], [(1,), (2,)]),
        (["dept", "n"], [("a", 1)]),
        (["a", "b"], [("x", "y"), ("z", "w")]),
        (["dept", "n"], [(f"d{n}", n) for n in range(100)]),
        (["x", "y"], [(3, 1.0), (1, 2.0)]),
        (["dept", "n"], []),
    ],
)
def test_where_a_table_says_it_better_there_is_no_chart(columns: list[str], rows: list[tuple[Any, ...]]) -> None:
    assert draw_answer(columns, rows) is None


@pytest.mark.parametrize("rows", [[("a", 0), ("b", 0)], [("a", float("inf")), ("b", 1.0)], [("a", 10**30), ("b", 1)]])
def test_odd_numbers_are_borne(rows: list[tuple[Any, ...]]) -> None:
    assert drawn(["dept", "n"], rows) is not None


def test_a_merged_row_is_told_from_a_group_of_null() -> None:
    found = str(draw_answer(("dept", "n"), (("Legal", 3), (None, 4), (None, 5)), merged=(2,)))
    assert (found.count("(merged): 5"), found.count("NULL: 4")) == (1, 1)
