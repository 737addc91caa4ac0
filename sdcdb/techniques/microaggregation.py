"""Microaggregation: MDAV (Domingo-Ferrer and Torra 2005); for one column the optimum (Hansen and Mukherjee 2003)."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.engines.expressions import Row, joined
from sdcdb.errors import counted
from sdcdb.techniques.families.by_record import fetch_in_order, store_in_order
from sdcdb.techniques.families.numbers import NumberShape
from sdcdb.techniques.technique import ColumnSpec, Engine, Fitted, Kind, Params, Source, Technique

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Group = Ints  # positions of records


class Microaggregation(Params):
    """Replace numbers by the mean of a group of at least k similar records.

    All columns of a view that use this method with the same parameters are grouped together: each column is
    standardised, and nearby records form groups of k to 2k - 1, which publish their means. Every published combination
    of these columns then belongs to at least k records. Several columns are grouped by MDAV: of the remaining records,
    the one farthest from the centre and the one farthest from that each take the k - 1 nearest records, and so on. A
    single column is grouped optimally: the means are as near to the values as possible (Hansen and Mukherjee). k
    records that all have the same value publish it: choose k with that in mind.

    Means are rounded to the column's grid (integers stay integers), so that totals are right up to rounding. Records
    with NULLs in the same columns are grouped among themselves, by the columns they have; if there are fewer than k of
    them, all their values become NULL. Nothing is drawn: the groups follow from the data.

    The columns are read into Python and the means are stored as a table in the schema `sdc`, keyed by record; a record
    that is inserted later is published as NULL until the next fit. MDAV takes time n x n / k, so larger tables are
    first split into blocks of at most `block` records, at the median of the widest column: the time then grows as n.
    """

    method: Literal["microaggregation"]
    k: int = Field(ge=2, strict=True)
    """The least number of records in a group."""
    block: int = Field(default=2_000, ge=100, strict=True)
    """Split larger tables into blocks of this size before MDAV. Larger blocks lose less and take longer."""


class FittedMicroaggregation(Fitted):
    """What was grouped; the means are in a stored table."""

    technique: Literal["microaggregation"] = "microaggregation"
    k: int
    stored: str
    shapes: dict[str, NumberShape]
    groups: int
    suppressed: int
    """Records with too few others that have the same columns."""

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:  # noqa: ARG002 - the stored table has it all
        """Return the means of the record's group, rounded into the column's shape."""
        return {name: self._rounded(joined(self.stored, name), shape) for name, shape in self.shapes.items()}

    @staticmethod
    def _rounded(mean: exp.Expr, shape: NumberShape) -> exp.Expr:
        """Round a mean. A missing mean stays NULL: clipping, which skips NULLs, would make it the end of the domain."""
        missing = exp.Is(this=mean, expression=exp.null())
        return exp.Case().when(missing, exp.null()).else_(shape.fit(mean.copy(), "clip"))

    def joined(self) -> tuple[str, ...]:
        """Return the table of means."""
        return (self.stored,)

    def random(self) -> bool:
        """Groups follow from the data alone."""
        return False

    def may_suppress(self) -> bool:
        """Records without a group are suppressed."""
        return self.suppressed > 0

    def words(self) -> Mapping[str, str]:
        """Explain the groups."""
        together = (
            f" together with {{}} as one of {counted(self.groups, 'group')} of {self.k} to {2 * self.k - 1} records"
        )
        gone = f"; {counted(self.suppressed, 'record')} without a group become NULL" if self.suppressed else ""
        words = {}
        for name, shape in self.shapes.items():
            others = ", ".join(other for other in self.columns if other != name) or "no other column"
            words[name] = f"replaced by the group's mean,{together.format(others)}; {shape.words('clip')}{gone}"
        return words


def fit(
    engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Microaggregation
) -> FittedMicroaggregation:
    """Group the records and store the means of every record's group."""
    shapes = {column.name: NumberShape.of(column) for column in columns}
    values = _fetch(engine, table, list(shapes))
    means, groups = np.full_like(values, np.nan), 0
    for group, present in _groups(values, params.k, params.block):
        means[np.ix_(group, present)] = values[np.ix_(group, present)].mean(axis=0)
        groups += 1
    stored = f"microaggregation of {table.view}: {', '.join(shapes)}"
    _store(engine, table, stored, list(shapes), means)
    suppressed = int((np.isnan(means) & ~np.isnan(values)).any(axis=1).sum())
    return FittedMicroaggregation(
        columns=tuple(shapes), k=params.k, stored=stored, shapes=shapes, groups=groups, suppressed=suppressed
    )


