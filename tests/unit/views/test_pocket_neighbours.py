"""The neighbour with which a homogeneous pocket is put together: the next date, and not just any."""

import duckdb
import pytest

from sdcdb.views.pockets import find_pockets


def pockets(groups: str, sick: str) -> list[str]:
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE t AS SELECT {groups} AS day, CASE WHEN {sick} THEN 'hiv' ELSE 'flu' END AS d "
                    "FROM range(1000) r(i)")  # fmt: skip
        return [str(each.neighbour) for each in find_pockets(con, "t", "d", ["day"], ["hiv"], 0.8)]


@pytest.mark.parametrize("groups", ["DATE '2024-01-01' + i::INT % 50", "i % 50"])
def test_the_next_day_is_proposed(groups: str) -> None:
    found = pockets(groups, "i % 50 = 20 OR i % 7 = 0")
    assert found in (["'2024-01-20'"], ["'19'"], ["'2024-01-22'"], ["'21'"])


def test_days_are_added_until_they_are_enough() -> None:
    """Four days in a row: the second of them needs more than the next one."""
    found = pockets("DATE '2024-01-01' + i::INT % 50", "i % 50 BETWEEN 19 AND 22")
    assert sorted(found) == [
        "'2024-01-24'",
        "what is from '2024-01-19' to '2024-01-21'",
        "what is from '2024-01-19' to '2024-01-24'",
        "what is from '2024-01-21' to '2024-01-24'",
    ]


def test_the_first_day_has_neighbours_on_one_side() -> None:
    assert pockets("i % 50", "i % 50 = 0") == ["'1'"]


def test_texts_have_no_order() -> None:
    """The smallest that is at least as large."""
    assert pockets("CASE WHEN i < 100 THEN 'x' WHEN i < 400 THEN 'a' ELSE 'b' END", "i < 100") == ["'a'"]
