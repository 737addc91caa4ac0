"""The rule `size`: which sets an answer tells apart, checked by trying every table that gives the same answer."""

from itertools import product

import numpy as np
import pytest

from sdcdb.gateway.rules.size import parts


def sizes(kind: str, values: list[float], records: list[int], *, plain: bool = True, least: int = 5) -> list[int]:
    ranks = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return [int(part) for part in parts(kind, ranks, np.array(records), np.array(values), least, plain=plain)]


def test_an_extreme_tells_of_those_who_have_it() -> None:
    assert sizes("min", [30, 40, 30, 70], [3, 9, 4, 1]) == [7]
    assert sizes("max", [30, 40, 30, 70], [3, 9, 4, 1]) == [1]


def test_chosen_weights_tell_how_many_have_each() -> None:
    assert sizes("sum", [0, 1], [20, 1], plain=False) == [20, 1]
    assert sizes("sum_distinct", [1, 2, 3, 4, 5, 6], [9] * 6) == [9] * 6


def test_many_values_of_a_plain_column_mix() -> None:
    assert sizes("sum", [float(n) for n in range(25, 65)], [1] * 40) == []
    assert sizes("sum", [*(float(n) for n in range(25, 65)), 70], [3] * 40 + [1]) == []


def test_few_values_and_one_far_away_do_not() -> None:
    assert sizes("sum", [30, 31, 32, 33, 70], [3, 3, 3, 3, 1]) == [1]


def test_a_number_of_distinct_values_tells_of_rare_ones_together() -> None:
    assert sizes("distinct", [1, 2, 3, 4, 5], [9, 9, 9, 9, 1]) == [9, 9, 9, 9, 1]
    assert sizes("distinct", [1, 2, 3, 4, 5], [9, 1, 2, 3, 4]) == [9, 10]


@pytest.mark.parametrize("seed", range(80))
def test_a_number_of_people_that_is_not_told_could_be_another(seed: int) -> None:
    """Brute force: whoever is said to be exchangeable has another number in some table with the same count and sum."""
    rng = np.random.default_rng(seed)
    number = int(rng.integers(2, 5))
    values = sorted(int(v) for v in rng.choice(12, number, replace=False))
    records = [int(n) for n in rng.integers(1, 7, number)]
    told = sizes("sum", [float(v) for v in values], records, least=99)
    total, weight = sum(records), sum(n * v for n, v in zip(records, values, strict=True))
    alike = [
        counts
        for counts in product(range(total + 1), repeat=number)
        if sum(counts) == total and sum(n * v for n, v in zip(counts, values, strict=True)) == weight
    ]
    determined = [records[n] for n in range(number) if len({counts[n] for counts in alike}) == 1]
    assert set(determined) <= set(told)
    assert len(told) >= len(determined)
