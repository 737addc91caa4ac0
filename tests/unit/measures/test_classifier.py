"""Accuracy of a tree and of a second classifier."""

import numpy as np
import pytest

from sdcdb.errors import DataError
from sdcdb.measures.classifier import Kind, accuracies, accuracy, second_classifier
from sdcdb.trees.c45 import grow
from sdcdb.trees.table import TrainingTable


def table(seed: int, rows: int = 400, noise: float = 0.0) -> TrainingTable:
    rng = np.random.default_rng(seed)
    number, kind = rng.normal(size=rows), rng.choice(["a", "b", "c"], rows)
    label = np.where((number > 0) & (kind != "b"), "yes", "no")
    mixed = np.where(rng.random(rows) < noise, rng.permutation(label), label)
    return TrainingTable.of({"n": number.tolist(), "k": kind.tolist(), "class": mixed.tolist()}, "class")


def test_accuracy_is_the_share_of_records_that_are_right() -> None:
    training = table(1)
    tree = grow(training)
    assert accuracy(tree, training) == np.mean(tree.predict(training) == training.labels())
    assert accuracy(tree, table(2)) > 0.97


def test_classes_are_compared_by_their_names() -> None:
    tree = grow(TrainingTable.of({"n": [1, 2, 3, 4], "class": ["b", "b", "c", "c"]}, "class"))
    other = TrainingTable.of({"n": [1, 2, 3, 4], "class": ["a", "b", "c", "c"]}, "class")
    assert accuracy(tree, other) == 0.75


@pytest.mark.parametrize("kind", ["bayes", "forest"])
def test_a_second_classifier_learns_from_numbers_and_categories(kind: Kind) -> None:
    assert accuracy(second_classifier(table(1), kind), table(2)) > 0.9


@pytest.mark.parametrize("kind", ["bayes", "forest"])
def test_it_takes_missing_and_unseen_values_and_no_records(kind: Kind) -> None:
    learnt = second_classifier(table(1), kind)
    odd = TrainingTable.of({"n": [None, 3.0], "k": ["new", None], "class": ["no", "yes"]}, "class")
    assert len(learnt.predict(odd)) == 2
    assert len(learnt.predict(odd.taken(np.arange(0)))) == 0


def test_a_line_of_table_7_1_has_three_accuracies() -> None:
    found = accuracies(grow, table(1, noise=0.3), table(1), table(2))
    assert found.own < found.original
    assert found.testing is not None
    assert abs(found.testing - found.original) < 0.1


def test_a_table_without_classes_is_refused() -> None:
    empty = table(1).taken(np.arange(0))
    with pytest.raises(DataError, match="nothing to measure"):
        accuracy(grow(empty), empty)
    with pytest.raises(DataError, match="nothing to learn"):
        second_classifier(empty)
