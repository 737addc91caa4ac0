"""The groups of a block: the cells of each, and of the query set that each of its measures is about."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sdcdb.connection.identifiers import quoted
from sdcdb.gateway.inference.count_audit import weights_of
from sdcdb.gateway.reading.aggregate import Measure
from sdcdb.gateway.tables.cells import Indices

NO_VALUE = -1
Of = TypeVar("Of")


@dataclass(frozen=True)
class Group:
    """One group of a block. What is kept by condition or by expression has a place for each of its cells, in order.

    `ranks` are the places of an expression's values among all of its values, `NO_VALUE` where it is NULL; `numbers`
    are the values themselves where they are added up.
    """

    row: int
    chosen: int
    """The number of its grouping set."""
    cells: Indices
    flags: Mapping[str, NDArray[np.bool_]]
    ranks: Mapping[str, NDArray[np.int64]]
    numbers: Mapping[str, NDArray[np.float64]]

    def of(self, measure: Measure) -> Indices:
        """Return the cells of the query set that a measure is about."""
        return self.cells if measure.condition is None else self.cells[self.flags[quoted(measure.condition)]]

    def wanted(self, measure: Measure) -> Indices:
        """Return the cells that an analyst chose for a measure, whether or not they have a value."""
        return self.cells if measure.chosen is None else self.cells[self.flags[quoted(measure.chosen)]]

    def counted(self, measure: Measure) -> list[Indices]:
        """Return the sets whose sizes a measure tells: those it counts, or whose members it tells apart by weights."""
        if measure.kind in {"rows", "people", "count"} or self._weighed(measure) is not None:
            return [self.wanted(measure)]
        if measure.kind != "sum" or measure.expression is None:
            return []
        ranks, members = self.ranked(measure)[0], self.of(measure)
        return [members[ranks == value] for value in np.unique(ranks)]

    def weighed(self, measure: Measure) -> tuple[Indices, NDArray[np.int64]] | None:
        """Return what the sum of a column tells beside the size of its set: the cells, in order, and their weights."""
        weights = self._weighed(measure)
        if weights is None or not weights.any():
            return None
        return self.of(measure), weights

    def _weighed(self, measure: Measure) -> NDArray[np.int64] | None:
        if measure.kind != "sum" or not measure.plain or measure.expression is None:
            return None
        numbers = self.ranked(measure)[1]
        return None if numbers is None else weights_of(numbers)

    def ranked(self, measure: Measure) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
        """Return the ranks, and the numbers where they matter, of a measure's expression in its query set."""
        text = quoted(measure.expression) if measure.expression is not None else ""
        here = slice(None) if measure.condition is None else self.flags[quoted(measure.condition)]
        numbers = self.numbers.get(text)
        return self.ranks[text][here], None if numbers is None else numbers[here]


def same_cells(one: Indices, other: Indices) -> bool:
    """Tell whether two sets are the same. Most that are the same are one array."""
    return one is other or np.array_equal(one, other)


def each_once(sets: Iterable[tuple[Of, Indices]]) -> list[tuple[Of, Indices]]:
    """Return sets, each of which is asked of something, without those that are there already."""
    found = list({(of, id(cells)): (of, cells) for of, cells in sets}.values())
    return found if len(found) < 2 else list({(of, cells.tobytes()): (of, cells) for of, cells in found}.values())


def union(groups: Sequence[Group], row: int) -> Group | None:
    """Put groups of one grouping set together; None if a join put a record into several of them."""
    together = np.concatenate([group.cells for group in groups])
    order = np.argsort(together, kind="stable")
    cells, first = together[order], groups[0]
    if (cells[1:] == cells[:-1]).any():
        return None

    def joined(held: list[Mapping[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
        return {name: np.concatenate([part[name] for part in held])[order] for name in held[0]}

    return Group(
        row,
        first.chosen,
        cells,
        joined([group.flags for group in groups]),
        joined([group.ranks for group in groups]),
        joined([group.numbers for group in groups]),
    )
