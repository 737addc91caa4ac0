"""CART of scikit-learn in the form of our trees."""

import numpy as np
import pytest

from sdcdb.errors import DataError
from sdcdb.trees.cart import grow_cart
from sdcdb.trees.table import TrainingTable
from sdcdb.trees.tree import Tree


def mixed(rows: int = 300, *, missing: bool = False) -> TrainingTable:
    rng = np.random.default_rng(3)
    number, kind = rng.normal(size=rows).round(2), rng.choice(["a", "b", "c"], rows)
    label = np.where((number > 0.3) ^ (kind == "b") ^ (rng.random(rows) < 0.1), "yes", "no")
    numbers = [None if missing and rng.random() < 0.1 else float(value) for value in number]
    kinds = [None if missing and rng.random() < 0.1 else str(value) for value in kind]
    return TrainingTable.of({"number": numbers, "kind": kinds, "class": label.tolist()}, "class")


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("least", [1, 5])
def test_it_predicts_what_scikit_learn_predicts(least: int, missing: bool) -> None:  # noqa: FBT001
    from sklearn.tree import DecisionTreeClassifier

    table = mixed(missing=missing)
    columns = np.column_stack([table.columns[0], *(table.columns[1] == code for code in range(3))])
    theirs = DecisionTreeClassifier(min_samples_leaf=least, random_state=0).fit(columns, table.labels())
    ours = grow_cart(table, min_cases=least)
    assert ours.predict(table).tolist() == theirs.predict(columns).tolist()
    assert len(ours.leaves()) == theirs.get_n_leaves()


def test_a_category_is_one_value_against_all_others() -> None:
    tree = grow_cart(mixed(), min_cases=20)
    texts = {condition.text() for path in tree.paths() for condition in path}
    assert {"kind = b", "kind <> b"} <= texts
    assert Tree.model_validate_json(tree.model_dump_json()) == tree


def test_leaves_count_the_records_and_predict_their_majority() -> None:
    table = mixed()
    tree = grow_cart(table, min_cases=10)
    for leaf, code in zip(tree.leaves(), range(len(tree.leaves())), strict=True):
        own = np.bincount(table.labels()[tree.apply(table) == code], minlength=2)
        assert leaf.counts == tuple(own.tolist())
        assert leaf.majority == own.argmax()


def test_an_empty_table_gives_one_leaf() -> None:
    assert len(grow_cart(mixed().taken(np.arange(0))).leaves()) == 1


def test_options_out_of_range_are_refused() -> None:
    with pytest.raises(DataError, match="min_cases is 0"):
        grow_cart(mixed(), min_cases=0)
