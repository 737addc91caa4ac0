"""DETECTIVE, EX-DETECTIVE and CACTUS on data with known structure, and on the thesis's Customer Status generator."""

from pathlib import Path

import duckdb
import numpy as np
import pytest
from support.command import run, run_json

from sdcdb.connection.training_table import read_training_table
from sdcdb.datasets import create
from sdcdb.errors import DataError
from sdcdb.similarity.cactus import cactus
from sdcdb.similarity.detective import Pair, detect, record_clusters
from sdcdb.trees.c45 import grow
from sdcdb.trees.table import TrainingTable
from sdcdb.trees.tree import CategorySplit, Leaf, NumberSplit, Tree

OTHERS = ["country_of_origin", "profession", "parents_country", "favorite_city", "status"]


@pytest.fixture(scope="module")
def customers() -> duckdb.DuckDBPyConnection:
    con = duckdb.connect()
    create(con, "customer_status")
    return con


def test_similarity_is_the_product_of_counts() -> None:
    """The leaf of section 6.6.1: Ford 132, Toyota 62, Nissan 48, Holden 5."""
    leaf = Leaf(number=0, counts=(132, 5, 48, 62), majority=0)
    tree = Tree(target="car_make", classes=("Ford", "Holden", "Nissan", "Toyota"), attributes=(), root=leaf)
    (cluster,) = detect(tree).within
    assert cluster.pairs[:3] == (
        Pair("Ford", "Toyota", 8184), Pair("Ford", "Nissan", 6336), Pair("Toyota", "Nissan", 2976),
    )  # fmt: skip
    assert cluster.records == 247


def test_siblings_are_similar_across_leaves_only() -> None:
    leaves = (Leaf(number=0, counts=(4, 2), majority=0), Leaf(number=1, counts=(0, 3), majority=1))
    root = CategorySplit(attribute="a", values=("x", "y"), children=leaves, default=0)
    found = detect(Tree(target="c", classes=("p", "q"), attributes=(), root=root))
    assert [cluster.pairs for cluster in found.among] == [(Pair("p", "q", 12),)]
    assert [cluster.leaves for cluster in found.within] == [(0,)]


def test_the_tests_of_one_number_are_read_together() -> None:
    first, second, third = (Leaf(number=n, counts=(4, 2), majority=0) for n in range(3))
    inner = NumberSplit(attribute="pay", threshold=3, left=first, right=second, default="left")
    root = NumberSplit(attribute="pay", threshold=7, left=inner, right=third, default="left")
    found = detect(Tree(target="c", classes=("p", "q"), attributes=(), root=root))
    assert [cluster.rule for cluster in found.within] == [("pay <= 3",), ("3 < pay <= 7",), ("pay > 7",)]
    assert [cluster.rule for cluster in found.among] == [("pay <= 7",)]


def test_customer_status_has_the_tree_of_figure_6_9(customers: duckdb.DuckDBPyConnection) -> None:
    found = detect(grow(read_training_table(customers, "customer_status", OTHERS, "car_make")))
    assert len(found.tree.leaves()) == 4
    assert found.tree.tested() == {"status", "country_of_origin"}
    best = max((pair for cluster in found.within for pair in cluster.pairs), key=lambda pair: pair.similarity)
    assert {best.first, best.second} == {"Ford", "Toyota"}
    assert {found.among[0].pairs[0].first, found.among[0].pairs[0].second} == {"Toyota", "Nissan"}


def test_cactus_finds_the_one_cluster_of_table_6_3(customers: duckdb.DuckDBPyConnection) -> None:
    names = ("country_of_origin", "car_make", "profession", "status")
    columns = {
        name: [v for (v,) in customers.execute(f"SELECT {name} FROM customer_status").fetchall()] for name in names
    }
    assert dict(cactus(columns, 1.1).clusters[0]) == {
        "country_of_origin": ("England", "USA"), "car_make": ("Ford", "Toyota"), "profession": ("Scientist",),
        "status": ("Good",),
    }  # fmt: skip


