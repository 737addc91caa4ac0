"""VICUS by policy: a partition rests on the table and on its own parameters, and by default keeps associations."""

from typing import Any

import duckdb
import numpy as np
import pytest
from support import protecting
from support.protecting import fixed_secret

from sdcdb.engines.expressions import Row
from sdcdb.techniques.technique import Engine, Source
from sdcdb.techniques.vicus import FittedPartitioned, Vicus, similarities
from sdcdb.views.fit import scope_of

_secret = fixed_secret("a secret for these tests, long enough")

PEOPLE = """
    SELECT i AS id, ['red', 'green', 'blue', 'grey', 'pink', 'black'][1 + i * i % 11 % 6] AS colour,
        ['round', 'flat', 'conical', 'bell', 'sunken'][1 + (i * i % 11 + i // 50) % 5] AS shape,
        i * i % 7 % 3 AS size, 'partial' AS veil, i % 2 = 0 AS bruised, 'v' || hash(i) % 90 AS village
    FROM range(1, 1201) t(i)
"""
COLUMNS = ("colour", "shape", "size", "veil", "bruised", "village")
VICUS = {"method": "vicus", "k1": 5, "k2": 20, "subsets": 3}
OTHER = {"method": "vicus", "k1": 2, "k2": 20, "subsets": 2, "min_size": 2}


def subsets_of(columns: dict[str, Any], method: str = "vicus") -> dict[str, tuple[tuple[str, ...], ...]]:
    roles = {"id": "identifier", **dict.fromkeys(COLUMNS, "quasi")}
    asked = {name: {**params, "method": method} for name, params in columns.items()}
    _, made = protecting.protected(PEOPLE, roles, {"columns": asked})
    return {each.columns[0]: each.subsets for each in made.plan.fitted if isinstance(each, FittedPartitioned)}


@pytest.mark.parametrize("method", ["vicus", "random"])
def test_a_partition_is_the_same_whatever_other_columns_are_perturbed(method: str) -> None:
    alone = {name: subsets_of({name: VICUS}, method)[name] for name in COLUMNS}
    assert subsets_of(dict.fromkeys(COLUMNS, VICUS), method) == alone
    mixed = {name: VICUS if name in {"colour", "village"} else OTHER for name in COLUMNS}
    found = subsets_of(mixed, method)
    assert {name: found[name] for name in ("colour", "village")} == {n: alone[n] for n in ("colour", "village")}


def test_similarity_is_the_same_beside_a_constant_column_and_one_of_many_values() -> None:
    con = duckdb.connect()
    con.execute(f"CREATE TABLE x AS {PEOPLE}")
    distinct = {"colour": 6, "shape": 5, "size": 3, "veil": 1, "bruised": 2, "village": 90}
    source = Source("x", "y", "id", "", Row({}), COLUMNS, distinct)
    alone = similarities(Engine(con), source, ["colour"], 0.6, 0.6, "multi")["colour"].total
    for others in (["veil"], ["village"], ["veil", "village", "bruised"]):
        beside = similarities(Engine(con), source, ["colour", *others], 0.6, 0.6, "multi")["colour"].total
        assert np.array_equal(alone.to_numpy(), beside.to_numpy()), others


def test_by_default_there_are_four_subsets_two_fewer_than_values_and_pairs_where_they_suffice() -> None:
    plain = {"method": "vicus", "k1": 5, "k2": 20}
    found = subsets_of(dict.fromkeys(("colour", "shape", "size", "bruised", "veil"), plain))
    assert {name: len(subsets) for name, subsets in found.items()} == {
        "colour": 3, "shape": 3, "size": 1, "bruised": 1, "veil": 1,
    }  # fmt: skip
    words = ", ".join(f"'{n} ' || hash(i, {n}) % {n} AS w{n}" for n in range(1, 13))
    _, made = protecting.protected(
        f"SELECT i AS id, {words} FROM range(2000) r(i)",
        {"id": "identifier"} | dict.fromkeys([f"w{n}" for n in range(1, 13)], "quasi"),
        {"columns": dict.fromkeys([f"w{n}" for n in range(1, 13)], plain)},
    )
    for each in made.plan.fitted:
        assert isinstance(each, FittedPartitioned)
        size, sizes = len(each.shape.values), [len(subset) for subset in each.subsets]
        assert len(sizes) == max(1, min(4, size - 2)), each.columns
        if size >= 2 * len(sizes):
            assert min(sizes) >= 2, each.columns
        else:
            assert size in (1, 5, 6, 7), each.columns  # no other has a value by itself
        assert size == 1 or size > 4 or max(row[n] for n, row in enumerate(each.matrix)) < 0.84, each.columns


def test_four_subsets_of_any_size_are_as_they_were() -> None:
    """The defaults of an earlier version, by name: the same subsets, and the same place for draws."""
    plain = {"method": "vicus", "k1": 5, "k2": 20, "min_size": 1}
    found = subsets_of(dict.fromkeys(("colour", "shape", "size", "bruised", "veil"), plain))
    assert {name: len(subsets) for name, subsets in found.items()} == {
        "colour": 4, "shape": 4, "size": 3, "bruised": 1, "veil": 1,
    }  # fmt: skip
    assert scope_of(Vicus.model_validate(plain)) == "vicus 606e500c"
