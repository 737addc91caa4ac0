"""How many records have changed since a version."""

import numpy as np
import pytest

from sdcdb.gateway.tables.batch import count_changed, is_enough
from sdcdb.gateway.tables.record_file import Followed
from sdcdb.gateway.tables.records import ColumnRecords
from sdcdb.gateway.tables.trail import Trail

NOTHING = np.zeros(0, dtype=np.int64)


def followed(*alike: int) -> Followed:
    empty = Trail(NOTHING, NOTHING, 0)
    return Followed(empty, empty, np.array(alike, dtype=np.int64))


def records(*alike: int) -> ColumnRecords:
    return ColumnRecords(NOTHING, NOTHING, NOTHING, np.array(alike, dtype=np.int64))


@pytest.mark.parametrize(
    ("before", "now", "changed"),
    [
        ((1, 2, 3), (3, 2, 1), 0),
        ((1, 2), (1, 2, 3), 1),
        ((1, 2, 3), (1,), 2),
        ((1, 2, 3), (1, 2, 9), 1),  # one other value, or one who came for one who left
        ((1, 1, 2), (1, 2, 2), 1),
        ((), (1, 2), 2),
        ((1, 2), (), 2),
    ],
)
def test_a_record_that_differs_counts_once(before: tuple[int, ...], now: tuple[int, ...], changed: int) -> None:
    assert count_changed({"pay": followed(*before)}, {"pay": records(*now)}) == changed


def test_columns_that_came_or_went_count_with_all_their_records() -> None:
    assert count_changed({}, {"pay": records(1, 2, 3)}) == 3
    assert count_changed({"pay": followed(1, 2, 3)}, {}) == 3


def test_records_of_one_person_are_not_many_people() -> None:
    assert is_enough(20, 20, 1)
    assert not is_enough(20, 20, 2)
    assert is_enough(40, 20, 2)
