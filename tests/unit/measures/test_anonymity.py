"""k-anonymity, l-diversity and t-closeness: by hand, by the papers' numbers, and against other programmes."""

import doctest
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance
from support.release_tables import LI_CLASS, LI_SALARY, RECORDS

from sdcdb.errors import DataError
from sdcdb.measures import anonymity, loss
from sdcdb.measures import unique_records as uniqueness
from sdcdb.measures.anonymity import k_anonymity, l_diversity, t_closeness
from sdcdb.measures.loss import ean_loss, record_loss, sensitive_loss
from sdcdb.measures.unique_records import equivalence_classes, population_uniqueness

# A 3-diverse release: four records of one class, three of another.
AGE = ["<40"] * 4 + [">=40"] * 3

ILLNESS = ["flu", "flu", "ulcer", "asthma", "flu", "ulcer", "asthma"]


def test_k_anonymity_is_the_smallest_class() -> None:
    assert asdict(k_anonymity([AGE])) == {"records": 7, "classes": 2, "k": 3, "unique_records": 0}


def test_l_diversity_of_the_three_diverse_table() -> None:
    result = l_diversity([AGE], ILLNESS)
    assert (result.records, result.classes, result.l_distinct) == (7, 2, 3)
    assert result.l_entropy == pytest.approx(2**1.5)  # 1/2, 1/4, 1/4 has 1.5 bits; the other class log2(3)
    assert result.largest_share == pytest.approx(2 / 4)


def test_t_closeness_with_equal_distances_by_hand() -> None:
    # table 3/7, 2/7, 2/7; first class 1/2, 1/4, 1/4: 1/14; second class thirds: 2/21
    result = t_closeness([AGE], ILLNESS, ordered=False)
    assert result.t == pytest.approx(2 / 21)
    assert result.mean_t == pytest.approx((4 / 14 + 3 * 2 / 21) / 7)


def test_t_closeness_with_ordered_distances_by_hand() -> None:
    # asthma < flu < ulcer: F = 2/7, 5/7, 1; first class 1/4, 3/4, 1: (1/28 + 1/28) / 2; second class (1/21 + 1/21) / 2
    result = t_closeness([AGE], ILLNESS)
    assert result.t == pytest.approx(1 / 21)
    assert result.mean_t == pytest.approx((4 / 28 + 3 / 21) / 7)


def test_t_closeness_has_the_distances_of_li_et_al() -> None:
    result = t_closeness([LI_CLASS], LI_SALARY)
    assert result.t == pytest.approx(0.375)  # {3K, 4K, 5K}, as in the paper
    # {6K, 8K, 11K} is at 0.167 in the paper: 12/72; {7K, 9K, 10K} by hand: (1+2+3+4+2+3+1+1+0)/9/8 = 17/72
    assert result.mean_t == pytest.approx((27 / 72 + 12 / 72 + 17 / 72) / 3)


@pytest.mark.parametrize("module", [anonymity, loss, uniqueness])
def test_examples_in_the_manual_are_true(module: Any) -> None:
    results = doctest.testmod(module)
    assert results.attempted > 0
    assert results.failed == 0


def test_missing_quasi_identifiers_are_one_value_of_their_own() -> None:
    assert equivalence_classes([[None, "a", None, float("nan")]]).tolist() == [0, 1, 0, 0]
    assert equivalence_classes([np.array([np.nan, 1.0, np.nan])]).tolist() == [0, 1, 0]
    assert equivalence_classes([np.ma.masked_array([1, 1, 7], mask=[True, False, True])]).tolist() == [0, 1, 0]
    assert equivalence_classes([np.array(["NaT", "2026-01-01", "NaT"], dtype="M8[D]")]).tolist() == [0, 1, 0]
    assert equivalence_classes([pd.array([None, 1, None], dtype="Int64")]).tolist() == [0, 1, 0]


def test_missing_confidential_values_are_left_out() -> None:
    quasi, confidential = [[*AGE, "<40", "none"]], [*ILLNESS, None, None]
    assert l_diversity(quasi, confidential) == l_diversity([AGE], ILLNESS)
    assert t_closeness(quasi, confidential) == t_closeness([AGE], ILLNESS)
    assert k_anonymity(quasi).records == 9


def test_a_masked_confidential_value_does_not_count_as_distinct() -> None:
    salaries = np.ma.masked_array([10, 99, 20], mask=[False, True, False])
    assert t_closeness([[1, 1, 2]], salaries) == t_closeness([[1, 2]], [10, 20])


def test_categories_keep_their_order() -> None:
    levels = pd.Categorical(["low", "high", "high", "middle"], categories=["low", "middle", "high"], ordered=True)
    assert t_closeness([[1, 1, 2, 2]], levels) == t_closeness([[1, 1, 2, 2]], [0, 2, 2, 1])


