"""Chi-square: worked numbers, scipy as yardstick, and the facts about Mushroom that the VICUS paper prints."""

import csv
import doctest
import os
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sdcdb.errors import DataError
from sdcdb.measures import associations as module
from sdcdb.measures.associations import AssociationChange, association, compare, compare_pairs, pairs

tables = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(0, 30), min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
    ).map(np.array)
)


def cooccurrence(codes: np.ndarray, sizes: list[int]) -> np.ndarray:
    """Count, for every two values of any attributes, the records that hold both."""
    hot = np.concatenate([np.eye(size, dtype=np.int64)[column] for size, column in zip(sizes, codes.T, strict=True)], 1)
    return np.asarray(hot.T @ hot)


def test_the_examples_in_the_docstrings_run() -> None:
    results = doctest.testmod(module)
    assert results.attempted > 0
    assert results.failed == 0


def test_a_two_by_two_table_by_hand() -> None:
    found = association([[40, 10], [10, 40]])  # every expected count is 25: 4 x 15^2 / 25
    assert found.chi_square == pytest.approx(36)
    assert found.likelihood_ratio == pytest.approx(2 * (80 * np.log(1.6) + 20 * np.log(0.4)))
    assert (found.records, found.df, found.least_expected) == (100, 1, 25.0)
    assert found.cramers_v == pytest.approx(0.6)


def test_independent_attributes_have_chi_square_zero() -> None:
    found = association([[2, 4, 6], [10, 20, 30]])
    assert found.chi_square == pytest.approx(0, abs=1e-12)
    assert found.p_value == pytest.approx(1)
    assert found.df == 2


@settings(deadline=None)
@given(tables)
def test_agrees_with_scipy_on_the_values_that_occur(table: np.ndarray) -> None:
    found = association(table)
    seen = table[table.any(axis=1)][:, table.any(axis=0)]
    if min(seen.shape) < 2:
        assert (found.chi_square, found.df, found.p_value, found.cramers_v) == (0.0, 0, 1.0, None)
        assert not found.large_sample
        return
    pearson = stats.chi2_contingency(seen, correction=False)
    likelihood = stats.chi2_contingency(seen, correction=False, lambda_="log-likelihood")
    assert found.chi_square == pytest.approx(pearson.statistic, abs=1e-9)
    assert found.df == pearson.dof
    assert found.p_value == pytest.approx(pearson.pvalue)
    assert found.likelihood_ratio == pytest.approx(likelihood.statistic, abs=1e-9)
    assert found.likelihood_p_value == pytest.approx(likelihood.pvalue)
    assert found.cramers_v == pytest.approx(stats.contingency.association(seen, method="cramer"), abs=1e-9)
    rule = bool((pearson.expected_freq > 5).mean() > 0.8 and (pearson.expected_freq > 1).all())
    assert found.large_sample == rule


def test_values_that_do_not_occur_change_nothing() -> None:
    assert association([[40, 0, 10], [0, 0, 0], [10, 0, 40]]) == association([[40, 10], [10, 40]])


def test_a_table_without_records_has_nothing_to_test() -> None:
    found = association([[0, 0], [0, 0]])
    assert (found.records, found.chi_square, found.p_value, found.large_sample) == (0, 0.0, 1.0, False)


@pytest.mark.parametrize(
    ("table", "large"),
    [
        ([[12, 12], [12, 12]], True),
        ([[10, 10], [10, 10]], True),
        ([[6, 6], [4, 4]], False),  # expected 6, 6, 4, 4: half of them over 5
        ([[100, 1], [100, 1]], False),  # expected 1, and it must be larger than 1
        ([[100, 100, 100, 100, 100, 2], [100, 100, 100, 100, 100, 2]], True),  # 10 of 12 over 5, the others 2
        ([[100, 100, 100, 100, 2], [100, 100, 100, 100, 2]], False),  # 8 of 10: not over 80%
    ],
)
def test_large_sample_rule(table: list[list[int]], large: bool) -> None:  # noqa: FBT001 # a parametrised expectation
    assert association(table).large_sample is large


