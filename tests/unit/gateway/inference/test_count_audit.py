"""Counts over a history, against trying every group of few people."""

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from sdcdb.gateway.inference.count_audit import CountAudit, weights_of

Cells = NDArray[np.bool_]


Row = NDArray[np.bool_] | NDArray[np.int64]


def follows(shown: list[Row], records: NDArray[np.int64], least: int) -> bool:
    """Tell whether the size of a group of too few people is a linear combination of sizes and sums shown."""
    rows = np.array([np.ones(len(records)), *shown], dtype=np.float64)
    rank = np.linalg.matrix_rank(rows)
    for number in range(1, least):
        for group in combinations(range(len(records)), number):
            if records[list(group)].sum() < least:
                flags = np.isin(np.arange(len(records)), group)
                if np.linalg.matrix_rank(np.vstack([rows, flags])) == rank:
                    return True
    return False


@pytest.mark.parametrize("seed", range(6))
def test_no_group_of_few_people_follows_and_no_count_is_refused_without_need(seed: int) -> None:
    rng = np.random.default_rng(seed)
    records, least = rng.integers(1, 4, 12), 5
    audit, shown, refused = CountAudit(records, least, b"secret"), list[Row](), 0
    for _ in range(14):
        cells = rng.random(12) < 0.5
        (allowed,) = audit.consider([cells])
        assert allowed != follows([*shown, cells], records, least)
        if allowed:
            audit.learn(cells)
            shown.append(cells)
        refused += not allowed
    assert refused
    assert shown


@pytest.mark.parametrize("seed", range(8))
def test_sums_of_ages_tell_sizes_as_counts_do(seed: int) -> None:
    """A set, then the sum of its ages: each is refused just where a group of few would follow from all of them."""
    rng = np.random.default_rng(100 + seed)
    records, least = rng.integers(1, 4, 10), 4
    ages = rng.choice([20, 21, 23, 30, 47], 10)
    audit, shown, refused = CountAudit(records, least, b"secret"), list[Row](), 0
    for _ in range(12):
        cells = rng.random(10) < 0.6
        weights = weights_of(ages[cells].astype(np.float64))
        assert weights is not None
        row = np.zeros(10, dtype=np.int64)
        row[cells] = weights
        asked: list[Row] = [cells, row] if weights.any() else [cells]
        told = list(shown)
        for each, allowed in zip(asked, audit.consider(asked), strict=True):
            assert allowed != follows([*told, each], records, least)
            told += [each] if allowed else []
        if len(told) == len(shown) + len(asked):
            new = [each for each in asked if audit.learn(each)]
            again = CountAudit(records, least, b"another", [*(each for each in shown), *new])
            shown += new
            other = rng.random(10) < 0.5
            assert audit.consider([other]) == again.consider([other])
        else:
            refused += 1
    assert refused
    assert any(each.dtype != np.bool_ for each in shown)


def test_weights_are_steps_above_the_least() -> None:
    assert weights_of(np.array([])) is None
    assert weights_of(np.array([1.0, 1e9])).tolist() == [0, 1]  # type: ignore[union-attr]
    assert weights_of(np.array([0.0, 1.0, 1e9])) is None
    assert weights_of(np.array([0.0, np.inf])) is None


def test_three_cells_whose_sizes_follow_only_together() -> None:
    """(A or B or C or D) less D, where A, B and C were never apart from others in the same way."""
    a, b, c, d, e, f = np.eye(6, dtype=bool)
    records = np.array([2, 2, 2, 20, 20, 20])
    audit = CountAudit(records, 10, b"secret")
    for each in (a | d, b | e):
        assert audit.consider([each]) == [True]
        audit.learn(each)
    last = c | d | e  # the three less everybody but F: A + B + C follows once D + E does
    assert audit.consider([d | e | f]) == [False]
    assert audit.consider([last]) == [True]
    audit.learn(last)
    assert audit.consider([d | e]) == [False]


def test_a_statement_is_considered_as_a_whole_and_forgotten() -> None:
    a, b, c, d = np.eye(4, dtype=bool)
    audit = CountAudit(np.array([3, 3, 30, 30]), 10, b"secret")
    assert audit.consider([a | c, b | c, c]) == [True, True, False]
    assert audit.consider([a | c, b | c, c]) == [True, True, False]
    assert audit.consider([a | b | c]) == [True]
    assert audit.consider([d]) == [True]
