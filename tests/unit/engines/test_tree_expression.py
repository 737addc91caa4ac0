"""The leaf of a record in SQL is the leaf of the record in Python."""

from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcdb.connection.training_table import read_training_table
from sdcdb.engines.dialect import Binding
from sdcdb.engines.duckdb import DuckDBDialect
from sdcdb.engines.expressions import Row
from sdcdb.engines.spark import SparkDialect
from sdcdb.engines.tree_expression import leaf_expression
from sdcdb.trees.c45 import grow
from sdcdb.trees.tree import Tree

NAMES = ['odd "name', "it's", "Größe", "n.1", "class of it"]
TEXTS = ["a", "b'c", "", "NULL", 'd"e', "ü"]


def sql_leaves(con: duckdb.DuckDBPyConnection, tree: Tree, table: str) -> list[int]:
    sql = DuckDBDialect().render(leaf_expression(tree, Row({})), Binding("id", "", {}))
    return [leaf for (leaf,) in con.execute(f"SELECT {sql} FROM {table} AS t ORDER BY id").fetchall()]


def random_table(seed: int, rows: int, *, unseen: bool) -> tuple[duckdb.DuckDBPyConnection, list[str]]:
    rng = np.random.default_rng(seed)
    con = duckdb.connect()
    quoted = ['"' + name.replace('"', '""') + '"' for name in NAMES]
    con.execute(
        f"CREATE TABLE d (id INTEGER, {quoted[0]} VARCHAR, {quoted[1]} DOUBLE, {quoted[2]} INTEGER, "
        f"{quoted[3]} DECIMAL(9,2), {quoted[4]} VARCHAR)"
    )
    texts = [*TEXTS, "new"] if unseen else TEXTS
    made = []
    for n in range(rows):
        values: list[Any] = [
            texts[rng.integers(len(texts))],
            float(rng.choice([rng.normal(), 0.1, np.nan, np.inf, -np.inf])),
            int(rng.integers(-5, 6)),
            round(float(rng.normal()), 2),
        ]
        score = (values[0] in "ab'c") + (values[2] > 0) + (values[3] > 0.3) + rng.normal() / 2
        values = [None if rng.random() < 0.1 else value for value in values]
        made.append([n, *values, "xyz"[int(np.clip(score, 0, 2))]])
    lists = [list(column) for column in zip(*made, strict=True)] or [[] for _ in range(6)]
    con.execute("INSERT INTO d SELECT " + ", ".join(["unnest(?)"] * 6), lists)
    return con, NAMES[:4]


@given(st.integers(0, 10**6), st.integers(0, 120), st.booleans(), st.sampled_from([1, 2, 10]))
@settings(deadline=None, max_examples=25)
def test_sql_and_python_agree_on_every_record(seed: int, rows: int, pruned: bool, least: int) -> None:  # noqa: FBT001
    con, names = random_table(seed, rows, unseen=False)
    table = read_training_table(con, "d", names, NAMES[4])
    tree = grow(table, min_cases=least, prune=pruned)
    assert sql_leaves(con, tree, "d") == tree.apply(table).tolist()


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=10)
def test_values_that_growing_has_not_seen_agree_too(seed: int) -> None:
    known, names = random_table(seed, 80, unseen=False)
    other, _ = random_table(seed + 1, 80, unseen=True)
    tree = grow(read_training_table(known, "d", names, NAMES[4]), prune=False)
    assert sql_leaves(other, tree, "d") == tree.apply(read_training_table(other, "d", names, NAMES[4])).tolist()


def test_the_expression_renders_for_spark() -> None:
    con, names = random_table(1, 80, unseen=False)
    tree = grow(read_training_table(con, "d", names, NAMES[4]), prune=False)
    sql = SparkDialect().render(leaf_expression(tree, Row({})), Binding("id", "", {}))
    assert "CASE" in sql
    assert "SDC_" not in sql


@pytest.mark.parametrize("value", [2**53 + 1, -(2**53) - 1, 2**60, 0])
def test_whole_numbers_that_no_double_holds_take_the_same_leaf(value: int) -> None:
    con = duckdb.connect()
    con.execute("CREATE TABLE d AS SELECT i AS id, (i - 50) * 90071992547409920 + ? AS big, "
                "CASE WHEN i % 50 < 25 THEN 'a' ELSE 'b' END AS c FROM range(100) r(i)", [value])  # fmt: skip
    table = read_training_table(con, "d", ["big"], "c")
    tree = grow(table, min_cases=1, prune=False)
    assert len(tree.leaves()) > 1
    assert sql_leaves(con, tree, "d") == tree.apply(table).tolist()
