"""Partitions of values: against all partitions there are, against each other, and at the edges."""

import doctest
from collections import Counter
from collections.abc import Iterator

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sdcdb.datasets import create
from sdcdb.errors import DataError
from sdcdb.similarity import partition as module
from sdcdb.similarity.partition import Method, Partition, fitness, partition
from sdcdb.similarity.similarity import similarity

Floats = NDArray[np.float64]


def random_similarity(seed: int, size: int, kind: str = "dense", subsets: int = 3) -> Floats:
    """Give numbers at random: all of them, a few among zeros, or higher ones within planted subsets."""
    rng = np.random.default_rng(seed)
    s = rng.random((size, size))
    if kind == "sparse":
        s *= rng.random((size, size)) < 0.2
    if kind == "planted":
        z = np.arange(size) % subsets
        s = 0.4 * s + 0.5 * (z[:, None] == z)
    s = np.triu(s, 1)
    return np.asarray(s + s.T)


def all_partitions(size: int) -> Iterator[list[int]]:
    """Give the labels of every partition, the next value in one of the subsets so far or in a new one."""
    if size == 0:
        yield []
        return
    for labels in all_partitions(size - 1):
        for label in range(max(labels, default=-1) + 2):
            yield [*labels, label]


def sizes(found: Partition) -> list[int]:
    return sorted(Counter(found.labels).values())


@given(
    st.integers(0, 10**6),
    st.integers(2, 7),
    st.sampled_from(["dense", "sparse", "planted"]),
    st.integers(1, 3),
    st.none() | st.sampled_from([0.0, 0.3]),
)
@settings(deadline=None, max_examples=40)
def test_local_equals_brute_force(seed: int, size: int, kind: str, min_size: int, baseline: float | None) -> None:
    s = random_similarity(seed, size, kind)
    best: dict[int, float] = {}
    for labels in all_partitions(size):
        k = max(labels) + 1
        if k == 1 or min(Counter(labels).values()) >= min_size:
            best[k] = max(best.get(k, -np.inf), fitness(s, labels, baseline))
    for k, value in best.items():
        assert partition(s, k, min_size, baseline=baseline).fitness == pytest.approx(value, abs=1e-9)


def test_eight_values_and_nine_equal_brute_force() -> None:
    for size, k in ((8, 3), (9, 4)):
        s = random_similarity(size, size)
        feasible = (p for p in all_partitions(size) if max(p) + 1 == k and min(Counter(p).values()) >= 2)
        assert partition(s, k, 2).fitness == pytest.approx(max(fitness(s, labels) for labels in feasible))


def test_the_search_beyond_nine_values_finds_what_enumeration_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = [partition(random_similarity(seed, 9), 3, 2).fitness for seed in range(40)]
    monkeypatch.setattr(module, "_EXACT", 0)
    assert [partition(random_similarity(seed, 9), 3, 2).fitness for seed in range(40)] == pytest.approx(exact)


