"""VICUS similarity: the paper's Table 2, and the paper's Algorithm 1 word by word on random tables."""

import doctest
import os
from collections.abc import Iterator
from itertools import combinations
from math import sqrt
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcdb.datasets import create
from sdcdb.errors import DataError
from sdcdb.similarity import similarity as module
from sdcdb.similarity.cooccurrence import Cooccurrence, cooccurrence
from sdcdb.similarity.similarity import TOLERANCE, Floats, Graph, adjacency, direct, similarity, transitive

CLIENTS = ["Dr T. Green", "Mr D. Blue", "Mr M. Brown", "Mrs H. Pink", "Mr K. White", "Mr J. Black"]
BANK = ["client", "branch", "product", "advisor"]

# VICUS (2012), Table 2, as printed but for three cells that disagree with the paper's own formula in the last digit:
# S'(6, 5) is 0.515 there beside S'(5, 6) = 0.516 (2 / sqrt(15) is 0.5164), and S(5, 6) and S(6, 5) are 0.663
# (0.6 x 0.51640 + 0.4 x 0.88155 is 0.66246, which became 0.6625 and then 0.663).
DIRECT = [
    [1.000, 0.667, 0.000, 0.000, 0.000, 0.000],
    [0.667, 1.000, 0.000, 0.000, 0.000, 0.258],
    [0.000, 0.000, 1.000, 0.333, 0.000, 0.258],
    [0.000, 0.000, 0.333, 1.000, 0.667, 0.258],
    [0.000, 0.000, 0.000, 0.667, 1.000, 0.516],
    [0.000, 0.258, 0.258, 0.258, 0.516, 1.000],
]
TRANSITIVE = [
    [1.000, 1.000, 0.000, 0.000, 0.000, 0.258],
    [1.000, 1.000, 0.000, 0.000, 0.000, 0.258],
    [0.000, 0.000, 1.000, 1.000, 1.000, 0.775],
    [0.000, 0.000, 1.000, 1.000, 1.000, 0.882],
    [0.000, 0.000, 1.000, 1.000, 1.000, 0.882],
    [0.258, 0.258, 0.775, 0.882, 0.882, 1.000],
]
TOTAL = [
    [1.000, 0.800, 0.000, 0.000, 0.000, 0.103],
    [0.800, 1.000, 0.000, 0.000, 0.000, 0.258],
    [0.000, 0.000, 1.000, 0.600, 0.400, 0.465],
    [0.000, 0.000, 0.600, 1.000, 0.800, 0.508],
    [0.000, 0.000, 0.400, 0.800, 1.000, 0.662],
    [0.103, 0.258, 0.465, 0.508, 0.662, 1.000],
]


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        create(con, "bank")
        yield con


# The yardstick: Algorithm 1 as printed, with a graph as a list of sets of merged vertices.


def common(edges: Floats, i: int, j: int, vertices: list[set[int]]) -> float:
    weight = {(v, n): sum(edges[v, k] for k in vertex) for v in (i, j) for n, vertex in enumerate(vertices)}
    over = sqrt(edges[i].sum() * edges[j].sum())
    shared = sum(sqrt(weight[i, n] * weight[j, n]) for n in range(len(vertices)))
    return float(shared / over) if over else float(i == j)


def algorithm_1(edges: Floats, blocks: list[range], threshold: float) -> tuple[Floats, Floats]:
    n = len(edges)
    single = [{k} for k in range(n)]
    near, far = np.zeros((n, n)), np.zeros((n, n))
    for x in blocks:
        for i in x:
            for j in x:
                near[i, j] = common(edges, i, j, single)
    for x in blocks:
        for i in x:
            for j in x:
                merged = [{k} for k in range(n)]
                for y in blocks:
                    if y is x:
                        continue
                    for c in y:
                        for d in y:
                            crossing = (edges[c, i] and edges[d, j]) or (edges[c, j] and edges[d, i])
                            of_c, of_d = (next(v for v in merged if k in v) for k in (c, d))
                            if crossing and of_c is not of_d and near[c, d] > threshold + TOLERANCE:
                                merged = [v for v in merged if v is not of_c and v is not of_d] + [of_c | of_d]
                far[i, j] = common(edges, i, j, merged)
    return near, far


@st.composite
def tables(draw: st.DrawFn) -> list[tuple[int, ...]]:
    """Give records of 2 to 4 columns; missing values are -1."""
    sizes = draw(st.lists(st.integers(1, 6), min_size=2, max_size=4))
    return draw(st.lists(st.tuples(*(st.integers(-1, size - 1) for size in sizes)), min_size=1, max_size=14))


def counted(rows: list[tuple[int, ...]]) -> Cooccurrence:
    """Count as `cooccurrence` does, without an engine."""
    columns = list(zip(*rows, strict=True))
    categories = tuple(tuple(sorted({value for value in column if value >= 0})) for column in columns)
    hot = np.array([[row[n] == v for n, values in enumerate(categories) for v in values] for row in rows], np.int64)
    return Cooccurrence(len(rows), tuple(map(str, range(len(columns)))), categories, hot.T @ hot)


