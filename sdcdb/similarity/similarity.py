"""How similar two values of a column are, judged by the values they occur with. VICUS (2012), section 2.2.

The values of all columns are the vertices of a graph, joined when they occur in one record: once in the *simple* graph,
once per record in the *multigraph*. No value is joined to itself. With a_ij the number of edges and d(i) the degree:

- direct, eq. (2): S'_ij = sum over k of sqrt(a_ik a_kj) / sqrt(d(i) d(j)), the share of neighbours in common;
- transitive, Algorithm 1: S''_ij is S'_ij after merging neighbours of i and j that are themselves similar. Two values
  c and d of one other column are merged when one of them is a neighbour of i and the other of j, and S'_cd > T. Merging
  is transitive, and **merged vertices add their edges**, in the simple graph too: a client with two of the merged
  products has weight 2 there, and degrees do not change;
- total, eq. (1): S = c1 S' + c2 S'', c1 + c2 = 1.

Algorithm 1 merges anew for every pair of values. Here the pairs c, d with S'_cd > T form one graph per column, and
its connected components are merged in bulk wherever every two members are similar: then the members that touch i or j
always end up in one vertex, or count for nothing. Only components of another shape are searched pair by pair.

A value without neighbours (its records are NULL elsewhere, or there is one column) is similar only to itself.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt
from typing import TYPE_CHECKING, Literal, get_args

import duckdb
import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import DataError, choices
from sdcdb.similarity.cooccurrence import Cooccurrence, Ints, cooccurrence

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Graph = Literal["simple", "multi"]

# Equal sums of square roots may differ by rounding: closer than this to T is not above T.
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Similarity:
    """Similarities of the values of one column, 0 to 1, with the values as rows and columns."""

    direct: "pd.DataFrame"
    transitive: "pd.DataFrame"
    total: "pd.DataFrame"


def similarity(
    con: duckdb.DuckDBPyConnection,
    table: str,
    columns: Sequence[str],
    threshold: float = 0.4,
    c1: float = 0.6,
    c2: float = 0.4,
    graph: Graph = "simple",
) -> dict[str, Similarity]:
    """Return S', S'' and S for each column, from all records of `table`.

    `threshold` is T: sparse graphs need a lower one, dense graphs (multigraphs of many records) a higher one. The
    defaults are those of the paper's Table 2, which shows that Mr Brown and Mr White have nothing in common but
    similar products, advisors and branches:

    >>> import duckdb
    >>> from sdcdb.datasets import create
    >>> con = duckdb.connect()
    >>> dataset = create(con, "bank")
    >>> client = similarity(con, "bank", ["client", "branch", "product", "advisor"])["client"]
    >>> client.total.loc["Mr M. Brown", ["Mr K. White", "Mr J. Black"]].round(3).to_dict()
    {'Mr K. White': 0.4, 'Mr J. Black': 0.465}
    >>> client.direct.loc["Mr M. Brown", ["Mr K. White", "Mr J. Black"]].round(3).to_dict()
    {'Mr K. White': 0.0, 'Mr J. Black': 0.258}
    """
    if not 0 <= threshold <= 1:
        raise DataError(f"threshold is {threshold}: it must be from 0 to 1")
    if not (0 <= c1 <= 1 and 0 <= c2 <= 1 and abs(c1 + c2 - 1) <= TOLERANCE):
        raise DataError(f"c1 is {c1} and c2 is {c2}: they must be from 0 to 1 and sum to 1")
    return of_counts(cooccurrence(con, table, columns), threshold, c1, c2, graph)


def of_counts(found: Cooccurrence, threshold: float, c1: float, c2: float, graph: Graph) -> dict[str, Similarity]:
    """Return S', S'' and S for each column that was counted."""
    near, far = both(found.counts, found.blocks, threshold, graph)
    return {
        column: Similarity(*(_frame(matrix, values) for matrix in (s1, s2, c1 * s1 + c2 * s2)))
        for column, values, s1, s2 in zip(found.columns, found.categories, near, far, strict=True)
    }


def both(
    counts: Ints, blocks: Sequence[slice], threshold: float, graph: Graph
) -> tuple[list[Floats], list[Floats]]:  # fmt: skip
    """Return S' and S'' of the values of each block, from the counts of all pairs of values."""
    edges = adjacency(counts, graph)
    near = direct(edges, blocks)
    return near, transitive(edges, blocks, near, threshold)


def adjacency(counts: Ints, graph: Graph) -> Floats:
    """Return the numbers of edges: the counts, or 1 for every pair that occurs; no value is joined to itself."""
    if graph not in get_args(Graph):
        raise DataError(f"no graph {graph!r}; {choices(graph, get_args(Graph))}")
    edges = np.minimum(counts, 1) if graph == "simple" else counts.copy()
    np.fill_diagonal(edges, 0)
    return edges.astype(np.float64)