def test_an_empty_table_has_no_k() -> None:
    assert asdict(k_anonymity([[]])) == {"records": 0, "classes": 0, "k": None, "unique_records": 0}
    assert list(asdict(l_diversity([[]], [])).values()) == [0, 0, None, None, None]
    assert list(asdict(t_closeness([[]], [])).values()) == [0, 0, None, None]
    assert list(asdict(population_uniqueness([[]], [["a"]])).values()) == [0, 0, 0, None]
    assert list(asdict(ean_loss([], quasi=2)).values()) == [0, None, None, None, None]


@pytest.mark.parametrize("ordered", [True, False])
def test_one_value_is_at_distance_zero(ordered: bool) -> None:  # noqa: FBT001 (pytest passes it)
    assert t_closeness([[1, 1, 2]], ["x", "x", "x"], ordered=ordered).t == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: k_anonymity([]), "at least one array"),
        (lambda: k_anonymity([[1, 2], [1]]), r"different lengths \[2, 1\]"),
        (lambda: k_anonymity(["sex", "age"]), "one array per column"),
        (lambda: k_anonymity([1, 2]), "one array per column"),
        (lambda: k_anonymity([np.zeros((2, 2))]), "2 dimensions"),
        (lambda: k_anonymity([[{}, {}]]), "use numbers or text"),
        (lambda: l_diversity([[1, 2]], [1]), "same records in both"),
        (lambda: t_closeness([[1, 2]], [1, "a"]), "ordered=False"),
        (lambda: uniqueness.uniqueness([[1]], fraction=0), "above 0 and at most 1"),
        (lambda: uniqueness.uniqueness([[1]], fraction=1.1), "above 0 and at most 1"),
        (lambda: uniqueness.uniqueness([[1]], fraction=float("nan")), "above 0 and at most 1"),
        (lambda: population_uniqueness([[1]], [[1], [2]]), "in the same order"),
        (lambda: population_uniqueness([[1, 2], [1]], [[1], [1, 2]]), "different lengths"),
        (lambda: population_uniqueness([], []), "at least one array"),
        (lambda: population_uniqueness([np.array([1])], [np.array(["2026-01-01"], dtype="M8[D]")]), "other types"),
        (lambda: sensitive_loss([2, 0]), "at least 1"),
        (lambda: sensitive_loss(np.nan), "at least 1"),
        (lambda: sensitive_loss("three"), "not a number"),
        (lambda: record_loss(2, [0.5, 1.5]), "loss 2 of quasi_losses is not a share"),
        (lambda: record_loss([2, 2], [[0.1, 0.1, 0.1]]), "one number or one per record"),
        (lambda: ean_loss([3, 0], quasi=1), "at least 1"),
    ],
)
def test_bad_input_says_what_to_do(call: Callable[[], object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        call()


COMPLETE = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 8)), min_size=1, max_size=40)


@given(COMPLETE)
@settings(deadline=None, max_examples=150)
def test_t_closeness_is_the_wasserstein_distance_on_ranks(records: list[tuple[int, int]]) -> None:
    classes, values = np.array(records).T
    ranks = np.unique(values, return_inverse=True)[1] / max(len(np.unique(values)) - 1, 1)
    by_class = {number: wasserstein_distance(ranks[classes == number], ranks) for number in np.unique(classes)}
    result = t_closeness([classes], values)
    assert result.t == pytest.approx(max(by_class.values()), abs=1e-12)
    assert result.mean_t == pytest.approx(np.mean([by_class[number] for number in classes]), abs=1e-12)


@given(COMPLETE)
@settings(deadline=None, max_examples=150)
def test_l_diversity_and_equal_distances_are_those_of_every_class_alone(records: list[tuple[int, int]]) -> None:
    classes, values = np.array(records).T
    shares = [np.bincount(values[classes == number], minlength=9) for number in np.unique(classes)]
    shares = [counts / counts.sum() for counts in shares]
    table = np.bincount(values, minlength=9) / len(values)
    diversity = l_diversity([classes], values)
    assert diversity.l_distinct == min(np.count_nonzero(share) for share in shares)
    assert diversity.largest_share == pytest.approx(max(share.max() for share in shares))
    bits = [-np.sum(share[share > 0] * np.log2(share[share > 0])) for share in shares]
    assert diversity.l_entropy == pytest.approx(2 ** min(bits))
    distances = [np.abs(share - table).sum() / 2 for share in shares]
    assert t_closeness([classes], values, ordered=False).t == pytest.approx(max(distances), abs=1e-12)


@given(RECORDS.filter(bool))
@settings(deadline=None, max_examples=100)
def test_one_more_known_column_never_raises_k(records: list[tuple[Any, ...]]) -> None:
    first, second, third = map(list, zip(*records, strict=True))
    steps = [k_anonymity(columns).k or 0 for columns in ([first], [first, second], [first, second, third])]
    assert steps == sorted(steps, reverse=True)