def _fetch(engine: Engine, table: Source, columns: list[str]) -> Floats:
    """Return the columns, one record per row, in the order of the key. NaN is NULL: `check` refuses any other NaN."""
    found = fetch_in_order(engine, table, [f"CAST({quoted(identifier(name))} AS DOUBLE)" for name in columns])
    return np.column_stack([found.column(n).to_numpy() for n in range(len(columns))])


def _store(engine: Engine, table: Source, name: str, columns: list[str], means: Floats) -> None:
    """Store the means by record."""
    import pyarrow as pa

    arrays = {column: pa.array(means[:, n], from_pandas=True) for n, column in enumerate(columns)}
    store_in_order(engine, table, name, arrays, {})


def _groups(values: Floats, k: int, block: int) -> Iterator[tuple[Group, Ints]]:
    """Yield groups of records with the columns that they have. Records without a group are left out."""
    patterns, pattern = np.unique(np.isnan(values), axis=0, return_inverse=True)
    for number, missing in enumerate(patterns):
        present = np.flatnonzero(~missing)
        records = np.flatnonzero(pattern.reshape(-1) == number)
        if len(records) < k or not len(present):
            continue
        points = values[np.ix_(records, present)]
        spread = points.std(axis=0)
        points = (points - points.mean(axis=0)) / np.where(spread > 0, spread, 1)
        parts = one_column(points[:, 0], k) if len(present) == 1 else blocks(points, k, block)
        yield from ((records[part], present) for part in parts)


def blocks(points: Floats, k: int, block: int) -> Iterator[Group]:
    """Halve at the median of the widest column until a block is small enough, then group each by MDAV."""
    waiting = [np.arange(len(points))]
    while waiting:
        part = waiting.pop()
        if len(part) <= max(block, 4 * k):
            yield from (part[group] for group in mdav(points[part], k))
            continue
        widest = np.argmax(np.var(points[part], axis=0))
        ordered = part[np.argsort(points[part, widest], kind="stable")]
        waiting += [ordered[len(part) // 2 :], ordered[: len(part) // 2]]


def mdav(points: Floats, k: int) -> Iterator[Group]:
    """Yield groups of k to 2k - 1 of at least k points: Maximum Distance to Average Vector.

    >>> [group.tolist() for group in mdav(np.array([[0.0, 0], [9, 9], [0, 1], [9, 8], [5, 4], [5, 5]]), 2)]
    [[0, 2], [1, 3], [4, 5]]
    """
    left = np.arange(len(points))
    while len(left) >= 2 * k:
        rounds = 2 if len(left) >= 3 * k else 1
        far = _farthest(points[left], points[left].mean(axis=0))
        centre = points[left[far]]
        for turn in range(rounds):
            if turn == 1:
                centre = points[left[_farthest(points[left], centre)]]
            near = np.argpartition(_distances(points[left], centre), k - 1)[:k]
            yield np.sort(left[near])
            left = np.delete(left, near)
    yield left


def _farthest(points: Floats, centre: Floats) -> int:
    return int(np.argmax(_distances(points, centre)))


def _distances(points: Floats, centre: Floats) -> Floats:
    away = points - centre
    return np.asarray(np.einsum("ij,ij->i", away, away))


def one_column(values: Floats, k: int) -> Iterator[Group]:
    """Yield the groups of k to 2k - 1 of at least k values that have the least sum of squares inside groups.

    >>> [group.tolist() for group in one_column(np.array([1.0, 9, 2, 8, 3, 7]), 2)]
    [[0, 2, 4], [5, 3, 1]]
    """
    order = np.argsort(values, kind="stable")
    starts = _compiled()(values[order], k)
    end = len(values)
    groups = []
    while end > 0:
        groups.append(order[starts[end] : end])
        end = starts[end]
    yield from reversed(groups)


def _starts(values: Floats, k: int) -> Ints:
    """Return, for the first j of the sorted values, where the last group of their best partition starts."""
    size = len(values)
    total, squares = np.zeros(size + 1), np.zeros(size + 1)
    for n in range(size):
        total[n + 1] = total[n] + values[n]
        squares[n + 1] = squares[n] + values[n] * values[n]
    best, starts = np.full(size + 1, np.inf), np.zeros(size + 1, np.int64)
    best[0] = 0.0
    for end in range(k, size + 1):
        for start in range(max(0, end - 2 * k + 1), end - k + 1):
            inside = total[end] - total[start]
            cost = best[start] + squares[end] - squares[start] - inside * inside / (end - start)
            if cost < best[end]:
                best[end], starts[end] = cost, start
    return starts


@cache
def _compiled() -> Callable[[Floats, int], Ints]:
    from numba import njit

    compiled: Callable[[Floats, int], Ints] = njit(cache=True, nogil=True)(_starts)
    return compiled


TECHNIQUE = Technique(
    "microaggregation", Kind.NUMBER, Microaggregation, FittedMicroaggregation, fit, joint=True, among_records=True
)