@pytest.mark.parametrize("kind", ["dense", "sparse", "planted"])
@pytest.mark.parametrize("baseline", [None, 0.0])
def test_local_is_never_worse_than_genetic(kind: str, baseline: float | None) -> None:
    rng = np.random.default_rng(1)
    for seed in range(10):
        size, min_size = int(rng.integers(9, 30)), int(rng.integers(1, 4))
        k = int(rng.integers(2, size // min_size // 2 + 2))
        s = random_similarity(seed, size, kind)
        local = partition(s, k, min_size, "local", baseline=baseline)
        genetic = partition(s, k, min_size, "genetic", baseline=baseline)
        assert local.fitness >= genetic.fitness - 1e-9
        for found in (local, genetic):
            assert len(sizes(found)) == k
            assert sizes(found)[0] >= min_size
            assert found.fitness == pytest.approx(fitness(s, found.labels, baseline))


@pytest.mark.parametrize("method", ["local", "genetic"])
def test_planted_subsets_are_found_and_counted(method: Method) -> None:
    found = partition(random_similarity(3, 15, "planted"), method=method)
    assert found.labels == tuple(n % 3 for n in range(15))


def test_the_plain_cut_is_lopsided_where_all_values_are_somewhat_alike() -> None:
    s = 0.7 + 0.2 * random_similarity(3, 15, "planted")
    np.fill_diagonal(s, 0)
    assert sizes(partition(s, 3, 2, baseline=0)) == [2, 2, 11]
    assert sizes(partition(s, 3, 2)) == [5, 5, 5]


def test_bank_clients_fall_into_the_two_groups_of_the_paper() -> None:
    with duckdb.connect() as con:
        create(con, "bank")
        total = similarity(con, "bank", ["client", "branch", "product", "advisor"])["client"].total
    assert partition(total).subsets(list(total.index)) == (
        ("Dr T. Green", "Mr D. Blue"),
        ("Mr J. Black", "Mr K. White", "Mr M. Brown", "Mrs H. Pink"),
    )


@pytest.mark.parametrize("method", ["local", "genetic"])
def test_the_same_seed_gives_the_same_partition(method: Method) -> None:
    s = random_similarity(4, 25, "sparse")
    assert partition(s, 5, 2, method, seed=9) == partition(s, 5, 2, method, seed=9)


@pytest.mark.parametrize("method", ["local", "genetic"])
@pytest.mark.parametrize("size", [1, 2, 3, 12])
def test_values_that_are_all_equally_alike_are_one_subset(method: Method, size: int) -> None:
    for value in (0.0, 0.8, 1.0):
        for min_size in (1, 2, 5):
            found = partition(np.full((size, size), value), min_size=min_size, method=method)
            assert found == Partition((0,) * size, 0.0)
            assert found.subsets(range(size)) == (tuple(range(size)),)


@pytest.mark.parametrize("method", ["local", "genetic"])
def test_two_values_can_be_set_apart(method: Method) -> None:
    assert partition(np.ones((2, 2)), 2, 1, method).labels == (0, 1)


@pytest.mark.parametrize("method", ["local", "genetic"])
def test_zeros_are_partitioned_when_asked(method: Method) -> None:
    found = partition(np.zeros((12, 12)), 4, 3, method)
    assert sizes(found) == [3, 3, 3, 3]
    assert found.fitness == 0


def test_subsets_are_numbered_in_the_order_of_values() -> None:
    found = partition(random_similarity(0, 20, "sparse"), 6, 1)
    assert list(dict.fromkeys(found.labels)) == list(range(6))


def test_five_hundred_values() -> None:
    s = random_similarity(0, 500, "planted", 10)
    local = partition(s, 10, 20, restarts=2)
    assert local.labels == tuple(n % 10 for n in range(500))
    genetic = partition(s, 10, 20, "genetic", restarts=2)
    assert sizes(genetic)[0] >= 20
    assert genetic.fitness <= local.fitness


@pytest.mark.parametrize(
    ("s", "arguments", "says"),
    [
        (np.zeros((4, 4)), {"k": 3}, "k is 3, but 4 values make 1 to 2 subsets of at least 2"),
        (np.zeros((1, 1)), {"k": 2}, "1 value make 1 to 1 subset of"),
        (np.zeros((4, 4)), {"k": 0}, "k is 0"),
        (np.zeros((4, 4)), {"min_size": 0}, "min_size is 0"),
        (np.zeros((4, 4)), {"restarts": 0}, "restarts is 0"),
        (np.zeros((4, 4)), {"method": "genetics"}, r"no method 'genetics'.*did you mean 'genetic'"),
        (np.zeros((4, 3)), {}, "square matrix"),
        (np.zeros((0, 0)), {}, "at least one value"),
        (np.array([[1, 0.5], [0.4, 1]]), {}, "symmetric"),
        (np.array([[1, np.nan], [np.nan, 1]]), {}, "no NaN"),
        (np.array([[1, -0.1], [-0.1, 1]]), {}, "zero or more"),
    ],
)
def test_wrong_input_says_what_is_wrong(s: Floats, arguments: dict[str, int], says: str) -> None:
    with pytest.raises(DataError, match=says):
        partition(s, **arguments)  # type: ignore[arg-type]


def test_the_examples_of_the_module_run() -> None:
    assert doctest.testmod(module).failed == 0
