"""A tree: its paths, leaves, attributes, its text, and where it sends records."""

import math

import duckdb
import numpy as np
import pytest
from support.sample_tree import TREE, leaf

from sdcdb.engines.dialect import Binding
from sdcdb.engines.duckdb import DuckDBDialect
from sdcdb.engines.expressions import Row
from sdcdb.engines.tree_expression import leaf_expression
from sdcdb.errors import DataError
from sdcdb.trees.nodes import Condition, Node, NumberSplit
from sdcdb.trees.table import TrainingTable
from sdcdb.trees.tree import DEEPEST, Tree


def test_paths_are_the_tests_from_the_root() -> None:
    young = Condition("age", "number", high=40)
    assert TREE.paths()[1] == (young, Condition("city", "category", "B"))
    assert TREE.rules()[3] == (Condition("age", "number", low=40, high=60),)
    assert TREE.rules()[3][0].text() == "40 < age <= 60"


def test_siblings_share_the_parent_and_are_leaves() -> None:
    assert [TREE.siblings(number) for number in range(5)] == [(1, 2), (0, 2), (0, 1), (4,), (3,)]


def test_influential_innocent_and_total_innocent_attributes() -> None:
    assert TREE.influential(0) == {"age", "city"}
    assert TREE.innocent(0) == {"income", "sex"}
    assert TREE.innocent(3) == {"city", "income", "sex"}
    assert TREE.total_innocent() == {"income", "sex"}


def test_ranges_are_what_the_path_leaves_of_the_domain() -> None:
    assert TREE.ranges(3, "age", (17, 90)) == (40, 60)
    assert TREE.ranges(4, "age", (17, 90)) == (60, 90)
    assert TREE.ranges(3, "income", (0, 1)) == (0, 1)


def test_majority_and_minority_of_a_leaf() -> None:
    first = TREE.leaves()[0]
    assert (first.majority, first.minority, first.total, first.errors) == (0, (1,), 6, 1)


def test_apply_sends_missing_and_unseen_values_to_the_default_branch() -> None:
    table = TrainingTable.of(
        {"age": [30, 30, 30, 50, 70, None], "city": ["B", None, "new", "A", "A", "B"], "risk": ["low"] * 6}, "risk"
    )
    assert TREE.apply(table).tolist() == [1, 0, 0, 3, 4, 1]
    assert TREE.predict(table).tolist() == [1, 0, 0, 0, 1, 1]


def test_apply_takes_columns_in_the_trees_own_codes() -> None:
    columns = {"age": np.array([30.0, np.nan]), "city": np.array([2, -1], np.int32)}
    assert TREE.apply(columns).tolist() == [2, 0]


def test_a_table_without_a_tested_attribute_is_refused() -> None:
    with pytest.raises(DataError, match="'city'"):
        TREE.apply(TrainingTable.of({"age": [1], "risk": ["low"]}, "risk"))
    with pytest.raises(DataError, match="tests age, city"):
        TREE.apply({})
    with pytest.raises(DataError, match="is a number in the tree and a category in the table"):
        TREE.apply(TrainingTable.of({"age": ["x"], "city": ["A"], "risk": ["low"]}, "risk"))


def test_a_tree_survives_json() -> None:
    assert Tree.model_validate_json(TREE.model_dump_json()) == TREE


def test_the_deepest_tree_survives_json_and_runs_in_sql() -> None:
    node: Node = leaf(DEEPEST, 1, 0)
    for depth in reversed(range(DEEPEST)):
        node = NumberSplit(attribute="income", threshold=depth, left=leaf(depth, 0, 1), right=node, default="right")
    deep = Tree(target="risk", classes=("low", "high"), attributes=TREE.attributes, root=node)
    assert Tree.model_validate_json(deep.model_dump_json()) == deep
    sql = DuckDBDialect().render(leaf_expression(deep, Row({})), Binding("id", "", {}))
    rows = duckdb.connect().execute(f"SELECT {sql} FROM (SELECT i::DOUBLE AS income FROM range(100) r(i)) t").fetchall()
    assert [number for (number,) in rows] == [min(i, DEEPEST) for i in range(100)]


def test_the_text_says_what_is_known_of_each_leaf() -> None:
    text = TREE.text()
    assert "risk: 5 leaves, depth 2, grown from 22 records, 90.91% of them right" in text
    assert "total innocent attributes: income, sex" in text
    assert "leaf 0: age <= 40 and city = A\n  => low: 5 of 6 records (others: high 1)\n" in text
    assert "  siblings: 1, 2; influential: age, city; innocent: income, sex" in text
    assert "=> low: no records" in text


def test_a_condition_is_written_for_a_person() -> None:
    assert Condition("a", "number", low=1.5).text() == "a > 1.5"
    assert Condition("a", "category", "x", negated=True).text() == "a <> x"
    assert math.isinf(Condition("a", "number").low)