@given(tables(), st.sampled_from(["simple", "multi"]), st.sampled_from([0.0, 0.2, 0.4, 0.5, 0.6, 0.8, 1.0]))
@settings(deadline=None, max_examples=150)
def test_equals_algorithm_1(rows: list[tuple[int, ...]], graph: Graph, threshold: float) -> None:
    found = counted(rows)
    edges = adjacency(found.counts, graph)
    near = direct(edges, found.blocks)
    far = transitive(edges, found.blocks, near, threshold)
    slow_near, slow_far = algorithm_1(edges, [range(b.start, b.stop) for b in found.blocks], threshold)
    for block, s1, s2 in zip(found.blocks, near, far, strict=True):
        assert s1 == pytest.approx(slow_near[block, block], abs=1e-12)
        assert s2 == pytest.approx(slow_far[block, block], abs=1e-12)


@pytest.mark.parametrize("graph", ["simple", "multi"])
def test_equals_algorithm_1_where_likeness_is_a_chain(graph: Graph) -> None:
    # Neighbouring values of a column share partners, distant ones do not: components that are not complete.
    found = counted([(a, (a + s) % 9, (a + t) % 8) for a in range(8) for s in range(3) for t in range(2)])
    edges = adjacency(found.counts, graph)
    near = direct(edges, found.blocks)
    slow = algorithm_1(edges, [range(b.start, b.stop) for b in found.blocks], 0.55)[1]
    for block, s2 in zip(found.blocks, transitive(edges, found.blocks, near, 0.55), strict=True):
        assert s2 == pytest.approx(slow[block, block], abs=1e-12)


def test_table_2_of_the_paper(con: duckdb.DuckDBPyConnection) -> None:
    client = similarity(con, "bank", BANK, threshold=0.4, c1=0.6, c2=0.4)["client"]
    for frame, printed in ((client.direct, DIRECT), (client.transitive, TRANSITIVE), (client.total, TOTAL)):
        assert frame.loc[CLIENTS, CLIENTS].to_numpy().round(3).tolist() == printed


def test_merged_vertices_add_their_edges(con: duckdb.DuckDBPyConnection) -> None:
    client = similarity(con, "bank", BANK)["client"]
    assert client.transitive.loc["Mrs H. Pink", "Mr J. Black"] == pytest.approx((2 + sqrt(2)) / sqrt(15))


def test_every_column_has_its_values_and_is_symmetric(con: duckdb.DuckDBPyConnection) -> None:
    found = similarity(con, "bank", BANK, graph="multi")
    assert list(found) == BANK
    for column, sim in found.items():
        values = [value for (value,) in con.execute(f"SELECT DISTINCT {column} FROM bank ORDER BY 1").fetchall()]
        for frame in (sim.direct, sim.transitive, sim.total):
            assert list(frame.index) == list(frame.columns) == values
            assert (frame.to_numpy() == frame.to_numpy().T).all()
            assert (np.diag(frame) == 1).all()


def test_without_neighbours_a_value_is_like_itself_only(con: duckdb.DuckDBPyConnection) -> None:
    alone = similarity(con, "bank", ["branch"])["branch"]
    assert (alone.total.to_numpy() == np.eye(3)).all()


def test_no_records_no_values(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE empty (a VARCHAR, b DATE)")
    assert similarity(con, "empty", ["a", "b"])["a"].total.shape == (0, 0)


def test_a_threshold_of_one_merges_nothing(con: duckdb.DuckDBPyConnection) -> None:
    for sim in similarity(con, "bank", BANK, threshold=1).values():
        assert sim.transitive.to_numpy() == pytest.approx(sim.direct.to_numpy())


def test_parameters_out_of_range_say_so(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(DataError, match=r"threshold is 1\.2: it must be from 0 to 1"):
        similarity(con, "bank", BANK, threshold=1.2)
    with pytest.raises(DataError, match="sum to 1"):
        similarity(con, "bank", BANK, c1=0.6, c2=0.6)
    with pytest.raises(DataError, match="sum to 1"):
        similarity(con, "bank", BANK, c1=float("nan"))
    with pytest.raises(DataError, match=r"no graph 'multigraph'.*did you mean 'multi'"):
        similarity(con, "bank", BANK, graph="multigraph")  # type: ignore[arg-type]


def test_the_example_of_the_module_runs() -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.slow
@pytest.mark.parametrize("graph", ["simple", "multi"])
def test_mushroom_equals_algorithm_1_in_a_sample_of_columns(con: duckdb.DuckDBPyConnection, graph: Graph) -> None:
    file = Path(os.environ.get("SDCDB_DATA", "")) / "agaricus-lepiota.data"
    if not file.is_file():
        pytest.skip("SDCDB_DATA names no directory with agaricus-lepiota.data (UCI Mushroom, with a header)")
    con.execute("CREATE TABLE m AS FROM read_csv(?, all_varchar=true) WHERE \"stalk-root\" <> '?'", [str(file)])
    columns = [row[0] for row in con.execute("DESCRIBE m").fetchall()]
    found = cooccurrence(con, "m", columns)
    assert found.rows == 5644
    edges = adjacency(found.counts, graph)
    near = direct(edges, found.blocks)
    far = transitive(edges, found.blocks, near, 0.6)
    assert all((s2 <= 1).all() and (s2 >= 0).all() for s2 in far)
    for some in combinations(["cap-color", "odor", "habitat", "ring-type"], 3):
        small = cooccurrence(con, "m", some)
        edges = adjacency(small.counts, graph)
        slow = algorithm_1(edges, [range(block.start, block.stop) for block in small.blocks], 0.6)[1]
        fast = transitive(edges, small.blocks, direct(edges, small.blocks), 0.6)
        for block, s2 in zip(small.blocks, fast, strict=True):
            assert s2 == pytest.approx(slow[block, block], abs=1e-9)
