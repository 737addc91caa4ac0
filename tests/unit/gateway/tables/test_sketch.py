"""Which columns hold the same records: copies do, also of few values, and columns that are alike by chance do not."""

import duckdb
import numpy as np
import pytest

from sdcdb.gateway.ledger.packing import pack_digests
from sdcdb.gateway.tables.sketch import KEPT, chance_alike, share_records

VALUES = 5


def sketched(values: np.ndarray) -> str:
    """Digest records that are numbered from 0, as the sketch of a table does."""
    digests = [hash((key, int(value))) & (2**63 - 1) for key, value in enumerate(values)]
    return pack_digests(np.array(sorted(digests)[:KEPT], dtype=np.int64))


@pytest.mark.parametrize("people", [30, 300, 3_000])
def test_ratings_of_people_that_are_numbered_alike_are_no_copies(people: int) -> None:
    wrong = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        first, second = (rng.integers(0, VALUES, people) for _ in range(2))
        wrong += share_records(sketched(first), sketched(second), lambda: 1 / VALUES)
        assert share_records(sketched(first), sketched(first.copy()), lambda: 1 / VALUES)
        assert share_records(sketched(first), sketched(first[: people // 2]), lambda: 1 / VALUES)
    assert wrong <= 1


@pytest.mark.parametrize("share", [0.3, 0.5, 0.9])
def test_a_part_of_the_people_of_a_larger_table_is_recognised(share: float) -> None:
    """Of a few hundred people, a copy of which the others were replaced, beside chance."""
    rng = np.random.default_rng(1)
    first = rng.integers(0, VALUES, 600)
    second = np.where(rng.random(600) < share, first, rng.integers(0, VALUES, 600))
    assert share_records(sketched(first), sketched(second), lambda: 1 / VALUES)


def test_a_copy_of_a_column_that_is_nearly_always_the_same_is_recognised() -> None:
    first = (np.arange(400) % 20 == 0).astype(int)
    assert share_records(sketched(first), sketched(first), lambda: 0.95**2 + 0.05**2)


def test_the_chance_is_not_asked_for_where_hardly_anything_is_alike() -> None:
    def never() -> float:
        raise AssertionError

    assert not share_records(sketched(np.arange(100)), sketched(np.arange(100) + 500), never)


def test_the_chance_is_that_of_two_records_drawn_from_the_tables() -> None:
    with duckdb.connect() as con:
        con.execute("""CREATE TABLE a AS SELECT unnest([1, 1, 2, 3, NULL]) AS "x y" """)
        con.execute("CREATE SCHEMA s; CREATE TABLE s.b AS SELECT unnest([1.0, 2.0, 2.0, 9.0]) AS z")
        con.execute("CREATE TABLE nobody (z INTEGER)")
        assert chance_alike(con, ("a", "x y"), ("a", "x y")) == pytest.approx(0.5**2 + 2 * 0.25**2)
        assert chance_alike(con, ("a", "x y"), ("nobody", "z")) == 0
        con.execute("CREATE TABLE c AS SELECT z::INTEGER AS z FROM s.b")
        assert chance_alike(con, ("a", "x y"), ("c", "z")) == pytest.approx(0.5 * 0.25 + 0.25 * 0.5)
        assert chance_alike(con, ("s.b", "z"), ("c", "z")) == 0  # 1.0 and 1 are other texts, and other digests
