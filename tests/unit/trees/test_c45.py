"""The learner: worked examples of Quinlan's book, the definition by brute force, and what must hold for any table."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from sdcdb.errors import DataError
from sdcdb.trees.c45 import grow
from sdcdb.trees.draft import frozen
from sdcdb.trees.fields import Fields
from sdcdb.trees.gain import category_gain, number_gain, xlogx_table
from sdcdb.trees.growth import Grower
from sdcdb.trees.nodes import Leaf, NumberSplit, Split
from sdcdb.trees.pruning import added_errors
from sdcdb.trees.table import TrainingTable
from sdcdb.trees.tree import Tree

OUTLOOK = [{"s": "sunny", "o": "overcast", "r": "rain"}[letter] for letter in "ssorrrossrsoor"]
TEMPERATURE = [85, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71]
HUMIDITY = [85, 90, 78, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 80]
WINDY = ["true" if letter == "t" else "false" for letter in "ftfffttfffttft"]
PLAY = ["no", "no", "yes", "yes", "yes", "no", "yes", "no", "yes", "yes", "yes", "yes", "yes", "no"]
WEATHER = TrainingTable.of(
    {"outlook": OUTLOOK, "temperature": TEMPERATURE, "humidity": HUMIDITY, "windy": WINDY, "play": PLAY}, "play"
)


def info(counts: Sequence[float]) -> float:
    total = sum(counts)
    return -sum(c / total * math.log2(c / total) for c in counts if c > 0) if total else 0.0


def bags(values: Sequence[object], labels: Sequence[int], classes: int) -> dict[object, list[int]]:
    found: dict[object, list[int]] = {}
    for value, label in zip(values, labels, strict=True):
        found.setdefault(value, [0] * classes)[label] += 1
    return found


def by_definition(values: Sequence[object], labels: Sequence[int], classes: int) -> tuple[float, float]:
    """Return gain and gain ratio; None is a missing value."""
    known = [(v, label) for v, label in zip(values, labels, strict=True) if v is not None]
    parts = bags([v for v, _ in known], [label for _, label in known], classes)
    before = info([sum(column) for column in zip(*parts.values(), strict=True)])
    after = sum(sum(part) / len(known) * info(part) for part in parts.values())
    gain = len(known) / len(values) * (before - after)
    split = info([*(sum(part) for part in parts.values()), len(values) - len(known)])
    return gain, gain / split if split else 0.0


def measured(codes: Sequence[int], labels: Sequence[int], classes: int, least: float = 2.0) -> tuple[float, float]:
    space = np.zeros(20 * classes), np.zeros(20), np.zeros(classes)
    found: tuple[float, float] = category_gain(
        np.ones(len(codes)), np.array(labels, np.int32), np.array(codes, np.int32), space, xlogx_table(200), least
    )
    assert not any(part.any() for part in space)  # left clean for the next node
    return found


# Worked examples


def test_the_weather_data_give_the_tree_of_the_book() -> None:
    rules = {
        " and ".join(test.text() for test in rule): WEATHER.classes[leaf.majority]
        for leaf, rule in zip(grow(WEATHER).leaves(), grow(WEATHER).rules(), strict=True)
    }
    assert rules == {
        "outlook = overcast": "yes",
        "outlook = rain and windy = false": "yes",
        "outlook = rain and windy = true": "no",
        "outlook = sunny and humidity <= 75": "yes",
        "outlook = sunny and humidity > 75": "no",
    }


def test_gain_and_ratio_of_outlook_are_those_of_the_book() -> None:
    gain, ratio = measured(WEATHER.columns[0].tolist(), WEATHER.labels().tolist(), 2)
    assert (round(gain, 3), round(ratio, 3)) == (0.247, 0.156)


def test_a_missing_value_of_outlook_lowers_gain_and_ratio_as_in_the_book() -> None:
    codes = WEATHER.columns[0].tolist()
    codes[11] = -1  # overcast, 72, 90, windy
    gain, ratio = measured(codes, WEATHER.labels().tolist(), 2)
    assert (round(gain, 3), round(ratio, 3)) == (0.199, 0.110)


def test_a_case_with_a_missing_value_is_shared_among_the_branches() -> None:
    columns = [column.copy() for column in WEATHER.columns]
    columns[0][11] = -1
    tree = grow(TrainingTable(WEATHER.attributes, tuple(columns), "play"), prune=False)
    counts = {rule[-1].text(): leaf.counts for leaf, rule in zip(tree.leaves(), tree.rules(), strict=True)}
    assert counts["outlook = overcast"] == pytest.approx((0, 3 + 3 / 13))
    assert counts["humidity > 75"] == pytest.approx((3, 5 / 13))  # 3 no and 0.4 yes in the book
    assert counts["windy = true"] == pytest.approx((2, 5 / 13))


def test_iris_gives_the_tree_that_c45_is_known_for() -> None:
    iris = load_iris()
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    columns = {name: iris.data[:, n].tolist() for n, name in enumerate(names)}
    tree = grow(TrainingTable.of({**columns, "class": [str(iris.target_names[t]) for t in iris.target]}, "class"))
    rules = [" and ".join(test.text() for test in path) for path in tree.paths()]
    assert rules == [
        "petal width <= 0.6",
        "petal width > 0.6 and petal width <= 1.7 and petal length <= 4.9",
        "petal width > 0.6 and petal width <= 1.7 and petal length > 4.9 and petal width <= 1.5",
        "petal width > 0.6 and petal width <= 1.7 and petal length > 4.9 and petal width > 1.5",
        "petal width > 0.6 and petal width > 1.7",
    ]
    assert [leaf.counts for leaf in tree.leaves()] == [(50, 0, 0), (0, 47, 1), (0, 0, 3), (0, 2, 1), (0, 1, 45)]


@pytest.mark.parametrize(("total", "wrong", "rate"), [(6, 0, 0.206), (9, 0, 0.143), (1, 0, 0.750)])
def test_the_upper_limit_of_errors_is_that_of_the_book(total: float, wrong: float, rate: float) -> None:
    assert round((wrong + added_errors(total, wrong, 0.25)) / total, 3) == rate


def test_the_upper_limit_is_near_the_binomial_one_and_grows_with_confidence() -> None:
    assert (1 + added_errors(16, 1, 0.25)) / 16 == pytest.approx(0.157, abs=0.005)  # U25%(1, 16) of the book
    assert (168 + added_errors(1000, 168, 0.25)) / 1000 == pytest.approx(0.177, abs=0.002)
    limits = [added_errors(20, 3, confidence) for confidence in (0.05, 0.25, 0.5)]
    assert limits == sorted(limits, reverse=True)
    assert added_errors(10, 10, 0.25) == 0
    assert added_errors(0, 0, 0.25) == 0


# The definition by brute force


@given(st.data(), st.integers(2, 4), st.integers(4, 60))
@settings(deadline=None, max_examples=60)
def test_gain_and_ratio_of_a_category_are_the_definitions(data: st.DataObject, classes: int, rows: int) -> None:
    codes = data.draw(st.lists(st.integers(-1, 5), min_size=rows, max_size=rows))
    labels = data.draw(st.lists(st.integers(0, classes - 1), min_size=rows, max_size=rows))
    found = measured(codes, labels, classes)
    large = sum(codes.count(code) >= 2 for code in range(6))
    expected = by_definition([None if c < 0 else c for c in codes], labels, classes) if large >= 2 else (-1, 0)
    assert found == pytest.approx(expected, abs=1e-9)


@given(st.data(), st.integers(2, 4), st.integers(4, 60))
@settings(deadline=None, max_examples=60)
def test_the_threshold_of_a_number_is_the_best_of_all(data: st.DataObject, classes: int, rows: int) -> None:
    ranks = data.draw(st.lists(st.integers(-1, 8), min_size=rows, max_size=rows))
    labels = data.draw(st.lists(st.integers(0, classes - 1), min_size=rows, max_size=rows))
    known = [rank for rank in ranks if rank >= 0]
    order = np.array([i for i in np.argsort(ranks, kind="stable") if ranks[i] >= 0], np.int32)
    least = max(2.0, min(0.1 * len(known) / classes, 25.0))
    gains = {}
    for below in sorted(set(known))[:-1]:
        left = sum(rank <= below for rank in known)
        if min(left, len(known) - left) >= least:
            sides = [None if rank < 0 else rank <= below for rank in ranks]
            gains[below] = by_definition(sides, labels, classes)[0]
    gain, ratio, below, above = number_gain(
        np.ones(rows), np.array(labels, np.int32), np.array(ranks, np.int32), order, classes, xlogx_table(rows), 2.0
    )
    corrected = max(gains.values(), default=-1.0) - (math.log2(len(gains)) / rows if gains else 0)
    if corrected <= 1e-9:
        assert gain < 1e-8
        return
    assert gain == pytest.approx(corrected)
    assert gains[below] == pytest.approx(max(gains.values()))
    assert above == min(rank for rank in known if rank > below)
    sides = [None if rank < 0 else rank <= below for rank in ranks]
    whole, share = by_definition(sides, labels, classes)
    assert ratio == pytest.approx(gain * share / whole)


# What must hold for any table


def random_table(seed: int, rows: int = 200, missing: float = 0.1) -> TrainingTable:
    rng = np.random.default_rng(seed)
    x, n, k = rng.normal(size=rows).round(1), rng.integers(0, 9, rows), rng.choice(list("abcd"), rows)
    label = np.where((x > 0) ^ (k == "b") ^ (rng.random(rows) < 0.2), "p", np.where(n > 6, "q", "r"))
    blank = rng.random((rows, 3)) < missing
    columns = {
        name: [None if blank[i, at] else value for i, value in enumerate(column.tolist())]
        for at, (name, column) in enumerate({"x": x, "n": n, "k": k}.items())
    }
    return TrainingTable.of({**columns, "class": label.tolist()}, "class")


def splits(tree: Tree) -> list[Split]:
    found, waiting = [], [tree.root]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Leaf):
            found.append(node)
            waiting += node.branches()
    return found


def weight(node: Split | Leaf) -> float:
    return node.total if isinstance(node, Leaf) else sum(map(weight, node.branches()))


@given(st.integers(0, 10**6), st.sampled_from([1, 2, 10, 40]), st.booleans())
@settings(deadline=None, max_examples=30)
def test_every_split_has_two_branches_with_the_minimum(seed: int, least: int, missing: bool) -> None:  # noqa: FBT001
    tree = grow(random_table(seed, missing=0.1 if missing else 0.0), min_cases=least, prune=False)
    for split in splits(tree):
        assert sum(weight(branch) >= least - 0.1 for branch in split.branches()) >= 2


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=20)
def test_leaves_hold_every_record_once_pruned_or_not(seed: int) -> None:
    table = random_table(seed)
    for prune in (False, True):
        tree = grow(table, prune=prune)
        assert sum(leaf.total for leaf in tree.leaves()) == pytest.approx(table.rows)
        assert [leaf.number for leaf in tree.leaves()] == list(range(len(tree.leaves())))


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=20)
def test_without_missing_values_a_leaf_counts_the_records_that_come_to_it(seed: int) -> None:
    table = random_table(seed, missing=0.0)
    tree = grow(table)
    for leaf in tree.leaves():
        own = np.bincount(table.labels()[tree.apply(table) == leaf.number], minlength=3)
        assert leaf.counts == pytest.approx(own)


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=15)
def test_less_confidence_prunes_more(seed: int) -> None:
    table = random_table(seed)
    sizes = [len(grow(table, confidence=confidence).leaves()) for confidence in (0.5, 0.25, 0.01)]
    assert sizes[0] >= sizes[2]
    assert len(grow(table, prune=False).leaves()) >= sizes[0]


def test_numbers_alone_are_learnt_as_well_as_by_scikit_learn() -> None:
    from sklearn.datasets import load_breast_cancer
    from sklearn.tree import DecisionTreeClassifier

    data = load_breast_cancer()
    columns = {f"c{n}": data.data[:, n].tolist() for n in range(30)}
    table = TrainingTable.of({**columns, "class": [str(t) for t in data.target]}, "class")
    train, test = np.flatnonzero(np.arange(569) % 3 != 0), np.flatnonzero(np.arange(569) % 3 == 0)
    own = np.mean(grow(table.taken(train)).predict(table.taken(test)) == table.labels()[test])
    theirs = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)
    other = theirs.fit(data.data[train], data.target[train]).score(data.data[test], data.target[test])
    assert own > other - 0.02


def test_a_threshold_is_a_number_of_the_table() -> None:
    table = random_table(5)
    known = set(np.asarray(table.columns[0])[~np.isnan(table.columns[0])].tolist())
    cuts = [s.threshold for s in splits(grow(table, prune=False)) if isinstance(s, NumberSplit) and s.attribute == "x"]
    assert cuts
    assert set(cuts) <= known


def test_max_depth_is_kept() -> None:
    assert grow(random_table(1), prune=False, max_depth=2).depth() == 2
    assert grow(random_table(1), max_depth=0).depth() == 0


def test_progress_ends_with_all_records() -> None:
    told: list[tuple[int, int]] = []
    grow(random_table(1, missing=0), progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (200, 200)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


# Odd tables


def test_no_records_give_one_leaf_that_predicts_nothing_in_particular() -> None:
    tree = grow(random_table(1).taken(np.arange(0)))
    assert [leaf.total for leaf in tree.leaves()] == [0]
    assert len(tree.predict(random_table(1))) == 200


def test_a_table_without_any_class_value_can_be_grown_from_and_applied() -> None:
    table = TrainingTable.of({"x": [1.0, 2.0], "class": [None, None]}, "class")
    tree = grow(table)
    assert tree.apply(table).tolist() == [0, 0]
    assert "no record had a class" in tree.text()


@pytest.mark.parametrize(
    "columns",
    [
        {"x": [1.0], "k": ["a"], "class": ["p"]},
        {"x": [1.0, 2.0, 3.0, 4.0] * 3, "k": ["a", "b"] * 6, "class": ["p"] * 12},
        {"x": [1.0] * 12, "k": ["a"] * 12, "class": ["p", "q"] * 6},
        {"x": [None] * 12, "k": [None] * 12, "class": ["p", "q", "q"] * 4},
        {"class": ["p", "q", "q"] * 4},
    ],
    ids=["one record", "one class", "constant columns", "all missing", "no attributes"],
)
def test_nothing_to_split_on_gives_one_leaf(columns: dict[str, list[object]]) -> None:
    tree = grow(TrainingTable.of(columns, "class"))
    assert len(tree.leaves()) == 1
    assert tree.leaves()[0].total == len(columns["class"])


def test_records_without_a_class_are_left_out() -> None:
    table = TrainingTable.of({"x": [1.0, 2.0, 3.0, 4.0, 5.0], "class": ["p", "p", "q", "q", None]}, "class")
    assert sum(leaf.total for leaf in grow(table).leaves()) == 4


@pytest.mark.parametrize(
    ("options", "word"),
    [({"min_cases": 0}, "min_cases"), ({"confidence": 0.0}, "confidence"), ({"max_depth": -1}, "max_depth")],
)
def test_options_out_of_range_are_refused(options: dict[str, float], word: str) -> None:
    with pytest.raises(DataError, match=word):
        grow(WEATHER, **options)  # type: ignore[arg-type]  # wrong on purpose


def test_very_light_shares_take_the_largest_branch_and_lose_nothing() -> None:
    rng = np.random.default_rng(7)
    columns = {f"k{n}": [None if rng.random() < 0.5 else str(v) for v in rng.integers(0, 6, 400)] for n in range(6)}
    table = TrainingTable.of({**columns, "class": [str(v) for v in rng.integers(0, 2, 400)]}, "class")
    fields = Fields.of(table)
    grown = frozen(Grower(fields, 2, None, None).grow(np.arange(400, dtype=np.int32)), table)
    assert len(grown.leaves()) > 50
    assert sum(leaf.total for leaf in grown.leaves()) == pytest.approx(400)