def test_all_pairs_are_those_of_the_single_tables() -> None:
    random, sizes = np.random.default_rng(1), [2, 3, 4, 1]
    codes = np.stack([random.integers(0, size, 300) for size in sizes], axis=1)
    found = pairs(cooccurrence(codes, sizes), sizes)
    assert [(p.first, p.second) for p in found] == list(combinations(range(4), 2))
    for pair in found:
        table = np.zeros((sizes[pair.first], sizes[pair.second]))
        np.add.at(table, (codes[:, pair.first], codes[:, pair.second]), 1)
        assert pair.association == association(table)


def test_an_attribute_without_values_has_nothing_to_test() -> None:
    (pair,) = pairs([[2, 0], [0, 3]], sizes=[2, 0])
    assert (pair.association.records, pair.association.cramers_v) == (0, None)


def test_comparison_of_all_pairs() -> None:
    random, sizes = np.random.default_rng(2), [3, 3, 2]
    before = np.stack([column := random.integers(0, 3, 400), column, random.integers(0, 2, 400)], axis=1)
    after = before.copy()
    after[:, 1] = random.permutation(after[:, 1])  # the relation of 0 and 1 is destroyed, marginals are not
    changes = compare_pairs(cooccurrence(before, sizes), cooccurrence(after, sizes), sizes)
    found = {(pair.first, pair.second): pair.change for pair in changes}
    assert found[0, 1].before.cramers_v == pytest.approx(1)
    assert found[0, 1].v_difference is not None
    assert found[0, 1].v_difference < -0.8
    assert found[0, 2].before == found[0, 2].after
    assert found[0, 2].same_verdict


def test_a_relation_that_noise_hid_changes_the_verdict() -> None:
    change = compare([[40, 10], [10, 40]], [[26, 24], [24, 26]])
    assert not change.same_verdict
    assert change.chi_square_ratio == pytest.approx(0.16 / 36)
    constant = compare([[50], [50]], [[50], [50]])
    assert (constant.chi_square_ratio, constant.v_difference, constant.same_verdict) == (None, None, True)
    assert isinstance(constant, AssociationChange)


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: association([[0.5, 0.5]]), "not shares"),
        (lambda: association([[-1, 2]]), "integers"),
        (lambda: association([1, 2]), "rows and columns"),
        (lambda: association([[1, 2], [3]]), "equal length"),
        (lambda: pairs(np.ones((3, 3)), [2, 2]), "square matrix"),
        (lambda: compare([[1]], [[1]], significance=5), "0.05"),
    ],
)
def test_mistakes_are_told_with_what_to_do(call: object, word: str) -> None:
    with pytest.raises(DataError, match=word):
        call()  # type: ignore[operator] # a list of lambdas


@pytest.mark.slow
def test_mushroom_as_in_the_vicus_paper() -> None:
    file = Path(os.environ.get("SDCDB_DATA", "")) / "agaricus-lepiota.data"
    if not os.environ.get("SDCDB_DATA") or not file.is_file():
        pytest.skip("set SDCDB_DATA to a folder with agaricus-lepiota.data (UCI Mushroom, with a header line)")
    header, *rows = csv.reader(file.read_text().splitlines())
    columns = np.array([row for row in rows if "?" not in row]).T
    values = [np.unique(column, return_inverse=True) for column in columns]
    codes, sizes = np.stack([code for _, code in values], axis=1), [len(distinct) for distinct, _ in values]
    assert codes.shape == (5644, 23)
    cap = header.index("cap-color")
    partners = {
        header[p.second if p.first == cap else p.first]: p.association
        for p in pairs(cooccurrence(codes, sizes), sizes)
        if cap in (p.first, p.second)
    }
    assert partners["stalk-surface-below-ring"].chi_square == pytest.approx(2711.8, abs=0.05)
    assert sum(found.large_sample for found in partners.values()) == 7
    assert partners["veil-type"].df == 0  # constant: the paper's 21 partners leave it out