def test_cactus_counts_strong_connections() -> None:
    """Section 6.3: a1 and a2 are similar because both go with b1."""
    columns = {"a": ["a1"] * 10 + ["a2"] * 10 + ["a3"] * 10, "b": ["b1"] * 20 + ["b2"] * 10}
    assert cactus(columns, 1.2).similar["a"] == (("a1", "a2"),)
    with pytest.raises(DataError, match="two columns"):
        cactus({"a": ["x"]})


def connected(*pairs: tuple[str, str, int]) -> dict[str, list[str | None]]:
    """Return 360 records of the example of section 6.3, with three values of a, four of b and two of c."""
    rows: list[tuple[str | None, ...]] = [(*pair[:2], "c1") for pair in pairs for _ in range(pair[2])]
    rows += [("a2", "b2", "c2")] * (360 - len(rows)) + [(None, "b3", None), (None, "b4", None)]
    return {name: [row[n] for row in rows] for n, name in enumerate("abc")}


@pytest.mark.parametrize(("records", "similar"), [(36, True), (35, False)])
def test_36_records_are_a_strong_connection_in_the_example_of_cactus(records: int, *, similar: bool) -> None:
    """Section 6.3: 360 / (3 x 4) = 30 are expected, and with a factor of 1.2 "at least" 36 are needed."""
    columns = connected(("a1", "b1", 100), ("a2", "b1", 31), ("a3", "b1", records))
    del columns["c"]
    assert (("a1", "a3") in cactus(columns, 1.2).similar["a"]) is similar


def test_similarity_with_respect_to_one_other_column_is_enough() -> None:
    columns = connected(("a1", "b1", 100), ("a3", "b1", 40))
    columns["d"] = [None if a is None else {"a1": "d1", "a3": "d2", "a2": "d3"}[a] for a in columns["a"]]
    found = cactus(columns, 1.2)
    assert ("a1", "a3") in found.similar["a"]
    assert "d" not in found.respects["a"]["a1", "a3"]


def test_a_cluster_of_cactus_needs_support() -> None:
    columns = connected(("a1", "b1", 100), ("a3", "b1", 40))
    every = cactus(columns, 1.2)
    assert every.supports == (220, 100)
    assert cactus(columns, 1.2, support=100).supports == (220,)
    assert dict(cactus(columns, 1.2, support=100).clusters[0]) == {"a": ("a2",), "b": ("b2",), "c": ("c2",)}


def test_records_cluster_by_the_leaves_of_several_trees() -> None:
    columns = {"a": ["p", "p", "p", "p", "q", "q", "q", "q"], "b": ["x", "x", "x", "x", "y", "y", "y", "y"]}
    table = TrainingTable.of({**columns, "n": [1, 1, 9, 9, 1, 1, 9, 9]}, "a")
    assert record_clusters(table, {"a": 1, "b": 1}).sizes == (4, 4)
    found = record_clusters(table, {"a": 1, "b": 1}, ["n"], clusters=2)
    assert found.sizes == (2, 2, 2, 2)
    assert len({tuple(np.flatnonzero(found.labels == n)) for n in range(4)}) == 4
    assert record_clusters(table, {"a": 0}).sizes == (8,)
    with pytest.raises(DataError, match="weight"):
        record_clusters(table, {"a": 2})


def test_the_command_reports_clusters(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "c.duckdb")) as con:
        create(con, "customer_status")
    command = ("detective", "c.duckdb", "customer_status", "-a", "car_make")
    text = run(*command, cwd=tmp_path).stdout
    assert "Within leaf" in text
    assert "Among sibling leaves" in text
    data = run_json(*command, cwd=tmp_path)
    assert data["attribute"] == "car_make"
    assert data["within_leaves"][0]["pairs"][0]["similarity"] > 0