def direct(edges: Floats, blocks: Sequence[slice]) -> list[Floats]:
    """Return S' of the values of each block, eq. (2)."""
    roots = np.sqrt(edges)
    return [_scaled(roots[block] @ roots[block].T, edges[block].sum(axis=1)) for block in blocks]


def transitive(edges: Floats, blocks: Sequence[slice], near: Sequence[Floats], threshold: float) -> list[Floats]:
    """Return S'' of the values of each block, given S': Algorithm 1."""
    alike = [_Alike.of(s1 > threshold + TOLERANCE) for s1 in near]
    found = []
    for block in blocks:
        common = np.zeros((block.stop - block.start,) * 2)
        for other, pairs in zip(blocks, alike, strict=True):
            if other != block:
                pairs.add_common(edges[block, other], common)
        found.append(_scaled(common, edges[block].sum(axis=1)))
    return found


@dataclass(frozen=True, eq=False)
class _Alike:
    """Which values of a column may be merged: `whole` components as indicators, the others as members and pairs."""

    whole: Floats
    others: tuple[tuple[Ints, Bools], ...]

    @classmethod
    def of(cls, pairs: Bools) -> "_Alike":
        from scipy.sparse.csgraph import connected_components

        pairs = pairs & ~np.eye(len(pairs), dtype=np.bool_)
        number, labels = connected_components(pairs, directed=False) if len(pairs) else (0, np.zeros(0, np.int32))
        sizes = np.bincount(labels, minlength=number)
        friends = np.bincount(labels, weights=pairs.sum(axis=1), minlength=number)
        complete = friends == sizes * (sizes - 1)
        whole = (labels[:, None] == np.flatnonzero(complete)).astype(np.float64)
        others = [np.flatnonzero(labels == label) for label in np.flatnonzero(~complete)]
        return cls(whole, tuple((members, pairs[np.ix_(members, members)]) for members in others))

    def add_common(self, edges: Floats, common: Floats) -> None:
        """Add to `common` what the neighbours in this column contribute to the numerator of eq. (2)."""
        roots = np.sqrt(edges @ self.whole)
        common += roots @ roots.T
        for members, pairs in self.others:
            _compiled()(np.ascontiguousarray(edges[:, members]), pairs, common)


def _merged(edges: Floats, pairs: Bools, common: Floats) -> None:
    """Merge for each pair (i, j) of rows of `edges`, vertex by vertex, and add sqrt(a_ik a_kj) over merged vertices."""
    waiting, merged = np.empty(len(pairs), np.int64), np.empty(len(pairs), np.int64)
    for i in range(len(edges)):
        for j in range(i, len(edges)):
            left = 0
            for c in range(len(pairs)):
                if edges[i, c] > 0 or edges[j, c] > 0:
                    waiting[left] = c
                    left += 1
            total = 0.0
            while left > 0:
                left -= 1
                merged[0] = waiting[left]
                size, done, to_i, to_j = 1, 0, 0.0, 0.0
                while done < size:
                    c = merged[done]
                    done += 1
                    i_has, j_has = edges[i, c] > 0, edges[j, c] > 0
                    to_i += edges[i, c]
                    to_j += edges[j, c]
                    at = 0
                    while at < left:
                        d = waiting[at]
                        if pairs[c, d] and ((i_has and edges[j, d] > 0) or (j_has and edges[i, d] > 0)):
                            merged[size] = d
                            size += 1
                            left -= 1
                            waiting[at] = waiting[left]
                        else:
                            at += 1
                total += sqrt(to_i * to_j)
            common[i, j] += total
            if i != j:
                common[j, i] += total


@cache
def _compiled() -> Callable[..., None]:
    from numba import njit

    compiled: Callable[..., None] = njit(cache=True, nogil=True)(_merged)
    return compiled


def _scaled(common: Floats, degrees: Floats) -> Floats:
    """Divide by sqrt(d(i) d(j)); clip what rounding moved outside [0, 1]."""
    degrees = np.where(degrees > 0, degrees, 1.0)  # no neighbours: nothing in common, whatever the divisor
    scaled = np.clip(common / np.sqrt(np.outer(degrees, degrees)), 0.0, 1.0)
    np.fill_diagonal(scaled, 1.0)
    return scaled


def _frame(matrix: Floats, values: Sequence[object]) -> "pd.DataFrame":
    import pandas as pd

    index = pd.Index(list(values), dtype=object, tupleize_cols=False)
    return pd.DataFrame(matrix, index=index, columns=index)
